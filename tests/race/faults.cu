/* faults.cu - a program for two PEs with one race a case, and a correct twin of each:
 *
 *     faults CASE wrong|right [ROUNDS]
 *
 * tests/race/faults.sh runs them. A comment "CASE:1" or "CASE:2" marks the two lines that
 * the report of a case must name.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };

/* Symmetric memory, all 0, and who calls. */
struct job {
    int *data, *other, *sum;
    uint64_t *flag;
    int *word;
    int me, peer;
    bool wrong;
};

__device__ void use(int value)
{
    if (value == 12345)
        printf("a value that nobody has written\n");
}

/* What the peer reads is not known to have come: a sync completes nothing. */
__global__ void quiet(job j)
{
    if (j.me == 0)
        nvshmem_int_put_nbi(j.data, j.other, N, j.peer); // quiet:1
    if (j.wrong)
        nvshmem_sync_all();
    else
        nvshmem_barrier_all();
    if (j.me == 1)
        use(j.data[3]); // quiet:2
}

__global__ void flag_first(job j)
{
    if (j.me == 0) {
        if (j.wrong)
            nvshmem_int_p(j.word, 1, j.peer);
        nvshmem_int_put(j.data, j.other, N, j.peer); // flag_first:1
        nvshmem_fence();
        if (!j.wrong)
            nvshmem_int_p(j.word, 1, j.peer);
    } else {
        nvshmem_int_wait_until(j.word, NVSHMEM_CMP_EQ, 1);
        use(j.data[3]); // flag_first:2
    }
}

__global__ void fence_signal(job j)
{
    if (j.me == 0) {
        nvshmem_int_put_nbi(j.data, j.other, N, j.peer); // fence_signal:1
        if (!j.wrong)
            nvshmem_fence();
        nvshmemx_signal_op(j.flag, 1, NVSHMEM_SIGNAL_SET, j.peer);
    } else {
        nvshmem_signal_wait_until(j.flag, NVSHMEM_CMP_EQ, 1);
        use(j.data[3]); // fence_signal:2
    }
}

__global__ void fence_flag(job j)
{
    if (j.me == 0) {
        nvshmem_int_p(j.data, 5, j.peer); // fence_flag:1
        if (!j.wrong)
            nvshmem_fence();
        nvshmem_int_p(j.word, 1, j.peer);
    } else {
        nvshmem_int_wait_until(j.word, NVSHMEM_CMP_EQ, 1);
        use(j.data[0]); // fence_flag:2
    }
}

/* The signal tells of its own payload, and of nothing before it. */
__global__ void payload(job j)
{
    if (j.me == 0) {
        nvshmem_int_put_nbi(j.data, j.other, 8, j.peer); // payload:1
        if (!j.wrong)
            nvshmem_fence();
        nvshmem_int_put_signal_nbi(j.data + 8, j.other, 8, j.flag, 1, NVSHMEM_SIGNAL_SET, j.peer);
    } else {
        nvshmem_signal_wait_until(j.flag, NVSHMEM_CMP_EQ, 1);
        use(j.data[9]);
        use(j.data[3]); // payload:2
    }
}

__global__ void get_in_flight(job j)
{
    nvshmem_int_get_nbi(j.data, j.other, N, j.peer); // get_in_flight:1
    if (!j.wrong)
        nvshmem_quiet();
    use(j.data[3]); // get_in_flight:2
}

__global__ void reuse(job j)
{
    nvshmem_int_put_nbi(j.data, j.other, N, j.peer); // reuse:1
    if (!j.wrong)
        nvshmem_quiet();
    j.other[3] = 7; // reuse:2
}

__global__ void atomic_and_store(job j)
{
    if (threadIdx.x < 2)
        atomicAdd(j.sum, 1); // atomic_and_store:1
    else if (j.wrong)
        *j.sum = 0; // atomic_and_store:2
    else
        atomicExch(j.sum, 0);
}

