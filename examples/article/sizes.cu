/* sizes.cu - the article's three ways to send, by size: a warp of a kernel, put_nbi with a callback
 * of the stream, and a put in a stream of its own.
 *
 *     gshcc sizes.cu -o sizes && gshrun -n 4 ./sizes
 *
 * All three are under way at once; each PE sends to the next one.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 128, MIDDLE = 4096, LARGE = 1 << 20, SIZES = 3 };

static const size_t sizes[SIZES] = { SMALL, MIDDLE, LARGE };

__global__ void fill(unsigned char *at, size_t bytes, int pe)
{
    for (size_t i = threadIdx.x; i < bytes; i += blockDim.x)
        at[i] = (unsigned char)(i * 7 + pe * 13 + bytes);
}

/* Below 256 bytes: the lanes of a warp share the work of starting it. */
__global__ void send_small(unsigned char *to, const unsigned char *from, int pe)
{
    nvshmemx_putmem_nbi_warp(to, from, SMALL, pe);
    if (threadIdx.x == 0)
        nvshmem_quiet();
}

/* To 8 KiB: begun by one thread; work that needs no answer goes on meanwhile. */
__global__ void send_middle(unsigned char *to, const unsigned char *from, int pe, float *work)
{
    if (threadIdx.x == 0)
        nvshmem_putmem_nbi(to, from, MIDDLE, pe);
    for (int i = 0; i < 100; i++)
        work[threadIdx.x] = work[threadIdx.x] * 0.5f + 1;
    if (threadIdx.x == 0)
        nvshmem_quiet();
}

/* Called when the stream has come to it. */
static void has_gone(void *arg)
{
    *(int *)arg = 1;
}

static int count_wrong(const unsigned char *at, size_t bytes, int pe)
{
    unsigned char *host = (unsigned char *)malloc(bytes);
    int wrong = 0;

    cudaMemcpy(host, at, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < bytes; i++)
        wrong += host[i] != (unsigned char)(i * 7 + pe * 13 + bytes);
    free(host);
    return wrong;
}

int main()
{
    unsigned char *to[SIZES], *from[SIZES];
    cudaStream_t compute, transfer;
    float *work;
    int gone = 0, wrong = 0;

    nvshmem_init();
    cudaSetDevice(0);
    int mype = nvshmem_my_pe(), npes = nvshmem_n_pes(), next = (mype + 1) % npes;
    cudaStreamCreate(&compute);
    cudaStreamCreateWithFlags(&transfer, cudaStreamNonBlocking);
    cudaMalloc(&work, 32 * sizeof(float));
    cudaMemset(work, 0, 32 * sizeof(float));
    for (int i = 0; i < SIZES; i++) {
        to[i] = (unsigned char *)nvshmem_malloc(sizes[i]);
        from[i] = (unsigned char *)nvshmem_malloc(sizes[i]);
        fill<<<1, 128>>>(from[i], sizes[i], mype);
    }
    cudaDeviceSynchronize();

    send_small<<<1, 32, 0, compute>>>(to[0], from[0], next);
    send_middle<<<1, 32, 0, compute>>>(to[1], from[1], next, work);
    cudaLaunchHostFunc(compute, has_gone, &gone);
    nvshmemx_putmem_stream(to[2], from[2], LARGE, next, transfer);
    nvshmemx_quiet_on_stream(transfer);

    cudaStreamSynchronize(compute);
    cudaStreamSynchronize(transfer);
    nvshmem_barrier_all(); /* the others have sent as well */
    for (int i = 0; i < SIZES; i++)
        wrong += count_wrong(to[i], sizes[i], (mype + npes - 1) % npes);
    printf("PE %d of %d: %s, %s\n", mype, npes, gone ? "the callback came" : "no callback came",
           wrong ? "WRONG" : "all values are right");

    for (int i = 0; i < SIZES; i++) {
        nvshmem_free(from[i]);
        nvshmem_free(to[i]);
    }
    cudaFree(work);
    cudaStreamDestroy(transfer);
    cudaStreamDestroy(compute);
    nvshmem_finalize();
    return wrong || !gone;
}
