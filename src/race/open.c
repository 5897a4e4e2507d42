/* open.c - begins and ends the checker with the job: memory that all PEs share, and the
 * variables of the program. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/env.h"
#include "core/log.h"
#include "core/state.h"
#include "heap/segment.h"
#include "race/race.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int gsh_race_on;
struct gsh_race_global gsh_race;

static bool announced;
static bool has_found; /* a race, in any job of this process */

enum { STATUS = 66 }; /* of a process whose job had races */

void gsh_race_announce(void)
{
    announced = true;
}

/* Variables and code of the program, which is the first module. */
static int look_at_program(struct dl_phdr_info *module, size_t bytes, void *arg)
{
    (void)bytes;
    (void)arg;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        uintptr_t at = module->dlpi_addr + part->p_vaddr;

        if (part->p_type != PT_LOAD)
            continue;
        if (part->p_flags & PF_W)
            gsh_race_watch((const void *)at, part->p_memsz, NULL);
        if (part->p_flags & PF_X) {
            gsh_race.code = at;
            gsh_race.code_bytes = part->p_memsz;
        }
    }
    return 1;
}

static size_t shared_bytes(void)
{
    size_t page = 2 << 20;

    return (sizeof(struct gsh_race_shared) + page - 1) / page * page + GSH_RACE_ARENA;
}

/* The first PE of the machine makes the file longer; all map what is behind the windows. */
static int map_shared(void)
{
    const struct gsh_segment *s = &gsh_segment;
    size_t windows = (size_t)s->n_here * s->window;
    size_t bytes = shared_bytes() + windows * GSH_RACE_FACTOR;
    int err = 0, together;
    char *at;

    if (s->here[0] == gsh.my_pe && ftruncate(s->fd, (off_t)(windows + bytes)))
        err = gsh_fail(-errno,
                       "GSHMEM_CHECK=race needs %zu GiB of a sparse file: %s; a smaller "
                       "NVSHMEM_MAX_MEMORY_PER_GPU needs less",
                       bytes >> 30, strerror(errno));
    together = gsh.boot.ops.barrier(&gsh.boot);
    if (err || together)
        return err ? err : together;
    at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, s->fd,
              (off_t)windows);
    if (at == MAP_FAILED)
        return gsh_fail(-errno,
                        "GSHMEM_CHECK=race cannot map %zu GiB: %s; a smaller "
                        "NVSHMEM_MAX_MEMORY_PER_GPU needs less",
                        bytes >> 30, strerror(errno));
    madvise(at, bytes, MADV_DONTDUMP);
    gsh_race = (struct gsh_race_global){
        .shared = (struct gsh_race_shared *)(void *)at,
        .arena = at + shared_bytes() - GSH_RACE_ARENA,
        .cells = (struct gsh_race_cell *)(void *)(at + shared_bytes()),
        .windows = (uintptr_t)s->windows[s->here[0]],
        .windows_bytes = windows,
        .pe = (unsigned)gsh.my_pe,
    };
    return 0;
}

int gsh_race_open(void)
{
    int err;

    if (gsh_env.CHECK != GSH_CHECK_RACE)
        return 0;
    if (!announced)
        return gsh_fail(-EINVAL, "GSHMEM_CHECK=race needs a program that was compiled for it: "
                                 "gshcc --target=cpu --race");
    if (gsh_segment.n_here != gsh.n_pes || gsh.remote)
        return gsh_fail(-EINVAL,
                        "GSHMEM_CHECK=race needs all %d PEs on one machine, load/store reachable",
                        gsh.n_pes);
    if (gsh.n_pes > GSH_RACE_PES)
        return gsh_fail(-EINVAL, "GSHMEM_CHECK=race can check %d PEs at most", GSH_RACE_PES);
    err = map_shared();
    if (err)
        return err;
    dl_iterate_phdr(look_at_program, NULL);
    gsh_race_on = 1;
    return 0;
}

void gsh_race_close(void)
{
    uint32_t reports;

    if (!gsh_race_on)
        return;
    reports = atomic_load(&gsh_race.shared->reports);
    has_found |= reports != 0;
    if (reports && !gsh.my_pe)
        fprintf(stderr, "race: %u found in this job\n", reports);
    gsh_race_on = 0;
    /* Threads of the pool may still look at the file: it stays mapped. */
    gsh_race_shadow_close();
}

/* The status of the process tells that there were races. */
static __attribute__((destructor)) void end(void)
{
    if (gsh_race_on)
        gsh_race_close();
    if (has_found) {
        fflush(NULL);
        _exit(STATUS);
    }
}
