/* kernel.cu - kernels with one put, one signal and one barrier, for what they cost: registers,
 * shared memory, and the time of the compiler. */
// SPDX-License-Identifier: BSD-3-Clause
#include <nvshmem.h>
#include <nvshmemx.h>

__global__ void by_thread(double *dest, const double *source, size_t n, uint64_t *word)
{
    int peer = (nvshmem_my_pe() + 1) % nvshmem_n_pes();

    nvshmem_double_put(dest, source, n, peer);
    nvshmemx_signal_op(word, 1, NVSHMEM_SIGNAL_SET, peer);
    nvshmem_barrier_all();
}

__global__ void by_warp(double *dest, const double *source, size_t n, uint64_t *word)
{
    int peer = (nvshmem_my_pe() + 1) % nvshmem_n_pes();

    nvshmemx_double_put_warp(dest, source, n, peer);
    if (threadIdx.x == 0)
        nvshmemx_signal_op(word, 1, NVSHMEM_SIGNAL_SET, peer);
    nvshmemx_barrier_all_warp();
}

__global__ void by_block(double *dest, const double *source, size_t n, uint64_t *word)
{
    int peer = (nvshmem_my_pe() + 1) % nvshmem_n_pes();

    nvshmemx_double_put_block(dest, source, n, peer);
    if (threadIdx.x == 0)
        nvshmemx_signal_op(word, 1, NVSHMEM_SIGNAL_SET, peer);
    nvshmemx_barrier_all_block();
}

int main()
{
    nvshmem_init();
    double *data = (double *)nvshmem_malloc(2048);
    uint64_t *word = (uint64_t *)nvshmem_calloc(1, sizeof(*word));
    size_t n = 128;
    const double *source = data + n;
    void *args[] = { &data, &source, &n, &word };
    int failed = nvshmemx_collective_launch((const void *)by_thread, 1, 1, args, 0, 0) ||
                 nvshmemx_collective_launch((const void *)by_warp, 1, 32, args, 0, 0) ||
                 nvshmemx_collective_launch((const void *)by_block, 1, 1024, args, 0, 0) ||
                 cudaDeviceSynchronize();
    nvshmem_free(word);
    nvshmem_free(data);
    nvshmem_finalize();
    return failed;
}
