/* pipeline.cu - a sum over all PEs that travels round the ring in chunks, many times over, in a
 * single persistent kernel: put_signal hands a chunk on, signal_wait_until takes it, and the
 * grid's own barrier stands between the steps.
 *
 *     gshcc --target=cpu pipeline.cu -o pipeline && gshrun -n 4 ./pipeline
 *     nvcc -arch=sm_90 -I$PREFIX/include -L$PREFIX/lib -lgshmem pipeline.cu -o pipeline
 *
 *     pipeline [-n elements] [-s steps] [-k elements a chunk]
 *
 * A step: every PE makes a new vector from its last result; PE 0 sends chunks of it to PE 1,
 * which adds its own and sends on, and so forth. The last PE has the sum, and sends it round
 * once more, up to the PE before it. Chunks follow each other without waiting for the first to
 * return. No place needs a message that it is free again: a PE starts a step only with all
 * results of the last one in its hands, and these exist only when all PEs have taken the sums;
 * and results are sent only after all PEs have contributed, thus have used the results before.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <vector>

namespace cg = cooperative_groups;

#define CUDA_CHECK(call) \
    do { \
        cudaError_t error_ = (call); \
        if (error_ != cudaSuccess) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                    cudaGetErrorString(error_)); \
            nvshmem_global_exit(1); \
        } \
    } while (0)

#define NVSHMEM_CHECK(call) \
    do { \
        int status_ = (call); \
        if (status_ != 0) { \
            fprintf(stderr, "%s:%d: %s returned %d\n", __FILE__, __LINE__, #call, status_); \
            nvshmem_global_exit(1); \
        } \
    } while (0)

constexpr int THREADS = 128;
constexpr int WANTED_BLOCKS = 4;

/* All that the kernel needs; passed by value. */
struct pipeline {
    int me, npes;
    int n, chunk, chunks;
    unsigned *own;     /* what this PE adds in this step */
    unsigned *sum;     /* symmetric: sums from the PE before */
    unsigned *result;  /* symmetric: the sums of all */
    uint64_t *has_sum; /* symmetric, one a chunk: the last step whose sum has arrived */
    uint64_t *has_result;
    unsigned long long *total; /* a checksum over all steps */
};

/* A PE's vector of the next step. Unsigned numbers wrap, so every order of sums is exact. */
__host__ __device__ inline unsigned next_value(unsigned last, int pe, int i, int step)
{
    unsigned v = last * 1664525u + 1013904223u * (pe + 1) + i * 2654435761u + step;

    return v ^ (v >> 15);
}

__device__ void wait_for(uint64_t *signal, uint64_t step)
{
    if (threadIdx.x == 0)
        nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, step);
    __syncthreads();
}

/* Takes a chunk's sum from the PE before, adds the own vector, and sends it to the next PE; at
 * the last PE it is the result. */
__device__ void add_and_pass(const pipeline &p, int c, uint64_t step)
{
    const int at = c * p.chunk, count = min(p.chunk, p.n - at);
    const bool last = p.me == p.npes - 1;
    unsigned *own = p.own + at, *to = last ? p.result + at : own;

    if (p.me > 0) {
        wait_for(&p.has_sum[c], step);
        for (int i = threadIdx.x; i < count; i += blockDim.x)
            to[i] = own[i] + p.sum[at + i];
    } else if (last) {
        for (int i = threadIdx.x; i < count; i += blockDim.x)
            to[i] = own[i];
    }
    __syncthreads();
    if (!last)
        nvshmemx_uint_put_signal_block(p.sum + at, own, count, &p.has_sum[c], step,
                                       NVSHMEM_SIGNAL_SET, p.me + 1);
    else if (p.npes > 1)
        nvshmemx_uint_put_signal_block(p.result + at, to, count, &p.has_result[c], step,
                                       NVSHMEM_SIGNAL_SET, 0);
}

/* Takes a chunk's result and sends it on, unless the next PE is the one that made it. */
__device__ void take_and_pass(const pipeline &p, int c, uint64_t step)
{
    const int at = c * p.chunk, count = min(p.chunk, p.n - at);

    if (p.me == p.npes - 1)
        return;
    wait_for(&p.has_result[c], step);
    if (p.me + 1 < p.npes - 1)
        nvshmemx_uint_put_signal_block(p.result + at, p.result + at, count, &p.has_result[c], step,
                                       NVSHMEM_SIGNAL_SET, p.me + 1);
}

__global__ void run_pipeline(pipeline p, int steps)
{
    cg::grid_group grid = cg::this_grid();
    const int id = grid.thread_rank(), all = grid.size();
    unsigned long long total = 0;

    for (int step = 1; step <= steps; step++) {
        for (int i = id; i < p.n; i += all)
            p.own[i] = next_value(p.result[i], p.me, i, step);
        grid.sync();
        for (int c = blockIdx.x; c < p.chunks; c += gridDim.x)
            add_and_pass(p, c, step);
        for (int c = blockIdx.x; c < p.chunks; c += gridDim.x)
            take_and_pass(p, c, step);
        grid.sync();
        for (int i = id; i < p.n; i += all)
            total += p.result[i];
    }
    atomicAdd(p.total, total);
}

