/* put_bw.c - many puts by PE 0, completed by one quiet. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

static void run(struct bench_at *at, int calls)
{
    for (int i = 0; at->me == 0 && i < calls; i++)
        nvshmem_putmem_nbi(at->dst, at->src, at->bytes, 1);
    nvshmem_quiet();
}

const struct bench bench_put_bw = {
    .key = "put_bw",
    .sentence = "putmem_nbi in a row, one quiet",
    .unit = BENCH_GBS,
    .min = 4 << 10,
    .max = 64 << 20,
    .raw_name = "memcpy",
    .run = run,
    .raw = bench_raw_put,
    .check = bench_check_put,
};
