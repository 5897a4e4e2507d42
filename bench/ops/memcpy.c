/* memcpy.c - the raw limit of copies: memcpy to the peer's part of the heap. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

const struct bench bench_memcpy = {
    .key = "memcpy",
    .sentence = "memcpy to the peer's symmetric memory, no library call",
    .is_raw = true,
    .unit = BENCH_GBS,
    .min = 8,
    .max = 64 << 20,
    .run = bench_raw_put,
    .check = bench_check_put,
};
