/* conjugate_gradient.cu - solves A x = b for the 2-D Laplacian by conjugate gradients over many
 * PEs. Dot products are summed in cooperative groups tiles, in shared memory, and over the PEs
 * by a reduction that one block calls in a kernel; the search direction's border rows are put
 * into the neighbours' halos. Kernels are templates of the number's type.
 *
 *     gshcc --target=cpu conjugate_gradient.cu -o cg && gshrun -n 4 ./cg
 *     nvcc -arch=sm_90 -I$PREFIX/include -L$PREFIX/lib -lgshmem conjugate_gradient.cu -o cg
 *
 *     cg [-n size] [-i most iterations] [-f]      -f: float instead of double
 *
 * The solution is known (b is made from it), so each PE checks its part of x.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <math.h>
#include <nvshmem.h>
#include <nvshmemx.h>
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

constexpr int THREADS = 128;
constexpr int MAX_BLOCKS = 32;

/* The rows of the grid that this PE owns; vectors with a halo have a row more on both sides. */
struct part {
    int n, first, rows, above, below, rows_above;

    __host__ __device__ int size() const { return n * rows; }
};

/* What the kernels hand on to each other. It is symmetric, for the reductions. */
template <typename T> struct scalars {
    T partial; /* the sum of this PE */
    T total;   /* the sum of all */
    T rr;      /* r * r of the last iteration */
    T alpha, beta;
};

enum class dot_for { start, alpha, beta };

/* One name for the typed calls, so that templates can use them. */
__device__ inline int sum_over_pes(double *dest, const double *source)
{
    return nvshmemx_double_sum_reduce_block(NVSHMEM_TEAM_WORLD, dest, source, 1);
}

__device__ inline int sum_over_pes(float *dest, const float *source)
{
    return nvshmemx_float_sum_reduce_block(NVSHMEM_TEAM_WORLD, dest, source, 1);
}

__device__ inline void put_row(double *dest, const double *source, size_t n, int pe)
{
    nvshmemx_double_put_nbi_block(dest, source, n, pe);
}

__device__ inline void put_row(float *dest, const float *source, size_t n, int pe)
{
    nvshmemx_float_put_nbi_block(dest, source, n, pe);
}

/* The solution, which is 0 outside the square, and b = A times it. The host makes b without the
 * exchange of halos, so that an error there shows. */
static double solution(int n, int x, int y)
{
    double u = (x + 1.0) / (n + 1), v = (y + 1.0) / (n + 1);

    return u * (1 - u) * v * (1 - v) * (1 + u + 2 * v);
}

static double right_side(int n, int x, int y)
{
    return 4 * solution(n, x, y) - solution(n, x - 1, y) - solution(n, x + 1, y) -
           solution(n, x, y - 1) - solution(n, x, y + 1);
}

/* The sum over the block, returned to its thread 0. */
template <int SIZE, typename T> __device__ T block_sum(T value)
{
    __shared__ T of_tile[SIZE / 32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);

    for (int by = tile.size() / 2; by > 0; by /= 2)
        value += tile.shfl_down(value, by);
    if (tile.thread_rank() == 0)
        of_tile[block.thread_rank() / 32] = value;
    block.sync();
    if (block.thread_rank() < 32) {
        value = tile.thread_rank() < SIZE / 32 ? of_tile[tile.thread_rank()] : T(0);
        for (int by = tile.size() / 2; by > 0; by /= 2)
            value += tile.shfl_down(value, by);
    }
    block.sync();
    return value;
}

/* A p at (x, y) of this PE, where p has its halo. Outside the square everything is 0. */
template <typename T> __device__ T laplacian(const T *p, const part &d, int x, int y)
{
    const T *at = &p[(y + 1) * d.n + x];
    T left = x > 0 ? at[-1] : T(0), right = x + 1 < d.n ? at[1] : T(0);

    return 4 * *at - left - right - at[-d.n] - at[d.n];
}

/* x = 0, r = p = b; r holds b already. */
template <typename T> __global__ void start(T *x, const T *r, T *p, part d)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < d.size(); i += gridDim.x * blockDim.x) {
        x[i] = T(0);
        p[d.n + i] = r[i];
    }
}

