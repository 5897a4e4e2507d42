/* B78: 14 PEs end at once after a ping-pong, without any quiet. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 14
// RUN: 14
// RUN: 14 NVSHMEM_DISABLE_P2P=1 NVSHMEM_REMOTE_TRANSPORT=delay
#include "../conform/check.h"

int main(void)
{
    int me, partner;
    long *word;

    nvshmem_init();
    me = nvshmem_my_pe();
    partner = me ^ 1;
    word = (long *)need(sizeof(*word));
    for (long k = 1; k <= 50; k++) {
        if (me < partner)
            nvshmem_long_p(word, k, partner);
        nvshmem_long_wait_until(word, NVSHMEM_CMP_EQ, k);
        if (me > partner)
            nvshmem_long_p(word, k, partner);
    }
    CHECK(*word == 50, "it is %ld", *word);
    fact("the last ball has come");

    int status = finish();
    nvshmem_finalize();
    return status;
}
