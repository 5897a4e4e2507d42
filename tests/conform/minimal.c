/* init; malloc(64); free; finalize, and init; finalize alone, end with exit 0. */
// SPDX-License-Identifier: BSD-3-Clause
#include <nvshmem.h>
#include <stdio.h>

int main(void)
{
    int me;

    nvshmem_init();
    me = nvshmem_my_pe();
    nvshmem_free(nvshmem_malloc(64));
    nvshmem_finalize();
    if (me == 0)
        puts("ok 1 - init, malloc, free, finalize");
    nvshmem_init();
    nvshmem_finalize();
    if (me == 0)
        puts("ok 2 - init, finalize\n1..2");
    return 0;
}
