/* Small collectives one after the other give each member what the others sent for this one, and
 * nothing that is left of an earlier one: of all sizes in turn, some PEs late, and through more
 * calls than their numbers last. */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

enum { LONGEST = 40, TURNS = 20000, PERIOD = 1 << 20 };

/* Longer and shorter ones by turns, by groups of all sizes. */
__global__ void all_sizes(area a)
{
    int *dest = (int *)a.dest, *source = (int *)a.source, n = nvshmem_n_pes();

    for (int turn = 0; turn < TURNS; turn++) {
        int count = turn * 7 % LONGEST + 1, scope = turn % SCOPES, sum = 0;

        for (int i = threadIdx.x; i < count; i += BLOCK)
            source[i] = element<int>(nvshmem_my_pe(), turn, i);
        __syncthreads();
        if (turn % 64 == nvshmem_my_pe())
            __nanosleep(1000);
        if (scope == 0 && threadIdx.x == 0)
            nvshmem_int_sum_reduce(NVSHMEM_TEAM_WORLD, dest, source, count);
        if (scope == 1 && threadIdx.x < 32)
            nvshmemx_int_sum_reduce_warp(NVSHMEM_TEAM_WORLD, dest, source, count);
        if (scope == 2)
            nvshmemx_int_sum_reduce_block(NVSHMEM_TEAM_WORLD, dest, source, count);
        __syncthreads();
        for (int i = threadIdx.x; i < count; i += BLOCK, sum = 0) {
            for (int pe = 0; pe < n; pe++)
                sum += element<int>(pe, turn, i);
            expect(a, dest[i], sum);
        }
        __syncthreads();
    }
}

/* One warp. Each PE gives the turn, and its number. Calls with equal numbers are long and of the
 * warp, whose lanes wait for words of their own; those between are short, so that words of the
 * first are still there at the second. PE 1 is late then. */
__global__ void many(area a)
{
    int *dest = (int *)a.dest, *source = (int *)a.source, me = nvshmem_my_pe(), n = nvshmem_n_pes();

    for (int turn = 0; turn < PERIOD + PERIOD / 8; turn++) {
        int count = turn % PERIOD ? 1 : LONGEST;

        if (turn == PERIOD && me == 1)
            __nanosleep(1000000);
        if (threadIdx.x == 0)
            for (int i = 0; i < count; i++)
                source[i] = turn * 16 + me + i;
        if (turn % PERIOD == 0) {
            __syncwarp();
            nvshmemx_int_fcollect_warp(NVSHMEM_TEAM_WORLD, dest, source, count);
        } else if (threadIdx.x == 0) {
            nvshmem_int_fcollect(NVSHMEM_TEAM_WORLD, dest, source, count);
        }
        if (threadIdx.x == 0)
            for (int i = 0; i < n * count; i++)
                expect(a, dest[i], turn * 16 + i / count + i % count);
    }
}

int main()
{
    nvshmem_init();
    area a = make_area();

    all_sizes<<<1, BLOCK>>>(a);
    settle(a, "sizes by turns");
    fact("a collective takes nothing from the longer ones before it");
    if (nvshmem_n_pes() <= 2) {
        many<<<1, 32>>>(a);
        settle(a, "many");
        fact("more calls than numbers give right results");
    }
    int status = finish();
    nvshmem_finalize();
    return status;
}
