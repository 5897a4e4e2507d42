/* A thread of a kernel that spins on plain memory without a call does not keep the others
 * of its block from running, and finds everything as it was when it goes on. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/cpu/sanitize.h"
#include "gpu/cpu/test/launch.h"
#include "util/test/tap.h"

#include <errno.h>
#include <stdatomic.h>

static volatile int flag;
static _Atomic int wrong;

static void spin(void *args)
{
    (void)args;
    if (rank() == 0) {
        while (!flag)
            ;
        return;
    }
    flag = 1;
}

/* Each waits for the one before it. */
static void chain(void *args)
{
    static volatile uint32_t turn;

    (void)args;
    while (turn != gsh_cpu_block_dim.x - 1 - rank())
        ;
    turn = turn + 1;
    if (turn == gsh_cpu_block_dim.x)
        turn = 0;
}

static double series(int from)
{
    double sum = 0;

    for (int i = from; i < from + 4000000; i++)
        sum += 1.0 / i;
    return sum;
}

/* Threads that compute are interrupted as well, as no call gives up the core. */
static void compute(void *args)
{
    const double *want = args;
    uint32_t me = rank();
    double sum;

    errno = (int)me + 1;
    sum = series(1 + (int)me);
    if (sum != want[me] || errno != (int)me + 1 || rank() != me || gsh_cpu_thread_idx.x != me)
        wrong++;
    gsh_cpu_syncthreads(GSH_CPU_NONE, 0);
}

int main(void)
{
    double want[4];

    if (!GSH_CPU_PREEMPT) {
        printf("1..0 # SKIP this sanitizer delivers no signals to code that spins\n");
        return TAP_SKIP_ALL;
    }
    tap_ok(!LAUNCH(spin, NULL, DIM(1, 1, 1), DIM(2, 1, 1)), "a flag set by another thread is seen");
    flag = 0;
    tap_ok(!LAUNCH(spin, NULL, DIM(1, 1, 1), DIM(1024, 1, 1)), "and in a block of 1024 threads");
    tap_ok(!LAUNCH(chain, NULL, DIM(1, 1, 1), DIM(9, 1, 1)), "nine threads spin for each other");
    for (int i = 0; i < 4; i++)
        want[i] = series(1 + i);
    tap_ok(!LAUNCH(compute, want, DIM(3, 1, 1), DIM(4, 1, 1)) && !wrong,
           "threads that compute keep their registers, errno and threadIdx");
    return tap_end();
}
