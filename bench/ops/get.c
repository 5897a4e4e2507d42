/* get.c - a get by PE 0. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

static void run(struct bench_at *at, int calls)
{
    for (int i = 0; at->me == 0 && i < calls; i++)
        nvshmem_getmem(at->dst, at->src, at->bytes, 1);
}

static long check(const struct bench_at *at, long *checked)
{
    if (at->me != 0)
        return 0;
    return bench_compare(at, at->dst, 1, 0, at->bytes / 8, checked);
}

const struct bench bench_get = {
    .key = "get",
    .sentence = "getmem from the peer",
    .unit = BENCH_NS,
    .min = 8,
    .max = 64 << 10,
    .raw_name = "memcpy",
    .run = run,
    .raw = bench_raw_get,
    .check = check,
};
