/* B73: barrier and broadcast are right for every number of PEs from 1 to 9, every
 * root, and sizes of every algorithm. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 1
// RUN: 2
// RUN: 3
// RUN: 4
// RUN: 5
// RUN: 6
// RUN: 7
// RUN: 8
// RUN: 9
#include "../conform/check.h"

int main(void)
{
    static const size_t sizes[] = { 1, 8, 2047, 65535, 65536, 300000 };
    unsigned char *to, *from;

    nvshmem_init();
    to = (unsigned char *)need(300000);
    from = (unsigned char *)need(300000);
    for (int i = 0; i < 6; i++) {
        for (int root = 0; root < nvshmem_n_pes(); root++) {
            fill(from, sizes[i], (unsigned)nvshmem_my_pe() + 1);
            nvshmem_barrier_all();
            CHECK(!nvshmem_broadcastmem(NVSHMEM_TEAM_WORLD, to, from, sizes[i], root), "returns 0");
            CHECK(differs(to, sizes[i], (unsigned)root + 1) == sizes[i], "%zu bytes of root %d",
                  sizes[i], root);
            nvshmem_barrier_all();
        }
    }
    fact("every root and size");

    int status = finish();
    nvshmem_finalize();
    return status;
}