__global__ void syncthreads(job j)
{
    __shared__ int tile[N];

    tile[threadIdx.x] = (int)threadIdx.x; // syncthreads:1
    if (!j.wrong)
        __syncthreads();
    j.data[threadIdx.x] = tile[N - 1 - threadIdx.x]; // syncthreads:2
}

/* The next write must not overtake the reads of the round before. */
__global__ void two_rounds(job j)
{
    __shared__ int tile[N];

    for (int round = 0; round < 3; round++) {
        tile[threadIdx.x] = round; // two_rounds:1
        __syncthreads();
        j.data[threadIdx.x] = tile[N - 1 - threadIdx.x]; // two_rounds:2
        if (!j.wrong)
            __syncthreads();
    }
}

__global__ void two_blocks(job j)
{
    if (j.wrong)
        j.data[0] = (int)blockIdx.x; // two_blocks:1 two_blocks:2
    else
        j.data[blockIdx.x] = (int)blockIdx.x;
}

__global__ void two_puts(job j)
{
    int to = j.wrong ? 0 : j.me * N / 2;

    nvshmem_int_put(j.data + to, j.other, N / 2, 0); // two_puts:1 two_puts:2
}

__global__ void before_barrier(job j)
{
    if (j.me == 1)
        j.data[3] = 5; // before_barrier:1
    if (!j.wrong)
        nvshmem_barrier_all();
    if (j.me == 0)
        use(nvshmem_int_g(j.data + 3, 1)); // before_barrier:2
}

/* A flag of CUDA: a block writes data and a volatile flag, another polls. */
__global__ void threadfence(job j)
{
    volatile int *flag = j.word;

    if (blockIdx.x == 0) {
        j.data[5] = 3; // threadfence:1
        if (!j.wrong)
            __threadfence();
        *flag = 1;
    } else {
        while (!*flag)
            ;
        if (!j.wrong)
            __threadfence();
        use(j.data[5]); // threadfence:2
    }
}

/* The last block to come adds up what all have written. */
__global__ void last_block(job j)
{
    __shared__ bool last;

    j.data[blockIdx.x * blockDim.x + threadIdx.x] = 1; // last_block:1
    if (!j.wrong)
        __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(j.sum, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last) {
        if (!j.wrong)
            __threadfence();
        for (int i = 0; i < N; i += 8)
            use(j.data[i]); // last_block:2
    }
}

/* Each block writes, says so by a fence and a relaxed atomic, and the last one to do so reads
 * what the others wrote and sets the counter back, both plainly. */
__device__ void count(job j, bool before, bool after)
{
    int others = (int)(blockIdx.x + 1) % (int)gridDim.x;

    j.data[blockIdx.x] = 1; // no_release:1 no_acquire:1
    if (before)
        __threadfence();
    if (atomicAdd(j.sum, 1) == (int)gridDim.x - 1) {
        if (after)
            __threadfence();
        use(j.data[others]); // no_release:2 no_acquire:2
        *j.sum = 0;
    }
}

__global__ void no_release(job j)
{
    count(j, !j.wrong, true);
}

__global__ void no_acquire(job j)
{
    count(j, true, !j.wrong);
}

/* The last one to count sets the counter back: others have counted before. */
__global__ void counter_reset(job j)
{
    int last = (int)gridDim.x - 1;

    if (atomicAdd(j.sum, 1) == (j.wrong ? 0 : last)) // counter_reset:1
        *j.sum = 0;                                  // counter_reset:2
}

/* Who has seen the flag may take it back; who has not, may not. */
__global__ void flag_reset(job j)
{
    volatile int *flag = j.word;

    if (blockIdx.x == 0) {
        __threadfence();
        *flag = 1; // flag_reset:1
    } else {
        while (!j.wrong && !*flag)
            ;
        *j.word = 0; // flag_reset:2
    }
}

