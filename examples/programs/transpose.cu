/* transpose.cu - the transpose of a matrix whose rows are spread over the PEs, in three ways:
 * element by element with p, row by row of a tile turned in shared memory with put_block, and
 * a whole tile a message, which the receiver unpacks.
 *
 *     gshcc --target=cpu transpose.cu -o transpose && gshrun -n 4 ./transpose
 *     nvcc -arch=sm_90 -I$PREFIX/include -L$PREFIX/lib -lgshmem transpose.cu -o transpose
 *
 *     transpose [-n size] [-r repeats]
 *
 * The size is rounded up so that every PE has the same number of whole tiles.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
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

constexpr int TILE = 32;
constexpr int ROWS = 8; /* of threads: each does TILE / ROWS elements of a column of the tile */

/* Where this PE stands; the same in every kernel. */
struct layout {
    int n;    /* order of the matrix */
    int rows; /* of it on each PE */
    int me;
};

__constant__ layout where;

extern __shared__ __align__(16) unsigned char dynamic[];

__host__ __device__ inline double element(int row, int column)
{
    return row * 10007.0 + column;
}

__global__ void fill(double *a)
{
    const int x = blockIdx.x * TILE + threadIdx.x;

    for (int r = threadIdx.y; r < TILE; r += ROWS) {
        const int y = blockIdx.y * TILE + r;

        a[(size_t)y * where.n + x] = element(where.me * where.rows + y, x);
    }
}

/* Reads the tile of this block and leaves it turned in shared memory. The columns of `turned`
 * have one element more than needed, so that the threads of a warp hit different banks. */
template <typename T> __device__ void read_turned(T *turned, int pitch, const T *a)
{
    const int x = blockIdx.x * TILE + threadIdx.x;

    for (int r = threadIdx.y; r < TILE; r += ROWS)
        turned[threadIdx.x * pitch + r] = a[(size_t)(blockIdx.y * TILE + r) * where.n + x];
    __syncthreads();
}

__global__ void by_element(double *b, const double *a)
{
    const int x = blockIdx.x * TILE + threadIdx.x;
    const int pe = x / where.rows;

    for (int r = threadIdx.y; r < TILE; r += ROWS) {
        const int y = blockIdx.y * TILE + r;

        nvshmem_double_p(&b[(size_t)(x % where.rows) * where.n + where.me * where.rows + y],
                         a[(size_t)y * where.n + x], pe);
    }
}

__global__ void by_row(double *b, const double *a)
{
    double *turned = reinterpret_cast<double *>(dynamic);
    const int column = blockIdx.x * TILE;
    const int pe = column / where.rows;

    read_turned(turned, TILE + 1, a);
    for (int r = 0; r < TILE; r++) {
        double *dest = &b[(size_t)(column % where.rows + r) * where.n + where.me * where.rows +
                          blockIdx.y * TILE];

        nvshmemx_double_put_nbi_block(dest, &turned[r * (TILE + 1)], TILE, pe);
    }
    nvshmem_quiet(); /* shared memory must live until the puts have read it */
}

/* `tiles` of the receiver holds a tile after the other: by the sender's rows of tiles, and in
 * each of these by the receiver's. */
__global__ void by_tile(double *tiles, const double *a)
{
    double *turned = reinterpret_cast<double *>(dynamic);
    const int tiles_of_pe = where.rows / TILE;
    const int pe = blockIdx.x / tiles_of_pe;
    const size_t slot =
        (size_t)(where.me * tiles_of_pe + blockIdx.y) * tiles_of_pe + blockIdx.x % tiles_of_pe;

    read_turned(turned, TILE, a);
    nvshmemx_double_put_block(&tiles[slot * TILE * TILE], turned, TILE * TILE, pe);
}

__global__ void unpack(double *b, const double *tiles)
{
    const size_t slot = (size_t)blockIdx.x * gridDim.y + blockIdx.y;

    for (int r = threadIdx.y; r < TILE; r += ROWS)
        b[(size_t)(blockIdx.y * TILE + r) * where.n + blockIdx.x * TILE + threadIdx.x] =
            tiles[slot * TILE * TILE + r * TILE + threadIdx.x];
}

static bool is_transposed(const layout &l, const double *b_device, const char *how)
{
    std::vector<double> b((size_t)l.n * l.rows);
    long wrong = 0;

    CUDA_CHECK(cudaMemcpy(b.data(), b_device, b.size() * sizeof(double), cudaMemcpyDeviceToHost));
    for (int y = 0; y < l.rows; y++) {
        for (int x = 0; x < l.n; x++) {
            double got = b[(size_t)y * l.n + x], want = element(x, l.me * l.rows + y);

            if (got != want && wrong++ == 0)
                printf("PE %d, %s: element (%d, %d) is %g, not %g\n", l.me, how, l.me * l.rows + y,
                       x, got, want);
        }
    }
    if (wrong)
        printf("PE %d, %s: %ld elements are WRONG\n", l.me, how, wrong);
    return wrong == 0;
}