/* q = A p, and the block's part of p * q. */
template <typename T> __global__ void apply(T *q, const T *p, T *of_block, part d)
{
    T sum = T(0);

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < d.size(); i += gridDim.x * blockDim.x) {
        T value = laplacian(p, d, i % d.n, i / d.n);

        q[i] = value;
        sum += value * p[d.n + i];
    }
    sum = block_sum<THREADS>(sum);
    if (threadIdx.x == 0)
        of_block[blockIdx.x] = sum;
}

/* x += alpha p, r -= alpha q if not at the start, and the block's part of r * r. */
template <typename T, bool UPDATE>
__global__ void advance(T *x, T *r, const T *p, const T *q, T *of_block, const scalars<T> *s,
                        part d)
{
    T sum = T(0), alpha = UPDATE ? s->alpha : T(0);

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < d.size(); i += gridDim.x * blockDim.x) {
        if (UPDATE) {
            x[i] += alpha * p[d.n + i];
            r[i] -= alpha * q[i];
        }
        sum += r[i] * r[i];
    }
    sum = block_sum<THREADS>(sum);
    if (threadIdx.x == 0)
        of_block[blockIdx.x] = sum;
}

/* One block: adds up what the blocks have left, over all PEs, and makes the next factor. */
template <typename T, dot_for WHAT>
__global__ void finish_dot(scalars<T> *s, const T *of_block, int blocks)
{
    T sum = T(0);

    for (int i = threadIdx.x; i < blocks; i += blockDim.x)
        sum += of_block[i];
    sum = block_sum<THREADS>(sum);
    if (threadIdx.x == 0)
        s->partial = sum;
    __syncthreads();
    sum_over_pes(&s->total, &s->partial);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (WHAT == dot_for::alpha)
            s->alpha = s->rr / s->total;
        if (WHAT == dot_for::beta)
            s->beta = s->total / s->rr;
        if (WHAT != dot_for::alpha)
            s->rr = s->total;
    }
}

/* p = r + beta p. */
template <typename T> __global__ void turn(T *p, const T *r, const scalars<T> *s, part d)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < d.size(); i += gridDim.x * blockDim.x)
        p[d.n + i] = r[i] + s->beta * p[d.n + i];
}

/* Two blocks: one for the neighbour above, one for the one below. */
template <typename T> __global__ void exchange(T *p, part d)
{
    if (blockIdx.x == 0 && d.above >= 0)
        put_row(&p[(d.rows_above + 1) * d.n], &p[d.n], d.n, d.above);
    if (blockIdx.x == 1 && d.below >= 0)
        put_row(&p[0], &p[d.rows * d.n], d.n, d.below);
}

