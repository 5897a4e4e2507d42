/* embedding.cu - a table of embeddings that is dealt out to the PEs by rows, and its training.
 * A warp looks up the rows of a bag and adds them up: it loads from memory of another PE where
 * nvshmem_ptr gives an address, and takes rows by get_nbi_warp where it does not, or when told
 * to. Gradients are added at the PE that owns the row: floats by nvshmem_float_atomic_add, pairs
 * of halves by compare and swap of the word they share, as there are no atomics of 16 bits. The
 * few rows that are looked up most are copied to every PE; their gradients are added up there by
 * CUDA's atomics, and by a reduction over all PEs.
 *
 *     gshcc --target=cpu embedding.cu -o embedding && gshrun -n 4 ./embedding
 *     nvcc -arch=sm_90 -I$PREFIX/include -L$PREFIX/lib -lgshmem embedding.cu -o embedding
 *
 *     embedding [-r rows] [-b bags a PE] [-i steps] [-g] (-g: always by get)
 *
 * All values are multiples of 1/4 and small, so that sums are exact in any order. Each PE
 * compares its sums of each step, and its rows at the end, with those of a serial computation.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vector>

#define CUDA_CHECK(call) \
    do { \
        cudaError_t error_ = (call); \
        if (error_ != cudaSuccess) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                    cudaGetErrorString(error_)); \
            nvshmem_global_exit(1); \
        } \
    } while (0)

constexpr int DIM = 64;  /* of a row */
constexpr int BAG = 8;   /* rows of a bag */
constexpr int HOT = 16;  /* rows 0 to HOT - 1 are at every PE; of the others r is at r % npes */
constexpr int WARPS = 4; /* of a block */
constexpr int BLOCKS = 4;
constexpr float RATE = 0.25f;
constexpr int MOST = 2048; /* halves are exact up to here */

struct options {
    int rows = 1000;
    int bags = 128;
    int steps = 3;
    bool by_get = false;
};

/* All symmetric but sums. */
template <typename T> struct table {
    int rows, rows_per_pe; /* without those that are hot */
    T *row, *gradient;
    T *hot, *hot_gradient, *hot_sum;
    T *staging;  /* room for a bag for each warp */
    float *sums; /* of each bag of this PE */
};

