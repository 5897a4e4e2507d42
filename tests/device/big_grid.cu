/* A grid of 32 blocks of 1024 threads meets at a barrier of its own, made of atomics in each PE
 * and signals between PEs, and all PEs see what the others' threads stored; threads that read a
 * flag in a loop without calling anything see it set by another thread of the block, and by a
 * kernel of another PE. At most 2 PEs on one GPU: all their blocks must run at once. */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

#include <nvshmemx.h>

enum { BLOCKS = 32, THREADS = 1024, PHASES = 4 };

/* Of a PE: blocks that have come, and the phase that they may leave. */
struct gate {
    unsigned *arrived;
    volatile unsigned *open;
    uint64_t *pes; /* symmetric: PEs that have come, over all phases */
};

/* All threads of all grids. Phases count from 1. */
static __device__ void meet(gate g, unsigned phase)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        if (atomicAdd(g.arrived, 1u) + 1 == gridDim.x * phase) {
            nvshmem_quiet();
            for (int pe = 0; pe < nvshmem_n_pes(); pe++)
                nvshmemx_signal_op(g.pes, 1, NVSHMEM_SIGNAL_ADD, pe);
            nvshmem_signal_wait_until(g.pes, NVSHMEM_CMP_GE, (uint64_t)phase * nvshmem_n_pes());
            __threadfence_system();
            *g.open = phase;
        }
        while (*g.open < phase)
            ;
        __threadfence_system();
    }
    __syncthreads();
}

/* In each phase a thread stores to the same thread of the next PE, and then looks at what
 * has come for it and for a thread of another block. */
__global__ void __launch_bounds__(THREADS) phases(area a, gate g)
{
    unsigned n = gridDim.x * THREADS, id = blockIdx.x * THREADS + threadIdx.x;
    unsigned other = (id + 5 * THREADS + 7) % n;

    for (unsigned phase = 1; phase <= PHASES; phase++) {
        unsigned *data = (unsigned *)(phase % 2 ? a.dest : a.source);

        nvshmem_uint_p(data + id, phase * n + id, next_pe());
        meet(g, phase);
        if (data[id] != phase * n + id || data[other] != phase * n + other)
            atomicAdd(a.wrong, 1u);
    }
}

static int grid_of_all_blocks(area a)
{
    gate g;
    unsigned *words;
    void *args[] = { &a, &g };
    int blocks = 0;

    cudaMalloc((void **)&words, 64 * sizeof(*words));
    cudaMemset(words, 0, 64 * sizeof(*words));
    g.arrived = words;
    g.open = words + 32;
    g.pes = a.words;
    nvshmemx_collective_launch_query_gridsize((const void *)phases, dim3(THREADS), args, 0,
                                              &blocks);
    if (blocks > BLOCKS)
        blocks = BLOCKS;
    nvshmem_barrier_all();
    CHECK(
        !nvshmemx_collective_launch((const void *)phases, dim3(blocks), dim3(THREADS), args, 0, 0),
        "launch of %d blocks", blocks);
    settle(a, "phases");
    cudaFree(words);
    return blocks;
}

/* The thread that sets the flag comes after those that spin. */
__global__ void spin_in_block(area a, volatile int *flag)
{
    __shared__ volatile int near_by;

    if (threadIdx.x == 0)
        near_by = 0;
    __syncthreads();
    if (threadIdx.x == BLOCK - 1) {
        *flag = 1;
        while (!near_by)
            ;
    } else {
        while (!*flag)
            ;
        if (threadIdx.x == 40)
            near_by = 1;
    }
    __syncthreads();
    if (near_by != 1)
        atomicAdd(a.wrong, 1u);
}

/* All threads spin but the one that stores to the next PE. */
__global__ void spin_for_peer(area a, volatile uint64_t *word)
{
    for (uint64_t round = 1; round <= 3; round++) {
        if (threadIdx.x == BLOCK - 1)
            nvshmem_uint64_p((uint64_t *)word, round, next_pe());
        while (*word < round)
            ;
        if (*word != round)
            atomicAdd(a.wrong, 1u);
        __syncthreads();
        if (threadIdx.x == 0)
            nvshmem_sync_all();
        __syncthreads();
    }
}

int main(void)
{
    nvshmem_init();
    area a = make_area(BLOCKS * THREADS * sizeof(unsigned));
    int *flag, blocks = grid_of_all_blocks(a);

    CHECK(blocks > 0, "no block fits");
    fact("threads of %d blocks meet on all PEs, %d times, and see each other's stores", blocks,
         PHASES);
    cudaMalloc((void **)&flag, sizeof(*flag));
    cudaMemset(flag, 0, sizeof(*flag));
    spin_in_block<<<1, BLOCK>>>(a, flag);
    settle(a, "spin in a block");
    fact("threads that spin on a flag see what another thread of the block sets");
    spin_for_peer<<<1, BLOCK>>>(a, a.words + 8);
    settle(a, "spin for a PE");
    fact("threads that spin on a flag see what another PE's kernel sets by p");
    return finish();
}
