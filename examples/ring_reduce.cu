/* ring_reduce.cu - a sum over all PEs, by a ring: each PE adds its own values to the partial sums
 * that come from the PE before, and puts them with a signal to the next one. The last PE has the
 * sums; they go round once more, so that all have them.
 *
 *     gshcc ring_reduce.cu -o ring_reduce && gshrun -n 4 ./ring_reduce
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <vector>

constexpr int CHUNK = 1024, CHUNKS = 8;

enum { PARTIAL = 1, TOTAL = 2 }; /* what the signal of a chunk says has come to `sums` */

__device__ void await(uint64_t *signal, uint64_t what)
{
    if (threadIdx.x == 0)
        nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, what);
    __syncthreads();
}

/* A block a chunk. */
__global__ void reduce(float *sums, const float *values, uint64_t *signals)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n;
    float *sum = sums + blockIdx.x * CHUNK;
    const float *value = values + blockIdx.x * CHUNK;
    uint64_t *signal = signals + blockIdx.x;

    if (me != 0)
        await(signal, PARTIAL);
    for (int i = threadIdx.x; i < CHUNK; i += blockDim.x)
        sum[i] = value[i] + (me != 0 ? sum[i] : 0);
    __syncthreads();
    if (me != n - 1) {
        nvshmemx_float_put_signal_block(sum, sum, CHUNK, signal, PARTIAL, NVSHMEM_SIGNAL_SET, next);
        await(signal, TOTAL);
    }
    if (next != n - 1 && n > 1)
        nvshmemx_float_put_signal_block(sum, sum, CHUNK, signal, TOTAL, NVSHMEM_SIGNAL_SET, next);
}

int main()
{
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), devices;

    cudaGetDeviceCount(&devices);
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);

    size_t bytes = CHUNK * CHUNKS * sizeof(float);
    float *sums = (float *)nvshmem_malloc(bytes), *values = (float *)nvshmem_malloc(bytes);
    uint64_t *signals = (uint64_t *)nvshmem_calloc(CHUNKS, sizeof(uint64_t));
    std::vector<float> host(CHUNK * CHUNKS);

    for (size_t i = 0; i < host.size(); i++)
        host[i] = me + i % 100;
    cudaMemcpy(values, host.data(), bytes, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();

    void *args[] = { &sums, &values, &signals };
    if (nvshmemx_collective_launch((const void *)reduce, CHUNKS, 128, args, 0, 0) != 0)
        nvshmem_global_exit(1);
    cudaDeviceSynchronize();
    cudaMemcpy(host.data(), sums, bytes, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (size_t i = 0; i < host.size(); i++)
        wrong += host[i] != n * (n - 1) / 2 + n * (float)(i % 100);
    printf("PE %d: %d of %zu sums are wrong\n", me, wrong, host.size());
    nvshmem_free(signals);
    nvshmem_free(values);
    nvshmem_free(sums);
    nvshmem_finalize();
    return wrong ? 1 : 0;
}
