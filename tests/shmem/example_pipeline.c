/* An example of section 9.9: blocks go from PE to PE, each of which changes them; a signal tells
 * the next that a block is there, and another one that its place is free again. */
// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

enum { WORDS = 500, BLOCKS = 64, PLACES = 4 };

static long places[PLACES][WORDS];
static uint64_t come, gone;

int main(void)
{
    long block[WORDS];
    int me, n, wrong = 0;
    static int wrongs;

    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    for (uint64_t b = 0; b < BLOCKS; b++) {
        long *place = places[b % PLACES];

        if (me)
            shmem_signal_wait_until(&come, SHMEM_CMP_GE, b + 1);
        for (int i = 0; i < WORDS; i++)
            block[i] = (me ? place[i] : (long)b * WORDS + i) + 1;
        if (me)
            shmem_signal_add(&gone, 1, me - 1);
        if (me < n - 1) {
            if (b >= PLACES)
                shmem_signal_wait_until(&gone, SHMEM_CMP_GE, b + 1 - PLACES);
            shmem_put_signal_nbi(place, block, WORDS, &come, 1, SHMEM_SIGNAL_ADD, me + 1);
            shmem_quiet();
        } else {
            for (int i = 0; i < WORDS; i++)
                wrong += block[i] != (long)b * WORDS + i + n;
        }
    }
    shmem_int_atomic_add(&wrongs, wrong, 0);
    shmem_barrier_all();
    if (me == 0)
        printf("%sok 1 - %d blocks go through %d PEs\n1..1\n", wrongs ? "not " : "", BLOCKS, n);
    shmem_finalize();
    return wrong != 0;
}
