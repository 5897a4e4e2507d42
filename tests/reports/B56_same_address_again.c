/* B56: memory that is allocated again at the same address, larger, works up to its
 * end. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 2
// RUN: 3 NVSHMEM_DISABLE_P2P=1 NVSHMEM_REMOTE_TRANSPORT=delay
#include "../conform/check.h"

static void use(char *p, size_t bytes)
{
    int next = (nvshmem_my_pe() + 1) % nvshmem_n_pes();

    nvshmem_char_p(p + bytes - 1, (char)bytes, next);
    nvshmem_barrier_all();
    CHECK(p[bytes - 1] == (char)bytes, "last byte of %zu", bytes);
}

int main(void)
{
    char *small, *large;

    nvshmem_init();
    small = (char *)need(4096 + 1);
    use(small, 4096 + 1);
    nvshmem_free(small);
    large = (char *)need(65536 + 3);
    CHECK(large == small, "%p, was %p", (void *)large, (void *)small);
    use(large, 65536 + 3);
    fact("4 KiB freed, 64 KiB at the same address, its tail is written by the neighbour");

    int status = finish();
    nvshmem_finalize();
    return status;
}
