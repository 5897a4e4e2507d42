/* team.cu - the article's team of NVLink neighbours: with a heap of its own, and puts by rank.
 *
 *     gshcc team.cu -o team && gshrun -n 4 ./team
 *
 * The PEs of a node that NVLink joins make a team, or all of it on a machine without GPUs. Each
 * puts into the memory of the next one, first from the host, then from a kernel.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>

enum { COUNT = 4096 };

__global__ void fill(float *src, int pe, int step)
{
    for (int i = threadIdx.x; i < COUNT; i += blockDim.x)
        src[i] = 100.0f * step + 10.0f * pe + i;
}

__global__ void put_to_next(nvshmem_team_t team, float *dest, const float *src)
{
    int next = (nvshmem_team_my_pe(team) + 1) % nvshmem_team_n_pes(team);

    nvshmemx_float_put_team_block(team, dest, src, COUNT, next);
}

static bool has_come(const float *dest, int pe, int step)
{
    static float host[COUNT];

    cudaMemcpy(host, dest, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++)
        if (host[i] != 100.0f * step + 10.0f * pe + i)
            return false;
    return true;
}

int main()
{
    nvshmem_init();
    cudaSetDevice(0);

    nvshmemx_team_config_t config = {
        .symmetric_heap_size = 1 << 30,
        .flags = NVSHMEMX_TEAM_NV_LINK,
    };
    nvshmemx_team_t nvlink_team;
    if (nvshmemx_team_create_simple(NVSHMEMX_TEAM_NODE, &config, 0, &nvlink_team)) {
        printf("PE %d: no team: %s\n", nvshmem_my_pe(), nvshmemx_last_error());
        nvshmem_finalize();
        return 1;
    }
    int rank = nvshmem_team_my_pe(nvlink_team), n = nvshmem_team_n_pes(nvlink_team);
    int next = (rank + 1) % n, last = (rank + n - 1) % n;

    /* Allocated by the team alone. */
    float *dest = (float *)nvshmemx_team_malloc(nvlink_team, COUNT * sizeof(float));
    float *src = (float *)nvshmemx_team_malloc(nvlink_team, COUNT * sizeof(float));

    fill<<<1, 128>>>(src, rank, 1);
    cudaDeviceSynchronize();
    nvshmemx_float_put_team(nvlink_team, dest, src, COUNT, next);
    nvshmem_barrier(nvlink_team);
    bool right = has_come(dest, last, 1);
    nvshmem_barrier(nvlink_team);

    fill<<<1, 128>>>(src, rank, 2);
    put_to_next<<<1, 128>>>(nvlink_team, dest, src);
    cudaDeviceSynchronize();
    nvshmem_barrier(nvlink_team);
    right &= has_come(dest, last, 2);

    printf("PE %d is rank %d of %d: %s\n", nvshmem_my_pe(), rank, n,
           right ? "all values are right" : "WRONG");
    nvshmem_team_destroy(nvlink_team); /* with its heap */
    nvshmem_finalize();
    return right ? 0 : 1;
}
