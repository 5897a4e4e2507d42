/* OpenSHMEM 1.5, section 10: a profiler that defines shmem_ calls sees every call of the program,
 * generic ones too, and gets on with pshmem_. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <pshmem.h>

static int puts_seen, barriers_seen, level_seen = -1;

void shmem_int_put(int *dest, const int *source, size_t nelems, int pe)
{
    puts_seen++;
    pshmem_int_put(dest, source, nelems, pe);
}

void shmem_barrier_all(void)
{
    barriers_seen++;
    pshmem_barrier_all();
}

void shmem_pcontrol(int level, ...)
{
    level_seen = level;
}

static int word; /* symmetric */

int main(void)
{
    int me, n_pes, status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    shmem_int_put(&word, &me, 1, (me + 1) % n_pes);
    shmem_barrier_all();
    CHECK(word == (me + n_pes - 1) % n_pes, "%d", word);
    shmem_barrier_all();
    shmem_put(&word, &(int){ me + 50 }, 1, (me + 1) % n_pes);
    shmem_barrier_all();
    CHECK(word == (me + n_pes - 1) % n_pes + 50, "%d", word);
    CHECK(puts_seen == 2 && barriers_seen == 3, "%d, %d", puts_seen, barriers_seen);
    fact("calls go through the profiler and work");
    shmem_pcontrol(2);
    CHECK(level_seen == 2, "%d", level_seen);
    fact("pcontrol reaches the profiler");
    status = finish();
    shmem_finalize();
    return status;
}
