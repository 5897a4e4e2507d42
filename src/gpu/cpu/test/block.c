/* The threads of a block each run once, know who they are, and meet in barriers, whatever
 * the block's size and shape, and when some of them end early. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"
#include "gpu/cpu/test/launch.h"
#include "util/test/tap.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic uint32_t wrong;
static _Atomic uint32_t seen[8192];

static void must(bool good)
{
    if (!good)
        atomic_fetch_add(&wrong, 1);
}

static bool all_well(int err)
{
    return !err && !atomic_exchange(&wrong, 0);
}

static void count_me(void *args)
{
    struct gsh_cpu_dim t = gsh_cpu_thread_idx, b = gsh_cpu_block_idx;
    struct gsh_cpu_dim bd = gsh_cpu_block_dim, gd = gsh_cpu_grid_dim;
    uint32_t thread = t.x + bd.x * (t.y + bd.y * t.z);
    uint32_t block = b.x + gd.x * (b.y + gd.y * b.z);

    (void)args;
    must(thread == rank());
    must(!memcmp(&t, &gsh_cpu_fiber->tid, sizeof(t)));
    atomic_fetch_add(&seen[block * bd.x * bd.y * bd.z + thread], 1);
}

static void each_runs_once(struct gsh_cpu_dim grid, struct gsh_cpu_dim block)
{
    uint32_t n = grid.x * grid.y * grid.z * block.x * block.y * block.z;
    bool once = true;
    int err;

    memset(seen, 0, sizeof(seen));
    err = LAUNCH(count_me, NULL, grid, block);
    for (uint32_t i = 0; i < n + 1 && i < 8192; i++)
        once = once && seen[i] == (i < n);
    tap_ok(all_well(err) && once, "each thread of (%u,%u,%u) blocks of (%u,%u,%u) runs once",
           grid.x, grid.y, grid.z, block.x, block.y, block.z);
}

static void turn(void *args)
{
    static _Thread_local uint32_t words[GSH_CPU_MAX_THREADS];
    uint32_t me = rank(), n = gsh_cpu_block_dim.x;

    (void)args;
    for (uint32_t round = 0; round < 50; round++) {
        words[me] = round * n + me;
        sync_block();
        must(words[(me + 1) % n] == round * n + (me + 1) % n);
        must(gsh_cpu_thread_idx.x == me);
        sync_block();
    }
}

static void vote(void *args)
{
    uint32_t n = gsh_cpu_block_dim.x;

    (void)args;
    for (uint32_t i = 0; i < 10; i++) {
        must(gsh_cpu_syncthreads(GSH_CPU_COUNT, rank() < i) == (int)(i < n ? i : n));
        must(gsh_cpu_syncthreads(GSH_CPU_AND, rank() != i) == (i >= n));
        must(gsh_cpu_syncthreads(GSH_CPU_OR, rank() == i) == (i < n));
        must(gsh_cpu_syncthreads(GSH_CPU_OR, 0) == 0);
    }
}

/* Thread i ends after i barriers. */
static void leave_early(void *args)
{
    uint32_t n = gsh_cpu_block_dim.x;

    (void)args;
    for (uint32_t i = 0; i < rank(); i++)
        must(gsh_cpu_syncthreads(GSH_CPU_COUNT, 1) == (int)(n - 1 - i));
}

/* All others are in the barrier when the last thread ends. */
static void leave_last(void *args)
{
    (void)args;
    if (rank() == 0) {
        for (int i = 0; i < 10; i++)
            gsh_cpu_yield();
        return;
    }
    must(gsh_cpu_syncthreads(GSH_CPU_COUNT, 1) == (int)gsh_cpu_block_dim.x - 1);
}

/* Two halves that meet apart, then hand words to each other. */
static void halves(void *args)
{
    static _Thread_local int words[2];
    unsigned half = rank() / 32;

    (void)args;
    for (int i = 0; i < 20; i++) {
        if (rank() % 32 == 0)
            words[half] = i;
        gsh_cpu_barrier(half + 1, 32);
        must(words[half] == i);
        gsh_cpu_barrier(15, 64);
        must(words[!half] == i);
        gsh_cpu_barrier(0, 64);
    }
}

