/* segment.c - reserve, agree, share and map the windows of one machine. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "heap/segment.h"
#include "core/env.h"
#include "core/log.h"
#include "topo/host.h"
#include "util/fault.h"
#include "util/pass.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct gsh_segment gsh_segment;

#define GIB (UINT64_C(1) << 30)

/* Address space that all windows together may take. Sanitizers keep most of it
 * for their shadow. */
#if defined(__SANITIZE_THREAD__)
#define MOST (512 * GIB)
#elif defined(__SANITIZE_ADDRESS__)
#define MOST (4096 * GIB)
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MOST (512 * GIB)
#elif __has_feature(address_sanitizer)
#define MOST (4096 * GIB)
#endif
#endif
#ifndef MOST
#define MOST (16384 * GIB)
#endif

/* What each PE tells the others before anything is shared. */
struct card {
    uint64_t cookie; /* of the socket's name */
    size_t window;   /* that it can map */
    int err;
};

/* A step that failed on one PE fails on all, and all know. */
static int agree(struct gsh_boot *boot, int err)
{
    int *all = calloc((size_t)boot->n_ranks, sizeof(*all));
    int worst;

    if (!all)
        return gsh_fail(-ENOMEM, "no memory to agree with %d PEs", boot->n_ranks);
    worst = boot->ops.allgather(boot, &err, all, sizeof(err));
    for (int pe = 0; pe < boot->n_ranks && !worst; pe++)
        if (all[pe] && !err)
            worst = gsh_miss(all[pe], "PE %d could not set up its memory", pe);
    free(all);
    return err ? err : worst;
}

static size_t round_down(size_t value)
{
    return value / GSH_SEGMENT_ALIGN * GSH_SEGMENT_ALIGN;
}

/* The largest window, at most `want`, that n of fit into the address space. */
static size_t try_window(size_t want, size_t need, size_t n)
{
    size_t window = round_down(want < MOST / n ? want : MOST / n);

    for (; window >= need; window = round_down(window / 2)) {
        size_t bytes = n * window + GSH_SEGMENT_ALIGN;
        void *probe =
            mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (probe != MAP_FAILED) {
            munmap(probe, bytes);
            return window;
        }
    }
    return 0;
}

/* The window that all PEs of the job can map. */
static int meet(struct gsh_segment *s, struct gsh_boot *boot, struct card *cards, size_t want,
                size_t need)
{
    struct card mine = { 0 };
    int err;

    need = round_down(need + GSH_SEGMENT_ALIGN - 1);
    if (want < need)
        want = need;
    mine.window = try_window(want, need, (size_t)s->n_here);
    if (!mine.window)
        gsh_fail(-ENOMEM,
                 "%d windows of %zu MiB do not fit into the address space (ulimit -v, "
                 "NVSHMEM_SYMMETRIC_SIZE)",
                 s->n_here, need >> 20);
    mine.cookie = gsh_pass_cookie();
    err = boot->ops.allgather(boot, &mine, cards, sizeof(mine));
    s->window = SIZE_MAX;
    for (int pe = 0; pe < boot->n_ranks && !err; pe++)
        if (cards[pe].window < s->window)
            s->window = cards[pe].window;
    if (!err && !s->window)
        err = mine.window ? gsh_miss(-ENOMEM, "another PE has no room for the windows") : -ENOMEM;
    return err;
}

/* The lowest PE of the machine makes the file; -errno. */
static int make_file(size_t bytes)
{
    int fd = gsh_fault_fails("segment.memfd") ? -1 : memfd_create("gshmem", MFD_CLOEXEC);
    struct rlimit limit;

    if (fd < 0)
        return gsh_fail(-ENOMEM, "cannot make the shared memory file: %s", strerror(errno));
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < bytes) {
        close(fd);
        return gsh_fail(-EFBIG,
                        "a shared memory file of %zu MiB is above the limit of %zu MiB "
                        "for files (ulimit -f)",
                        bytes >> 20, (size_t)limit.rlim_cur >> 20);
    }
    if (ftruncate(fd, (off_t)bytes)) {
        int err = -errno;

        close(fd);
        return gsh_fail(err, "cannot make a shared memory file of %zu MiB: %s (ulimit -f)",
                        bytes >> 20, strerror(-err));
    }
    return fd;
}

/* Hands the file to n PEs. */
static int hand_out(int listener, int fd, int n)
{
    int err = 0;

    while (n-- > 0 && !err)
        err = gsh_pass_serve(listener, fd, gsh_env.TIMEOUT > 0 ? gsh_env.TIMEOUT : 60);
    if (err)
        gsh_fail(err, "cannot hand over the shared memory of this machine: %s",
                 gsh_pass_reason(err));
    return err;
}

