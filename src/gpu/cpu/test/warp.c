/* Lanes of a warp give each other values and meet, all of them or those of a mask, in
 * whole and partial warps, and know who runs with them. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/cpu/test/launch.h"
#include "util/test/tap.h"

#include <stdatomic.h>

static _Atomic uint32_t wrong;

static void must(bool good)
{
    if (!good)
        atomic_fetch_add(&wrong, 1);
}

static bool all_well(int err)
{
    return !err && !atomic_exchange(&wrong, 0);
}

static uint32_t lane(void)
{
    return rank() % GSH_CPU_WARP;
}

/* Exchanges in this mask, and looks at what has come from `want`, the lanes that exist. */
static void exchange_in(uint32_t mask, uint32_t want, uint64_t salt)
{
    uint64_t out[GSH_CPU_WARP];
    uint32_t base = rank() - lane();

    must(gsh_cpu_exchange(mask, salt + rank(), out) == want);
    for (uint32_t i = 0; i < GSH_CPU_WARP; i++)
        must(out[i] == (want >> i & 1 ? salt + base + i : 0));
}

static uint32_t existing(void)
{
    uint32_t base = rank() - lane(), n = gsh_cpu_block_dim.x;

    return n - base >= GSH_CPU_WARP ? UINT32_MAX : (1u << (n - base)) - 1;
}

static void exchange_all(void *args)
{
    (void)args;
    for (uint64_t i = 0; i < 20; i++)
        exchange_in(UINT32_MAX, existing(), i << 40);
}

static void exchange_parts(void *args)
{
    uint32_t odd = lane() % 2 ? 0xaaaaaaaa : 0x55555555;
    uint32_t quarter = 0xffu << lane() / 8 * 8;

    (void)args;
    for (uint64_t i = 0; i < 20; i++) {
        exchange_in(odd, odd, i << 40);
        exchange_in(quarter, quarter, i << 40 | 1u << 20);
    }
}

/* Lane 0 meets each other lane alone, while the rest of them wait for it. */
static void exchange_pairs(void *args)
{
    (void)args;
    for (uint64_t i = 1; i < GSH_CPU_WARP; i++)
        if (lane() == 0 || lane() == i)
            exchange_in(1u | 1u << i, 1u | 1u << i, i << 40);
}

static void exchange_then_end(void *args)
{
    (void)args;
    for (uint32_t i = 0; i <= lane(); i++)
        exchange_in(UINT32_MAX, UINT32_MAX << i, i);
}

static void end_while_waited_for(void *args)
{
    (void)args;
    if (lane() == 7) {
        for (int i = 0; i < 5; i++)
            gsh_cpu_yield();
        return;
    }
    gsh_cpu_syncwarp(UINT32_MAX);
    exchange_in(UINT32_MAX, ~(1u << 7), 3);
}

static void turn(void *args)
{
    static _Thread_local uint32_t words[GSH_CPU_MAX_THREADS];
    uint32_t other = rank() - lane() + (lane() + 1) % GSH_CPU_WARP;

    (void)args;
    for (uint32_t i = 0; i < 20; i++) {
        words[rank()] = i;
        gsh_cpu_syncwarp(UINT32_MAX);
        must(words[other] == i);
        gsh_cpu_syncwarp(UINT32_MAX);
    }
}

static void branch(void *args)
{
    uint32_t mine;

    (void)args;
    must(gsh_cpu_activemask() == existing());
    if (lane() % 3 == 0) {
        mine = gsh_cpu_activemask();
        must(mine == (0x49249249 & existing()));
        gsh_cpu_syncwarp(mine);
    } else if (lane() % 3 == 1) {
        mine = gsh_cpu_activemask();
        must(mine == (0x92492492 & existing()));
        exchange_in(mine, mine, 5);
    }
    gsh_cpu_syncwarp(UINT32_MAX);
    if (lane() % 2)
        return;
    must(gsh_cpu_activemask() == (0x55555555 & existing()));
}

static void try(void (*run)(void *), uint32_t threads, const char *fact)
{
    tap_ok(all_well(launch("k", run, NULL, DIM(2, 1, 1), DIM(threads, 1, 1), 0)), fact, threads);
}

int main(void)
{
    try(exchange_all, 1, "a lane alone meets itself (block of %u)");
    try(exchange_all, 33, "lanes that do not exist are not waited for (block of %u)");
    try(exchange_all, 1024, "every lane gets the values of its warp (block of %u)");
    try(exchange_parts, 64, "lanes of a mask meet apart from others (block of %u)");
    try(exchange_pairs, 96, "masks that share a lane are kept apart (block of %u)");
    try(exchange_then_end, 64, "lanes that have ended are not waited for (block of %u)");
    try(end_while_waited_for, 64, "the lanes left meet when one that misses ends (block of %u)");
    try(turn, 1024, "lanes see what others wrote before __syncwarp (block of %u)");
    try(branch, 64, "the active lanes are those of the same branch (block of %u)");
    try(branch, 41, "the active lanes exist (block of %u)");
    return tap_end();
}
