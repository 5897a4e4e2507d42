/* Compiled with --default-stream=per-thread, the stream 0 of kernels and copies is the thread's
 * own: another thread's does not wait for it, and communication fits in. */
// SPDX-License-Identifier: BSD-3-Clause
// OPTIONS: --default-stream=per-thread
#include "stream.cuh"

#include <thread>

enum { ROUNDS = 20 };

__global__ void set(int *at, int value)
{
    *at = value;
}

__global__ void await(volatile int *at)
{
    while (!*at)
        nvshmem_fence();
}

/* The stream 0 of this thread is blocked meanwhile. */
static void goes_on(void)
{
    int *gate, *at = (int *)source;

    cudaMallocHost((void **)&gate, sizeof(*gate));
    *gate = 0;
    await<<<1, 1>>>(gate);
    std::thread other([&]() {
        set<<<1, 1>>>(at, 7 + me);
        nvshmemx_int_put_on_stream((int *)dest, at, 1, next_pe, cudaStreamPerThread);
        nvshmemx_barrier_all_on_stream(cudaStreamPerThread);
        CHECK(!cudaStreamSynchronize(0), "the other thread's stream");
    });
    other.join();
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady, "this thread's stream is still blocked");
    cudaGetLastError();
    *(volatile int *)gate = 1;
    CHECK(!cudaStreamSynchronize(0), "this thread's stream");
    expect<int>(dest, 1, "put", [](size_t) { return 7 + last_pe; });
    fact("the stream 0 of one thread does not wait for that of another");
    cudaFreeHost(gate);
}

static void in_order(void)
{
    int *at = (int *)source, had = 0;

    for (int r = 1; r <= ROUNDS; r++) {
        set<<<1, 1>>>(at, r * (me + 1));
        nvshmemx_int_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, (int *)result, at, 1,
                                          cudaStreamPerThread);
        cudaMemcpyAsync(&had, result, sizeof(had), cudaMemcpyDefault, 0);
        cudaStreamSynchronize(0);
        CHECK(had == r * n_pes * (n_pes + 1) / 2, "round %d: %d", r, had);
    }
    fact("kernels, copies and communication in it come one after the other");
}

int main()
{
    begin();
    in_order(); /* the first launch of a kernel, which loads it, may wait for all that run */
    goes_on();
    return end();
}
