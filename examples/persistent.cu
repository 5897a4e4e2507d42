/* persistent.cu - a kernel that stays: its grid syncs by cooperative groups, one thread of it
 * meets the other PEs in a barrier, round after round, and the host launches once.
 *
 *     gshcc persistent.cu -o persistent && gshrun -n 4 ./persistent
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>

namespace cg = cooperative_groups;

constexpr int ROUNDS = 20, BLOCKS = 4, THREADS = 64, VALUES = BLOCKS * THREADS;

/* In each round a thread sends its value, one larger than what it has got, to the next PE.
 * The rounds use the halves of `values` in turn: one is read while the other is filled. */
__global__ void rounds(int *values)
{
    cg::grid_group grid = cg::this_grid();
    int me = nvshmem_my_pe(), next = (me + 1) % nvshmem_n_pes();
    int i = grid.thread_rank();

    for (int round = 0; round < ROUNDS; round++) {
        const int *from = values + round % 2 * VALUES;
        int *to = values + (round + 1) % 2 * VALUES;

        nvshmem_int_p(to + i, from[i] + 1, next);
        nvshmem_quiet(); /* each thread for its own */
        grid.sync();
        if (i == 0)
            nvshmem_barrier_all();
        grid.sync();
    }
}

int main()
{
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), devices;

    cudaGetDeviceCount(&devices);
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);

    int *values = (int *)nvshmem_malloc(2 * VALUES * sizeof(int)), host[VALUES], wrong = 0;

    for (int i = 0; i < VALUES; i++)
        host[i] = 1000 * me + i;
    cudaMemcpy(values, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();

    void *args[] = { &values };
    if (nvshmemx_collective_launch((const void *)rounds, BLOCKS, THREADS, args, 0, 0) != 0)
        nvshmem_global_exit(1);
    cudaDeviceSynchronize();

    /* After ROUNDS steps round the ring; the last round has filled half ROUNDS % 2. */
    int from = ((me - ROUNDS) % n + n) % n;
    cudaMemcpy(host, values + ROUNDS % 2 * VALUES, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < VALUES; i++)
        wrong += host[i] != 1000 * from + i + ROUNDS;
    printf("PE %d: %d of %d values are wrong after %d rounds in one kernel\n", me, wrong, VALUES,
           ROUNDS);
    nvshmem_free(values);
    nvshmem_finalize();
    return wrong ? 1 : 0;
}
