/* alltoall.c - other words of each PE to each PE. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

static void run(struct bench_at *at, int calls)
{
    for (int i = 0; i < calls; i++)
        at->bad += nvshmem_alltoallmem(NVSHMEM_TEAM_WORLD, at->dst, at->src, at->bytes) != 0;
}

/* What PE `pe` sends to this one stands at `me` in its source. */
static long check(const struct bench_at *at, long *checked)
{
    size_t words = at->bytes / 8;
    long wrong = at->bad;

    for (int pe = 0; pe < at->n; pe++)
        wrong += bench_compare(at, at->dst + words * (size_t)pe, pe, words * (size_t)at->me, words,
                               checked);
    return wrong;
}

const struct bench bench_alltoall = {
    .key = "alltoall",
    .sentence = "alltoallmem, bytes from each PE to each PE",
    .unit = BENCH_US,
    .min = 8,
    .max = 16 << 20,
    .per_pe = true,
    .raw_name = "flags + memcpy",
    .run = run,
    .raw = bench_raw_meet_gather,
    .check = check,
};
