/* nvshmemx_collective_launch() runs kernels that meet across blocks and PEs, and says what
 * is wrong with a launch. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gate.cuh"

#include <cooperative_groups.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <string.h>

namespace cg = cooperative_groups;

/* Every block adds to a word of the next PE; after both barriers all are there. */
__global__ void add_to_next(int *at, int *sum)
{
    int next = (nvshmem_my_pe() + 1) % nvshmem_n_pes();

    if (threadIdx.x == 0) {
        nvshmem_int_atomic_add(at, 1, next);
        nvshmem_quiet();
    }
    cg::this_grid().sync();
    if (blockIdx.x == 0)
        nvshmemx_barrier_all_block();
    cg::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *sum = *at;
}

static bool failed_with(int status, int wanted, const char *text)
{
    return status == wanted && strstr(nvshmemx_last_error(), text);
}

int main()
{
    int blocks = 0, *sum, *at;

    nvshmem_init();
    at = (int *)nvshmem_calloc(1, sizeof(*at));
    cudaMallocManaged(&sum, sizeof(*sum));
    void *args[] = { &at, &sum };
    const void *kernel = (const void *)add_to_next;

    tap_ok(nvshmemx_collective_launch(kernel, 5, 64, args, 0, 0) == NVSHMEMX_SUCCESS &&
               !cudaDeviceSynchronize() && *sum == 5,
           "a grid is launched whose blocks and PEs meet");
    *at = 0;
    nvshmem_barrier_all(); /* no PE adds before all are back at 0 */
    tap_ok(!nvshmemx_collective_launch_query_gridsize(kernel, 1024, args, 0, &blocks) && blocks > 0,
           "the largest grid is known");
    tap_ok(!nvshmemx_collective_launch(kernel, dim3(0, 0, 0), 1024, args, 0, 0) &&
               !cudaDeviceSynchronize() && *sum == blocks,
           "it is what a grid of zeros stands for");
    tap_ok(failed_with(nvshmemx_collective_launch(kernel, dim3(2, 0, 1), 64, args, 0, 0),
                       NVSHMEMX_ERROR_INVALID_VALUE, "zero"),
           "a grid with some zeros is refused");
    tap_ok(failed_with(nvshmemx_collective_launch(kernel, blocks + 1, 1024, args, 0, 0),
                       NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED, "at once"),
           "so is one that is too large");
    tap_ok(failed_with(
               nvshmemx_collective_launch_query_gridsize((const void *)"", 64, args, 0, &blocks),
               NVSHMEMX_ERROR_INTERNAL, "kernel"),
           "and what is no kernel");
    cudaGetLastError();
    nvshmem_free(at);
    nvshmem_finalize();
    return tap_end();
}