__host__ __device__ inline uint32_t hash(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t h = a * 0x9e3779b9u + b * 0x85ebca6bu + c * 0xc2b2ae35u;

    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

__host__ __device__ inline float start_value(int row, int d)
{
    return (float)(hash(row, d, 1) % 33) - 16.0f;
}

/* Row k of a bag, by the number of the bag among those of all PEs and steps. One lookup in four
 * is of a hot row. */
__host__ __device__ inline int row_of(int bag, int k, int rows)
{
    uint32_t h = hash(bag, k, 2);

    return h % 4 == 0 ? (h >> 8) % HOT : HOT + (h >> 8) % (rows - HOT);
}

/* The gradient of a bag's sum, which is that of each of its rows: -1, 0 or 1. */
__host__ __device__ inline float gradient_of(int bag, int d)
{
    return (float)(hash(bag, d, 3) % 3) - 1.0f;
}

__device__ inline void get_row(float *dest, const float *source, int pe)
{
    nvshmemx_float_get_nbi_warp(dest, source, DIM, pe);
}

__device__ inline void get_row(half *dest, const half *source, int pe)
{
    nvshmemx_half_get_nbi_warp(dest, source, DIM, pe);
}

/* Adds to two elements of a row at a PE. */
__device__ inline void add_at(float *dest, float2 value, int pe)
{
    if (value.x != 0.0f)
        nvshmem_float_atomic_add(dest, value.x, pe);
    if (value.y != 0.0f)
        nvshmem_float_atomic_add(dest + 1, value.y, pe);
}

__device__ inline void add_at(half *dest, float2 value, int pe)
{
    unsigned *word = (unsigned *)dest;
    const half2 add = __float22half2_rn(value);
    unsigned found = nvshmem_uint_atomic_fetch(word, pe), expected;

    do {
        half2 pair;

        expected = found;
        memcpy(&pair, &expected, sizeof(pair));
        pair = __hadd2(pair, add);
        unsigned changed;
        memcpy(&changed, &pair, sizeof(changed));
        found = nvshmem_uint_atomic_compare_swap(word, expected, changed, pe);
    } while (found != expected);
}

/* The same in memory of this PE that only its own kernels add to. */
__device__ inline void add_here(float *dest, float2 value)
{
    atomicAdd(dest, value.x);
    atomicAdd(dest + 1, value.y);
}

__device__ inline void add_here(half *dest, float2 value)
{
    atomicAdd((half2 *)dest, __float22half2_rn(value));
}

template <typename T> __global__ void set_start(table<T> t, int me, int npes)
{
    const int d = threadIdx.x;

    for (int i = blockIdx.x; i < t.rows_per_pe; i += gridDim.x)
        t.row[i * DIM + d] = T(start_value(HOT + i * npes + me, d));
    for (int i = blockIdx.x; i < HOT; i += gridDim.x)
        t.hot[i * DIM + d] = T(start_value(i, d));
}

/* Where a row that is not hot lies: at the PE that is returned, from element *at on. */
__device__ inline int find(int row, size_t *at)
{
    const int npes = nvshmem_n_pes();

    *at = (size_t)((row - HOT) / npes) * DIM;
    return (row - HOT) % npes;
}

/* A warp for each bag: sums[bag] is the sum of its rows. */
template <typename T>
__global__ void __launch_bounds__(WARPS * 32)
    look_up(table<T> t, int first_bag, int bags, bool by_get)
{
    const int lane = threadIdx.x % warpSize;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int warps = gridDim.x * blockDim.x / warpSize;
    T *staging = t.staging + (size_t)warp * BAG * DIM;

    for (int b = warp; b < bags; b += warps) {
        const T *rows[BAG];

#pragma unroll
        for (int k = 0; k < BAG; k++) {
            const int row = row_of(first_bag + b, k, t.rows);
            size_t at;

            if (row < HOT) {
                rows[k] = t.hot + row * DIM;
                continue;
            }
            const int pe = find(row, &at);
            rows[k] = by_get ? nullptr : (const T *)nvshmem_ptr(t.row + at, pe);
            if (!rows[k]) {
                get_row(staging + k * DIM, t.row + at, pe);
                rows[k] = staging + k * DIM;
            }
        }
        nvshmem_quiet(); /* the rows are there, */
        __syncwarp();    /* for all lanes */
        for (int d = lane; d < DIM; d += warpSize) {
            float sum = 0.0f;

#pragma unroll
            for (int k = 0; k < BAG; k++)
                sum += (float)rows[k][d];
            t.sums[(size_t)b * DIM + d] = sum;
        }
        __syncwarp(); /* before the next bag comes into staging */
    }
}

/* A warp for each bag, two elements a lane at a time. */
template <typename T>
__global__ void __launch_bounds__(WARPS * 32) scatter(table<T> t, int first_bag, int bags)
{
    const int lane = threadIdx.x % warpSize;
    const int warps = gridDim.x * blockDim.x / warpSize;

    for (int b = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize; b < bags; b += warps) {
        for (int k = 0; k < BAG; k++) {
            const int row = row_of(first_bag + b, k, t.rows);
            size_t at;
            const int pe = row < HOT ? -1 : find(row, &at);

            for (int d = 2 * lane; d < DIM; d += 2 * warpSize) {
                const float2 g =
                    make_float2(gradient_of(first_bag + b, d), gradient_of(first_bag + b, d + 1));

                if (pe < 0)
                    add_here(t.hot_gradient + row * DIM + d, g);
                else
                    add_at(t.gradient + at + d, g, pe);
            }
        }
    }
}

template <typename T> __global__ void descend(T *value, T *gradient, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        value[i] = T((float)value[i] - RATE * (float)gradient[i]);
        gradient[i] = T(0.0f);
    }
}

static int sum_on_stream(float *dest, const float *source, size_t n, cudaStream_t stream)
{
    return nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, dest, source, n, stream);
}

