/* Asks for another OpenSHMEM where there is none. */
// SPDX-License-Identifier: BSD-3-Clause
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>

int main(void)
{
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;

    if (nvshmemx_init_attr(NVSHMEMX_INIT_WITH_SHMEM, &attr))
        return 1;
    printf("PE %d of %d\n", nvshmem_my_pe(), nvshmem_n_pes());
    nvshmem_finalize();
    return 0;
}
