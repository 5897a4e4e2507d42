/* thread.c - the thread that carries out what other PEs send while the program computes.
 *
 * It sleeps on the worker's descriptor, and costs nothing while nothing comes. A thread of
 * the program that waits moves the worker on by itself (gsh_ucx_progress()), at a lower
 * latency: while it does, this thread would be woken in vain by each message, and so naps.
 * It knows of them by the turns that they count. After a nap without a turn, or when they
 * rest, nobody has armed the worker, and messages may have come: it moves the worker on, arms
 * it, and sleeps.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/log.h"
#include "tr/ucx/ucx.h"
#include "util/fault.h"
#include "watch/stuck.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_NAP_NS = 50 * 1000, LONGEST_NAP_NS = 400 * 1000 };

int gsh_ucx_progress(struct gsh_tr *tr)
{
    struct gsh_ucx *ucx = tr->priv;
    unsigned n;

    atomic_fetch_add_explicit(&ucx->turns, 1, memory_order_relaxed);
    if (gsh_ucx_halted() || pthread_mutex_trylock(&ucx->lock))
        return 0;
    n = gsh_ucx_turn(ucx);
    pthread_mutex_unlock(&ucx->lock);
    return (int)n;
}

/* Moves the worker on until nothing is left; true when the descriptor will tell of more. */
static bool drain(struct gsh_ucx *ucx)
{
    int8_t status;

    pthread_mutex_lock(&ucx->lock);
    while (gsh_ucx_turn(ucx))
        continue;
    status = gsh_ucp.worker_arm(ucx->worker);
    pthread_mutex_unlock(&ucx->lock);
    return status == GSH_UCS_OK;
}

void gsh_ucx_rest(struct gsh_tr *tr)
{
    struct gsh_ucx *ucx = tr->priv;

    if (atomic_exchange(&ucx->naps, 0))
        syscall(SYS_futex, &ucx->naps, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Lets the program's threads wait by themselves for as long as they do. */
static void nap_while_used(struct gsh_ucx *ucx)
{
    struct timespec nap = { .tv_nsec = FIRST_NAP_NS };
    uint32_t turns;

    atomic_store(&ucx->naps, 1);
    do {
        turns = atomic_load_explicit(&ucx->turns, memory_order_relaxed);
        syscall(SYS_futex, &ucx->naps, FUTEX_WAIT_PRIVATE, 1, &nap, NULL, 0);
        nap.tv_nsec = nap.tv_nsec * 2 < LONGEST_NAP_NS ? nap.tv_nsec * 2 : LONGEST_NAP_NS;
    } while (atomic_load(&ucx->naps) &&
             atomic_load_explicit(&ucx->turns, memory_order_relaxed) != turns);
    atomic_store(&ucx->naps, 0);
}

static void *run(void *arg)
{
    struct gsh_ucx *ucx = arg;
    struct pollfd p[] = { { .fd = ucx->worker_fd, .events = POLLIN },
                          { .fd = ucx->stop_fd, .events = POLLIN } };
    uint32_t seen = atomic_load(&ucx->turns);

    gsh_stuck_own(false);
    while (!p[1].revents && !gsh_ucx_halted()) {
        uint32_t turns = atomic_load_explicit(&ucx->turns, memory_order_relaxed);

        if (turns != seen)
            nap_while_used(ucx);
        seen = atomic_load_explicit(&ucx->turns, memory_order_relaxed);
        if (drain(ucx))
            poll(p, 2, -1);
        else
            poll(&p[1], 1, 0);
    }
    gsh_stuck_disown();
    return NULL;
}

/* It must not run handlers of the program. */
int gsh_ucx_thread_start(struct gsh_ucx *ucx)
{
    sigset_t all, before;
    int err;

    ucx->stop_fd = gsh_fault_fails("ucx.thread") ? -1 : eventfd(0, EFD_CLOEXEC);
    if (ucx->stop_fd < 0)
        return gsh_miss(-errno, "no event descriptor for the thread that receives: %s",
                        strerror(errno));
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    err = pthread_create(&ucx->thread, NULL, run, ucx);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err) {
        close(ucx->stop_fd);
        return gsh_miss(-err, "cannot start the thread that receives: %s", strerror(err));
    }
    ucx->started = true;
    return 0;
}

void gsh_ucx_thread_stop(struct gsh_ucx *ucx)
{
    const uint64_t one = 1;

    if (!ucx->started)
        return;
    ucx->started = false;
    if (write(ucx->stop_fd, &one, sizeof(one)) == sizeof(one))
        pthread_join(ucx->thread, NULL);
    close(ucx->stop_fd);
}
