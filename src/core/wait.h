/* wait.h - how this library waits: poll, then yield, then sleep; never for ever.
 *
 *     struct gsh_wait wait = { .call = "nvshmem_barrier_all", .describe = tell, .arg = x };
 *     while (!condition)
 *         gsh_pause(&wait);
 *     gsh_wait_end(&wait);
 *
 * The condition must become true by a store to this PE's window that is followed
 * by gsh_ring() of this PE (gsh_ring_flag() for a flag), or, for words that users may
 * write themselves, by any store: a sleeper looks again after at most 20 ms. When the job must end,
 * or GSHMEM_TIMEOUT passes, or describe() finds the wait hopeless, gsh_pause() prints who waits for
 * what and does not return.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_WAIT_H
#define GSH_CORE_WAIT_H

#include "core/state.h"
#include "util/cpu.h"

struct gsh_wait {
    const char *call;  /* name of the public call that waits */
    const void *where; /* return address of that call; NULL: to be found, and so is call */
    /* Writes what is waited for and what was last seen, e.g. "for PE 3 (PEs 1 2
     * have come)". Returns true when it can never come, and then the text says
     * why. */
    bool (*describe)(const struct gsh_wait *wait, char *text, size_t bytes);
    const void *arg; /* describe()'s own */
    bool flag;       /* for a flag, which only gsh_flag_set() writes */
    /* For wait.c: */
    int polls;
    bool armed;
    uint32_t rings;
    int64_t since_ns;
    int64_t looked_ns;
    int64_t dead_ns; /* since when a PE of this machine is seen to be dead */
    bool hopeless;   /* describe() said so at the last look */
    bool told;       /* has said where it waits, as the job is stuck */
};

void gsh_pause_slow(struct gsh_wait *wait);

/* The looks that gsh_pause() takes, for waits that pause in another way: true when the
 * wait cannot end, with the reason. describe may be NULL. Reads the clock each time. */
bool gsh_wait_is_lost(struct gsh_wait *wait, char *why, size_t bytes);

/* Delivers what transports have for this PE, and leaves that to them: tr/transport.h. */
int gsh_tr_progress(void);
void gsh_tr_rest(void);

/* What is waited for may be on its way as long as something arrives. */
static inline void gsh_pause(struct gsh_wait *wait)
{
    if (__builtin_expect(gsh.remote, 0) && gsh_tr_progress())
        wait->polls = 0;
    if (wait->polls++ < gsh.spin)
        gsh_cpu_relax();
    else
        gsh_pause_slow(wait);
}

void gsh_wait_disarm(struct gsh_wait *wait);

static inline void gsh_wait_end(struct gsh_wait *wait)
{
    if (__builtin_expect(wait->armed, 0))
        gsh_wait_disarm(wait);
}

void gsh_wake(struct gsh_bell *bell);

/* After a store to the peer's memory: wakes it if it sleeps. Without a full fence
 * since that store a sleeper can be missed once, and then looks by itself. */
static inline void gsh_ring(struct gsh_bell *bell)
{
    if (__builtin_expect(atomic_load_explicit(&bell->sleepers, memory_order_relaxed), 0))
        gsh_wake(bell);
}

/* The same for whoever waits for a flag or for any other word. */
static inline void gsh_ring_flag(struct gsh_bell *bell)
{
    if (__builtin_expect(atomic_load_explicit(&bell->flag_sleepers, memory_order_relaxed) |
                             atomic_load_explicit(&bell->sleepers, memory_order_relaxed),
                         0))
        gsh_wake(bell);
}

#endif /* GSH_CORE_WAIT_H */