static int sum_on_stream(half *dest, const half *source, size_t n, cudaStream_t stream)
{
    return nvshmemx_half_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, dest, source, n, stream);
}

template <typename T> static T *allocate(size_t count)
{
    T *memory = (T *)nvshmem_calloc(count, sizeof(T));

    if (!memory) {
        fprintf(stderr, "no symmetric memory for %zu elements\n", count);
        nvshmem_global_exit(1);
    }
    return memory;
}

template <typename T> static table<T> make_table(const options &o, int npes)
{
    table<T> t;

    t.rows = o.rows;
    t.rows_per_pe = (o.rows - HOT + npes - 1) / npes;
    t.row = allocate<T>((size_t)t.rows_per_pe * DIM);
    t.gradient = allocate<T>((size_t)t.rows_per_pe * DIM);
    t.hot = allocate<T>(HOT * DIM);
    t.hot_gradient = allocate<T>(HOT * DIM);
    t.hot_sum = allocate<T>(HOT * DIM);
    t.staging = allocate<T>((size_t)BLOCKS * WARPS * BAG * DIM);
    CUDA_CHECK(cudaMalloc((void **)&t.sums, (size_t)o.bags * DIM * sizeof(float)));
    return t;
}

template <typename T> static void destroy_table(table<T> *t)
{
    CUDA_CHECK(cudaFree(t->sums));
    nvshmem_free(t->staging);
    nvshmem_free(t->hot_sum);
    nvshmem_free(t->hot_gradient);
    nvshmem_free(t->hot);
    nvshmem_free(t->gradient);
    nvshmem_free(t->row);
}

/* The whole table on the host, all in float. */
struct model {
    const options &o;
    int npes;
    std::vector<float> rows;

    model(const options &of, int n) : o(of), npes(n), rows((size_t)of.rows * DIM)
    {
        for (int row = 0; row < o.rows; row++)
            for (int d = 0; d < DIM; d++)
                rows[(size_t)row * DIM + d] = start_value(row, d);
    }

    int first_bag(int step, int pe) const { return (step * npes + pe) * o.bags; }

    float sum(int bag, int d) const
    {
        float sum = 0.0f;

        for (int k = 0; k < BAG; k++)
            sum += rows[(size_t)row_of(bag, k, o.rows) * DIM + d];
        return sum;
    }

    void descend_all(int step)
    {
        for (int bag = first_bag(step, 0); bag < first_bag(step + 1, 0); bag++)
            for (int k = 0; k < BAG; k++)
                for (int d = 0; d < DIM; d++)
                    rows[(size_t)row_of(bag, k, o.rows) * DIM + d] -= RATE * gradient_of(bag, d);
    }

    /* Whether no gradient of a step can grow beyond what is exact in halves. */
    bool is_exact() const
    {
        std::vector<int> hits(o.rows);

        for (int step = 0; step < o.steps; step++) {
            hits.assign(o.rows, 0);
            for (int bag = first_bag(step, 0); bag < first_bag(step + 1, 0); bag++)
                for (int k = 0; k < BAG; k++)
                    if (++hits[row_of(bag, k, o.rows)] > MOST)
                        return false;
        }
        for (float value : rows)
            if (value > MOST / 4 || value < -MOST / 4)
                return false;
        return true;
    }
};

