/* Teams that come and go can be used in kernels from the first call on, whatever the teams
 * before them did with the same block; several teams work at once, a block each. */
// SPDX-License-Identifier: BSD-3-Clause
#include "teams.cuh"

enum { LIVES = 12, AT_ONCE = 4 };

/* Block b works on team b: a reduction, the b-th part of its rounds more often. */
__global__ void sums(const nvshmem_team_t *teams, const int *sizes, long *dest, long *source,
                     int me, unsigned *wrong)
{
    nvshmem_team_t team = teams[blockIdx.x];
    long n = sizes[blockIdx.x];

    dest += blockIdx.x;
    source += blockIdx.x;
    for (int round = 0; n > 0 && round < 5 + (int)blockIdx.x * 3; round++) {
        if (threadIdx.x == 0)
            *source = round * 1000 + me;
        nvshmemx_long_max_reduce_block(team, dest, source, 1);
        if (threadIdx.x == 0 && *dest / 1000 != round)
            atomicAdd(wrong, 1u);
        __syncthreads();
        if (threadIdx.x == 0)
            *source = 1;
        nvshmemx_long_sum_reduce_block(team, dest, source, 1);
        if (threadIdx.x == 0 && *dest != n)
            atomicAdd(wrong, 1u);
        nvshmemx_barrier_block(team);
    }
}

static nvshmem_team_t *teams; /* symmetric, for the kernel */
static int *sizes;

static void put_int(int *at, int value)
{
    nvshmem_putmem(at, &value, sizeof(value), nvshmem_my_pe());
}

/* Teams of a stride or from a start that differ from life to life. */
static void live(int life, long *dest, long *source)
{
    int n = nvshmem_n_pes();
    nvshmem_team_t made[AT_ONCE];

    for (int i = 0; i < AT_ONCE; i++) {
        int stride = 1 + (life + i) % n, start = (life * 3 + i) % n;
        int size = 1 + (n - 1 - start) / stride;

        CHECK(
            !nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &made[i]),
            "split from %d by %d", start, stride);
        put_int(teams + i, made[i]);
        put_int(sizes + i, nvshmem_team_n_pes(made[i]));
    }
    sums<<<AT_ONCE, 64>>>(teams, sizes, dest, source, nvshmem_my_pe(), test_wrong);
    look_at("strided teams", "sums");
    for (int i = 0; i < AT_ONCE; i++)
        nvshmem_team_destroy(made[i]);
}

int main()
{
    nvshmem_init();
    make_shapes();
    teams = (nvshmem_team_t *)need(AT_ONCE * sizeof(*teams));
    sizes = (int *)need(AT_ONCE * sizeof(*sizes));
    long *dest = (long *)need(AT_ONCE * sizeof(*dest));
    long *source = (long *)need(AT_ONCE * sizeof(*source));

    for (int life = 0; life < LIVES; life++)
        live(life, dest, source);
    fact("%d teams at once, made %d times", AT_ONCE, LIVES);
    int status = finish();
    nvshmem_finalize();
    return status;
}
