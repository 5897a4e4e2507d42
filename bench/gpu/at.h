/* at.h - a row that is being measured, as its kernels see it, and how it is checked.
 *
 * Word k of PE pe's source is bench_value(pe, k, seed): a small whole number, so that sums over all
 * PEs are exact in float. Every row is checked before it is timed, and again, with another seed
 * and a poisoned destination, by what the timed calls have left.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_GPU_AT_H
#define BENCH_GPU_AT_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_BATCHES = 300, BENCH_FLAGS = 128 };

/* Places in `flags`, 128 bytes apart. */
enum { BENCH_SIGNAL = 0, BENCH_LIMIT = 16, BENCH_STREAM = 32, BENCH_MET = 48 };

struct bench_at {
    int me, n, peer; /* peer: 1 and 0 of each other, the next one of others */
    size_t bytes;    /* of one PE's contribution */
    int blocks;
    int seed;
    uint64_t turn; /* calls before this launch */
    float *src, *dst;
    uint64_t *flags;
    /* The peer's memory, for limits: loads and stores of our own. */
    float *peer_src, *peer_dst;
    uint64_t *peer_flags;
    /* Memory of this PE alone. */
    long long *ticks;             /* of each batch's start, and of the last one's end */
    unsigned long long *ns;       /* at the first and the last tick */
    unsigned *meeting;            /* 0 at each launch: see grid_meet() */
    unsigned long long *findings; /* wrong words, and words looked at */
};

/* Batches of calls: a batch is timed as a whole. */
struct bench_plan {
    int batches, calls;
};

__host__ __device__ inline float bench_value(int pe, size_t k, int seed)
{
    return (float)((k * 31 + (size_t)pe * 457 + (size_t)seed * 89) % 1009 + 1);
}

/* data.cu: all act in the default stream, and return when that is done. Of `words` words:
 * fill writes this PE's source and poisons `parts` times as many of dst; the others
 * compare dst. */
void bench_fill(const bench_at &at, int parts);
void bench_check_put(const bench_at &at);       /* PE 1 has what PE 0 had */
void bench_check_get(const bench_at &at);       /* PE 0 has what PE 1 had */
void bench_check_pair(const bench_at &at);      /* both have what the other had */
void bench_check_sum(const bench_at &at);       /* the sum over all PEs */
void bench_check_broadcast(const bench_at &at); /* what PE 0 had */
void bench_check_fcollect(const bench_at &at);
void bench_check_alltoall(const bench_at &at);

#endif /* BENCH_GPU_AT_H */
