/* broadcast.c - the words of PE 0 to all PEs. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

static void run(struct bench_at *at, int calls)
{
    for (int i = 0; i < calls; i++)
        at->bad += nvshmem_broadcastmem(NVSHMEM_TEAM_WORLD, at->dst, at->src, at->bytes, 0) != 0;
}

static long check(const struct bench_at *at, long *checked)
{
    if (at->me == 0 && !BENCH_ROOT_GETS_DATA)
        return at->bad;
    return at->bad + bench_compare(at, at->dst, 0, 0, at->bytes / 8, checked);
}

const struct bench bench_broadcast = {
    .key = "broadcast",
    .sentence = "broadcastmem of the bytes of PE 0 to all PEs",
    .unit = BENCH_US,
    .min = 8,
    .max = 16 << 20,
    .raw_name = "flags + memcpy",
    .run = run,
    .raw = bench_raw_meet_gather,
    .check = check,
};
