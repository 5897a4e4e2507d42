/* OpenSHMEM 1.5, section 9.13: a lock, from the heap or static, is held by one PE at a time, and
 * what a holder has put is there for the next one. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { ROUNDS = 200 };

static int me, n_pes;
static long fixed_lock;  /* symmetric */
static long counters[4]; /* symmetric; those of PE 0 count */

/* Reads, waits a little, and writes: only a lock keeps this from losing steps. */
static void step(long *counter)
{
    long seen = shmem_long_g(counter, 0);

    for (volatile int i = 0; i < 50; i++)
        ;
    shmem_long_p(counter, seen + 1, 0);
}

static void count_under(long *lock, long *counter, const char *what)
{
    for (int i = 0; i < ROUNDS; i++) {
        shmem_set_lock(lock);
        step(counter);
        shmem_clear_lock(lock);
    }
    shmem_barrier_all();
    CHECK(shmem_long_g(counter, 0) == (long)ROUNDS * n_pes, "%ld", shmem_long_g(counter, 0));
    CHECK(!*lock, "%lx", (unsigned long)*lock);
    fact("%d PEs count to %d under a %s lock", n_pes, ROUNDS * n_pes, what);
}

static void try_under(long *lock, long *counter)
{
    for (int i = 0; i < ROUNDS / 4; i++) {
        while (shmem_test_lock(lock))
            ;
        step(counter);
        shmem_clear_lock(lock);
        shmem_set_lock(lock);
        step(counter);
        shmem_clear_lock(lock);
    }
    shmem_barrier_all();
    CHECK(shmem_long_g(counter, 0) == ROUNDS / 4 * 2L * n_pes, "%ld", shmem_long_g(counter, 0));
    fact("test_lock and set_lock exclude each other");
}

static void held(long *lock)
{
    if (!me)
        CHECK(!shmem_test_lock(lock), "free at first");
    shmem_barrier_all();
    CHECK(shmem_test_lock(lock) == 1, "held");
    shmem_barrier_all();
    if (!me)
        shmem_clear_lock(lock);
    shmem_barrier_all();
    fact("test_lock is 1 while a PE holds the lock");
}

int main(void)
{
    long *heap_lock;
    int status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    heap_lock = need(8 * sizeof(*heap_lock));
    count_under(&heap_lock[3], &counters[0], "heap");
    count_under(&fixed_lock, &counters[1], "static");
    try_under(&heap_lock[5], &counters[2]);
    held(&fixed_lock);
    status = finish();
    shmem_finalize();
    return status;
}
