/* barrier_all.c - all PEs meet. */
// SPDX-License-Identifier: BSD-3-Clause
#include "meet.h"

static void run(struct bench_at *at, int calls)
{
    bench_meet(at, calls, nvshmem_barrier_all);
}

const struct bench bench_barrier_all = {
    .key = "barrier_all",
    .sentence = "barrier_all of all PEs",
    .unit = BENCH_NS,
    .raw_name = "flags",
    .run = run,
    .raw = bench_raw_meet,
    .check = bench_check_meet,
};
