/* p_wait.c - PEs 0 and 1 hand a word to and fro by p and wait_until. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

#if BENCH_WAITS

static void run(struct bench_at *at, int calls)
{
    long *word = &at->flags->word;

    for (int i = 0; at->me < 2 && i < calls; i++) {
        long turn = ++at->turn;

        if (at->me == 1)
            nvshmem_long_wait_until(word, NVSHMEM_CMP_EQ, turn);
        nvshmem_long_p(word, turn, 1 - at->me);
        if (at->me == 0)
            nvshmem_long_wait_until(word, NVSHMEM_CMP_EQ, turn);
    }
}

static long check(const struct bench_at *at, long *checked)
{
    *checked += at->me < 2;
    return at->me < 2 && at->flags->word != at->turn;
}

const struct bench bench_p_wait = {
    .key = "p_wait",
    .sentence = "p and wait_until, one way (half of a ping-pong)",
    .unit = BENCH_NS,
    .ways = 2,
    .raw_name = "flag",
    .run = run,
    .raw = bench_raw_flag,
    .check = check,
};

#endif /* BENCH_WAITS */
