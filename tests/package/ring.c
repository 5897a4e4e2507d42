/* ring.c - each PE adds its number to what it got from the PE before it, and the
 * last brings the sum back to PE 0. */
// SPDX-License-Identifier: BSD-3-Clause
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>

int main(void)
{
    nvshmem_init();
    int me = nvshmem_my_pe();
    int n = nvshmem_n_pes();
    int *sum = (int *)nvshmem_malloc(sizeof(*sum));
    uint64_t *arrived = (uint64_t *)nvshmem_calloc(1, sizeof(*arrived));
    int next = me;

    if (!sum || !arrived)
        return 1;
    nvshmem_barrier_all();
    if (me > 0) {
        nvshmem_signal_wait_until(arrived, NVSHMEM_CMP_EQ, 1);
        next += *sum;
    }
    nvshmem_int_put_signal(sum, &next, 1, arrived, 1, NVSHMEM_SIGNAL_SET, (me + 1) % n);
    if (me == 0) {
        nvshmem_signal_wait_until(arrived, NVSHMEM_CMP_EQ, 1);
        next = *sum;
        printf("sum over %d PEs: %d\n", n, next);
    }
    nvshmem_free(arrived);
    nvshmem_free(sum);
    nvshmem_finalize();
    return me == 0 && next != n * (n - 1) / 2;
}
