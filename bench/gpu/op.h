/* op.h - an operation, and the rows that are measured of it.
 *
 * An operation is a `struct bench_op` in a file of ops/, listed in list.h. The engine
 * (engine.cu) fills, warms up, plans the batches, times, checks. All PEs call all functions.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_GPU_OP_H
#define BENCH_GPU_OP_H

#include "at.h"

enum bench_unit { BENCH_US, BENCH_GBS };

/* Sizes end with 0; an operation without a size has the one size BENCH_NO_SIZE. */
enum { BENCH_SIZES = 10, BENCH_NO_SIZE = -1 };

/* Runs plan.batches batches of plan.calls calls and writes the ns of each batch. */
typedef void (*bench_run)(const bench_at &at, const bench_plan &plan, double *ns);

struct bench_op {
    const char *key, *scope;
    enum bench_unit unit;
    int most_pes; /* PEs that take part: 2, or 0 for all */
    int blocks;   /* of the grid */
    bool per_pe;  /* dst has a part for each PE (and alltoall's src) */
    long long sizes[BENCH_SIZES];
    bench_run run, limit; /* limit: NULL where there is none */
    void (*check)(const bench_at &at);
};

/* A file's operations. */
struct bench_ops {
    const bench_op *ops;
    int n;
};

#endif /* BENCH_GPU_OP_H */
