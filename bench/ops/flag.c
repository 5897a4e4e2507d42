/* flag.c - the raw limit of synchronisation: a flag in shared memory, one way. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

static long check(const struct bench_at *at, long *checked)
{
    *checked += at->me < 2;
    return at->me < 2 && at->flags->raw != at->raw_turn;
}

const struct bench bench_flag = {
    .key = "flag",
    .sentence = "C atomics on a flag in shared memory, one way (half of a ping-pong)",
    .is_raw = true,
    .unit = BENCH_NS,
    .ways = 2,
    .run = bench_raw_flag,
    .check = check,
};
