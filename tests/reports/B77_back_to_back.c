/* B77: barriers and all-to-alls back to back never stand still or mix. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 2
// RUN: 3 NVSHMEM_DISABLE_P2P=1 NVSHMEM_REMOTE_TRANSPORT=delay
#include "../conform/check.h"

int main(void)
{
    int rounds = getenv("NVSHMEM_DISABLE_P2P") ? 300 : 100000;
    int me, n;
    int *in, *out;

    nvshmem_init();
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    in = (int *)need((size_t)n * sizeof(*in));
    out = (int *)need((size_t)n * sizeof(*out));
    for (int k = 0; k < rounds; k++) {
        for (int pe = 0; pe < n; pe++)
            in[pe] = k * n * n + me * n + pe;
        nvshmem_barrier_all();
        nvshmem_int_alltoall(NVSHMEM_TEAM_WORLD, out, in, 1);
        for (int pe = 0; pe < n; pe++)
            CHECK(out[pe] == k * n * n + pe * n + me, "round %d, from %d", k, pe);
    }
    fact("%d rounds of barrier and alltoall", rounds);

    int status = finish();
    nvshmem_finalize();
    return status;
}
