/* Programs for checks.sh: `checks FAULT` makes that mistake in a kernel, `checks FAULT clean`
 * does the same without it. A line that ends with a comment "WRONG fault" is the one that
 * the report must name. */
// SPDX-License-Identifier: BSD-3-Clause
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 100 };

struct setup {
    uint64_t *data;  /* symmetric, WORDS of them */
    uint64_t *plain; /* not symmetric */
    uint64_t *freed; /* symmetric before */
    uint64_t *signal;
    int me, n, next;
    int wrong;
};

__device__ static bool chosen()
{
    return blockIdx.x == 1 && threadIdx.x == 3;
}

__device__ static unsigned long long nanoseconds()
{
    unsigned long long now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__host__ __device__ static void send_to_all(const setup &s)
{
    for (int pe = 0; pe < s.n; pe++)
        nvshmemx_signal_op(s.signal, 2, NVSHMEM_SIGNAL_SET, pe);
}

static void *send_late(void *arg)
{
    sleep(5);
    send_to_all(*static_cast<setup *>(arg));
    return NULL;
}

__global__ void not_symmetric(setup s)
{
    if (chosen())
        nvshmem_uint64_p(s.wrong ? s.plain : s.data, 1, s.next); // WRONG not_symmetric
}

__global__ void out_of_bounds(setup s)
{
    if (chosen())
        nvshmem_uint64_put(s.data, s.plain, WORDS + s.wrong, s.next); // WRONG out_of_bounds
}

__global__ void use_after_free(setup s)
{
    if (chosen())
        nvshmem_uint64_g(s.wrong ? s.freed : s.data, s.next); // WRONG use_after_free
}

__global__ void wrong_pe(setup s)
{
    if (chosen())
        nvshmem_uint64_p(s.data, 1, s.wrong ? s.n : s.next); // WRONG wrong_pe
}

__global__ void negative_pe(setup s)
{
    if (chosen())
        nvshmem_uint64_p(s.data, 1, s.wrong ? -1 : s.next); // WRONG negative_pe
}

__global__ void misaligned(setup s)
{
    uint64_t *at = reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(s.data) + 4 * s.wrong);

    if (chosen())
        nvshmem_uint64_p(at, 1, s.next); // WRONG misaligned
}

__global__ void misaligned_signal(setup s)
{
    uint64_t *at = reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(s.signal) + 4 * s.wrong);

    if (chosen())
        nvshmemx_signal_op(at, 1, NVSHMEM_SIGNAL_SET, s.next); // WRONG misaligned_signal
}

/* Each PE waits for 2 and is sent 1. */
__global__ void lost_wait(setup s)
{
    if (!chosen())
        return;
    nvshmemx_signal_op(s.signal, s.wrong ? 1 : 2, NVSHMEM_SIGNAL_SET, s.next);
    nvshmem_signal_wait_until(s.signal, NVSHMEM_CMP_EQ, 2); // WRONG lost_wait
}

/* The last PE's kernel does not call it. */
__global__ void lost_barrier(setup s)
{
    if (chosen() && !(s.wrong && s.me == s.n - 1))
        nvshmem_barrier_all(); // WRONG lost_barrier
    if (chosen() && s.wrong && s.me == s.n - 1)
        nvshmem_signal_wait_until(s.signal, NVSHMEM_CMP_EQ, 2);
}

__global__ void divergent(setup s)
{
    if (s.wrong && chosen())
        nvshmemx_barrier_block(NVSHMEM_TEAM_WORLD);
    else if (blockIdx.x == 1)
        __syncthreads(); // WRONG divergent
}

/* Two blocks in a collective of one team at once. The other PEs do not come, so that the first
 * one is in it for ever. */
__global__ void overlapping(setup s)
{
    if (threadIdx.x || (s.wrong ? s.me != 0 : blockIdx.x != 0))
        return;
    nvshmem_barrier_all(); // WRONG overlapping
}

/* PE 1 ends while the others wait for it. */
__global__ void killed(setup s)
{
    if (!chosen())
        return;
    if (s.wrong && s.me == 1)
        for (;;)
            __nanosleep(1000000);
    nvshmemx_signal_op(s.signal, 2, NVSHMEM_SIGNAL_SET, s.next);
    nvshmem_signal_wait_until(s.signal, NVSHMEM_CMP_EQ, 2); // WRONG killed
}

__device__ static void compute(unsigned long long time)
{
    for (unsigned long long start = nanoseconds(); nanoseconds() - start < time;)
        ;
}

/* No fault: PE 0's host or kernel takes long, and the others wait for it. That kernel has
 * waited before. */
__global__ void patience(setup s)
{
    if (s.me == 0 && s.wrong && blockIdx.x == 0 && threadIdx.x == 0) {
        compute(100000000);
        nvshmemx_signal_op(s.signal + 1, 1, NVSHMEM_SIGNAL_SET, s.me);
    }
    if (!chosen())
        return;
    if (s.me == 0 && s.wrong) {
        nvshmem_signal_wait_until(s.signal + 1, NVSHMEM_CMP_EQ, 1);
        compute(5000000000);
        send_to_all(s);
    }
    nvshmem_signal_wait_until(s.signal, NVSHMEM_CMP_EQ, 2);
}

/* clang-format off */
#define EACH(X) \
    X(not_symmetric) X(out_of_bounds) X(use_after_free) X(wrong_pe) X(negative_pe) X(misaligned) \
    X(misaligned_signal) X(lost_wait) X(lost_barrier) X(divergent) X(overlapping) X(killed) \
    X(patience)
/* clang-format on */

int main(int argc, char **argv)
{
    setup s = {};
    const char *fault = argc > 1 ? argv[1] : "";
    cudaError_t err;
    pthread_t late;

    nvshmem_init();
    s.me = nvshmem_my_pe();
    s.n = nvshmem_n_pes();
    s.next = (s.me + 1) % s.n;
    s.wrong = argc < 3;
    s.data = (uint64_t *)nvshmem_calloc(WORDS, sizeof(uint64_t));
    s.signal = (uint64_t *)nvshmem_calloc(2, sizeof(uint64_t));
    s.freed = (uint64_t *)nvshmem_calloc(WORDS, sizeof(uint64_t));
    nvshmem_free(s.freed);
    cudaMalloc(&s.plain, (WORDS + 1) * sizeof(uint64_t));
    cudaMemset(s.plain, 0, (WORDS + 1) * sizeof(uint64_t));
    nvshmem_barrier_all();
#define LAUNCH(name) \
    if (!strcmp(fault, #name)) \
        name<<<2, 4>>>(s);
    EACH(LAUNCH)
    if (!strcmp(fault, "killed") && s.wrong && s.me == 1) {
        sleep(1);
        abort();
    }
    if (!strcmp(fault, "patience") && !s.wrong && s.me == 0) {
        pthread_create(&late, NULL, send_late, &s);
        pthread_join(late, NULL);
    }
    err = cudaDeviceSynchronize();
    nvshmem_barrier_all();
    printf("PE %d: %s\n", s.me, err ? cudaGetErrorString(err) : "done");
    nvshmem_free(s.data);
    nvshmem_free(s.signal);
    cudaFree(s.plain);
    nvshmem_finalize();
    return err != cudaSuccess;
}
