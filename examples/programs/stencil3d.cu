/* stencil3d.cu - a 3-D stencil of 13 points on a cube that is cut into slabs. The planes at the
 * border of a slab are computed on one stream; each of its blocks puts what it has computed into
 * the halo of the neighbour by put_signal_nbi_block, and the kernel of the next step waits for
 * these signals. The inside is computed on a second stream at the same time; events tie the two
 * together. No barrier is between steps.
 *
 *     gshcc --target=cpu stencil3d.cu -o stencil3d && gshrun -n 4 ./stencil3d
 *     nvcc -arch=sm_90 -I$PREFIX/include -L$PREFIX/lib -lgshmem stencil3d.cu -o stencil3d
 *
 *     stencil3d [-n size] [-i steps] [-c steps between norms]
 *
 * Outside of the cube all is 0. Each PE compares its slab, and the last norms, with those of a
 * serial solver.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <math.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <utility>
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

constexpr int R = 2; /* how far the stencil reaches: planes of a halo, width of the rim */
constexpr int BLOCK_X = 32;
constexpr int BLOCK_Y = 4;

__constant__ float weight[R + 1]; /* of the point itself, and of those 1 and 2 away */
static const float host_weight[R + 1] = { 0.28f, 0.14f, -0.02f };

enum side { LOWER, UPPER, SIDES };

/* The slab of a PE, as kernels get it. Planes 0 to R - 1 and nz + R to nz + 2 R - 1 are halos. */
struct slab {
    int width;     /* of a row with its rim, and of a plane */
    int first, nz; /* planes of the whole cube that this PE owns */
    int neighbour[SIDES];
    int halo_at[SIDES]; /* the plane at which the neighbour on that side holds my border */

    __host__ __device__ size_t at(int x, int y, int z) const
    {
        return ((size_t)z * width + y) * width + x;
    }
};

struct options {
    int n = 48;
    int steps = 20;
    int check = 5;
};

__host__ __device__ inline float start_value(int n, int x, int y, int z)
{
    if (x < 0 || x >= n || y < 0 || y >= n || z < 0 || z >= n)
        return 0.0f;
    return (float)((x * 7 + y * 13 + z * 29) % 32) / 16.0f - 0.75f;
}

__global__ void set_start(float *a, slab s, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z;

    if (x < s.width && y < s.width)
        a[s.at(x, y, z)] = start_value(n, x - R, y - R, s.first + z - R);
}

__device__ __forceinline__ float apply(const float *__restrict__ a, const slab &s, size_t i)
{
    const size_t row = s.width, plane = row * s.width;
    float sum = weight[0] * a[i];

#pragma unroll
    for (int d = 1; d <= R; d++)
        sum += weight[d] * ((a[i - d] + a[i + d]) + (a[i - d * row] + a[i + d * row]) +
                            (a[i - d * plane] + a[i + d * plane]));
    return sum;
}

/* Adds `value` of all threads of the block to *sum. */
__device__ void add_block(double value, double *sum)
{
    __shared__ double of_warp[BLOCK_X * BLOCK_Y / 32];
    const int id = threadIdx.y * blockDim.x + threadIdx.x;

    for (int by = warpSize / 2; by > 0; by /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, by);
    if (id % warpSize == 0)
        of_warp[id / warpSize] = value;
    __syncthreads();
    if (id == 0) {
        for (int w = 1; w < BLOCK_X * BLOCK_Y / 32; w++)
            value += of_warp[w];
        atomicAdd(sum, value);
    }
}

/* The R planes at each side. A block computes BLOCK_Y whole rows of a plane, which lie one after
 * the other in memory, and sends them.
 *
 * arrived[side] counts blocks of the neighbour. When all of step - 1 are there, my halo in `a` is
 * complete; and the neighbour has then read its halo in the buffer that I write into, because
 * each of its blocks reads before it sends. It has also taken what I sent two steps ago, from
 * where I now compute. */
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    step_border(float *a_new, const float *a, slab s, uint64_t *arrived, uint64_t step, double *sum,
                bool with_norm)
{
    const int n = s.width - 2 * R;
    const int plane = blockIdx.y;
    const int side = blockIdx.z;
    const int z = side == LOWER ? R + plane : s.nz + plane;
    const int y0 = R + blockIdx.x * BLOCK_Y, y = y0 + threadIdx.y;
    const int pe = s.neighbour[side];
    double squares = 0.0;

    if (pe >= 0) {
        if (threadIdx.x == 0 && threadIdx.y == 0)
            nvshmem_signal_wait_until(&arrived[side], NVSHMEM_CMP_GE,
                                      (step - 1) * gridDim.x * gridDim.y);
        __syncthreads();
    }
    if (y < R + n) {
        for (int x = R + threadIdx.x; x < R + n; x += BLOCK_X) {
            const float value = apply(a, s, s.at(x, y, z));

            a_new[s.at(x, y, z)] = value;
            squares += (double)value * value;
        }
    }
    if (with_norm)
        add_block(squares, sum);
    __syncthreads();
    if (pe >= 0) {
        const int rows = min(BLOCK_Y, R + n - y0);

        nvshmemx_float_put_signal_nbi_block(&a_new[s.at(0, y0, s.halo_at[side] + plane)],
                                            &a_new[s.at(0, y0, z)], (size_t)rows * s.width,
                                            &arrived[side == LOWER ? UPPER : LOWER], 1,
                                            NVSHMEM_SIGNAL_ADD, pe);
    }
}

