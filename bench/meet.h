/* meet.h - what the benchmarks of barriers share. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_MEET_H
#define BENCH_MEET_H

#include "raw.h"

/* Calls meet() and, at its first call of the batch, notes whether each PE had come:
 * a PE counts its turn before it meets. */
static inline void bench_meet(struct bench_at *at, int calls, void (*meet)(void))
{
    long *turns = &at->flags->word;

    *turns = ++at->turn;
    meet();
    for (int pe = 0; pe < at->n; pe++) {
        long seen;

        nvshmem_getmem(&seen, turns, sizeof(seen), pe);
        at->bad += seen < at->turn;
    }
    for (int i = 1; i < calls; i++)
        meet();
}

static inline long bench_check_meet(const struct bench_at *at, long *checked)
{
    *checked += at->turn * at->n;
    return at->bad;
}

#endif /* BENCH_MEET_H */
