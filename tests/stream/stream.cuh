/* stream.cuh - for tests of communication in streams: symmetric memory that is filled and
 * looked at in the stream itself, by copies, so that the tests run on any device. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_STREAM_CUH
#define GSH_TESTS_STREAM_CUH

#include "../device/device.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "../conform/check.h"

enum { AREA = 1 << 20, WORDS = 64 };

static char *dest, *source, *result; /* symmetric, AREA bytes each */
static uint64_t *words;              /* symmetric, WORDS of them, 0 */
static cudaStream_t s;
static int me, n_pes, next_pe, last_pe;

static void begin(void)
{
    nvshmem_init();
    choose_device();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    next_pe = (me + 1) % n_pes;
    last_pe = (me + n_pes - 1) % n_pes;
    dest = (char *)need(AREA);
    source = (char *)need(AREA);
    result = (char *)need(AREA);
    words = (uint64_t *)need(WORDS * sizeof(uint64_t));
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
}

static int end(void)
{
    int status;

    CHECK(cudaDeviceSynchronize() == cudaSuccess, "the device is well at the end");
    fact("no stream has failed");
    status = finish();
    nvshmem_free(words);
    nvshmem_free(result);
    nvshmem_free(source);
    nvshmem_free(dest);
    cudaStreamDestroy(s);
    nvshmem_finalize();
    return status;
}

static void to_device(void *at, const void *host, size_t bytes)
{
    cudaMemcpyAsync(at, host, bytes, cudaMemcpyDefault, s);
    cudaStreamSynchronize(s);
}

static void to_host(void *host, const void *at, size_t bytes)
{
    cudaMemcpyAsync(host, at, bytes, cudaMemcpyDefault, s);
    cudaError_t error = cudaStreamSynchronize(s);

    CHECK(error == cudaSuccess, "%s", cudaGetErrorString(error));
}

/* Element i of what a PE has in a turn: small whole numbers, that every type holds. */
template <class T> T element(int pe, int turn, size_t i)
{
    return (T)(float)((pe * 37 + turn * 11 + (int)i * 7) % 101 + 1);
}

template <class T> void fill(void *at, int turn, size_t n)
{
    T *host = (T *)malloc(n * sizeof(T));

    for (size_t i = 0; i < n; i++)
        host[i] = element<T>(me, turn, i);
    to_device(at, host, n * sizeof(T));
    free(host);
}

/* want(i) is element i of n at `at`. */
template <class T, class Want> void expect(const void *at, size_t n, const char *what, Want want)
{
    T *host = (T *)malloc(n * sizeof(T));
    size_t wrong = 0, first = 0;

    to_host(host, at, n * sizeof(T));
    for (size_t i = n; i-- > 0;) {
        if ((float)host[i] == (float)want(i))
            continue;
        wrong++;
        first = i;
    }
    CHECK(!wrong, "%s: %zu of %zu wrong, element %zu is %g, not %g", what, wrong, n, first,
          n ? (double)(float)host[first] : 0, n ? (double)(float)want(first) : 0);
    free(host);
}

#endif /* GSH_TESTS_STREAM_CUH */
