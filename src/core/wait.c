/* wait.c - the slow part of waiting: yield, sleep, and look whether it is still
 * worth it.
 *
 * A waiter that has polled gsh.spin times yields its core a few times and then
 * sleeps on the bell of its own PE. It first counts itself among the sleepers and
 * reads `rings`; its caller then looks at the condition once more; only then it
 * sleeps, and only if nobody has rung since. The fence in arm() pairs with the one
 * between the writer's store and its look at the sleepers (gsh_flag_set()).
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/wait.h"
#include "core/env.h"
#include "core/escape.h"
#include "core/log.h"
#include "util/where.h"
#include "watch/stuck.h"
#include "watch/watch.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    YIELDS = 100,                 /* before the first sleep */
    FIRST_SLEEP_NS = 1000 * 1000, /* for words that are stored to without a ring */
    LONGEST_SLEEP_NS = 20 * 1000 * 1000,
    LOOK_NS = 50 * 1000 * 1000, /* from one look at the others to the next, at least */
    LOOK_NS_A_PE = 2 * 1000 * 1000,
    DEAD_SECONDS = 2, /* for the launcher, which knows more, to speak first */
};

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void gsh_wake(struct gsh_bell *bell)
{
    atomic_fetch_add(&bell->rings, 1);
    syscall(SYS_futex, &bell->rings, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static _Atomic uint32_t *sleepers(const struct gsh_wait *wait)
{
    struct gsh_bell *bell = &gsh_inner()->bell;

    return wait->flag ? &bell->flag_sleepers : &bell->sleepers;
}

static void arm(struct gsh_wait *wait)
{
    struct gsh_bell *bell = &gsh_inner()->bell;

    atomic_fetch_add(sleepers(wait), 1);
    wait->rings = atomic_load(&bell->rings);
    wait->armed = true;
    atomic_thread_fence(memory_order_seq_cst);
}

void gsh_wait_disarm(struct gsh_wait *wait)
{
    atomic_fetch_sub(sleepers(wait), 1);
    wait->armed = false;
}

static void doze(struct gsh_wait *wait)
{
    struct gsh_bell *bell = &gsh_inner()->bell;
    int64_t ns = FIRST_SLEEP_NS;

    for (int i = gsh.spin + YIELDS + 2; i < wait->polls && ns < LONGEST_SLEEP_NS; i += 2)
        ns += ns;

    struct timespec limit = { .tv_nsec = ns < LONGEST_SLEEP_NS ? ns : LONGEST_SLEEP_NS };

    if (gsh.remote)
        gsh_tr_rest();
    syscall(SYS_futex, &bell->rings, FUTEX_WAIT, wait->rings, &limit, NULL, 0);
    /* Where one message came others may follow, and who polls gets them sooner. */
    if (gsh.remote && atomic_load(&bell->rings) != wait->rings)
        wait->polls = 0;
}

static void tell(const struct gsh_wait *wait, char *text, size_t bytes)
{
    const char *call = wait->call;
    const void *from = wait->where;
    char what[768];
    char where[256];

    if (!from)
        gsh_where_entered(&call, &from);
    wait->describe(wait, what, sizeof(what));
    gsh_where(from, where, sizeof(where));
    snprintf(text, bytes, "%s at %s has waited %.1f s %s", call, where,
             (double)(now_ns() - wait->since_ns) * 1e-9, what);
}

/* Says who waits for what, and ends the job, or the call with an error. */
_Noreturn static void give_up(struct gsh_wait *wait, const char *why)
{
    char text[1024];

    if (wait->told)
        _exit(EXIT_FAILURE); /* it is the job's end that comes */
    tell(wait, text, sizeof(text));
    gsh_wait_end(wait);
    gsh_escape_or_die("%s: %s", why, text);
}

/* With GSHMEM_CHECK: tells that this thread waits, and where when the job is stuck. */
static void check(struct gsh_wait *wait)
{
    static _Thread_local uint64_t waits;
    char text[1024];

    waits += !wait->since_ns;
    gsh_stuck_poll(waits);
    if (wait->told || !gsh_stuck_is())
        return;
    wait->told = true;
    if (!gsh_stuck_may_speak())
        return;
    tell(wait, text, sizeof(text));
    gsh_log(GSH_ERROR, GSH_WATCH, "%s", text);
}

/* A PE of this machine whose process has ended while it was in the job; -1 none. */
static int find_dead(void)
{
    for (int pe = 0; pe < gsh.n_pes; pe++) {
        const struct gsh_peer *peer = &gsh.peers[pe];
        struct gsh_inner *inner = (struct gsh_inner *)(void *)peer->base;

        if (inner && gsh_pe_state(pe) == GSH_PE_RUNNING && gsh_watch_is_dead(inner))
            return pe;
    }
    return -1;
}

/* The life line tells who dies, but not while the launcher is stopped. */
static bool has_lost_a_pe(struct gsh_wait *wait, int64_t now, char *why, size_t bytes)
{
    int pe = find_dead();

    if (pe < 0)
        wait->dead_ns = 0;
    else if (!wait->dead_ns)
        wait->dead_ns = now;
    if (pe < 0 || now - wait->dead_ns < DEAD_SECONDS * INT64_C(1000000000))
        return false;
    atomic_store(&gsh.peers[pe].state, GSH_PE_GONE);
    snprintf(why, bytes, "PE %d ended without a word: its process is gone", pe);
    return true;
}

/* Twice in a row: who has ended may have written the word just before. */
static bool is_hopeless(struct gsh_wait *wait, char *why, size_t bytes)
{
    char text[768];
    bool before = wait->hopeless;

    wait->hopeless = wait->describe && wait->describe(wait, text, sizeof(text));
    snprintf(why, bytes, "this can never come");
    return before && wait->hopeless;
}

/* A look touches the windows of all PEs, and the first touch of each costs two pages
 * of page tables: with a thousand PEs, who all do it, gigabytes. */
static int64_t look_interval_ns(void)
{
    int64_t ns = (int64_t)gsh.n_pes * LOOK_NS_A_PE;

    return ns > LOOK_NS ? ns : LOOK_NS;
}

bool gsh_wait_is_lost(struct gsh_wait *wait, char *why, size_t bytes)
{
    int64_t now = now_ns();

    if (!wait->since_ns)
        wait->since_ns = wait->looked_ns = now;
    if (atomic_load(&gsh.alert)) {
        snprintf(why, bytes, "%s", gsh_watch_cause());
        return true;
    }
    if (gsh_env.TIMEOUT > 0 && now - wait->since_ns > gsh_env.TIMEOUT * INT64_C(1000000000)) {
        snprintf(why, bytes, "GSHMEM_TIMEOUT has passed");
        return true;
    }
    if (now - wait->looked_ns < look_interval_ns())
        return false;
    wait->looked_ns = now;
    return has_lost_a_pe(wait, now, why, bytes) || is_hopeless(wait, why, bytes);
}

void gsh_pause_slow(struct gsh_wait *wait)
{
    char why[256];

    if (gsh_env.CHECK)
        check(wait);
    if (gsh_wait_is_lost(wait, why, sizeof(why)))
        give_up(wait, why);
    if (wait->polls < gsh.spin + YIELDS) {
        sched_yield();
    } else if (!wait->armed) {
        arm(wait);
    } else {
        doze(wait);
        gsh_wait_disarm(wait);
    }
}
