/* put.c - a put that PE 0 issues and does not wait for. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

static void run(struct bench_at *at, int calls)
{
    for (int i = 0; at->me == 0 && i < calls; i++)
        nvshmem_putmem(at->dst, at->src, at->bytes, 1);
}

const struct bench bench_put = {
    .key = "put",
    .sentence = "putmem to the peer, no quiet",
    .unit = BENCH_NS,
    .min = 8,
    .max = 64 << 10,
    .raw_name = "memcpy",
    .run = run,
    .raw = bench_raw_put,
    .check = bench_check_put,
};
