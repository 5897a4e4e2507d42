/* sample_sort.cu - sorts the keys of all PEs, for several types by one template. Each PE sorts its
 * keys and takes samples; all samples are collected by fcollect and give the splitters. PEs tell
 * each other by alltoall how many keys they send, and in return where these are to be put; then
 * a kernel puts them, a block for each PE, and each PE sorts what it has got.
 *
 *     gshcc --target=cpu sample_sort.cu -o sample_sort && gshrun -n 4 ./sample_sort
 *     nvcc -arch=sm_90 -I$PREFIX/include -L$PREFIX/lib -lgshmem sample_sort.cu -o sample_sort
 *
 *     sample_sort [-n keys a PE] [-s samples a PE]
 *
 * Each PE sorts all keys on the host, too, and compares its part.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cuda_runtime.h>
#include <limits>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

#define NVSHMEM_CHECK(call) \
    do { \
        int status_ = (call); \
        if (status_ != 0) { \
            fprintf(stderr, "%s:%d: %s returned %d\n", __FILE__, __LINE__, #call, status_); \
            nvshmem_global_exit(1); \
        } \
    } while (0)

constexpr int THREADS = 128;
constexpr int TILE = 2 * THREADS; /* keys that a block sorts in shared memory */

/* A key with something that belongs to it; no type of NVSHMEM. */
struct record {
    uint32_t key, origin;

    __host__ __device__ bool operator<(const record &other) const
    {
        return key < other.key || (key == other.key && origin < other.origin);
    }
    __host__ __device__ bool operator==(const record &other) const
    {
        return key == other.key && origin == other.origin;
    }
};

/* What is particular to a type: its calls, a key, and one that is behind all others. Types that
 * NVSHMEM does not know are moved as bytes. */
template <typename K> struct of_type {
    static __device__ void put_nbi_block(K *dest, const K *source, size_t count, int pe)
    {
        nvshmemx_putmem_nbi_block(dest, source, count * sizeof(K), pe);
    }
    static int fcollect_on_stream(K *dest, const K *source, size_t count, cudaStream_t stream)
    {
        return nvshmemx_fcollectmem_on_stream(NVSHMEM_TEAM_WORLD, dest, source, count * sizeof(K),
                                              stream);
    }
    static __host__ __device__ K key(uint64_t random, int origin)
    {
        return K{ (uint32_t)random >> 8, (uint32_t)origin };
    }
    static K last() { return K{ UINT32_MAX, UINT32_MAX }; }
};

#define NVSHMEM_TYPE(name, type, from_random) \
    template <> struct of_type<type> { \
        static __device__ void put_nbi_block(type *dest, const type *source, size_t count, int pe) \
        { \
            nvshmemx_##name##_put_nbi_block(dest, source, count, pe); \
        } \
        static int fcollect_on_stream(type *dest, const type *source, size_t count, \
                                      cudaStream_t stream) \
        { \
            return nvshmemx_##name##_fcollect_on_stream(NVSHMEM_TEAM_WORLD, dest, source, count, \
                                                        stream); \
        } \
        static __host__ __device__ type key(uint64_t random, int) { return from_random; } \
        static type last() { return std::numeric_limits<type>::max(); } \
    };

NVSHMEM_TYPE(int32, int32_t, (int32_t)(random >> 32))
NVSHMEM_TYPE(uint64, uint64_t, random)
NVSHMEM_TYPE(float, float, (float)(int32_t)(random >> 40) / 1024.0f)
NVSHMEM_TYPE(double, double, (double)(int64_t)random * 1e-9)
NVSHMEM_TYPE(uint8, uint8_t, (uint8_t)(random >> 56 & random >> 48)) /* many are equal */

__host__ __device__ inline uint64_t random_of(uint64_t i)
{
    i = (i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    i = (i ^ (i >> 30)) * 0x94d049bb133111ebu;
    return i ^ (i >> 31);
}

template <typename K> __global__ void fill(K *keys, int n, int first)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        keys[i] = of_type<K>::key(random_of(first + i), first + i);
}

template <typename K> __global__ void pad(K *keys, int from, int to, K with)
{
    for (int i = from + blockIdx.x * blockDim.x + threadIdx.x; i < to; i += blockDim.x * gridDim.x)
        keys[i] = with;
}

/* Puts keys i and i + stride in order, which is falling in every second run of `run` keys. */
template <typename K> __device__ void order(K *keys, int i, int stride, bool rising)
{
    const K a = keys[i], b = keys[i + stride];

    if (rising ? b < a : a < b) {
        keys[i] = b;
        keys[i + stride] = a;
    }
}

/* The place of the first key of pair t, when keys that are `stride` apart are compared. */
__device__ inline int pair_at(int t, int stride)
{
    return (t & ~(stride - 1)) * 2 + (t & (stride - 1));
}

