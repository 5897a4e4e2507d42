/* histogram.cu - one histogram over the values of all PEs. A block counts in shared memory, with
 * one atomic for all lanes of a warp that hold the same bin, and adds its counts to the PEs that
 * own the bins by nvshmem_int_atomic_add. Values outside of the range go into a list at PE 0, in
 * which a warp reserves places by one nvshmem_int_atomic_fetch_add. Then each PE sums up its bins
 * from the left by warp scans, and all agree on minimum and maximum by reductions.
 *
 *     gshcc --target=cpu histogram.cu -o histogram && gshrun -n 4 ./histogram
 *     nvcc -arch=sm_90 -I$PREFIX/include -L$PREFIX/lib -lgshmem histogram.cu -o histogram
 *
 *     histogram [-n values a PE] [-b bins] [-s seed]
 *
 * Each PE counts the values of all PEs on the host, too, and compares.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cuda_runtime.h>
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

constexpr unsigned ALL = 0xffffffffu;
constexpr int THREADS = 128;
constexpr int BLOCKS = 8;
constexpr int RANGE = 1 << 16; /* bins divide [0, RANGE) */
constexpr int OUTSIDE = 1000;  /* one value in so many is outside */

struct options {
    int n = 60000;
    int bins = 1000;
    unsigned seed = 1;
};

/* All symmetric. Bin b is at PE b / bins_per_pe. */
struct histogram {
    int bins, bins_per_pe;
    int *counts;  /* of the bins of this PE */
    int *below;   /* of each of them: how many values are in it and in all bins to the left */
    int *totals;  /* this PE's values; then those of each PE */
    int *extreme; /* of this PE: minimum, -maximum; then of all */
    int *outside; /* used at PE 0 */
    int *n_outside;
};

/* Most values are near the middle, as the sum of two is. */
__host__ __device__ inline int value_of(unsigned seed, int pe, int i)
{
    uint32_t h = seed * 0x9e3779b9u + (uint32_t)pe * 0x85ebca6bu + (uint32_t)i;

    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    h ^= h >> 16;
    if (h % OUTSIDE == 0)
        return h & 0x10000 ? -(int)(h >> 20) - 1 : RANGE + (int)(h >> 20);
    return (int)((h & 0x7fff) + (h >> 17));
}

__host__ __device__ inline int bin_of(int value, int bins)
{
    return (int)((int64_t)value * bins / RANGE);
}

__global__ void fill(int *values, int n, unsigned seed, int pe)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        values[i] = value_of(seed, pe, i);
}

/* Called by a whole warp: appends the values of the lanes in `which` to the list at PE 0. */
__device__ void append(const histogram &h, int value, unsigned which)
{
    const int lane = threadIdx.x % warpSize, leader = __ffs(which) - 1;
    int place = 0;

    if (lane == leader)
        place = nvshmem_int_atomic_fetch_add(h.n_outside, __popc(which), 0);
    place = __shfl_sync(ALL, place, leader);
    if (which >> lane & 1)
        nvshmem_int_p(&h.outside[place + __popc(which & ((1u << lane) - 1))], value, 0);
}

__global__ void __launch_bounds__(THREADS)
    count(histogram h, const int *__restrict__ values, int n, int *extreme)
{
    extern __shared__ int in_block[];
    const int lane = threadIdx.x % warpSize;
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    int lowest = INT32_MAX, highest = -INT32_MAX; /* so that -highest is an int, too */

    for (int b = threadIdx.x; b < h.bins; b += blockDim.x)
        in_block[b] = 0;
    __syncthreads();

    /* All lanes go round together, with or without a value, as they vote. */
    const int first = blockIdx.x * blockDim.x + threadIdx.x - lane;
    for (int i = first; i < n; i += blockDim.x * gridDim.x) {
        const bool valid = i + lane < n;
        const int value = valid ? values[i + lane] : 0;
        const bool inside = valid && value >= 0 && value < RANGE;
        const int bin = inside ? bin_of(value, h.bins) : -1;
        const unsigned same = __match_any_sync(ALL, bin);
        const unsigned strays = __ballot_sync(ALL, valid && !inside);

        if (inside && lane == __ffs(same) - 1)
            atomicAdd(&in_block[bin], __popc(same));
        if (strays)
            append(h, value, strays);
        if (valid) {
            lowest = min(lowest, value);
            highest = max(highest, value);
        }
    }
    lowest = __reduce_min_sync(ALL, lowest);
    highest = __reduce_max_sync(ALL, highest);
    if (lane == 0) {
        atomicMin(&extreme[0], lowest);
        atomicMin(&extreme[1], -highest);
    }
    __syncthreads();

    /* PEs begin with different bins, so that they do not all add at one PE. */
    for (int k = threadIdx.x; k < h.bins_per_pe * npes; k += blockDim.x) {
        const int owner = (k / h.bins_per_pe + me) % npes;
        const int b = k % h.bins_per_pe, bin = owner * h.bins_per_pe + b;

        if (bin < h.bins && in_block[bin])
            nvshmem_int_atomic_add(&h.counts[b], in_block[bin], owner);
    }
}

