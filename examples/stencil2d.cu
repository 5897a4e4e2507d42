/* stencil2d.cu - a 2-D stencil of 4 points whose warps have tasks: in each block one warp
 * computes the first row of the PE and puts it to the PE above, one the last row and puts it to
 * the PE below, the others compute the inside meanwhile. One kernel makes all steps.
 *
 *     gshcc stencil2d.cu -o stencil2d && gshrun -n 4 ./stencil2d
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <vector>

/* A PE has ROWS rows, between a halo row of each neighbour; a block has STRIP columns of them.
 * The grid is a torus: the last PE is above the first one. */
constexpr int ROWS = 24, BLOCKS = 4, STRIP = 64, COLS = BLOCKS * STRIP, STEPS = 20;
constexpr int CELLS = (ROWS + 2) * COLS, THREADS = 128, WARP = 32;

__host__ __device__ float average(const float *u, int row, int col)
{
    return 0.25f * (u[(row - 1) * COLS + col] + u[(row + 1) * COLS + col] +
                    u[row * COLS + (col + COLS - 1) % COLS] + u[row * COLS + (col + 1) % COLS]);
}

/* A warp: one row of the strip, when the halo beside it has come, then to `pe`. */
__device__ void edge(float *to, const float *from, int row, int halo, uint64_t *came,
                     uint64_t *sent, int step, int pe)
{
    int first = blockIdx.x * STRIP, lane = threadIdx.x % WARP;

    if (lane == 0)
        nvshmem_signal_wait_until(came, NVSHMEM_CMP_GE, step);
    __syncwarp();
    for (int col = first + lane; col < first + STRIP; col += WARP)
        to[row * COLS + col] = average(from, row, col);
    __syncwarp();
    nvshmemx_float_put_signal_warp(to + halo * COLS + first, to + row * COLS + first, STRIP, sent,
                                   step + 1, NVSHMEM_SIGNAL_SET, pe);
}

/* u: two arrays of CELLS, by turns the old and the new one. A halo of step s + 1 is written
 * only when the row of step s has been seen by its sender, that is, when the halo of step s - 1
 * has been read. */
__global__ void relax(float *u, uint64_t *signals)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), warp = threadIdx.x / WARP;
    uint64_t *above = signals + blockIdx.x, *below = signals + BLOCKS + blockIdx.x;

    for (int step = 0; step < STEPS; step++) {
        const float *from = u + step % 2 * CELLS;
        float *to = u + (step + 1) % 2 * CELLS;

        if (warp == 0)
            edge(to, from, 1, ROWS + 1, above, below, step, (me + n - 1) % n);
        else if (warp == 1)
            edge(to, from, ROWS, 0, below, above, step, (me + 1) % n);
        else
            for (int i = threadIdx.x - 2 * WARP; i < (ROWS - 2) * STRIP; i += THREADS - 2 * WARP) {
                int row = 2 + i / STRIP, col = blockIdx.x * STRIP + i % STRIP;

                to[row * COLS + col] = average(from, row, col);
            }
        grid.sync();
    }
}

float initial(int row, int col)
{
    return (row * 37 + col * 11) % 101;
}

/* The whole grid, as one processor computes it; row 0 is the halo. */
std::vector<float> solve(int n)
{
    std::vector<float> u((n * ROWS + 2) * COLS), next(u.size());

    for (int row = 1; row <= n * ROWS; row++)
        for (int col = 0; col < COLS; col++)
            u[row * COLS + col] = initial(row - 1, col);
    for (int step = 0; step < STEPS; step++) {
        for (int col = 0; col < COLS; col++) {
            u[col] = u[n * ROWS * COLS + col];
            u[(n * ROWS + 1) * COLS + col] = u[COLS + col];
        }
        for (int row = 1; row <= n * ROWS; row++)
            for (int col = 0; col < COLS; col++)
                next[row * COLS + col] = average(u.data(), row, col);
        u.swap(next);
    }
    return u;
}

int main()
{
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), devices;

    cudaGetDeviceCount(&devices);
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);

    float *u = (float *)nvshmem_malloc(2 * CELLS * sizeof(float));
    uint64_t *signals = (uint64_t *)nvshmem_calloc(2 * BLOCKS, sizeof(uint64_t));
    std::vector<float> host(CELLS);

    for (int row = 0; row < ROWS + 2; row++)
        for (int col = 0; col < COLS; col++)
            host[row * COLS + col] = initial((me * ROWS + row - 1 + n * ROWS) % (n * ROWS), col);
    cudaMemcpy(u, host.data(), CELLS * sizeof(float), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();

    void *args[] = { &u, &signals };
    if (nvshmemx_collective_launch((const void *)relax, BLOCKS, THREADS, args, 0, 0) != 0)
        nvshmem_global_exit(1);
    cudaDeviceSynchronize();
    /* The halos of the last step may still be on their way. */
    cudaMemcpy(host.data() + COLS, u + STEPS % 2 * CELLS + COLS, ROWS * COLS * sizeof(float),
               cudaMemcpyDeviceToHost);

    std::vector<float> want = solve(n);
    int wrong = 0;
    for (int i = COLS; i < (ROWS + 1) * COLS; i++)
        wrong += host[i] != want[me * ROWS * COLS + i];
    printf("PE %d: %d of %d cells are wrong after %d steps\n", me, wrong, ROWS * COLS, STEPS);
    nvshmem_free(signals);
    nvshmem_free(u);
    nvshmem_finalize();
    return wrong ? 1 : 0;
}
