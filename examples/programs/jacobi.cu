/* jacobi.cu - the heat equation on a square: 2-D Jacobi over many PEs. The kernel that computes
 * a row at the border of a PE's part puts it into the halo of the neighbour as well, the norm
 * of the change is a reduction, and everything is queued on one stream.
 *
 *     gshcc --target=cpu jacobi.cu -o jacobi && gshrun -n 4 ./jacobi
 *     nvcc -arch=sm_90 -I$PREFIX/include -L$PREFIX/lib -lgshmem jacobi.cu -o jacobi
 *
 *     jacobi [-n size] [-i iterations] [-c iterations between norms]
 *
 * Rows are dealt out to the PEs. The left and right sides are held at sin(pi y), the upper and
 * lower at 0. Each PE compares its rows and the last norm with those of a serial solver.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <math.h>
#include <nvshmem.h>
#include <nvshmemx.h>
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

constexpr int BLOCK_X = 64;
constexpr int BLOCK_Y = 2;
constexpr int ROWS_PER_THREAD = 4;
constexpr float PI = 3.14159265f;

/* The rows of the inside of the square that a PE owns, and what its neighbours own. */
struct part {
    int nx;           /* columns with the two sides */
    int first, rows;  /* of the inside of the whole square */
    int above, below; /* PEs, or -1 */
    int rows_above;   /* how many rows the PE above owns: its lower halo is row rows_above + 1 */
};

struct options {
    int n = 256;
    int iterations = 100;
    int check = 10;
};

static int rows_of(int n, int npes, int pe)
{
    return n / npes + (pe < n % npes);
}

static int first_of(int n, int npes, int pe)
{
    return pe * (n / npes) + (pe < n % npes ? pe : n % npes);
}

static float side(int n, int y)
{
    return sinf(PI * y / (n + 1));
}

__global__ void set_sides(float *a, float *a_new, part p, int n)
{
    for (int y = blockIdx.x * blockDim.x + threadIdx.x; y < p.rows + 2;
         y += blockDim.x * gridDim.x) {
        int global = p.first + y;
        float value = global == 0 || global == n + 1 ? 0.0f : sinf(PI * global / (n + 1));

        a[y * p.nx] = a[y * p.nx + p.nx - 1] = value;
        a_new[y * p.nx] = a_new[y * p.nx + p.nx - 1] = value;
    }
}

/* Adds up `value` of all threads of the block; the sum is returned to thread 0. */
__device__ float block_sum(float value, float *of_warp)
{
    int id = threadIdx.y * blockDim.x + threadIdx.x;
    int warps = (blockDim.x * blockDim.y + warpSize - 1) / warpSize;

    for (int by = warpSize / 2; by > 0; by /= 2)
        value += __shfl_down_sync(0xffffffffu, value, by);
    if (id % warpSize == 0)
        of_warp[id / warpSize] = value;
    __syncthreads();
    if (id == 0)
        for (int w = 1; w < warps; w++)
            value += of_warp[w];
    return value;
}

/* One iteration. A block that holds the first or last row of the PE puts its piece of that row
 * to the neighbour when all its threads have computed. */
template <bool WITH_NORM>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    iterate(float *__restrict__ a_new, const float *__restrict__ a, part p, float *norm)
{
    extern __shared__ float of_warp[];
    const int x0 = blockIdx.x * BLOCK_X + 1;
    const int x = x0 + threadIdx.x;
    const int y0 = blockIdx.y * BLOCK_Y * ROWS_PER_THREAD + 1;
    const int y_end = min(y0 + BLOCK_Y * ROWS_PER_THREAD, p.rows + 1);
    float change = 0.0f;

    for (int y = y0 + threadIdx.y; y < y_end; y += BLOCK_Y) {
        if (x >= p.nx - 1)
            break;
        const float *at = &a[y * p.nx + x];
        float value = 0.25f * ((at[-1] + at[1]) + (at[-p.nx] + at[p.nx]));

        a_new[y * p.nx + x] = value;
        if (WITH_NORM)
            change += (value - *at) * (value - *at);
    }
    __syncthreads();

    const size_t width = min(BLOCK_X, p.nx - 1 - x0);
    if (y0 == 1 && p.above >= 0)
        nvshmemx_float_put_nbi_block(&a_new[(p.rows_above + 1) * p.nx + x0], &a_new[p.nx + x0],
                                     width, p.above);
    if (y_end == p.rows + 1 && p.below >= 0)
        nvshmemx_float_put_nbi_block(&a_new[x0], &a_new[p.rows * p.nx + x0], width, p.below);
    if (WITH_NORM) {
        float sum = block_sum(change, of_warp);

        if (threadIdx.x == 0 && threadIdx.y == 0)
            atomicAdd(norm, sum);
    }
}

/* The same on the host, alone. Returns the norm of the last iteration. */
static double solve_alone(const options &o, std::vector<float> &a)
{
    const int nx = o.n + 2;
    std::vector<float> next;
    double norm = 0.0;

    a.assign((size_t)nx * nx, 0.0f);
    for (int y = 1; y <= o.n; y++)
        a[(size_t)y * nx] = a[(size_t)y * nx + nx - 1] = side(o.n, y);
    next = a;
    for (int i = 0; i < o.iterations; i++) {
        norm = 0.0;
        for (int y = 1; y <= o.n; y++) {
            for (int x = 1; x <= o.n; x++) {
                const float *at = &a[(size_t)y * nx + x];
                float value = 0.25f * ((at[-1] + at[1]) + (at[-nx] + at[nx]));

                next[(size_t)y * nx + x] = value;
                norm += (double)(value - *at) * (value - *at);
            }
        }
        a.swap(next);
    }
    return sqrt(norm);
}