template <typename T> struct solver {
    part d;
    int blocks;
    cudaStream_t stream;
    T *x, *r, *q, *p, *of_block;
    scalars<T> *s;

    void halo()
    {
        exchange<<<2, THREADS, 0, stream>>>(p, d);
        CUDA_CHECK(cudaGetLastError());
        nvshmemx_barrier_all_on_stream(stream);
    }

    /* The kernel has communication that waits for other PEs: it is launched by all together. */
    template <dot_for WHAT> void dot()
    {
        void *args[] = { &s, &of_block, &blocks };

        if (nvshmemx_collective_launch((const void *)finish_dot<T, WHAT>, dim3(1), dim3(THREADS),
                                       args, 0, stream) != 0) {
            fprintf(stderr, "collective launch failed\n");
            nvshmem_global_exit(1);
        }
    }

    double residual()
    {
        T rr;

        CUDA_CHECK(cudaMemcpyAsync(&rr, &s->rr, sizeof(rr), cudaMemcpyDeviceToHost, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        return sqrt((double)rr);
    }

    int solve(int most, double tolerance)
    {
        int i = 0;

        start<<<blocks, THREADS, 0, stream>>>(x, r, p, d);
        advance<T, false><<<blocks, THREADS, 0, stream>>>(x, r, p, q, of_block, s, d);
        dot<dot_for::start>();
        const double first = residual();
        for (double now = first; i < most && now > tolerance * first; i++) {
            halo();
            apply<<<blocks, THREADS, 0, stream>>>(q, p, of_block, d);
            dot<dot_for::alpha>();
            advance<T, true><<<blocks, THREADS, 0, stream>>>(x, r, p, q, of_block, s, d);
            dot<dot_for::beta>();
            turn<<<blocks, THREADS, 0, stream>>>(p, r, s, d);
            CUDA_CHECK(cudaGetLastError());
            if (i % 10 == 9)
                now = residual();
        }
        if (d.first == 0)
            printf("%d iterations, residual %.3e of %.3e\n", i, residual(), first);
        return i;
    }
};

template <typename T> static bool run(int n, int most, double tolerance, double allowed)
{
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    const int most_rows = (n + npes - 1) / npes;
    solver<T> v;

    v.d.n = n;
    v.d.first = me * (n / npes) + (me < n % npes ? me : n % npes);
    v.d.rows = n / npes + (me < n % npes);
    v.d.above = me > 0 ? me - 1 : -1;
    v.d.below = me + 1 < npes ? me + 1 : -1;
    v.d.rows_above = n / npes + (me - 1 < n % npes);
    v.blocks = (v.d.size() + THREADS * 4 - 1) / (THREADS * 4);
    v.blocks = v.blocks > MAX_BLOCKS ? MAX_BLOCKS : v.blocks;
    const size_t halo_bytes = (size_t)(most_rows + 2) * n * sizeof(T);

    /* p and the scalars are written or reduced by other PEs, the rest is this PE's own. */
    v.p = (T *)nvshmem_calloc(1, halo_bytes);
    v.s = (scalars<T> *)nvshmem_calloc(1, sizeof(scalars<T>));
    CUDA_CHECK(cudaStreamCreate(&v.stream));
    CUDA_CHECK(cudaMalloc(&v.x, v.d.size() * sizeof(T)));
    CUDA_CHECK(cudaMalloc(&v.r, v.d.size() * sizeof(T)));
    CUDA_CHECK(cudaMalloc(&v.q, v.d.size() * sizeof(T)));
    CUDA_CHECK(cudaMalloc(&v.of_block, MAX_BLOCKS * sizeof(T)));

    std::vector<T> b(v.d.size()), got(v.d.size());
    for (int i = 0; i < v.d.size(); i++)
        b[i] = T(right_side(n, i % n, v.d.first + i / n));
    CUDA_CHECK(cudaMemcpy(v.r, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaDeviceSynchronize());

    int iterations = v.solve(most, tolerance);
    CUDA_CHECK(cudaStreamSynchronize(v.stream));
    CUDA_CHECK(cudaMemcpy(got.data(), v.x, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
    double worst = 0.0;
    for (int i = 0; i < v.d.size(); i++)
        worst = fmax(worst, fabs((double)got[i] - solution(n, i % n, v.d.first + i / n)));
    bool right = worst <= allowed && iterations > 0;
    printf("PE %d of %d: x differs by up to %.2e: %s\n", me, npes, worst,
           right ? "right" : "WRONG");

    CUDA_CHECK(cudaFree(v.of_block));
    CUDA_CHECK(cudaFree(v.q));
    CUDA_CHECK(cudaFree(v.r));
    CUDA_CHECK(cudaFree(v.x));
    CUDA_CHECK(cudaStreamDestroy(v.stream));
    nvshmem_free(v.s);
    nvshmem_free(v.p);
    return right;
}

int main(int argc, char **argv)
{
    int n = 96, most = 400, c, devices = 0;
    bool single = false;

    while ((c = getopt(argc, argv, "n:i:f")) != -1) {
        if (c == 'n')
            n = atoi(optarg);
        else if (c == 'i')
            most = atoi(optarg);
        else if (c == 'f')
            single = true;
        else
            return 2;
    }
    nvshmem_init();
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices));
    if (n < nvshmem_n_pes()) {
        fprintf(stderr, "size must be %d or more\n", nvshmem_n_pes());
        nvshmem_global_exit(2);
    }
    bool right = single ? run<float>(n, most, 1e-5, 1e-3) : run<double>(n, most, 1e-10, 1e-7);
    nvshmem_finalize();
    return right ? 0 : 1;
}
