/* Grids run to their end: cooperative ones, those that are larger than the device, those
 * whose blocks wait for each other, several at once, and many in a row. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"
#include "gpu/cpu/test/launch.h"
#include "util/test/tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { BLOCKS = 40, HOSTS = 4 };

struct work {
    uint32_t words[BLOCKS];
    _Atomic uint32_t count;
    _Atomic uint32_t wrong;
};

/* Plain words of other blocks are read between grid barriers. */
static void rounds(void *args)
{
    struct work *work = args;
    uint32_t me = gsh_cpu_block_idx.x, n = gsh_cpu_grid_dim.x;

    for (uint32_t i = 0; i < 20; i++) {
        if (rank() == i % gsh_cpu_block_dim.x)
            work->words[me] = i;
        gsh_cpu_syncgrid();
        if (work->words[(me + 1 + rank()) % n] != i)
            work->wrong++;
        gsh_cpu_syncgrid();
    }
}

static void leave_before(void *args)
{
    struct work *work = args;

    if (rank() % 2) {
        for (uint32_t i = 0; i < rank(); i++)
            gsh_cpu_yield();
        return;
    }
    gsh_cpu_syncgrid();
    work->count++;
}

static void count_me(void *args)
{
    struct work *work = args;

    sync_block();
    work->count++;
}

static void wait_for_all(void *args)
{
    struct work *work = args;

    if (rank() == 0)
        work->count++;
    while (work->count < gsh_cpu_grid_dim.x)
        gsh_cpu_yield();
}

/* No call at all, and one thread a block. */
static void spin_for_all(void *args)
{
    struct work *work = args;

    work->count++;
    while (work->count < gsh_cpu_grid_dim.x)
        ;
}

static void *one_of_many(void *arg)
{
    struct work *work = arg;

    for (int i = 0; i < 20; i++) {
        work->count = 0;
        if (LAUNCH(count_me, work, DIM(5, 1, 1), DIM(33, 1, 1)) || work->count != 5 * 33)
            work->wrong++;
        if (LAUNCH_TOGETHER(rounds, work, DIM(3, 1, 1), DIM(4, 1, 1)))
            work->wrong++;
    }
    return NULL;
}

static bool several_at_once(void)
{
    static struct work works[HOSTS];
    pthread_t threads[HOSTS];
    uint32_t wrong = 0;

    for (int i = 0; i < HOSTS; i++)
        pthread_create(&threads[i], NULL, one_of_many, &works[i]);
    for (int i = 0; i < HOSTS; i++) {
        pthread_join(threads[i], NULL);
        wrong += works[i].wrong;
    }
    return !wrong;
}

static bool many_in_a_row(struct work *work)
{
    bool good = true;

    for (uint32_t i = 0; i < 1000 && good; i++) {
        uint32_t blocks = 1 + i % 3, threads = 1 + i % 67;

        work->count = 0;
        good = !LAUNCH(count_me, work, DIM(blocks, 1, 1), DIM(threads, 1, 1)) &&
               work->count == blocks * threads;
    }
    return good;
}

static void together(struct work *work, uint32_t threads)
{
    tap_ok(!LAUNCH_TOGETHER(rounds, work, DIM(BLOCKS, 1, 1), DIM(threads, 1, 1)) && !work->wrong,
           "%d blocks of %u threads see what others wrote before a grid barrier", BLOCKS, threads);
}

int main(void)
{
    static struct work work;
    int most = gsh_cpu_resident_blocks(1024, 0);

    together(&work, 1);
    together(&work, 33);
    LAUNCH_TOGETHER(leave_before, &work, DIM(4, 1, 1), DIM(8, 1, 1));
    tap_ok(work.count == 4 * 4, "threads that have ended are not waited for in a grid barrier");
    tap_ok(most > 0 && gsh_cpu_resident_blocks(32, 0) >= most &&
               gsh_cpu_resident_blocks(32, GSH_CPU_SHARED_BYTES) <= GSH_CPU_SMS &&
               !gsh_cpu_resident_blocks(1025, 0) && !gsh_cpu_resident_blocks(0, 0),
           "fewer blocks are resident the larger they are");
    tap_ok(LAUNCH_TOGETHER(rounds, &work, DIM((uint32_t)most + 1, 1, 1), DIM(1024, 1, 1)) ==
                   -E2BIG &&
               strstr(gsh_last_error(), "cooperative"),
           "a cooperative grid that is too large is refused");
    work.count = 0;
    tap_ok(!LAUNCH(count_me, &work, DIM(100, 3, 1), DIM(256, 1, 1)) && work.count == 300 * 256,
           "a grid larger than the device runs to its end");
    work.count = 0;
    tap_ok(!LAUNCH(wait_for_all, &work, DIM(64, 1, 1), DIM(33, 1, 1)) && work.count == 64,
           "64 blocks that wait for each other all run");
    work.count = 0;
    tap_ok(!LAUNCH(spin_for_all, &work, DIM(16, 1, 1), DIM(1, 1, 1)) && work.count == 16,
           "16 blocks that spin for each other all run");
    tap_ok(several_at_once(), "%d host threads run grids at once", HOSTS);
    tap_ok(many_in_a_row(&work), "1000 launches in a row run all their threads");
    return tap_end();
}
