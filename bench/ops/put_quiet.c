/* put_quiet.c - a put and its completion. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

static void run(struct bench_at *at, int calls)
{
    for (int i = 0; at->me == 0 && i < calls; i++) {
        nvshmem_putmem(at->dst, at->src, at->bytes, 1);
        nvshmem_quiet();
    }
}

const struct bench bench_put_quiet = {
    .key = "put_quiet",
    .sentence = "putmem to the peer and quiet",
    .unit = BENCH_NS,
    .min = 8,
    .max = 64 << 10,
    .raw_name = "memcpy",
    .run = run,
    .raw = bench_raw_put,
    .check = bench_check_put,
};