static bool is_right(const options &o, const part &p, const float *a_device, double norm)
{
    std::vector<float> mine((size_t)(p.rows + 2) * p.nx), all;
    double norm_alone = solve_alone(o, all), worst = 0.0;

    CUDA_CHECK(
        cudaMemcpy(mine.data(), a_device, mine.size() * sizeof(float), cudaMemcpyDeviceToHost));
    /* The halos are compared as well: they show that the last exchange has arrived. */
    for (int y = 0; y < p.rows + 2; y++)
        for (int x = 1; x < p.nx - 1; x++)
            worst = fmax(worst,
                         fabs(mine[(size_t)y * p.nx + x] - all[(size_t)(p.first + y) * p.nx + x]));
    if (worst > 1e-5 || !(fabs(norm - norm_alone) <= 1e-3 * norm_alone)) {
        printf("PE %d: WRONG: values differ by up to %g, the norm is %g, not %g\n", nvshmem_my_pe(),
               worst, norm, norm_alone);
        return false;
    }
    return true;
}

static options parse(int argc, char **argv)
{
    options o;
    int c;

    while ((c = getopt(argc, argv, "n:i:c:")) != -1) {
        switch (c) {
        case 'n':
            o.n = atoi(optarg);
            break;
        case 'i':
            o.iterations = atoi(optarg);
            break;
        case 'c':
            o.check = atoi(optarg);
            break;
        default:
            fprintf(stderr, "usage: %s [-n size] [-i iterations] [-c check]\n", argv[0]);
            exit(2);
        }
    }
    return o;
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);

    nvshmem_init();
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    int devices = 0;
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices));
    if (o.n < npes || o.iterations < 1 || o.check < 1) {
        fprintf(stderr, "size must be %d or more, the others 1 or more\n", npes);
        nvshmem_global_exit(2);
    }

    part p;
    p.nx = o.n + 2;
    p.first = first_of(o.n, npes, me);
    p.rows = rows_of(o.n, npes, me);
    p.above = me > 0 ? me - 1 : -1;
    p.below = me + 1 < npes ? me + 1 : -1;
    p.rows_above = me > 0 ? rows_of(o.n, npes, me - 1) : 0;

    /* Symmetric: as large as the largest part everywhere. */
    const size_t bytes = (size_t)(rows_of(o.n, npes, 0) + 2) * p.nx * sizeof(float);
    float *a = (float *)nvshmem_malloc(bytes);
    float *a_new = (float *)nvshmem_malloc(bytes);
    float *norm = (float *)nvshmem_malloc(2 * sizeof(float)); /* of this PE, of all */
    float *norm_host;
    if (!a || !a_new || !norm) {
        fprintf(stderr, "no symmetric memory for n = %d\n", o.n);
        nvshmem_global_exit(1);
    }

    cudaStream_t stream;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaMallocHost(&norm_host, sizeof(float)));
    CUDA_CHECK(cudaMemsetAsync(a, 0, bytes, stream));
    CUDA_CHECK(cudaMemsetAsync(a_new, 0, bytes, stream));
    set_sides<<<4, 64, 0, stream>>>(a, a_new, p, o.n);
    CUDA_CHECK(cudaGetLastError());
    nvshmemx_barrier_all_on_stream(stream);

    const dim3 block(BLOCK_X, BLOCK_Y, 1);
    const int block_rows = BLOCK_Y * ROWS_PER_THREAD;
    const dim3 grid((o.n + BLOCK_X - 1) / BLOCK_X, (p.rows + block_rows - 1) / block_rows);
    const size_t smem = BLOCK_X * BLOCK_Y / 32 * sizeof(float);

    CUDA_CHECK(cudaEventRecord(start, stream));
    for (int i = 1; i <= o.iterations; i++) {
        const bool with_norm = i % o.check == 0 || i == o.iterations;

        if (with_norm) {
            CUDA_CHECK(cudaMemsetAsync(norm, 0, sizeof(float), stream));
            iterate<true><<<grid, block, smem, stream>>>(a_new, a, p, norm);
        } else {
            iterate<false><<<grid, block, 0, stream>>>(a_new, a, p, nullptr);
        }
        CUDA_CHECK(cudaGetLastError());
        nvshmemx_barrier_all_on_stream(stream); /* halos have arrived and may be overwritten */
        if (with_norm) {
            nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, norm + 1, norm, 1, stream);
            CUDA_CHECK(cudaMemcpyAsync(norm_host, norm + 1, sizeof(float), cudaMemcpyDeviceToHost,
                                       stream));
            CUDA_CHECK(cudaStreamSynchronize(stream));
            if (me == 0 && i % (10 * o.check) == 0)
                printf("iteration %5d: norm %.6f\n", i, sqrt(*norm_host));
        }
        float *swap = a;
        a = a_new;
        a_new = swap;
    }
    CUDA_CHECK(cudaEventRecord(stop, stream));
    CUDA_CHECK(cudaEventSynchronize(stop));

    float ms = 0.0f;
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    bool right = is_right(o, p, a, sqrt(*norm_host));
    if (me == 0)
        printf("%d PEs, %d x %d, %d iterations: %.1f ms, %.1f million points a second\n", npes, o.n,
               o.n, o.iterations, ms, 1e-3 * o.n * o.n * o.iterations / ms);
    printf("PE %d of %d: %s\n", me, npes, right ? "right" : "WRONG");

    CUDA_CHECK(cudaFreeHost(norm_host));
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaStreamDestroy(stream));
    nvshmem_free(norm);
    nvshmem_free(a_new);
    nvshmem_free(a);
    nvshmem_finalize();
    return right ? 0 : 1;
}
