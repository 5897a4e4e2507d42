/* get_bw.c - many gets by PE 0, completed by one quiet. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

static void run(struct bench_at *at, int calls)
{
    for (int i = 0; at->me == 0 && i < calls; i++)
        nvshmem_getmem_nbi(at->dst, at->src, at->bytes, 1);
    nvshmem_quiet();
}

static long check(const struct bench_at *at, long *checked)
{
    if (at->me != 0)
        return 0;
    return bench_compare(at, at->dst, 1, 0, at->bytes / 8, checked);
}

const struct bench bench_get_bw = {
    .key = "get_bw",
    .sentence = "getmem_nbi in a row, one quiet",
    .unit = BENCH_GBS,
    .min = 4 << 10,
    .max = 64 << 20,
    .raw_name = "memcpy",
    .run = run,
    .raw = bench_raw_get,
    .check = check,
};
