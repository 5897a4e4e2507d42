/* Makes one mistake with a collective in a kernel, which its argument names; see
 * coll_mistakes.sh. Two blocks, 64 threads each. */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <stdio.h>
#include <stdlib.h>

enum mistake { NO_TEAM, INVALID_TEAM, ROOT, NOT_SYMMETRIC, OVERLAP, NO_RANK, TEAM_FREED };

__global__ void make(int mistake, int *dest, int *source)
{
    if (mistake == OVERLAP) {
        /* One warp waits for PE 1, which comes late, when the other begins. */
        nvshmemx_team_sync_warp(NVSHMEM_TEAM_WORLD);
        return;
    }
    if (blockIdx.x)
        return;
    if (mistake == NO_TEAM)
        nvshmemx_team_sync_block(99);
    else if (mistake == INVALID_TEAM)
        nvshmemx_int_sum_reduce_block(NVSHMEM_TEAM_INVALID, dest, source, 1);
    else if (mistake == ROOT)
        nvshmemx_int_broadcast_block(NVSHMEM_TEAM_WORLD, dest, source, 1, nvshmem_n_pes());
    else if (mistake == NO_RANK)
        nvshmemx_int_put_team_block(NVSHMEM_TEAM_WORLD, dest, source, 1, -1);
    else if (mistake == TEAM_FREED)
        nvshmemx_int_put_block(dest, source, 1, 0);
    else
        nvshmemx_int_fcollect_block(NVSHMEM_TEAM_WORLD, source + (1 << 28), source, 1);
}

int main(int argc, char **argv)
{
    int mistake = argc > 1 ? atoi(argv[1]) : 0;

    nvshmem_init();
    int *dest = (int *)nvshmem_malloc(64), *source = (int *)nvshmem_malloc(64);

    if (mistake == TEAM_FREED) {
        nvshmemx_team_config_t config = { 1 << 20, 0 };
        nvshmem_team_t team;

        nvshmemx_team_create_simple(NVSHMEM_TEAM_WORLD, &config, 0, &team);
        dest = (int *)nvshmemx_team_malloc(team, 64);
        make<<<2, 64>>>(mistake, dest, source);
        cudaDeviceSynchronize();
        printf("so far all is well\n");
        nvshmemx_team_free(team, dest);
    }
    if (mistake != OVERLAP || nvshmem_my_pe() == 0)
        make<<<2, 64>>>(mistake, dest, source);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
    printf("nothing was noticed\n");
    nvshmem_finalize();
    return 0;
}