struct buffers {
    double *a, *b, *tiles;
};

enum { ELEMENT, ROW, WHOLE, WAYS };
static const char *const way_name[WAYS] = { "p of each element", "put_nbi_block of rows",
                                            "put_block of tiles" };

static void transpose(int way, const buffers &m, dim3 grid, size_t smem, cudaStream_t stream)
{
    const dim3 block(TILE, ROWS);

    switch (way) {
    case ELEMENT:
        by_element<<<grid, block, 0, stream>>>(m.b, m.a);
        break;
    case ROW:
        by_row<<<grid, block, smem, stream>>>(m.b, m.a);
        break;
    default:
        by_tile<<<grid, block, smem, stream>>>(m.tiles, m.a);
    }
    CUDA_CHECK(cudaGetLastError());
    nvshmemx_barrier_all_on_stream(stream);
    if (way == WHOLE) {
        unpack<<<grid, block, 0, stream>>>(m.b, m.tiles);
        CUDA_CHECK(cudaGetLastError());
        nvshmemx_barrier_all_on_stream(stream); /* tiles may be overwritten */
    }
}

static bool measure(int way, const layout &l, const buffers &m, int repeats, cudaStream_t stream)
{
    const size_t bytes = (size_t)l.n * l.rows * sizeof(double);
    const size_t smem = TILE * (TILE + 1) * sizeof(double);
    const dim3 grid(l.n / TILE, l.rows / TILE);
    cudaEvent_t start, stop;
    float ms;

    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaMemsetAsync(m.b, 0xff, bytes, stream));
    nvshmemx_barrier_all_on_stream(stream); /* no PE writes to b before it is cleared */
    CUDA_CHECK(cudaEventRecord(start, stream));
    for (int i = 0; i < repeats; i++)
        transpose(way, m, grid, smem, stream);
    CUDA_CHECK(cudaEventRecord(stop, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    if (l.me == 0)
        printf("%-24s %9.3f ms  %8.3f GB/s a PE\n", way_name[way], ms / repeats,
               1e-6 * bytes * repeats / ms);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return is_transposed(l, m.b, way_name[way]);
}

int main(int argc, char **argv)
{
    int n = 384, repeats = 5, c, devices = 0;
    bool right = true;

    while ((c = getopt(argc, argv, "n:r:")) != -1) {
        if (c == 'n')
            n = atoi(optarg);
        else if (c == 'r')
            repeats = atoi(optarg);
        else
            return 2;
    }
    if (n < 1 || repeats < 1) {
        fprintf(stderr, "usage: %s [-n size] [-r repeats], both 1 or more\n", argv[0]);
        return 2;
    }
    nvshmem_init();
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices));

    layout l;
    const int npes = nvshmem_n_pes();
    l.me = nvshmem_my_pe();
    l.rows = (n + npes * TILE - 1) / (npes * TILE) * TILE;
    l.n = l.rows * npes;
    CUDA_CHECK(cudaMemcpyToSymbol(where, &l, sizeof(l)));
    CUDA_CHECK(cudaFuncSetAttribute(by_row, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    TILE * (TILE + 1) * sizeof(double)));

    const size_t bytes = (size_t)l.n * l.rows * sizeof(double);
    buffers m;
    CUDA_CHECK(cudaMalloc(&m.a, bytes)); /* only read by this PE */
    m.b = (double *)nvshmem_malloc(bytes);
    m.tiles = (double *)nvshmem_malloc(bytes);
    if (!m.b || !m.tiles) {
        fprintf(stderr, "no symmetric memory for n = %d\n", l.n);
        nvshmem_global_exit(1);
    }
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    fill<<<dim3(l.n / TILE, l.rows / TILE), dim3(TILE, ROWS), 0, stream>>>(m.a);
    CUDA_CHECK(cudaGetLastError());

    if (l.me == 0)
        printf("%d PEs, %d x %d\n", npes, l.n, l.n);
    for (int way = 0; way < WAYS; way++)
        right &= measure(way, l, m, repeats, stream);
    printf("PE %d of %d: %s\n", l.me, npes, right ? "right" : "WRONG");

    CUDA_CHECK(cudaStreamDestroy(stream));
    nvshmem_free(m.tiles);
    nvshmem_free(m.b);
    CUDA_CHECK(cudaFree(m.a));
    nvshmem_finalize();
    return right ? 0 : 1;
}