static void hand_on(void *args)
{
    static _Thread_local _Atomic uint32_t turn_of;

    (void)args;
    if (rank() == 0)
        turn_of = 0;
    sync_block();
    for (uint32_t i = 0; i < 2; i++) {
        gsh_cpu_enter("a wait", __builtin_return_address(0));
        while (turn_of != i * gsh_cpu_block_dim.x + gsh_cpu_block_dim.x - 1 - rank())
            gsh_cpu_yield();
        turn_of++;
    }
}

static void use_shared(void *args)
{
    uint32_t *words = gsh_cpu_dynamic_shared();

    (void)args;
    must((uintptr_t)words % 128 == 0);
    words[rank()] = gsh_cpu_block_idx.x * 1000 + rank();
    sync_block();
    must(words[gsh_cpu_block_dim.x - 1 - rank()] ==
         gsh_cpu_block_idx.x * 1000 + gsh_cpu_block_dim.x - 1 - rank());
}

static void refuses(struct gsh_cpu_dim grid, struct gsh_cpu_dim block, const char *what)
{
    tap_ok(LAUNCH(count_me, NULL, grid, block) == -EINVAL && strstr(gsh_last_error(), "count_me"),
           "%s is refused, with the kernel's name", what);
}

int main(void)
{
    static const uint32_t sizes[] = { 1, 2, 31, 33, 256, 1024 };

    each_runs_once(DIM(1, 1, 1), DIM(1, 1, 1));
    each_runs_once(DIM(1, 1, 1), DIM(33, 1, 1));
    each_runs_once(DIM(2, 1, 1), DIM(1024, 1, 1));
    each_runs_once(DIM(2, 3, 4), DIM(8, 4, 2));
    each_runs_once(DIM(1, 5, 2), DIM(3, 5, 7));
    each_runs_once(DIM(3, 1, 1), DIM(1, 1, 64));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct gsh_cpu_dim size = { sizes[i], 1, 1 };

        tap_ok(all_well(LAUNCH(turn, NULL, DIM(3, 1, 1), size)),
               "%u threads see what others wrote before a barrier", sizes[i]);
        tap_ok(all_well(LAUNCH(vote, NULL, DIM(2, 1, 1), size)),
               "barriers of %u threads combine predicates", sizes[i]);
        tap_ok(all_well(LAUNCH(leave_early, NULL, DIM(2, 1, 1), size)),
               "barriers of %u threads do not wait for threads that have ended", sizes[i]);
        tap_ok(all_well(LAUNCH(leave_last, NULL, DIM(2, 1, 1), size)),
               "a barrier of %u threads is passed when the one that misses ends", sizes[i]);
        tap_ok(all_well(LAUNCH(hand_on, NULL, DIM(2, 1, 1), size)),
               "%u threads wait for each other with yields, in any order", sizes[i]);
    }
    tap_ok(all_well(LAUNCH(halves, NULL, DIM(2, 1, 1), DIM(64, 1, 1))),
           "named barriers hold parts of a block apart");
    tap_ok(all_well(LAUNCH(use_shared, NULL, DIM(5, 1, 1), DIM(100, 1, 1))),
           "dynamic shared memory is the block's own, and aligned");
    tap_ok(!gsh_cpu_fiber && !gsh_cpu_dynamic_shared(), "the host is no thread of a kernel");
    refuses(DIM(1, 1, 1), DIM(1025, 1, 1), "a block of 1025 threads");
    refuses(DIM(1, 1, 1), DIM(33, 32, 1), "a block of 33 x 32 threads");
    refuses(DIM(1, 1, 1), DIM(1, 0, 1), "a block without threads");
    refuses(DIM(1, 0, 1), DIM(1, 1, 1), "a grid without blocks");
    return tap_end();
}