static int fetch_file(uint64_t cookie)
{
    int from = gsh_pass_connect(cookie);
    int fd = from < 0 ? from : gsh_pass_receive(from, gsh_env.TIMEOUT > 0 ? gsh_env.TIMEOUT : 0);

    if (fd < 0)
        gsh_fail(fd, "cannot fetch the shared memory of this machine: %s", gsh_pass_reason(fd));
    return fd;
}

/* The machine's file, on every PE of it; -errno. Collective over all PEs. */
static int share_file(struct gsh_boot *boot, const struct card *cards, int leader, int n_here,
                      size_t bytes)
{
    bool leads = leader == boot->rank;
    int listener = -1, fd = -1, err = 0;

    if (leads) {
        fd = make_file(bytes);
        err = fd < 0 ? fd : 0;
        if (!err && n_here > 1) {
            listener = gsh_pass_listen(cards[leader].cookie, n_here);
            if (listener < 0)
                err = gsh_fail(listener, "cannot listen to the PEs of this machine: %s",
                               strerror(-listener));
        }
    }
    err = agree(boot, err);
    if (!err && leads)
        err = hand_out(listener, fd, n_here - 1);
    if (!err && !leads) {
        fd = fetch_file(cards[leader].cookie);
        err = fd < 0 ? fd : 0;
    }
    if (listener >= 0)
        close(listener);
    err = agree(boot, err);
    if (err && fd >= 0)
        close(fd);
    return err ? err : fd;
}

/* Maps the file over a reservation that begins at the alignment of windows. */
static int map_file(struct gsh_segment *s, size_t bytes)
{
    size_t room = bytes + GSH_SEGMENT_ALIGN;
    char *start =
        gsh_fault_fails("segment.map")
            ? MAP_FAILED
            : mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *at;

    if (start == MAP_FAILED)
        return gsh_fail(-ENOMEM, "cannot reserve %zu MiB of address space: %s", room >> 20,
                        strerror(errno));
    at = start + (GSH_SEGMENT_ALIGN - (uintptr_t)start % GSH_SEGMENT_ALIGN) % GSH_SEGMENT_ALIGN;
    s->map = start;
    s->map_bytes = room;
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, s->fd, 0) ==
        MAP_FAILED)
        return gsh_fail(-errno, "cannot map %zu MiB of shared memory: %s", bytes >> 20,
                        strerror(errno));
    /* A core file would hold every PE's memory. */
    madvise(at, bytes, MADV_DONTDUMP);
    for (size_t i = 0; i < (size_t)s->n_here; i++)
        s->windows[s->here[i]] = at + i * s->window;
    return 0;
}

int gsh_segment_open(struct gsh_segment *s, struct gsh_boot *boot, size_t want, size_t need)
{
    size_t n = (size_t)boot->n_ranks;
    struct card *cards = calloc(n, sizeof(*cards));
    int err;

    *s = (struct gsh_segment){ .fd = -1,
                               .windows = calloc(n, sizeof(*s->windows)),
                               .here = calloc(n, sizeof(*s->here)) };
    if (!cards || !s->windows || !s->here) {
        err = gsh_fail(-ENOMEM, "no memory for the windows of %zu PEs", n);
    } else {
        for (int pe = 0; pe < boot->n_ranks; pe++)
            if (gsh_host_of(pe) == gsh_host_of(boot->rank))
                s->here[s->n_here++] = pe;
        err = meet(s, boot, cards, want, need);
    }
    if (!err) {
        s->fd = share_file(boot, cards, s->here[0], s->n_here, (size_t)s->n_here * s->window);
        err = s->fd < 0 ? s->fd : agree(boot, map_file(s, (size_t)s->n_here * s->window));
    }
    free(cards);
    if (err)
        gsh_segment_close(s);
    else
        gsh_log(GSH_INFO, GSH_HEAP, "%d windows of %zu MiB on this machine", s->n_here,
                s->window >> 20);
    return err;
}

void gsh_segment_close(struct gsh_segment *s)
{
    if (s->map)
        munmap(s->map, s->map_bytes);
    if (s->windows && s->fd >= 0)
        close(s->fd);
    free(s->windows);
    free(s->here);
    *s = (struct gsh_segment){ 0 };
}

size_t gsh_segment_touched(const struct gsh_segment *s)
{
    struct stat file;

    return fstat(s->fd, &file) ? 0 : (size_t)file.st_blocks * 512;
}
