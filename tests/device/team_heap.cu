/* Kernels put, get and reduce in the heap of a team of linked PEs, and of teams that do so at the
 * same time, each in its own. */
// SPDX-License-Identifier: BSD-3-Clause
#include "teams.cuh"

enum { N = 500, ROUNDS = 10 };

__global__ void ring(struct place at, int *dest, int *source, long *sum)
{
    int next = (at.rank + 1) % at.n, last = (at.rank + at.n - 1) % at.n;

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = threadIdx.x; i < N; i += BLOCK)
            source[i] = round * 1000 + at.rank * 10 + i;
        __syncthreads();
        nvshmemx_int_put_team_block(at.team, dest, source, N, next);
        nvshmemx_barrier_block(at.team);
        for (int i = threadIdx.x; i < N; i += BLOCK)
            expect(at, dest[i] == round * 1000 + last * 10 + i);
        nvshmemx_barrier_block(at.team);
        nvshmemx_int_get_team_warp(at.team, dest + threadIdx.x / 32 * N, source, N, last);
        __syncwarp();
        expect(at, dest[threadIdx.x / 32 * N + N - 1] == round * 1000 + last * 10 + N - 1);
        nvshmemx_barrier_block(at.team);
        if (threadIdx.x == 0) {
            sum[1] = at.rank + round;
            nvshmemx_long_sum_reduce_team(at.team, sum, sum + 1, 1);
            expect(at, *sum == at.n * (at.n - 1) / 2 + (long)at.n * round);
        }
        nvshmemx_barrier_block(at.team);
    }
}

static void use(nvshmem_team_t parent, size_t before, const char *what)
{
    nvshmemx_team_config_t config = { 1 << 20, NVSHMEMX_TEAM_NV_LINK };
    nvshmem_team_t team;

    CHECK(!nvshmemx_team_create_simple(parent, &config, 0, &team), "%s", nvshmemx_last_error());
    nvshmemx_team_malloc(team, before);
    int *dest = (int *)nvshmemx_team_malloc(team, BLOCK / 32 * N * sizeof(int));
    int *source = (int *)nvshmemx_team_malloc(team, N * sizeof(int));
    long *sum = (long *)nvshmemx_team_malloc(team, 2 * sizeof(long));
    struct place at = { team,      nvshmem_team_my_pe(team), nvshmem_team_n_pes(team), NULL, NULL,
                        test_wrong };

    CHECK(dest && source && sum, "%s", nvshmemx_last_error());
    if (dest && source && sum)
        ring<<<1, BLOCK>>>(at, dest, source, sum);
    look_at(what, "ring");
    nvshmem_team_destroy(team);
    fact("%s", what);
}

int main()
{
    nvshmem_init();
    cudaSetDevice(0);
    int n = nvshmem_n_pes(), me = nvshmem_my_pe();
    nvshmem_team_t even, odd = NVSHMEM_TEAM_INVALID;

    test_wrong = (unsigned *)need(sizeof(*test_wrong));
    nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, NULL, 0, &even);
    if (n > 1)
        nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 1, 2, n / 2, NULL, 0, &odd);
    use(NVSHMEMX_TEAM_NODE, 0, "in the heap of the linked PEs of the node");
    use(me % 2 ? odd : even, me % 2 ? 5000 : 100, "in two heaps at once, at other offsets");
    int status = finish();
    nvshmem_finalize();
    return status;
}
