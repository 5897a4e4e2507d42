/* watch.c - reads the life line of the boot method and acts on what it tells.
 *
 * Whatever becomes of the process, the kernel marks the words that a dying thread has
 * on its list of robust futexes. That of the watch thread holds `life` of the PE's
 * window, so that the PEs of the machine see an end that nobody reports.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "watch/watch.h"
#include "core/env.h"
#include "core/log.h"
#include "core/wait.h"
#include "gpu/stage.h"
#include "topo/host.h"
#include "watch/stuck.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Longer than gshrun gives the PEs, so that under gshrun its line is the only
 * one; short enough that all is over in 2 s. */
enum { GRACE_MS = 1200 };

/* For the life line to tell of a PE that a transport does not reach. */
enum { SUSPECT_MS = 3000 };

static pthread_t thread;
static int news_fd = -1; /* readable: look at the following */
static _Atomic bool stopping;
static const char *_Atomic suspected; /* why suspect_pe is; NULL: none is */
static _Atomic int suspect_pe;
static char cause[256];

/* The list: one node, whose word is elsewhere by the same distance for all nodes.
 * Kernel and this thread alone touch it. */
static struct robust_list node;
static struct robust_list_head robust;

static void hold_life(struct gsh_inner *inner)
{
    node.next = &robust.list;
    robust = (struct robust_list_head){ .list.next = &node,
                                        .futex_offset =
                                            (long)((uintptr_t)&inner->life - (uintptr_t)&node) };
    atomic_store(&inner->life, (uint32_t)syscall(SYS_gettid));
    syscall(SYS_set_robust_list, &robust, sizeof(robust));
}

/* From here on the end of the thread is no news. */
static void release_life(struct gsh_inner *inner)
{
    robust.list.next = &robust.list;
    atomic_store(&inner->life, 0);
}

bool gsh_watch_is_dead(const struct gsh_inner *inner)
{
    return atomic_load(&inner->life) & FUTEX_OWNER_DIED;
}

const char *gsh_watch_cause(void)
{
    return atomic_load(&gsh.alert) ? cause : "";
}

static void tell_thread(void)
{
    const uint64_t one = 1;

    while (write(news_fd, &one, sizeof(one)) < 0 && errno == EINTR)
        continue;
}

/* Waits for stop or the time; true when the watch was stopped. */
static bool stopped_within(int ms)
{
    struct pollfd p = { .fd = news_fd, .events = POLLIN };

    return poll(&p, 1, ms) > 0 && atomic_load(&stopping);
}

void gsh_watch_suspect(int pe, const char *why)
{
    const char *none = NULL;

    if (news_fd < 0 || atomic_load(&gsh.alert))
        return;
    atomic_store(&suspect_pe, pe);
    if (atomic_compare_exchange_strong(&suspected, &none, why))
        tell_thread();
}

/* Wakes the blocked calls of this PE, which then end it; ends it itself when it
 * is in none, unless it can learn of a loss from its next call. */
static void end_soon(int status, bool lost)
{
    atomic_store(&gsh.alert, true);
    gsh_gpu_alert();
    gsh_wake(&gsh_inner()->bell);
    if ((lost && gsh_env.SURVIVE) || stopped_within(GRACE_MS))
        return;
    gsh_log(GSH_ERROR, GSH_WATCH, "%s: this PE ends as well", cause);
    _exit(status);
}

static void act(const struct gsh_life_event *event)
{
    switch (event->kind) {
    case GSH_LIFE_NONE:
        return;
    case GSH_LIFE_LEFT:
        atomic_store(&gsh.peers[event->pe].state, GSH_PE_LEFT);
        atomic_store(&gsh.left, true);
        gsh_wake(&gsh_inner()->bell);
        return;
    case GSH_LIFE_GONE:
        atomic_store(&gsh.peers[event->pe].state, GSH_PE_GONE);
        snprintf(cause, sizeof(cause), "%s", event->text);
        break;
    case GSH_LIFE_END:
        if (!*event->text)
            _exit(event->status); /* nvshmem_global_exit() of another PE */
        /* Its first line will do: the PE has said all of it. */
        snprintf(cause, sizeof(cause), "PE %d ended the job: %.*s", event->pe,
                 (int)strcspn(event->text, "\n"), event->text);
        break;
    case GSH_LIFE_LOST:
        snprintf(cause, sizeof(cause), "%.250s", event->text);
        break;
    }
    end_soon(event->status ? event->status : 1, event->kind != GSH_LIFE_END);
}

/* The time is up: has the PE ended meanwhile? If not, the others may not know yet. */
static void judge(struct gsh_boot *boot)
{
    struct gsh_life_event event = { .kind = GSH_LIFE_GONE, .pe = atomic_load(&suspect_pe) };

    if (gsh_pe_state(event.pe) > GSH_PE_RUNNING) {
        atomic_store(&suspected, NULL);
        return;
    }
    snprintf(event.text, sizeof(event.text), "PE %d on host %s cannot be reached any more: %s",
             event.pe, gsh_host_name(event.pe), atomic_load(&suspected));
    if (!gsh_env.SURVIVE)
        boot->ops.abort(boot, 1, event.text);
    act(&event);
}

/* Waits for the life line, or for news; false when there is nothing more to wait for. */
static bool listen_once(struct gsh_boot *boot)
{
    struct pollfd p[] = { { .fd = boot->life_fd, .events = POLLIN },
                          { .fd = news_fd, .events = POLLIN } };
    struct gsh_life_event event = { .kind = GSH_LIFE_NONE };
    int n = poll(p, 2, atomic_load(&suspected) ? SUSPECT_MS : -1);
    uint64_t count;

    if (n == 0)
        judge(boot);
    if (n <= 0)
        return !atomic_load(&gsh.alert);
    if (atomic_load(&stopping))
        return false;
    if (p[1].revents && read(news_fd, &count, sizeof(count)) < 0)
        return true;
    if (!p[0].revents)
        return true;
    if (boot->ops.life_read(boot, &event) < 0)
        return false;
    act(&event);
    return event.kind < GSH_LIFE_GONE;
}

static void *run(void *arg)
{
    gsh_stuck_own(true);
    hold_life(gsh_inner());
    while (listen_once(arg))
        continue;
    release_life(gsh_inner());
    gsh_stuck_disown();
    return NULL;
}

int gsh_watch_start(void)
{
    sigset_t all, old;
    int err;

    if (gsh.boot.life_fd < 0)
        return 0;
    atomic_store(&stopping, false);
    atomic_store(&suspected, NULL);
    news_fd = eventfd(0, EFD_CLOEXEC);
    if (news_fd < 0)
        return gsh_fail(-errno, "cannot make an event descriptor for the watch thread: %s",
                        strerror(errno));

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    err = pthread_create(&thread, NULL, run, &gsh.boot);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err) {
        close(news_fd);
        news_fd = -1;
        return gsh_fail(-err, "cannot start the watch thread: %s", strerror(err));
    }
    return 0;
}

void gsh_watch_stop(void)
{
    if (news_fd < 0)
        return;
    atomic_store(&stopping, true);
    tell_thread();
    pthread_join(thread, NULL);
    close(news_fd);
    news_fd = -1;
}
