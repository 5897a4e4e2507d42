/* B84, B87: the smallest programs end with exit code 0. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 0
// RUN: 1
// RUN: 4
#include <nvshmem.h>
#include <stdio.h>

int main(void)
{
    int me;

    nvshmem_init();
    nvshmem_finalize();
    nvshmem_init();
    nvshmem_free(nvshmem_malloc(64));
    me = nvshmem_my_pe();
    nvshmem_finalize();
    if (me == 0)
        printf("ok 1 - init and finalize; init, malloc, free, finalize\n1..1\n");
    return 0;
}
