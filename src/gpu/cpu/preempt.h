/* preempt.h - the timer that takes the core from threads of kernels which spin. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_CPU_PREEMPT_H
#define GSH_GPU_CPU_PREEMPT_H

#include <stdbool.h>
#include <time.h>

struct ticker {
    timer_t timer;
    bool made;
    bool armed;
};

/* For the calling thread, which is one of the pool: what it needs of signals. */
void gsh_cpu_preempt_thread(void);

void gsh_cpu_preempt_arm(struct ticker *ticker, bool on);

/* Between on and off no other thread of its block takes the core from the caller, which calls
 * nothing of the engine. */
void gsh_cpu_preempt_hold(bool on);

#endif /* GSH_GPU_CPU_PREEMPT_H */
