/* data.cu - fills sources and looks at results; see at.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "at.h"

enum source { OF_PE, OF_ALL, OF_PARTS, FOR_ME };

enum { THREADS = 256, POISON = -1 };

static int blocks_for(size_t words)
{
    size_t blocks = (words + THREADS - 1) / THREADS;

    return blocks > 256 ? 256 : blocks ? (int)blocks : 1;
}

/* A source of alltoall has a part for each PE, and so have its and fcollect's results. */
__global__ static void fill(bench_at at, size_t all)
{
    for (size_t k = threadIdx.x + (size_t)blockIdx.x * blockDim.x; k < all;
         k += (size_t)gridDim.x * blockDim.x) {
        at.src[k] = bench_value(at.me, k, at.seed);
        at.dst[k] = POISON;
    }
}

__device__ static float wanted(const bench_at &at, enum source source, int pe, size_t k,
                               size_t words)
{
    float sum = 0;

    switch (source) {
    case OF_PE:
        return bench_value(pe, k, at.seed);
    case OF_ALL:
        for (int other = 0; other < at.n; other++)
            sum += bench_value(other, k, at.seed);
        return sum;
    case OF_PARTS:
        return bench_value((int)(k / words), k % words, at.seed);
    default:
        return bench_value((int)(k / words), k % words + (size_t)at.me * words, at.seed);
    }
}

__global__ static void compare(bench_at at, enum source source, int pe, size_t words, size_t all)
{
    unsigned long long wrong = 0, looked = 0;

    for (size_t k = threadIdx.x + (size_t)blockIdx.x * blockDim.x; k < all;
         k += (size_t)gridDim.x * blockDim.x) {
        wrong += at.dst[k] != wanted(at, source, pe, k, words);
        looked++;
    }
    atomicAdd(&at.findings[0], wrong);
    atomicAdd(&at.findings[1], looked);
}

static void check(const bench_at &at, enum source source, int pe, int parts)
{
    size_t words = at.bytes / sizeof(float), all = words * parts;

    compare<<<blocks_for(all), THREADS>>>(at, source, pe, words, all);
    cudaDeviceSynchronize();
}

void bench_fill(const bench_at &at, int parts)
{
    size_t words = at.bytes / sizeof(float), all = words * parts;

    fill<<<blocks_for(all), THREADS>>>(at, all);
    cudaDeviceSynchronize();
}

void bench_check_put(const bench_at &at)
{
    if (at.me == 1)
        check(at, OF_PE, 0, 1);
}

void bench_check_get(const bench_at &at)
{
    if (at.me == 0)
        check(at, OF_PE, 1, 1);
}

void bench_check_pair(const bench_at &at)
{
    if (at.me < 2)
        check(at, OF_PE, at.peer, 1);
}

void bench_check_sum(const bench_at &at)
{
    check(at, OF_ALL, 0, 1);
}

void bench_check_broadcast(const bench_at &at)
{
    check(at, OF_PE, 0, 1);
}

void bench_check_fcollect(const bench_at &at)
{
    check(at, OF_PARTS, 0, at.n);
}

void bench_check_alltoall(const bench_at &at)
{
    check(at, FOR_ME, 0, at.n);
}