/* All other planes of the slab; they need no halo. */
template <bool WITH_NORM>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    step_inside(float *__restrict__ a_new, const float *__restrict__ a, const slab s, double *sum)
{
    const int n = s.width - 2 * R;
    const int x = R + blockIdx.x * BLOCK_X + threadIdx.x;
    const int y = R + blockIdx.y * BLOCK_Y + threadIdx.y;
    const int z = 2 * R + blockIdx.z;
    float value = 0.0f;

    if (x < R + n && y < R + n) {
        value = apply(a, s, s.at(x, y, z));
        a_new[s.at(x, y, z)] = value;
    }
    if (WITH_NORM)
        add_block((double)value * value, sum);
}

static int planes_of(int n, int npes, int pe)
{
    return n / npes + (pe < n % npes);
}

static slab slab_of(int n, int npes, int pe)
{
    slab s;

    s.width = n + 2 * R;
    s.first = pe * (n / npes) + (pe < n % npes ? pe : n % npes);
    s.nz = planes_of(n, npes, pe);
    s.neighbour[LOWER] = pe > 0 ? pe - 1 : -1;
    s.neighbour[UPPER] = pe + 1 < npes ? pe + 1 : -1;
    s.halo_at[LOWER] = pe > 0 ? planes_of(n, npes, pe - 1) + R : 0;
    s.halo_at[UPPER] = 0;
    return s;
}

/* The two streams, and what joins them: each waits for the last step of the other. */
struct pair_of_streams {
    cudaStream_t border, inside;
    cudaEvent_t border_done, inside_done;
};

static pair_of_streams open_streams()
{
    pair_of_streams p;
    int least, greatest;

    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&p.border, cudaStreamNonBlocking, greatest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&p.inside, cudaStreamNonBlocking, least));
    CUDA_CHECK(cudaEventCreateWithFlags(&p.border_done, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&p.inside_done, cudaEventDisableTiming));
    return p;
}

static void close_streams(pair_of_streams *p)
{
    CUDA_CHECK(cudaEventDestroy(p->inside_done));
    CUDA_CHECK(cudaEventDestroy(p->border_done));
    CUDA_CHECK(cudaStreamDestroy(p->inside));
    CUDA_CHECK(cudaStreamDestroy(p->border));
}

static void queue_step(const pair_of_streams &p, float *a_new, float *a, const slab &s,
                       uint64_t *arrived, uint64_t step, double *sum, bool with_norm)
{
    const int n = s.width - 2 * R;
    const int rows = (n + BLOCK_Y - 1) / BLOCK_Y;
    const dim3 block(BLOCK_X, BLOCK_Y);
    const dim3 border(rows, R, SIDES), inside((n + BLOCK_X - 1) / BLOCK_X, rows, s.nz - 2 * R);

    CUDA_CHECK(cudaStreamWaitEvent(p.border, p.inside_done, 0));
    CUDA_CHECK(cudaStreamWaitEvent(p.inside, p.border_done, 0));
    if (with_norm) {
        /* Both add to it: cleared before either begins. */
        CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof(*sum), p.border));
        CUDA_CHECK(cudaEventRecord(p.border_done, p.border));
        CUDA_CHECK(cudaStreamWaitEvent(p.inside, p.border_done, 0));
    }
    step_border<<<border, block, 0, p.border>>>(a_new, a, s, arrived, step, sum, with_norm);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(p.border_done, p.border));
    if (inside.z > 0) {
        if (with_norm)
            step_inside<true><<<inside, block, 0, p.inside>>>(a_new, a, s, sum);
        else
            step_inside<false><<<inside, block, 0, p.inside>>>(a_new, a, s, nullptr);
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaEventRecord(p.inside_done, p.inside));
}