/* The same on the host, for all PEs. Returns the checksum. */
static unsigned long long run_alone(int npes, int steps, std::vector<unsigned> &result)
{
    unsigned long long total = 0;

    for (int step = 1; step <= steps; step++) {
        for (size_t i = 0; i < result.size(); i++) {
            unsigned sum = 0;

            for (int pe = 0; pe < npes; pe++)
                sum += next_value(result[i], pe, (int)i, step);
            result[i] = sum;
            total += sum;
        }
    }
    return total;
}

static bool is_right(const pipeline &p, int steps)
{
    std::vector<unsigned> got(p.n), want(p.n, 0);
    unsigned long long total, want_total = run_alone(p.npes, steps, want);
    int wrong = 0;

    CUDA_CHECK(cudaMemcpy(got.data(), p.result, p.n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&total, p.total, sizeof(total), cudaMemcpyDeviceToHost));
    for (int i = 0; i < p.n; i++) {
        if (got[i] != want[i] && wrong++ == 0)
            printf("PE %d: element %d is %u, not %u\n", p.me, i, got[i], want[i]);
    }
    if (total != want_total)
        printf("PE %d: the checksum of all steps is %llu, not %llu\n", p.me, total, want_total);
    return wrong == 0 && total == want_total;
}

/* The grid must be the same on all PEs and must fit on each of their GPUs at once. */
static int choose_grid(void **args)
{
    int fits = 0, *most = (int *)nvshmem_malloc(2 * sizeof(int));

    NVSHMEM_CHECK(nvshmemx_collective_launch_query_gridsize((const void *)run_pipeline,
                                                            dim3(THREADS), args, 0, &fits));
    fits = fits < WANTED_BLOCKS ? fits : WANTED_BLOCKS;
    CUDA_CHECK(cudaMemcpy(most, &fits, sizeof(fits), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaDeviceSynchronize());
    NVSHMEM_CHECK(nvshmem_int_min_reduce(NVSHMEM_TEAM_WORLD, most + 1, most, 1));
    CUDA_CHECK(cudaMemcpy(&fits, most + 1, sizeof(fits), cudaMemcpyDeviceToHost));
    nvshmem_free(most);
    if (fits < 1) {
        fprintf(stderr, "no block of %d threads fits\n", THREADS);
        nvshmem_global_exit(1);
    }
    return fits;
}

static void open_pipeline(pipeline *p)
{
    const size_t bytes = p->n * sizeof(unsigned);

    p->chunks = (p->n + p->chunk - 1) / p->chunk;
    p->sum = (unsigned *)nvshmem_malloc(bytes);
    p->result = (unsigned *)nvshmem_calloc(p->n, sizeof(unsigned));
    p->has_sum = (uint64_t *)nvshmem_calloc(p->chunks, sizeof(uint64_t));
    p->has_result = (uint64_t *)nvshmem_calloc(p->chunks, sizeof(uint64_t));
    if (!p->sum || !p->result || !p->has_sum || !p->has_result) {
        fprintf(stderr, "no symmetric memory for %d elements\n", p->n);
        nvshmem_global_exit(1);
    }
    CUDA_CHECK(cudaMalloc(&p->own, bytes));
    CUDA_CHECK(cudaMalloc(&p->total, sizeof(*p->total)));
    CUDA_CHECK(cudaMemset(p->total, 0, sizeof(*p->total)));
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void close_pipeline(pipeline *p)
{
    CUDA_CHECK(cudaFree(p->total));
    CUDA_CHECK(cudaFree(p->own));
    nvshmem_free(p->has_result);
    nvshmem_free(p->has_sum);
    nvshmem_free(p->result);
    nvshmem_free(p->sum);
}

int main(int argc, char **argv)
{
    int steps = 20, c, devices = 0;
    pipeline p = {};

    p.n = 20000;
    p.chunk = 1000;
    while ((c = getopt(argc, argv, "n:s:k:")) != -1) {
        if (c == 'n')
            p.n = atoi(optarg);
        else if (c == 's')
            steps = atoi(optarg);
        else if (c == 'k')
            p.chunk = atoi(optarg);
        else
            return 2;
    }
    if (p.n < 1 || steps < 1 || p.chunk < 1) {
        fprintf(stderr, "usage: %s [-n elements] [-s steps] [-k chunk], all 1 or more\n", argv[0]);
        return 2;
    }
    nvshmem_init();
    p.me = nvshmem_my_pe();
    p.npes = nvshmem_n_pes();
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices));
    open_pipeline(&p);

    cudaStream_t stream;
    cudaEvent_t start, stop;
    float ms;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));

    void *args[] = { &p, &steps };
    const int blocks = choose_grid(args);
    nvshmem_barrier_all();
    CUDA_CHECK(cudaEventRecord(start, stream));
    NVSHMEM_CHECK(nvshmemx_collective_launch((const void *)run_pipeline, dim3(blocks),
                                             dim3(THREADS), args, 0, stream));
    CUDA_CHECK(cudaEventRecord(stop, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    nvshmem_barrier_all();

    bool right = is_right(p, steps);
    if (p.me == 0)
        printf("%d PEs, %d blocks, %d chunks: %.3f ms a step\n", p.npes, blocks, p.chunks,
               ms / steps);
    printf("PE %d of %d: %s\n", p.me, p.npes, right ? "right" : "WRONG");

    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaStreamDestroy(stream));
    close_pipeline(&p);
    nvshmem_finalize();
    return right ? 0 : 1;
}
