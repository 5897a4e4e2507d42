/* raw.c - the raw limits; see raw.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

#include <sched.h>
#include <string.h>

#define MAX_POLLS 1000000

/* The size and the places are not known to the compiler, as in a library. */
static __attribute__((noinline)) void copy(void *dst, const void *src, size_t bytes)
{
    memcpy(dst, src, bytes);
    __asm__ volatile("" ::: "memory");
}

void bench_raw_put(struct bench_at *at, int calls)
{
    for (int i = 0; at->me == 0 && i < calls; i++)
        copy(at->peer_dst, at->src, at->bytes);
}

void bench_raw_get(struct bench_at *at, int calls)
{
    for (int i = 0; at->me == 0 && i < calls; i++)
        copy(at->dst, at->peer_src, at->bytes);
}

void bench_raw_add(struct bench_at *at, int calls)
{
    for (int i = 0; at->me == 0 && i < calls; i++)
        __atomic_fetch_add(&at->peer_flags->raw, 1, __ATOMIC_SEQ_CST);
}

/* Tells the core that this is a polling loop: the flag comes sooner so. */
#if defined(__x86_64__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX() __asm__ volatile("yield" ::: "memory")
#else
#define RELAX() ((void)0)
#endif

/* The yield is for more PEs than cores; with a core each it is not reached. */
static void await(const long *flag, long value)
{
    for (long polls = 0; __atomic_load_n(flag, __ATOMIC_ACQUIRE) < value; polls++) {
        RELAX();
        if (polls > MAX_POLLS)
            sched_yield();
    }
}

static void hand_over(struct bench_at *at, int calls, size_t bytes)
{
    for (int i = 0; at->me < 2 && i < calls; i++) {
        long turn = ++at->raw_turn;

        if (at->me == 1)
            await(&at->flags->raw, turn);
        if (bytes)
            copy(at->peer_dst, at->src, bytes);
        __atomic_store_n(&at->peer_flags->raw, turn, __ATOMIC_RELEASE);
        if (at->me == 0)
            await(&at->flags->raw, turn);
    }
}

void bench_raw_flag(struct bench_at *at, int calls)
{
    hand_over(at, calls, 0);
}

void bench_raw_flag_copy(struct bench_at *at, int calls)
{
    hand_over(at, calls, at->bytes);
}

/* The peer can be one turn ahead, never two: flags only grow, and await() takes more. */
static void meet(struct bench_at *at, int calls, size_t bytes)
{
    for (int i = 0; at->me < 2 && i < calls; i++) {
        long turn = ++at->raw_turn;

        __atomic_store_n(&at->peer_flags->raw, turn, __ATOMIC_RELEASE);
        await(&at->flags->raw, turn);
        if (bytes)
            copy(at->dst, at->peer_src, bytes);
    }
}

void bench_raw_meet(struct bench_at *at, int calls)
{
    meet(at, calls, 0);
}

void bench_raw_meet_gather(struct bench_at *at, int calls)
{
    meet(at, calls, at->bytes);
}
