/* timed.cuh - the kernel that times the calls of an operation from within, and the groups
 * of threads that call.
 *
 * An operation of kernels is a struct of static functions:
 *
 *     threads                 of a block
 *     takes_part(at)          whether this PE calls at all
 *     run(at, turn)           one call, by all threads of all blocks; turn counts from 1
 *     end(at)                 after the last call
 *
 * Thread 0 of block 0 reads the clock of its multiprocessor between batches and keeps the times
 * in shared memory; the global timer at both ends tells how long a tick is. In a grid of
 * several blocks all meet after each call.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_GPU_TIMED_CUH
#define BENCH_GPU_TIMED_CUH

#include "at.h"

#include <nvshmem.h>
#include <nvshmemx.h>

#include <stdio.h>
#include <stdlib.h>

struct by_thread {
    enum { threads = 1 };
    __device__ static void sync() {}
};

struct by_warp {
    enum { threads = 32 };
    __device__ static void sync() { __syncwarp(); }
};

struct by_block {
    enum { threads = 1024 };
    __device__ static void sync() { __syncthreads(); }
};

/* X(group, suffix of the name, its prefix) */
#define BENCH_GROUPS(X) \
    X(by_thread, , nvshmem_) X(by_warp, _warp, nvshmemx_) X(by_block, _block, nvshmemx_)

__device__ inline unsigned long long global_ns()
{
    unsigned long long ns;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/* All blocks of the grid; the count only grows within a launch. */
__device__ inline void grid_meet(const bench_at &at)
{
    volatile unsigned *count = at.meeting;

    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        unsigned all = (atomicAdd(at.meeting, 1u) / gridDim.x + 1) * gridDim.x;
        while (*count < all)
            ;
        __threadfence();
    }
    __syncthreads();
}

template <class Op>
__global__ void __launch_bounds__(Op::threads) timed(bench_at at, bench_plan plan)
{
    __shared__ long long ticks[BENCH_BATCHES + 1];
    bool keeps = threadIdx.x == 0 && blockIdx.x == 0;
    uint64_t turn = at.turn;

    if (!Op::takes_part(at))
        return;
    if (keeps)
        at.ns[0] = global_ns();
    for (int batch = 0; batch < plan.batches; batch++) {
        if (keeps)
            ticks[batch] = clock64();
        for (int call = 0; call < plan.calls; call++) {
            Op::run(at, ++turn);
            if (gridDim.x > 1)
                grid_meet(at);
        }
    }
    if (keeps) {
        ticks[plan.batches] = clock64();
        at.ns[1] = global_ns();
        for (int batch = 0; batch <= plan.batches; batch++)
            at.ticks[batch] = ticks[batch];
    }
    Op::end(at);
}

inline void bench_stop(const char *what, const char *why)
{
    fprintf(stderr, "gpubench: %s: %s\n", what, why);
    exit(2);
}

/* bench_run of an operation of kernels. */
template <class Op> void bench_timed(const bench_at &at, const bench_plan &plan, double *ns)
{
    static long long ticks[BENCH_BATCHES + 1];
    unsigned long long span[2] = { 0, 0 };
    bench_at a = at;
    bench_plan p = plan;
    void *args[] = { &a, &p };
    cudaError_t error;

    cudaMemset(at.meeting, 0, sizeof(*at.meeting));
    cudaMemset(at.ticks, 0, sizeof(ticks));
    cudaMemset(at.ns, 0, sizeof(span));
    cudaDeviceSynchronize();
    if (nvshmemx_collective_launch((const void *)timed<Op>, dim3(at.blocks), dim3(Op::threads),
                                   args, 0, 0))
        bench_stop("a collective launch failed", cudaGetErrorString(cudaGetLastError()));
    error = cudaDeviceSynchronize();
    if (error)
        bench_stop("a kernel failed", cudaGetErrorString(error));
    cudaMemcpy(ticks, at.ticks, sizeof(ticks), cudaMemcpyDeviceToHost);
    cudaMemcpy(span, at.ns, sizeof(span), cudaMemcpyDeviceToHost);
    long long all = ticks[plan.batches] - ticks[0];
    double tick_ns = all ? (double)(span[1] - span[0]) / (double)all : 0;
    for (int batch = 0; batch < plan.batches; batch++)
        ns[batch] = (double)(ticks[batch + 1] - ticks[batch]) * tick_ns;
}

#endif /* BENCH_GPU_TIMED_CUH */
