/* What the tests of modules load: one kernel, compiled to a cubin by itself. */
// SPDX-License-Identifier: BSD-3-Clause
#include <nvshmem.h>
#include <nvshmemx.h>

/* Each thread puts a number to the next PE, and finds that of the last one. */
extern "C" __global__ void ring(int *at, unsigned *wrong)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), i = threadIdx.x;

    nvshmem_int_p(at + i, 1000 * me + i, (me + 1) % n);
    nvshmemx_barrier_all_block();
    if (at[i] != 1000 * ((me + n - 1) % n) + i)
        atomicAdd(wrong, 1u);
    nvshmemx_barrier_all_block();
}
