/* No PE leaves a barrier or sync of kernels before all have come, and what was put before a
 * barrier is there behind it: at all scopes, on teams of all shapes, many times in a row. */
// SPDX-License-Identifier: BSD-3-Clause
#include "teams.cuh"

enum { ROUNDS = 60, WARPGROUP = SCOPES, CALLS = 5 };

enum call { BARRIER, SYNC, BARRIER_ALL, SYNC_ALL };

__device__ inline bool takes_part(int scope)
{
    return scope == WARPGROUP || calls(scope);
}

__device__ inline int meet(enum call call, int scope, nvshmem_team_t team)
{
    if (scope == WARPGROUP)
        return nvshmemx_barrier_warpgroup(team);
    switch (call) {
    case BARRIER:
        return scope == 0   ? nvshmem_barrier(team)
               : scope == 1 ? nvshmemx_barrier_warp(team)
                            : nvshmemx_barrier_block(team);
    case SYNC:
        return scope == 0   ? nvshmem_team_sync(team)
               : scope == 1 ? nvshmemx_team_sync_warp(team)
                            : nvshmemx_team_sync_block(team);
    case BARRIER_ALL:
        scope == 0   ? nvshmem_barrier_all()
        : scope == 1 ? nvshmemx_barrier_all_warp()
                     : nvshmemx_barrier_all_block();
        return 0;
    default:
        scope == 0   ? nvshmem_sync_all()
        : scope == 1 ? nvshmemx_sync_all_warp()
                     : nvshmemx_sync_all_block();
        return 0;
    }
}

/* Each rank counts its rounds at all others; pes: the members. Behind a meeting all have
 * counted as far, and nobody further than one round more. */
__global__ void rounds(struct place at, enum call call, const int *pes)
{
    uint64_t *count = (uint64_t *)at.dest;

    for (int round = 1; round <= ROUNDS; round++) {
        int scope = round % (SCOPES + (call == BARRIER));

        if (takes_part(scope) && (scope == 0 || threadIdx.x % 32 == 0)) {
            for (int rank = 0; scope < 2 && rank < at.n; rank++)
                nvshmem_uint64_p(count + at.rank, round, pes[rank]);
            for (int rank = threadIdx.x / 32; scope >= 2 && rank < at.n; rank += BLOCK / 32)
                nvshmem_uint64_p(count + at.rank, round, pes[rank]);
            if (call == SYNC || call == SYNC_ALL)
                nvshmem_quiet();
        }
        if (takes_part(scope))
            expect(at, !meet(call, scope, at.team));
        __syncthreads();
        for (int rank = threadIdx.x; rank < at.n; rank += BLOCK) {
            uint64_t seen = *(volatile uint64_t *)(count + rank);

            expect(at, seen == (uint64_t)round || seen == (uint64_t)round + 1);
        }
        __syncthreads();
    }
    nvshmemx_barrier_block(at.team);
    for (int rank = threadIdx.x; rank < at.n; rank += BLOCK)
        count[rank] = 0;
    nvshmemx_barrier_block(at.team);
}

struct launch_rounds {
    enum call call;
    int *pes;

    void operator()(struct place at) const
    {
        if (call >= BARRIER_ALL && at.team != NVSHMEM_TEAM_WORLD)
            return;
        for (int rank = 0; rank < at.n; rank++) {
            int pe = nvshmem_team_translate_pe(at.team, rank, NVSHMEM_TEAM_WORLD);

            nvshmem_int_p(pes + rank, pe, nvshmem_my_pe());
        }
        nvshmem_quiet();
        rounds<<<1, BLOCK>>>(at, call, pes);
    }
};

int main()
{
    nvshmem_init();
    make_shapes();
    int *pes = (int *)need(nvshmem_n_pes() * sizeof(*pes));

    try_all(launch_rounds{ BARRIER, pes }, "barrier");
    fact("barriers of teams complete puts and wait for all");
    try_all(launch_rounds{ SYNC, pes }, "team_sync");
    fact("team_sync waits for all");
    try_all(launch_rounds{ BARRIER_ALL, pes }, "barrier_all");
    fact("barrier_all completes puts and waits for all");
    try_all(launch_rounds{ SYNC_ALL, pes }, "sync_all");
    fact("sync_all waits for all");
    int status = finish();
    nvshmem_finalize();
    return status;
}
