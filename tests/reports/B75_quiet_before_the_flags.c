/* B75: a barrier completes what was put before it: a third PE sees it. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 3
// RUN: 3 NVSHMEM_DISABLE_P2P=1 NVSHMEM_REMOTE_TRANSPORT=delay
#include "../conform/check.h"

int main(void)
{
    enum { WORDS = 500 };
    long *a, out[WORDS], in[WORDS];

    nvshmem_init();
    a = (long *)need(WORDS * sizeof(*a));
    for (long k = 1; k <= 200; k++) {
        for (int i = 0; i < WORDS; i++)
            out[i] = k;
        if (nvshmem_my_pe() == 0)
            nvshmem_long_put_nbi(a, out, WORDS, 1);
        nvshmem_barrier_all();
        if (nvshmem_my_pe() == 2)
            nvshmem_long_get(in, a, WORDS, 1);
        for (int i = 0; nvshmem_my_pe() == 2 && i < WORDS; i++)
            CHECK(in[i] == k, "round %ld, word %d is %ld", k, i, in[i]);
        nvshmem_barrier_all();
    }
    fact("PE 2 gets from PE 1 what PE 0 put there before the barrier");

    int status = finish();
    nvshmem_finalize();
    return status;
}
