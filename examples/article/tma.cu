/* tma.cu - the article's kernel with a bulk copy: data comes into shared memory by the copy
 * engine of the GPU, and the block puts it from there to the next PE.
 *
 *     gshcc tma.cu -o tma && gshrun -n 4 ./tma
 *
 * The article calls __tma_memcpy_async() and __tma_wait_all(), which no compiler has: here they
 * are made of nvshmemx_tma_...(). As there, all threads of the block call them.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>

enum { N = 128 };

__shared__ uint64_t loaded; /* counts the loads of the block */

/* One copy at a time. */
__device__ static void __tma_memcpy_async(void *smem, const void *src, size_t bytes)
{
    if (threadIdx.x == 0) {
        nvshmemx_tma_init(&loaded);
        nvshmemx_tma_load(smem, src, bytes, &loaded);
    }
    __syncthreads();
}

__device__ static void __tma_wait_all()
{
    nvshmemx_tma_wait(&loaded, 0);
    __syncthreads();
    if (threadIdx.x == 0)
        nvshmemx_tma_end(&loaded);
}

__global__ void tma_example(float *dest, float *src)
{
    alignas(16) __shared__ float smem[N];
    int mype = nvshmem_my_pe(), npes = nvshmem_n_pes();

    __tma_memcpy_async(smem, src, sizeof(float) * N);
    __tma_wait_all();
    nvshmemx_float_put_block(dest, smem, N, (mype + 1) % npes);
}

int main()
{
    float host[N];
    int wrong = 0;

    nvshmem_init();
    cudaSetDevice(0);
    int mype = nvshmem_my_pe(), npes = nvshmem_n_pes(), last = (mype + npes - 1) % npes;
    float *dest = (float *)nvshmem_malloc(sizeof(host)), *src;

    cudaMalloc(&src, sizeof(host));
    for (int i = 0; i < N; i++)
        host[i] = 1000.0f * mype + i;
    cudaMemcpy(src, host, sizeof(host), cudaMemcpyHostToDevice);

    tma_example<<<1, 64>>>(dest, src);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();

    cudaMemcpy(host, dest, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != 1000.0f * last + i;
    printf("PE %d of %d: %s PE %d\n", mype, npes,
           wrong ? "WRONG, not the data of" : "has the data of", last);

    cudaFree(src);
    nvshmem_free(dest);
    nvshmem_finalize();
    return wrong != 0;
}
