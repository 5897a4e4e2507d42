/* stencil3d.cu - a 3-D stencil of 6 points whose warps have tasks: in each block one warp
 * computes its part of the first plane of the PE and puts it to the PE above, one the last plane
 * for the PE below, the others compute the inside meanwhile. One kernel makes all steps.
 *
 *     gshcc stencil3d.cu -o stencil3d && gshrun -n 4 ./stencil3d
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <vector>

/* A PE has PLANES planes of SIDE x SIDE cells, between a halo plane of each neighbour; a block
 * has STRIP cells of each. The grid is a torus: the last PE is above the first one. */
constexpr int PLANES = 12, SIDE = 32, PLANE = SIDE * SIDE, BLOCKS = 4, STRIP = PLANE / BLOCKS;
constexpr int STEPS = 20, CELLS = (PLANES + 2) * PLANE, THREADS = 128, WARP = 32;

/* `at` is the place of the cell in its plane. */
__host__ __device__ float average(const float *u, int plane, int at)
{
    const float *here = u + plane * PLANE;
    int row = at / SIDE * SIDE, col = at % SIDE;

    return 1.f / 8 *
           (here[at - PLANE] + here[at + PLANE] + here[at] + here[at] +
            here[(row + PLANE - SIDE) % PLANE + col] + here[(row + SIDE) % PLANE + col] +
            here[row + (col + SIDE - 1) % SIDE] + here[row + (col + 1) % SIDE]);
}

/* A warp: the strip of one plane, when the halo beside it has come, then to `pe`. */
__device__ void edge(float *to, const float *from, int plane, int halo, uint64_t *came,
                     uint64_t *sent, int step, int pe)
{
    int first = blockIdx.x * STRIP, lane = threadIdx.x % WARP;

    if (lane == 0)
        nvshmem_signal_wait_until(came, NVSHMEM_CMP_GE, step);
    __syncwarp();
    for (int at = first + lane; at < first + STRIP; at += WARP)
        to[plane * PLANE + at] = average(from, plane, at);
    __syncwarp();
    nvshmemx_float_put_signal_warp(to + halo * PLANE + first, to + plane * PLANE + first, STRIP,
                                   sent, step + 1, NVSHMEM_SIGNAL_SET, pe);
}

/* u: two arrays of CELLS, by turns the old and the new one. A halo of step s + 1 is written
 * only when the plane of step s has been seen by its sender, that is, when the halo of step s - 1
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
            edge(to, from, 1, PLANES + 1, above, below, step, (me + n - 1) % n);
        else if (warp == 1)
            edge(to, from, PLANES, 0, below, above, step, (me + 1) % n);
        else
            for (int i = threadIdx.x - 2 * WARP; i < (PLANES - 2) * STRIP;
                 i += THREADS - 2 * WARP) {
                int plane = 2 + i / STRIP, at = blockIdx.x * STRIP + i % STRIP;

                to[plane * PLANE + at] = average(from, plane, at);
            }
        grid.sync();
    }
}

float initial(int plane, int at)
{
    return (plane * 37 + at * 11) % 101;
}

/* The whole grid, as one processor computes it; plane 0 is the halo. */
std::vector<float> solve(int n)
{
    std::vector<float> u((n * PLANES + 2) * PLANE), next(u.size());

    for (int plane = 1; plane <= n * PLANES; plane++)
        for (int at = 0; at < PLANE; at++)
            u[plane * PLANE + at] = initial(plane - 1, at);
    for (int step = 0; step < STEPS; step++) {
        for (int at = 0; at < PLANE; at++) {
            u[at] = u[n * PLANES * PLANE + at];
            u[(n * PLANES + 1) * PLANE + at] = u[PLANE + at];
        }
        for (int plane = 1; plane <= n * PLANES; plane++)
            for (int at = 0; at < PLANE; at++)
                next[plane * PLANE + at] = average(u.data(), plane, at);
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

    for (int plane = 0; plane < PLANES + 2; plane++)
        for (int at = 0; at < PLANE; at++)
            host[plane * PLANE + at] =
                initial((me * PLANES + plane - 1 + n * PLANES) % (n * PLANES), at);
    cudaMemcpy(u, host.data(), CELLS * sizeof(float), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();

    void *args[] = { &u, &signals };
    if (nvshmemx_collective_launch((const void *)relax, BLOCKS, THREADS, args, 0, 0) != 0)
        nvshmem_global_exit(1);
    cudaDeviceSynchronize();
    /* The halos of the last step may still be on their way. */
    cudaMemcpy(host.data() + PLANE, u + STEPS % 2 * CELLS + PLANE, PLANES * PLANE * sizeof(float),
               cudaMemcpyDeviceToHost);

    std::vector<float> want = solve(n);
    int wrong = 0;
    for (int i = PLANE; i < (PLANES + 1) * PLANE; i++)
        wrong += host[i] != want[me * PLANES * PLANE + i];
    printf("PE %d: %d of %d cells are wrong after %d steps\n", me, wrong, PLANES * PLANE, STEPS);
    nvshmem_free(signals);
    nvshmem_free(u);
    nvshmem_finalize();
    return wrong ? 1 : 0;
}