/* The sum of `value` of this lane and those before it. */
__device__ int scan_warp(int value)
{
    const int lane = threadIdx.x % warpSize;

    for (int by = 1; by < warpSize; by *= 2) {
        int other = __shfl_up_sync(ALL, value, by);

        if (lane >= by)
            value += other;
    }
    return value;
}

/* One block: sums over the bins of this PE from the left. */
__global__ void __launch_bounds__(THREADS) sum_up(histogram h)
{
    __shared__ int of_warp[THREADS / 32];
    __shared__ int before;
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;

    if (threadIdx.x == 0)
        before = 0;
    __syncthreads();
    for (int b0 = 0; b0 < h.bins_per_pe; b0 += blockDim.x) {
        const int b = b0 + threadIdx.x;
        int sum = scan_warp(b < h.bins_per_pe ? h.counts[b] : 0);

        if (lane == warpSize - 1)
            of_warp[warp] = sum;
        __syncthreads();
        for (int w = 0; w < warp; w++)
            sum += of_warp[w];
        sum += before;
        if (b < h.bins_per_pe)
            h.below[b] = sum;
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1)
            before = sum;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        h.totals[0] = before;
}

/* What PEs to the left have counted is below all bins of this one. */
__global__ void add_totals_before(histogram h)
{
    const int me = nvshmem_my_pe();
    int before = 0;

    for (int pe = 0; pe < me; pe++)
        before += h.totals[1 + pe];
    for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < h.bins_per_pe;
         b += blockDim.x * gridDim.x)
        h.below[b] += before;
}

static histogram make(const options &o, int npes)
{
    histogram h;
    int *all[6];

    h.bins = o.bins;
    h.bins_per_pe = (o.bins + npes - 1) / npes;
    const size_t sizes[6] = { (size_t)h.bins_per_pe, (size_t)h.bins_per_pe,
                              1 + (size_t)npes,      4,
                              (size_t)o.n * npes,    1 };
    for (int i = 0; i < 6; i++) {
        all[i] = (int *)nvshmem_calloc(sizes[i], sizeof(int));
        if (!all[i]) {
            fprintf(stderr, "no symmetric memory for %d bins and %d values\n", o.bins, o.n);
            nvshmem_global_exit(1);
        }
    }
    h.counts = all[0];
    h.below = all[1];
    h.totals = all[2];
    h.extreme = all[3];
    h.outside = all[4];
    h.n_outside = all[5];
    return h;
}

static void destroy(histogram *h)
{
    nvshmem_free(h->n_outside);
    nvshmem_free(h->outside);
    nvshmem_free(h->extreme);
    nvshmem_free(h->totals);
    nvshmem_free(h->below);
    nvshmem_free(h->counts);
}

static std::vector<int> from_device(const int *source, size_t count)
{
    std::vector<int> copy(count);

    CUDA_CHECK(cudaMemcpy(copy.data(), source, count * sizeof(int), cudaMemcpyDeviceToHost));
    return copy;
}

static bool is(const char *what, int at, int got, int want)
{
    if (got != want)
        printf("PE %d: %s %d is %d, not %d\n", nvshmem_my_pe(), what, at, got, want);
    return got == want;
}