/* One pass of the bitonic sort over all keys, with a stride that goes beyond a tile. */
template <typename K> __global__ void __launch_bounds__(THREADS) pass(K *keys, int run, int stride)
{
    const int i = pair_at(blockIdx.x * THREADS + threadIdx.x, stride);

    order(keys, i, stride, (i & run) == 0);
}

/* All passes with strides inside of a tile, for runs from `first` to `last` keys. */
template <typename K>
__global__ void __launch_bounds__(THREADS) passes_in_tile(K *keys, int first, int last)
{
    __shared__ K tile[TILE];
    const int base = blockIdx.x * TILE;

    for (int i = threadIdx.x; i < TILE; i += THREADS)
        tile[i] = keys[base + i];
    for (int run = first; run <= last; run *= 2) {
        for (int stride = min(run, TILE) / 2; stride > 0; stride /= 2) {
            const int i = pair_at(threadIdx.x, stride);

            __syncthreads();
            order(tile, i, stride, ((base + i) & run) == 0);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < TILE; i += THREADS)
        keys[base + i] = tile[i];
}

/* How many places n keys take when they are sorted: a power of two. */
static int padded(int n)
{
    int size = TILE;

    while (size < n)
        size *= 2;
    return size;
}

/* Sorts keys[0..n); there is room for padded(n). */
template <typename K> static void sort_on_stream(K *keys, int n, cudaStream_t stream)
{
    const int size = padded(n), blocks = size / TILE;

    pad<<<2, THREADS, 0, stream>>>(keys, n, size, of_type<K>::last());
    passes_in_tile<<<blocks, THREADS, 0, stream>>>(keys, 2, TILE);
    for (int run = 2 * TILE; run <= size; run *= 2) {
        for (int stride = run / 2; stride >= TILE; stride /= 2)
            pass<<<blocks, THREADS, 0, stream>>>(keys, run, stride);
        passes_in_tile<<<blocks, THREADS, 0, stream>>>(keys, run, run);
    }
    CUDA_CHECK(cudaGetLastError());
}

template <typename K> __global__ void take_samples(K *samples, const K *keys, int n, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        samples[i] = keys[(int)((i + 0.5f) * n / count)];
}

/* Where the first key is that is not smaller. */
template <typename K> __device__ int lower_bound(const K *keys, int n, const K &key)
{
    int low = 0, high = n;

    while (low < high) {
        int middle = (low + high) / 2;

        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How messages from and to each PE lie in memory. Symmetric, a word for each PE. */
struct plan {
    int *starts;  /* of what I send, in my keys */
    int *sent;    /* how many */
    int *got;     /* how many I get */
    int *at;      /* where I have others put theirs */
    int *dest_at; /* where I put mine */
    int *totals;  /* [0]: how many I get in all, [1]: the most that a PE gets, [2..]: of each PE */
};

/* One thread for each PE: those of my keys that are at or above its splitter and below the next
 * one's are for it. Splitters are evenly spaced samples. */
template <typename K>
__global__ void cut(plan p, const K *keys, int n, const K *samples, int samples_per_pe)
{
    const int pe = threadIdx.x, npes = nvshmem_n_pes();

    if (pe >= npes)
        return;
    const int start = pe ? lower_bound(keys, n, samples[pe * samples_per_pe]) : 0;
    const int end = pe + 1 < npes ? lower_bound(keys, n, samples[(pe + 1) * samples_per_pe]) : n;
    p.starts[pe] = start;
    p.sent[pe] = end - start;
}

__global__ void give_places(plan p)
{
    const int npes = nvshmem_n_pes();
    int sum = 0;

    for (int pe = 0; pe < npes; pe++) {
        p.at[pe] = sum;
        sum += p.got[pe];
    }
    p.totals[0] = sum;
}

template <typename K> __global__ void send(plan p, K *received, const K *keys)
{
    const int pe = (nvshmem_my_pe() + blockIdx.x) % nvshmem_n_pes();

    of_type<K>::put_nbi_block(&received[p.dest_at[pe]], &keys[p.starts[pe]], p.sent[pe], pe);
}

template <typename T> static T *allocate(size_t count)
{
    T *memory = (T *)nvshmem_malloc(count * sizeof(T));

    if (!memory) {
        fprintf(stderr, "no symmetric memory for %zu elements of %zu bytes\n", count, sizeof(T));
        nvshmem_global_exit(1);
    }
    return memory;
}

/* Compares the part of this PE with that of all keys, sorted on the host. */
template <typename K>
static bool is_right(const char *name, const std::vector<K> &got, size_t first, int n)
{
    const int npes = nvshmem_n_pes();
    std::vector<K> all;

    for (int i = 0; i < n * npes; i++)
        all.push_back(of_type<K>::key(random_of(i), i));
    std::sort(all.begin(), all.end());
    for (size_t i = 0; i < got.size(); i++) {
        if (!(first + i < all.size() && got[i] == all[first + i])) {
            printf("PE %d: %s: key %zu of %zu is wrong\n", nvshmem_my_pe(), name, i, got.size());
            return false;
        }
    }
    return nvshmem_my_pe() < npes - 1 || first + got.size() == all.size();
}

/* Fills in the plan up to how many keys each PE gets, and gives the largest of these numbers. */
template <typename K>
static int make_plan(const plan &p, const K *keys, int n, int samples_per_pe, cudaStream_t stream)
{
    const int npes = nvshmem_n_pes();
    K *samples = allocate<K>(padded(samples_per_pe * npes)), *mine = allocate<K>(samples_per_pe);
    int most;

    take_samples<<<1, THREADS, 0, stream>>>(mine, keys, n, samples_per_pe);
    NVSHMEM_CHECK(of_type<K>::fcollect_on_stream(samples, mine, samples_per_pe, stream));
    sort_on_stream(samples, samples_per_pe * npes, stream);
    cut<<<1, npes, 0, stream>>>(p, keys, n, samples, samples_per_pe);
    NVSHMEM_CHECK(nvshmemx_int_alltoall_on_stream(NVSHMEM_TEAM_WORLD, p.got, p.sent, 1, stream));
    give_places<<<1, 1, 0, stream>>>(p);
    CUDA_CHECK(cudaGetLastError());
    NVSHMEM_CHECK(nvshmemx_int_alltoall_on_stream(NVSHMEM_TEAM_WORLD, p.dest_at, p.at, 1, stream));
    NVSHMEM_CHECK(
        nvshmemx_int_max_reduce_on_stream(NVSHMEM_TEAM_WORLD, p.totals + 1, p.totals, 1, stream));
    NVSHMEM_CHECK(
        nvshmemx_int_fcollect_on_stream(NVSHMEM_TEAM_WORLD, p.totals + 2, p.totals, 1, stream));
    CUDA_CHECK(cudaMemcpyAsync(&most, p.totals + 1, sizeof(most), cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    nvshmem_free(mine);
    nvshmem_free(samples);
    return most;
}

template <typename K>
static bool sort_all(const char *name, const plan &p, int n, int samples_per_pe,
                     cudaStream_t stream)
{
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    std::vector<int> totals(npes);
    size_t first = 0;
    K *keys = allocate<K>(padded(n));

    fill<<<4, THREADS, 0, stream>>>(keys, n, n * me);
    sort_on_stream(keys, n, stream);
    const int most = make_plan(p, keys, n, samples_per_pe, stream);

    /* The same size everywhere, as memory is symmetric. */
    K *received = allocate<K>(padded(most));
    send<<<npes, THREADS, 0, stream>>>(p, received, keys);
    CUDA_CHECK(cudaGetLastError());
    nvshmemx_barrier_all_on_stream(stream);
    CUDA_CHECK(cudaMemcpyAsync(totals.data(), p.totals + 2, npes * sizeof(int),
                               cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    sort_on_stream(received, totals[me], stream);

    std::vector<K> got(totals[me]);
    CUDA_CHECK(cudaMemcpyAsync(got.data(), received, got.size() * sizeof(K), cudaMemcpyDeviceToHost,
                               stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    for (int pe = 0; pe < me; pe++)
        first += totals[pe];
    const bool right = is_right(name, got, first, n);
    if (me == 0)
        printf("%-7s %d keys, the largest part has %d\n", name, n * npes, most);
    nvshmem_free(received);
    nvshmem_free(keys);
    return right;
}

int main(int argc, char **argv)
{
    int n = 6000, samples = 32, c, devices = 0;
    bool right = true;
    cudaStream_t stream;

    while ((c = getopt(argc, argv, "n:s:")) != -1) {
        if (c == 'n')
            n = atoi(optarg);
        else if (c == 's')
            samples = atoi(optarg);
        else
            return 2;
    }
    if (samples < 1 || n < samples) {
        fprintf(stderr, "usage: %s [-n keys] [-s samples, at most as many as keys]\n", argv[0]);
        return 2;
    }
    nvshmem_init();
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    int *words = allocate<int>(6 * npes + 2);
    plan p = { words,           words + npes, words + 2 * npes, words + 3 * npes, words + 4 * npes,
               words + 5 * npes };
    right &= sort_all<int32_t>("int32", p, n, samples, stream);
    right &= sort_all<uint64_t>("uint64", p, n, samples, stream);
    right &= sort_all<float>("float", p, n, samples, stream);
    right &= sort_all<double>("double", p, n, samples, stream);
    right &= sort_all<uint8_t>("uint8", p, n, samples, stream);
    right &= sort_all<record>("record", p, n, samples, stream);
    printf("PE %d of %d: %s\n", me, npes, right ? "right" : "WRONG");

    nvshmem_free(words);
    CUDA_CHECK(cudaStreamDestroy(stream));
    nvshmem_finalize();
    return right ? 0 : 1;
}
