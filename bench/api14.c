/* api14.c - the work arrays of api14.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "api.h"

#ifdef BENCH_API14_H

#include <stdio.h>
#include <stdlib.h>

static long *symmetric_words(size_t words)
{
    long *array = shmem_malloc(words * sizeof(long));

    if (!array) {
        fprintf(stderr, "bench: no symmetric memory for %zu words of work\n", words);
        exit(2);
    }
    return array;
}

long *bench_sync_make(void)
{
    long *syncs = symmetric_words((size_t)BENCH_SYNCS * BENCH_SYNC_WORDS);

    _Static_assert(SHMEM_REDUCE_SYNC_SIZE <= BENCH_SYNC_WORDS, "longest pSync");
    for (size_t i = 0; i < (size_t)BENCH_SYNCS * BENCH_SYNC_WORDS; i++)
        syncs[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    return syncs;
}

long *bench_work(size_t nreduce)
{
    static long *work;

    if (!work)
        work = symmetric_words((size_t)BENCH_WORK_WORDS);
    if (nreduce / 2 + 1 > BENCH_WORK_WORDS) {
        fprintf(stderr, "bench: a reduction of %zu words is beyond the work array\n", nreduce);
        exit(2);
    }
    return work;
}

#endif /* BENCH_API14_H */