/* The same with an atomic operation between PEs. */
__global__ void ticket(job j)
{
    if (nvshmem_int_atomic_fetch_add(j.sum, 1, 0) == (j.wrong ? 0 : 1)) // ticket:1
        nvshmem_int_p(j.sum, 0, 0);                                     // ticket:2
}

__global__ void fill(int *at, int value)
{
    at[threadIdx.x] = value + (int)threadIdx.x; // no_stream:1
}

static void on_host(const char *name, job j)
{
    if (!strcmp(name, "host_put")) {
        if (j.me == 0)
            nvshmem_int_put(j.data, j.other, N, j.peer); // host_put:1
        if (j.wrong)
            nvshmem_sync_all();
        else
            nvshmem_barrier_all();
        if (j.me == 1)
            use(j.data[3]); // host_put:2
    } else if (!strcmp(name, "no_stream")) {
        fill<<<1, N>>>(j.data, 3);
        if (!j.wrong)
            cudaDeviceSynchronize();
        use(j.data[3]); // no_stream:2
        cudaDeviceSynchronize();
    } else {
        printf("no such case: %s\n", name);
    }
}

struct device_case {
    const char *name;
    void (*kernel)(job);
    int blocks, threads;
};

static const device_case cases[] = {
    { "quiet", quiet, 1, 1 },
    { "flag_first", flag_first, 1, 1 },
    { "fence_signal", fence_signal, 1, 1 },
    { "fence_flag", fence_flag, 1, 1 },
    { "payload", payload, 1, 1 },
    { "get_in_flight", get_in_flight, 1, 1 },
    { "reuse", reuse, 1, 1 },
    { "atomic_and_store", atomic_and_store, 1, 4 },
    { "syncthreads", syncthreads, 1, N },
    { "two_rounds", two_rounds, 1, N },
    { "two_blocks", two_blocks, 2, 1 },
    { "two_puts", two_puts, 1, 1 },
    { "before_barrier", before_barrier, 1, 1 },
    { "threadfence", threadfence, 2, 1 },
    { "last_block", last_block, 8, 8 },
    { "no_release", no_release, 2, 1 },
    { "no_acquire", no_acquire, 2, 1 },
    { "counter_reset", counter_reset, 8, 1 },
    { "flag_reset", flag_reset, 2, 1 },
    { "ticket", ticket, 1, 1 },
};

static void run(const char *name, job j)
{
    void *arguments[] = { &j };

    for (const device_case &c : cases) {
        if (!strcmp(c.name, name)) {
            cudaLaunchCooperativeKernel((const void *)c.kernel, dim3(c.blocks), dim3(c.threads),
                                        arguments, 0, 0);
            cudaDeviceSynchronize();
            return;
        }
    }
    on_host(name, j);
}

int main(int argc, char **argv)
{
    job j;

    if (argc < 3)
        return 2;
    nvshmem_init();
    j.me = nvshmem_my_pe();
    j.peer = 1 - j.me;
    j.wrong = !strcmp(argv[2], "wrong");
    j.data = (int *)nvshmem_calloc(N, sizeof(int));
    j.other = (int *)nvshmem_calloc(N, sizeof(int));
    j.sum = (int *)nvshmem_calloc(1, sizeof(int));
    j.word = (int *)nvshmem_calloc(1, sizeof(int));
    j.flag = (uint64_t *)nvshmem_calloc(1, sizeof(uint64_t));
    for (int left = argc > 3 ? atoi(argv[3]) : 1; left; left--) {
        run(argv[1], j);
        nvshmem_barrier_all();
        *j.sum = *j.word = 0;
        *j.flag = 0;
        nvshmem_barrier_all();
    }
    nvshmem_free(j.flag);
    nvshmem_free(j.word);
    nvshmem_free(j.sum);
    nvshmem_free(j.other);
    nvshmem_free(j.data);
    nvshmem_finalize();
    return 0;
}
