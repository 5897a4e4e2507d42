/* An example of section 9.13: PEs append their names to one list on PE 0 under a lock; nobody's
 * is missing and none is there twice. */
// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

enum { MOST = 1024, EACH = 20 };

static long lock;
static int length, list[MOST];

int main(void)
{
    int me, n, wrong = 0;

    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    for (int i = 0; i < EACH; i++) {
        int at;

        shmem_set_lock(&lock);
        at = shmem_int_g(&length, 0);
        shmem_int_p(&list[at], me, 0);
        shmem_int_p(&length, at + 1, 0);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    if (me == 0) {
        int seen[MOST] = { 0 };

        for (int i = 0; i < length; i++)
            seen[list[i]]++;
        wrong = length != n * EACH;
        for (int pe = 0; pe < n; pe++)
            wrong += seen[pe] != EACH;
        printf("%sok 1 - %d PEs append %d names each\n1..1\n", wrong ? "not " : "", n, EACH);
    }
    shmem_finalize();
    return wrong != 0;
}
