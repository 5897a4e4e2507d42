/* stuck.h - finds, with GSHMEM_CHECK, that no PE of the job can ever go on, as all they run
 * waits for what nobody is left to do; and knows this PE's threads for that.
 *
 * Who waits by polling says so with gsh_stuck_poll() at each round. Once the job is found
 * stuck gsh_stuck_is() tells the waiters, which say where they wait, and then it ends.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_WATCH_STUCK_H
#define GSH_WATCH_STUCK_H

#include "core/env.h"
#include "core/state.h"

/* Starts and stops the thread that looks. */
int gsh_stuck_start(void);
void gsh_stuck_stop(void);

/* The calling thread has polled once more, in vain, all that it waits for; between two calls
 * with the same `since` it has done nothing else. */
void gsh_stuck_poll(uint64_t since);

/* The job is stuck. */
static inline bool gsh_stuck_is(void)
{
    return gsh_env.CHECK && gsh.base &&
           atomic_load_explicit(&gsh_inner()->stuck, memory_order_relaxed);
}

/* May one more waiter of this PE say where it waits? Some must do. */
bool gsh_stuck_may_speak(void);

/* The calling thread is one of the library's own, from here on and to its end. One that
 * only listens never writes to symmetric memory. */
void gsh_stuck_own(bool listens);
void gsh_stuck_disown(void);

/* The threads of this process; and n of them, which a library made, write to symmetric
 * memory as little as those that listen. */
int gsh_stuck_threads(void);
void gsh_stuck_own_more(int n);

/* Only the calling thread of this process can write to symmetric memory: there is no other
 * one of the program or its kernels. */
bool gsh_stuck_alone(void);

#endif /* GSH_WATCH_STUCK_H */
