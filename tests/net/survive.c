/* A program that survives the loss of PEs: survive LEFT runs a world until it is lost, then
 * another one of the LEFT processes that are still there, which have the lowest ranks. */
// SPDX-License-Identifier: BSD-3-Clause
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>

static int meet_until_lost(void)
{
    long *sum = nvshmem_malloc(sizeof(*sum)), *one = nvshmem_malloc(sizeof(*one));
    int rounds = 0;

    *one = 1;
    printf("PE %d is in\n", nvshmem_my_pe());
    fflush(stdout);
    while (!nvshmem_long_sum_reduce(NVSHMEM_TEAM_WORLD, sum, one, 1) &&
           !nvshmem_barrier(NVSHMEM_TEAM_WORLD) && *sum == nvshmem_n_pes())
        rounds++;
    printf("PE %d after %s rounds: %s\n", nvshmem_my_pe(), rounds ? "some" : "no",
           nvshmemx_last_error());
    return nvshmem_barrier(NVSHMEM_TEAM_WORLD) && nvshmem_team_sync(NVSHMEM_TEAM_WORLD);
}

int main(int argc, char **argv)
{
    int left = argc > 1 ? atoi(argv[1]) : 0, me, good;
    char port[20];
    long *word;

    nvshmem_init();
    me = nvshmem_my_pe();
    good = meet_until_lost();
    nvshmem_finalize();
    if (me >= left)
        return !good;
    snprintf(port, sizeof(port), "%d", atoi(getenv("MASTER_PORT")) + 10);
    setenv("MASTER_PORT", port, 1);
    setenv("WORLD_SIZE", argv[1], 1);
    nvshmem_init();
    word = nvshmem_malloc(sizeof(*word));
    nvshmem_long_p(word, me, (me + 1) % left);
    nvshmem_barrier_all();
    good = good && *word == (me + left - 1) % left;
    printf("PE %d of %d: %s\n", me, nvshmem_n_pes(), good ? "fine" : "wrong");
    nvshmem_finalize();
    return !good;
}
