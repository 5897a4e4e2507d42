/* kernel.cu - the first program of the article about NVSHMEM: reads of a neighbour's data
 * and atomic additions to it from a kernel, with a check of the address beforehand.
 *
 *     gshcc kernel.cu -o kernel && gshrun -n 4 ./kernel
 *
 * Each of `threads` threads reads data[128] of the next PE and adds 1 to its data[0].
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1024, BLOCKS = 2, THREADS = 64 };

__global__ void my_kernel(float *data, float *seen, int mype, int npes)
{
    int next = (mype + 1) % npes;
    int id = blockIdx.x * blockDim.x + threadIdx.x;

    if (nvshmemx_ptr_accessible(data, next)) {
        float remote_val = nvshmem_float_g(&data[128], next);

        seen[id] = remote_val;
    } else {
        printf("PE %d cannot access %p on PE %d\n", mype, (void *)data, next);
    }
    nvshmem_float_atomic_add(&data[0], 1.0f, next);
}

static bool is(const char *what, float got, float want)
{
    if (got == want)
        return true;
    printf("PE %d: %s is %g, not %g\n", nvshmem_my_pe(), what, got, want);
    return false;
}

int main()
{
    float host[N], seen_host[BLOCKS * THREADS];
    bool right = true;

    nvshmem_init();
    cudaSetDevice(0);
    int mype = nvshmem_my_pe();
    int npes = nvshmem_n_pes();

    float *data = (float *)nvshmem_malloc(sizeof(float) * N);
    float *seen;
    cudaMalloc(&seen, sizeof(seen_host));
    for (int i = 0; i < N; i++)
        host[i] = i ? 1000.0f * mype + i : 0.0f;
    cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize(); /* cudaMemcpy may return before its data has arrived */
    nvshmem_barrier_all();

    my_kernel<<<BLOCKS, THREADS>>>(data, seen, mype, npes);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();

    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    cudaMemcpy(seen_host, seen, sizeof(seen_host), cudaMemcpyDeviceToHost);
    right &= is("data[0]", host[0], BLOCKS * THREADS);
    for (int i = 0; i < BLOCKS * THREADS; i++)
        right &= is("what a thread has read", seen_host[i], 1000.0f * ((mype + 1) % npes) + 128);
    printf("PE %d of %d: %s\n", mype, npes, right ? "all values are right" : "WRONG");

    cudaFree(seen);
    nvshmem_free(data);
    nvshmem_finalize();
    return right ? 0 : 1;
}
