/* B05: no PE leaves round k of a barrier before all have entered it, also when
 * writes are delayed and reordered. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 2
// RUN: 3
// RUN: 8
// RUN: 3 NVSHMEM_DISABLE_P2P=1 NVSHMEM_REMOTE_TRANSPORT=delay
// RUN: 5 NVSHMEM_DISABLE_P2P=1 NVSHMEM_REMOTE_TRANSPORT=delay
// RUN: 3 GSHMEM_FAKE_NODES=3 UCX_TLS=tcp
// RUN: 5 GSHMEM_FAKE_NODES=2 UCX_TLS=tcp
#include "../conform/check.h"

int main(void)
{
    int rounds = getenv("NVSHMEM_DISABLE_P2P") ? 300 : getenv("GSHMEM_FAKE_NODES") ? 1000 : 20000;
    int me, n;
    long *entered;

    nvshmem_init();
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    entered = (long *)need((size_t)n * sizeof(*entered));
    for (long k = 1; k <= rounds; k++) {
        int to = (int)((me + k) % n);

        nvshmem_long_p(&entered[me], k, to);
        nvshmem_barrier_all();
        CHECK(entered[(me - k % n + n) % n] == k, "round %ld", k);
        nvshmem_barrier_all();
    }
    fact("%d rounds of a barrier see each PE's write of the same round", rounds);

    int status = finish();
    nvshmem_finalize();
    return status;
}
