/* B55: a program that returns from main without finalize ends with exit code 0. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 1
// RUN: 0
// RUN: 3
// RUN: 3 NVSHMEM_DISABLE_P2P=1 NVSHMEM_REMOTE_TRANSPORT=delay
#include "../conform/check.h"

int main(void)
{
    nvshmem_init();
    nvshmem_long_p((long *)need(sizeof(long)), 1, (nvshmem_my_pe() + 1) % nvshmem_n_pes());
    fact("returns with a put on its way, and a thread at work");
    return finish();
}