/* The same on the host, alone. Returns the sum of the squares after the last step. */
static double solve_alone(const options &o, std::vector<float> &a)
{
    const slab s = slab_of(o.n, 1, 0);
    const size_t row = s.width, plane = row * s.width;
    std::vector<float> next((size_t)s.width * plane);
    double sum = 0.0;

    a.assign(next.size(), 0.0f);
    for (int z = 0; z < o.n; z++)
        for (int y = 0; y < o.n; y++)
            for (int x = 0; x < o.n; x++)
                a[s.at(x + R, y + R, z + R)] = start_value(o.n, x, y, z);
    for (int i = 0; i < o.steps; i++) {
        sum = 0.0;
        for (int z = R; z < R + o.n; z++) {
            for (int y = R; y < R + o.n; y++) {
                for (int x = R; x < R + o.n; x++) {
                    const float *p = &a[s.at(x, y, z)];
                    float value = host_weight[0] * p[0];

                    for (int d = 1; d <= R; d++)
                        value += host_weight[d] * ((p[-d] + p[d]) + (*(p - d * row) + p[d * row]) +
                                                   (*(p - d * plane) + p[d * plane]));
                    next[s.at(x, y, z)] = value;
                    sum += (double)value * value;
                }
            }
        }
        a.swap(next);
    }
    return sum;
}

static bool is_right(const options &o, const slab &s, const float *a_device, double sum)
{
    const size_t plane = (size_t)s.width * s.width;
    std::vector<float> mine((s.nz + 2 * R) * plane), all;
    const double sum_alone = solve_alone(o, all);
    double worst = 0.0;

    CUDA_CHECK(
        cudaMemcpy(mine.data(), a_device, mine.size() * sizeof(float), cudaMemcpyDeviceToHost));
    /* With the halos: they show that the last exchange has arrived. */
    for (size_t i = 0; i < mine.size(); i++)
        worst = fmax(worst, fabs(mine[i] - all[s.first * plane + i]));
    if (worst > 1e-5 || !(fabs(sum - sum_alone) <= 1e-4 * sum_alone)) {
        printf("PE %d: values differ by up to %g, the sum of squares is %g, not %g\n",
               nvshmem_my_pe(), worst, sum, sum_alone);
        return false;
    }
    return true;
}

static options parse(int argc, char **argv)
{
    options o;
    int c;

    while ((c = getopt(argc, argv, "n:i:c:")) != -1) {
        if (c == 'n')
            o.n = atoi(optarg);
        else if (c == 'i')
            o.steps = atoi(optarg);
        else if (c == 'c')
            o.check = atoi(optarg);
        else
            exit(2);
    }
    return o;
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);
    int devices = 0;

    nvshmem_init();
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices));
    if (o.n / npes < 2 * R || o.steps < 1 || o.check < 1) {
        fprintf(stderr, "size must be %d or more, the others 1 or more\n", 2 * R * npes);
        nvshmem_global_exit(2);
    }

    const slab s = slab_of(o.n, npes, me);
    const size_t largest =
        (planes_of(o.n, npes, 0) + 2 * R) * (size_t)s.width * s.width * sizeof(float);
    float *a = (float *)nvshmem_calloc(1, largest);
    float *a_new = (float *)nvshmem_calloc(1, largest);
    uint64_t *arrived = (uint64_t *)nvshmem_calloc(SIDES, sizeof(uint64_t));
    double *sum = (double *)nvshmem_malloc(2 * sizeof(double)); /* of this PE, of all */
    double sum_host = 0.0;
    if (!a || !a_new || !arrived || !sum) {
        fprintf(stderr, "no symmetric memory for n = %d\n", o.n);
        nvshmem_global_exit(1);
    }

    pair_of_streams p = open_streams();
    CUDA_CHECK(cudaMemcpyToSymbol(weight, host_weight, sizeof(host_weight)));
    const dim3 block(BLOCK_X, BLOCK_Y);
    const dim3 grid((s.width + BLOCK_X - 1) / BLOCK_X, (s.width + BLOCK_Y - 1) / BLOCK_Y,
                    s.nz + 2 * R);
    set_start<<<grid, block>>>(a, s, o.n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    nvshmem_barrier_all(); /* nobody sends into a halo that is not yet set */

    for (int i = 1; i <= o.steps; i++) {
        const bool with_norm = i % o.check == 0 || i == o.steps;

        queue_step(p, a_new, a, s, arrived, i, sum, with_norm);
        if (with_norm) {
            CUDA_CHECK(cudaStreamWaitEvent(p.border, p.inside_done, 0));
            nvshmemx_double_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, sum + 1, sum, 1, p.border);
            CUDA_CHECK(cudaMemcpyAsync(&sum_host, sum + 1, sizeof(sum_host), cudaMemcpyDeviceToHost,
                                       p.border));
            CUDA_CHECK(cudaEventRecord(p.border_done, p.border));
            CUDA_CHECK(cudaStreamSynchronize(p.border));
            if (me == 0)
                printf("step %4d: norm %.6f\n", i, sqrt(sum_host));
        }
        std::swap(a, a_new);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    nvshmem_barrier_all(); /* the last halos have arrived */

    bool right = is_right(o, s, a, sum_host);
    printf("PE %d of %d: %s\n", me, npes, right ? "right" : "WRONG");

    close_streams(&p);
    nvshmem_free(sum);
    nvshmem_free(arrived);
    nvshmem_free(a_new);
    nvshmem_free(a);
    nvshmem_finalize();
    return right ? 0 : 1;
}
