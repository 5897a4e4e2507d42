/* api14.h - the collectives of the benchmarks for a library of OpenSHMEM 1.4,
 * which has active sets where 1.5 has teams, and no signals.
 *
 * A pSync array may be used again only when all PEs are through with it. Calls
 * take turns through a ring of arrays; a barrier guards each round.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_API14_H
#define BENCH_API14_H

#include <shmem.h>
#include <stddef.h>

#define NVSHMEM_TEAM_WORLD 0
#define BENCH_ROOT_GETS_DATA 0
#define BENCH_SIGNALS 0

enum { BENCH_SYNCS = 64, BENCH_SYNC_WORDS = 64, BENCH_WORK_WORDS = 1 << 21 };

/* Makes the arrays; collective. Called by bench_sync() at its first use. */
long *bench_sync_make(void);
long *bench_work(size_t nreduce);

static inline long *bench_sync(void)
{
    static long *syncs;
    static unsigned turn;

    if (!syncs)
        syncs = bench_sync_make();
    if (++turn % BENCH_SYNCS == 0)
        shmem_sync_all();
    return syncs + (size_t)(turn % BENCH_SYNCS) * BENCH_SYNC_WORDS;
}

static inline int nvshmem_broadcastmem(int team, void *dest, const void *source, size_t bytes,
                                       int root)
{
    (void)team;
    shmem_broadcast64(dest, source, bytes / 8, root, 0, 0, shmem_n_pes(), bench_sync());
    return 0;
}

static inline int nvshmem_fcollectmem(int team, void *dest, const void *source, size_t bytes)
{
    (void)team;
    shmem_fcollect64(dest, source, bytes / 8, 0, 0, shmem_n_pes(), bench_sync());
    return 0;
}

static inline int nvshmem_alltoallmem(int team, void *dest, const void *source, size_t bytes)
{
    (void)team;
    shmem_alltoall64(dest, source, bytes / 8, 0, 0, shmem_n_pes(), bench_sync());
    return 0;
}

static inline int nvshmem_long_sum_reduce(int team, long *dest, const long *source, size_t nreduce)
{
    (void)team;
    shmem_long_sum_to_all(dest, source, (int)nreduce, 0, 0, shmem_n_pes(), bench_work(nreduce),
                          bench_sync());
    return 0;
}

#endif /* BENCH_API14_H */
