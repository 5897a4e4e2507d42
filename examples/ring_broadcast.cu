/* ring_broadcast.cu - PE 0's array goes round the ring in chunks: each PE waits for the signal
 * of a chunk and hands it on by put with signal, so that all links carry data at once.
 *
 *     gshcc ring_broadcast.cu -o ring_broadcast && gshrun -n 4 ./ring_broadcast
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <vector>

constexpr int CHUNK = 1024, CHUNKS = 16;

/* A block a chunk. The signal of a chunk is 1 when its data is there. */
__global__ void hand_on(int *data, uint64_t *signals)
{
    int me = nvshmem_my_pe(), next = (me + 1) % nvshmem_n_pes(), chunk = blockIdx.x;

    if (me != 0) {
        if (threadIdx.x == 0)
            nvshmem_signal_wait_until(signals + chunk, NVSHMEM_CMP_EQ, 1);
        __syncthreads();
    }
    if (next != 0)
        nvshmemx_int_put_signal_block(data + chunk * CHUNK, data + chunk * CHUNK, CHUNK,
                                      signals + chunk, 1, NVSHMEM_SIGNAL_SET, next);
}

int main()
{
    nvshmem_init();
    int me = nvshmem_my_pe(), devices;

    cudaGetDeviceCount(&devices);
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);

    size_t bytes = CHUNK * CHUNKS * sizeof(int);
    int *data = (int *)nvshmem_malloc(bytes);
    uint64_t *signals = (uint64_t *)nvshmem_calloc(CHUNKS, sizeof(uint64_t));
    std::vector<int> values(CHUNK * CHUNKS);

    for (size_t i = 0; i < values.size(); i++)
        values[i] = me == 0 ? 7 * i + 1 : 0;
    cudaMemcpy(data, values.data(), bytes, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();

    /* A block waits for one of another PE, so that all blocks of all PEs have to run. */
    void *args[] = { &data, &signals };
    if (nvshmemx_collective_launch((const void *)hand_on, CHUNKS, 128, args, 0, 0) != 0)
        nvshmem_global_exit(1);
    cudaDeviceSynchronize();
    cudaMemcpy(values.data(), data, bytes, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (size_t i = 0; i < values.size(); i++)
        wrong += values[i] != 7 * (int)i + 1;
    printf("PE %d: %d of %zu values are wrong\n", me, wrong, values.size());
    nvshmem_free(signals);
    nvshmem_free(data);
    nvshmem_finalize();
    return wrong ? 1 : 0;
}
