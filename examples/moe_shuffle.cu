/* moe_shuffle.cu - tokens go to the PEs of their experts: a warp takes a slot in the expert's
 * buffer by an atomic at that PE, and puts the token there. Then each PE sees how many it got.
 *
 *     gshcc moe_shuffle.cu -o moe_shuffle && gshrun -n 4 ./moe_shuffle
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <vector>

constexpr int TOKENS = 96, HIDDEN = 64, BLOCKS = 4, THREADS = 128;

__host__ __device__ int expert_of(int pe, int token, int n)
{
    return (pe * 31 + token * token) % n;
}

/* The first value of a token says whose it is; each other one is derived from it. */
__host__ __device__ int value_of(int pe, int token, int i)
{
    return pe * TOKENS + token + i * 1000;
}

__global__ void dispatch(int *inbox, int *taken, const int *tokens)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), lane = threadIdx.x % warpSize;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int warps = gridDim.x * blockDim.x / warpSize;

    for (int token = warp; token < TOKENS; token += warps) {
        int expert = expert_of(me, token, n), slot = 0;

        if (lane == 0)
            slot = nvshmem_int_atomic_fetch_inc(taken, expert);
        slot = __shfl_sync(0xffffffffu, slot, 0);
        nvshmemx_int_put_nbi_warp(inbox + slot * HIDDEN, tokens + token * HIDDEN, HIDDEN, expert);
    }
    nvshmem_quiet();
}

int main()
{
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), devices;

    cudaGetDeviceCount(&devices);
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);

    int *tokens, *inbox = (int *)nvshmem_malloc((size_t)n * TOKENS * HIDDEN * sizeof(int));
    int *taken = (int *)nvshmem_calloc(1, sizeof(int));
    std::vector<int> host(TOKENS * HIDDEN), got((size_t)n * TOKENS * HIDDEN);

    for (int t = 0; t < TOKENS; t++)
        for (int i = 0; i < HIDDEN; i++)
            host[t * HIDDEN + i] = value_of(me, t, i);
    cudaMalloc(&tokens, host.size() * sizeof(int));
    cudaMemcpy(tokens, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice);

    dispatch<<<BLOCKS, THREADS>>>(inbox, taken, tokens);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();

    int count = 0, want = 0, wrong = 0;
    cudaMemcpy(&count, taken, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(got.data(), inbox, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
    for (int pe = 0; pe < n; pe++)
        for (int t = 0; t < TOKENS; t++)
            want += expert_of(pe, t, n) == me;
    for (int slot = 0; slot < count; slot++) {
        int first = got[slot * HIDDEN], pe = first / TOKENS, token = first % TOKENS;

        wrong += expert_of(pe, token, n) != me;
        for (int i = 0; i < HIDDEN; i++)
            wrong += got[slot * HIDDEN + i] != value_of(pe, token, i);
    }
    printf("PE %d: %d tokens have come, %d were expected, %d values are wrong\n", me, count, want,
           wrong);
    cudaFree(tokens);
    nvshmem_free(taken);
    nvshmem_free(inbox);
    nvshmem_finalize();
    return wrong || count != want ? 1 : 0;
}
