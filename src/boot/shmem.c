/* shmem.c - the boot method over another OpenSHMEM in the process, which the
 * program has initialised: its PEs are ours.
 *
 * It is called in init alone. When the only shmem_my_pe() of the process is our
 * own, the caller has to do without: see gsh_boot_other_shmem().
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "boot/star.h"
#include "core/log.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static struct {
    void (*barrier_all)(void);
    void (*free)(void *at);
    void (*getmem)(void *to, const void *from, size_t bytes, int pe);
    void *(*malloc)(size_t bytes);
    int (*my_pe)(void);
    int (*n_pes)(void);
} shmem;

static const struct {
    const char *name;
    void *at;
} symbols[] = {
    { "shmem_barrier_all", &shmem.barrier_all },
    { "shmem_free", &shmem.free },
    { "shmem_getmem", &shmem.getmem },
    { "shmem_malloc", &shmem.malloc },
    { "shmem_my_pe", &shmem.my_pe },
    { "shmem_n_pes", &shmem.n_pes },
};

/* A symbol of another library than this one. */
static void *find(const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    Dl_info theirs;
    Dl_info ours;

    if (symbol && dladdr(symbol, &theirs) && dladdr(&shmem, &ours) &&
        theirs.dli_fbase == ours.dli_fbase)
        return NULL;
    return symbol;
}

bool gsh_boot_other_shmem(void)
{
    return find("shmem_my_pe") != NULL;
}

/* Each PE takes the block from PE 0. */
static int broadcast(void *ctx, void *block, size_t bytes)
{
    void *shared = shmem.malloc(bytes);

    (void)ctx;
    if (!shared)
        return gsh_fail(-ENOMEM, "the other OpenSHMEM has no %zu bytes for the unique id", bytes);
    memcpy(shared, block, bytes);
    shmem.barrier_all();
    shmem.getmem(block, shared, bytes, 0);
    shmem.barrier_all();
    shmem.free(shared);
    return 0;
}

static int open_job(struct gsh_boot *boot, const void *arg)
{
    static const struct gsh_starter starter = { .broadcast = broadcast };

    (void)arg;
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        void *symbol = find(symbols[i].name);

        if (!symbol)
            return gsh_fail(-ELIBACC,
                            "there is no other OpenSHMEM in this process (no %s): link the program "
                            "with it",
                            symbols[i].name);
        memcpy(symbols[i].at, &symbol, sizeof(symbol));
    }
    boot->rank = shmem.my_pe();
    boot->n_ranks = shmem.n_pes();
    if (boot->rank < 0 || boot->n_ranks <= boot->rank)
        return gsh_fail(-EINVAL, "the other OpenSHMEM says PE %d of %d: call shmem_init() first",
                        boot->rank, boot->n_ranks);
    return gsh_star_open(boot, &starter, NULL);
}

static int usable(const char **why_not)
{
    *why_not = "only for a program that asks for it in init, or by NVSHMEM_BOOTSTRAP";
    return 0;
}

const struct gsh_boot_driver gsh_boot_shmem = {
    .name = "shmem",
    .usable = usable,
    .ops = GSH_STAR_OPS(open_job),
};
