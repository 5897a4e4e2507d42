/* sum_reduce.c - the sum over all PEs of each word, on all PEs. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

static void run(struct bench_at *at, int calls)
{
    for (int i = 0; i < calls; i++)
        at->bad +=
            nvshmem_long_sum_reduce(NVSHMEM_TEAM_WORLD, at->dst, at->src, at->bytes / 8) != 0;
}

static long check(const struct bench_at *at, long *checked)
{
    long wrong = at->bad;

    for (size_t k = 0; k < at->bytes / 8; k++) {
        long sum = 0;

        for (int pe = 0; pe < at->n; pe++)
            sum += bench_word(at, pe, k);
        wrong += at->dst[k] != sum;
    }
    *checked += (long)(at->bytes / 8);
    return wrong;
}

const struct bench bench_sum_reduce = {
    .key = "sum_reduce",
    .sentence = "long_sum_reduce of bytes / 8 words",
    .unit = BENCH_US,
    .min = 8,
    .max = 16 << 20,
    .raw_name = "flags + memcpy",
    .run = run,
    .raw = bench_raw_meet_gather,
    .check = check,
};
