/* engine.h - measures one row. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_GPU_ENGINE_H
#define BENCH_GPU_ENGINE_H

#include "op.h"

#include <stdio.h>

/* Collective. About `ms` milliseconds go into the timed calls. PE 0 prints the row and writes
 * it to json, where that is not NULL. Returns non-zero when a result was wrong. */
int engine_measure(bench_at &at, const bench_op &op, const char *key, long long size, double ms,
                   FILE *json);

#endif /* BENCH_GPU_ENGINE_H */