static bool are_sums_right(const char *name, const model &m, const float *sums, int step)
{
    const int me = nvshmem_my_pe();
    std::vector<float> got((size_t)m.o.bags * DIM);

    CUDA_CHECK(cudaMemcpy(got.data(), sums, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int b = 0; b < m.o.bags; b++) {
        for (int d = 0; d < DIM; d++) {
            const float want = m.sum(m.first_bag(step, me) + b, d);

            if (got[(size_t)b * DIM + d] != want) {
                printf("PE %d, %s: step %d, bag %d: sum %d is %g, not %g\n", me, name, step, b, d,
                       got[(size_t)b * DIM + d], want);
                return false;
            }
        }
    }
    return true;
}

/* `count` rows at `rows` on the device are rows first, first + stride... of the table. */
template <typename T>
static bool are_rows_right(const char *name, const model &m, const T *rows, int count, int first,
                           int stride)
{
    std::vector<T> got((size_t)count * DIM);

    CUDA_CHECK(cudaMemcpy(got.data(), rows, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count && first + i * stride < m.o.rows; i++) {
        for (int d = 0; d < DIM; d++) {
            const float value = (float)got[(size_t)i * DIM + d];
            const float want = m.rows[(size_t)(first + i * stride) * DIM + d];

            if (value != want) {
                printf("PE %d, %s: row %d: element %d is %g, not %g\n", nvshmem_my_pe(), name,
                       first + i * stride, d, value, want);
                return false;
            }
        }
    }
    return true;
}

template <typename T> static bool train(const char *name, const options &o, cudaStream_t stream)
{
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    table<T> t = make_table<T>(o, npes);
    model m(o, npes);
    bool right = true;

    set_start<<<BLOCKS, DIM, 0, stream>>>(t, me, npes);
    CUDA_CHECK(cudaGetLastError());
    nvshmemx_barrier_all_on_stream(stream);
    for (int step = 0; step < o.steps; step++) {
        const int bag = m.first_bag(step, me);

        look_up<<<BLOCKS, WARPS * 32, 0, stream>>>(t, bag, o.bags, o.by_get);
        scatter<<<BLOCKS, WARPS * 32, 0, stream>>>(t, bag, o.bags);
        CUDA_CHECK(cudaGetLastError());
        nvshmemx_barrier_all_on_stream(stream); /* all rows are read, all gradients added */
        if (sum_on_stream(t.hot_sum, t.hot_gradient, HOT * DIM, stream)) {
            fprintf(stderr, "the reduction failed\n");
            nvshmem_global_exit(1);
        }
        CUDA_CHECK(cudaMemsetAsync(t.hot_gradient, 0, HOT * DIM * sizeof(T), stream));
        descend<<<BLOCKS, WARPS * 32, 0, stream>>>(t.hot, t.hot_sum, HOT * DIM);
        descend<<<BLOCKS, WARPS * 32, 0, stream>>>(t.row, t.gradient, t.rows_per_pe * DIM);
        CUDA_CHECK(cudaGetLastError());
        nvshmemx_barrier_all_on_stream(stream);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        right = right && are_sums_right(name, m, t.sums, step);
        m.descend_all(step);
    }
    right = right && are_rows_right(name, m, t.hot, HOT, 0, 1) &&
            are_rows_right(name, m, t.row, t.rows_per_pe, HOT + me, npes);
    if (!m.is_exact()) {
        fprintf(stderr, "too many bags for so few rows: halves are not exact\n");
        nvshmem_global_exit(2);
    }
    if (me == 0)
        printf("%-5s %d rows, %d bags a step, %d steps, %s\n", name, o.rows, o.bags * npes, o.steps,
               o.by_get ? "by get" : "by address where there is one");
    destroy_table(&t);
    return right;
}

static options parse(int argc, char **argv)
{
    options o;
    int c;

    while ((c = getopt(argc, argv, "r:b:i:g")) != -1) {
        if (c == 'r')
            o.rows = atoi(optarg);
        else if (c == 'b')
            o.bags = atoi(optarg);
        else if (c == 'i')
            o.steps = atoi(optarg);
        else if (c == 'g')
            o.by_get = true;
        else
            exit(2);
    }
    return o;
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);
    int devices = 0;
    cudaStream_t stream;

    nvshmem_init();
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices));
    if (o.rows <= HOT || o.bags < 1 || o.steps < 1) {
        fprintf(stderr, "rows must be %d or more, the others 1 or more\n", HOT + 1);
        nvshmem_global_exit(2);
    }
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    bool right = train<float>("float", o, stream);
    right &= train<half>("half", o, stream);
    o.by_get = !o.by_get;
    right &= train<half>("half", o, stream);
    printf("PE %d of %d: %s\n", me, npes, right ? "right" : "WRONG");

    CUDA_CHECK(cudaStreamDestroy(stream));
    nvshmem_finalize();
    return right ? 0 : 1;
}
