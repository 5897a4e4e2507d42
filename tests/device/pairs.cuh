/* pairs.cuh - for tests of calls between two PEs: each PE works on the next one, in a kernel
 * of one block, which fills, calls, checks and counts what is wrong. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_PAIRS_CUH
#define GSH_TESTS_PAIRS_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "../conform/check.h"
#include "device.cuh"

enum { BLOCK = 96, AREA = 1 << 16, SCOPES = 3 /* one thread, a warp, the block */ };

struct area {
    char *dest, *source; /* symmetric, AREA bytes each, or what was asked for */
    uint64_t *words;     /* symmetric, 64 of them, 0 */
    unsigned *wrong;     /* count of details */
};

static __device__ inline int next_pe()
{
    return (nvshmem_my_pe() + 1) % nvshmem_n_pes();
}
static __device__ inline int last_pe()
{
    return (nvshmem_my_pe() + nvshmem_n_pes() - 1) % nvshmem_n_pes();
}

/* Whether this thread makes a call of the scope. */
static __device__ inline bool calls(int scope)
{
    return scope == 2 || threadIdx.x < (scope ? 32 : 1);
}

/* Element i of what a PE has in a turn: small whole numbers, which every type holds. */
template <class T> __device__ T element(int pe, int turn, size_t i)
{
    return (T)(float)((pe * 37 + turn * 11 + i * 7) % 101 + 1);
}

template <class T> __device__ void expect(const area &a, T have, T want)
{
    if (!((float)have == (float)want))
        atomicAdd(a.wrong, 1u);
}

static area make_area(size_t bytes = AREA)
{
    area a;

    choose_device();
    a.dest = (char *)nvshmem_malloc(bytes);
    a.source = (char *)nvshmem_malloc(bytes);
    a.words = (uint64_t *)nvshmem_calloc(64, sizeof(uint64_t));
    cudaMalloc((void **)&a.wrong, sizeof(*a.wrong));
    cudaMemset(a.wrong, 0, sizeof(*a.wrong));
    return a;
}

/* The details that were wrong since the last call are counted for the fact. */
static void settle(const area &a, const char *what)
{
    unsigned wrong = 0;
    cudaError_t error = cudaDeviceSynchronize();

    CHECK(!error, "%s: %s", what, cudaGetErrorString(error));
    cudaMemcpy(&wrong, a.wrong, sizeof(wrong), cudaMemcpyDeviceToHost);
    CHECK(!wrong, "%s: %u details", what, wrong);
    cudaMemset(a.wrong, 0, sizeof(wrong));
    nvshmem_barrier_all();
}

#endif /* GSH_TESTS_PAIRS_CUH */