static bool is_right(const options &o, const histogram &h, int me, int npes)
{
    std::vector<int> counts(h.bins_per_pe * npes), outside;
    int lowest = INT32_MAX, highest = -INT32_MAX, below = 0;
    bool right = true;

    for (int pe = 0; pe < npes; pe++) {
        for (int i = 0; i < o.n; i++) {
            int value = value_of(o.seed, pe, i);

            lowest = std::min(lowest, value);
            highest = std::max(highest, value);
            if (value < 0 || value >= RANGE)
                outside.push_back(value);
            else
                counts[bin_of(value, o.bins)]++;
        }
    }

    std::vector<int> my_counts = from_device(h.counts, h.bins_per_pe);
    std::vector<int> my_below = from_device(h.below, h.bins_per_pe);
    for (int bin = 0; bin < (me + 1) * h.bins_per_pe; bin++) {
        const int b = bin - me * h.bins_per_pe;

        below += counts[bin];
        if (b >= 0)
            right = right && is("the count of bin", bin, my_counts[b], counts[bin]) &&
                    is("the sum up to bin", bin, my_below[b], below);
    }
    std::vector<int> extreme = from_device(h.extreme, 4);
    right &= is("the minimum, of PEs", npes, extreme[2], lowest);
    right &= is("the maximum, of PEs", npes, -extreme[3], highest);
    if (me > 0)
        return right;

    /* The list is in no order. */
    std::vector<int> list = from_device(h.outside, from_device(h.n_outside, 1)[0]);
    std::sort(list.begin(), list.end());
    std::sort(outside.begin(), outside.end());
    if (list != outside)
        printf("PE 0: the %zu values outside are not the %zu that should be\n", list.size(),
               outside.size());
    printf("%d PEs, %d values each, %d bins, %zu values outside, all from %d to %d\n", npes, o.n,
           o.bins, list.size(), extreme[2], -extreme[3]);
    return right && list == outside;
}

static options parse(int argc, char **argv)
{
    options o;
    int c;

    while ((c = getopt(argc, argv, "n:b:s:")) != -1) {
        if (c == 'n')
            o.n = atoi(optarg);
        else if (c == 'b')
            o.bins = atoi(optarg);
        else if (c == 's')
            o.seed = (unsigned)strtoul(optarg, NULL, 0);
        else
            exit(2);
    }
    if (o.n < 1 || o.bins < 1 || o.bins > 8192) {
        fprintf(stderr, "usage: %s [-n values, 1 or more] [-b bins, 1 to 8192] [-s seed]\n",
                argv[0]);
        exit(2);
    }
    return o;
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);
    int devices = 0, *values;
    cudaStream_t stream;

    nvshmem_init();
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices));
    histogram h = make(o, npes);
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaMalloc(&values, o.n * sizeof(int)));

    fill<<<BLOCKS, THREADS, 0, stream>>>(values, o.n, o.seed, me);
    /* Bytes of 0x7f make an int that is larger than any value. */
    CUDA_CHECK(cudaMemsetAsync(h.extreme, 0x7f, 2 * sizeof(int), stream));
    count<<<BLOCKS, THREADS, o.bins * sizeof(int), stream>>>(h, values, o.n, h.extreme);
    CUDA_CHECK(cudaGetLastError());
    nvshmemx_barrier_all_on_stream(stream); /* all have added what they counted */
    sum_up<<<1, THREADS, 0, stream>>>(h);
    nvshmemx_int_fcollect_on_stream(NVSHMEM_TEAM_WORLD, h.totals + 1, h.totals, 1, stream);
    add_totals_before<<<2, THREADS, 0, stream>>>(h);
    CUDA_CHECK(cudaGetLastError());
    nvshmemx_int_min_reduce_on_stream(NVSHMEM_TEAM_WORLD, h.extreme + 2, h.extreme, 2, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));

    bool right = is_right(o, h, me, npes);
    printf("PE %d of %d: %s\n", me, npes, right ? "right" : "WRONG");

    CUDA_CHECK(cudaFree(values));
    CUDA_CHECK(cudaStreamDestroy(stream));
    destroy(&h);
    nvshmem_finalize();
    return right ? 0 : 1;
}
