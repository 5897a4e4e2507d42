/* proxy.c - see proxy.h. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "proxy/proxy.h"
#include "core/amo.h"
#include "core/log.h"
#include "watch/stuck.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The device headers cannot include transport.h: both lists are in the same order. */
_Static_assert(
    (int)GSH_DEVICE_FETCH == (int)GSH_AMO_fetch && (int)GSH_DEVICE_SET == (int)GSH_AMO_set &&
        (int)GSH_DEVICE_ADD == (int)GSH_AMO_add && (int)GSH_DEVICE_AND == (int)GSH_AMO_and &&
        (int)GSH_DEVICE_OR == (int)GSH_AMO_or && (int)GSH_DEVICE_XOR == (int)GSH_AMO_xor &&
        (int)GSH_DEVICE_FADD == (int)GSH_AMO_fadd && (int)GSH_DEVICE_CSWAP == (int)GSH_AMO_cswap,
    "enum gsh_device_amo is enum gsh_amo");

enum {
    MOST_AT_ONCE = 64,
    GPU_POLLS = 2000, /* before naps, as long as commands may follow */
    SHORTEST_NAP_NS = 10 * 1000,
    LONGEST_NAP_NS = 200 * 1000,
};

static LIST_HEAD(, gsh_proxy) proxies;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of starting threads */

/* ---- Commands ---- */

static struct gsh_device_slot *slot_of(const struct gsh_proxy *proxy, uint64_t command)
{
    return &proxy->ring->slots[command % GSH_RING_SLOTS];
}

static uint64_t ticket_in(const struct gsh_device_slot *slot)
{
    return __atomic_load_n(&slot->ticket, __ATOMIC_ACQUIRE);
}

static bool is_there(const struct gsh_proxy *proxy, uint64_t command)
{
    return ticket_in(slot_of(proxy, command)) == command + 1;
}

static void amo(struct gsh_device_slot *slot, int pe, size_t off)
{
    const struct gsh_device_command *c = &slot->command;
    const struct gsh_amo_args args = {
        .op = (enum gsh_amo)c->op, .bytes = c->bytes, .operand = c->operand, .cond = c->cond
    };

    if (c->answers)
        slot->old = gsh_amo_at(pe, off, &args);
    else
        gsh_amo_post_at(pe, off, &args);
}

static void carry_out(struct gsh_device_slot *slot)
{
    const struct gsh_device_command *c = &slot->command;
    size_t off = c->bytes ? gsh_offset_of((void *)(uintptr_t)c->sym) : 0;

    switch ((enum gsh_ring_kind)c->kind) {
    case GSH_RING_P: /* move_at_once() */
        break;
    case GSH_RING_PUT:
        gsh_put_at(c->pe, off, (void *)(uintptr_t)c->local, c->bytes);
        break;
    case GSH_RING_GET:
        gsh_get_at(c->pe, (void *)(uintptr_t)c->local, off, c->bytes);
        break;
    case GSH_RING_SIGNAL:
        gsh_tr_fence();
        amo(slot, c->pe, off);
        break;
    case GSH_RING_AMO:
        amo(slot, c->pe, off);
        break;
    case GSH_RING_FENCE:
        gsh_tr_fence();
        break;
    case GSH_RING_QUIET:
        gsh_tr_quiet();
        break;
    }
}

/* The kernel frees the slot of a command that is answered. */
static void answer(struct gsh_device_slot *slot, uint64_t command)
{
    if (slot->command.answers)
        __atomic_store_n(&slot->done, command + 1, __ATOMIC_RELEASE);
    else
        __atomic_store_n(&slot->ticket, 0, __ATOMIC_RELAXED);
}

static void free_slots(struct gsh_proxy *proxy, uint64_t done)
{
    uint64_t over = proxy->over;

    while (over < done && !ticket_in(slot_of(proxy, over)))
        over++;
    if (over == proxy->over)
        return;
    proxy->over = over;
    __atomic_store_n(&proxy->ring->over, over, __ATOMIC_RELEASE);
}

/* Where the data of a put or get are, when they are here; NULL: it is another command. */
static void *data_here(struct gsh_device_slot *slot)
{
    struct gsh_device_command *c = &slot->command;

    if (c->kind == GSH_RING_P)
        return &c->operand;
    return (c->kind == GSH_RING_PUT || c->kind == GSH_RING_GET) && !c->local ? slot->data : NULL;
}

/* So many commands from this one on are puts to one PE, or gets, whose data are here: at once, they
 * cost one message. 0: not even this one. */
static size_t move_at_once(const struct gsh_proxy *proxy, uint64_t first)
{
    const struct gsh_device_command *leader = &slot_of(proxy, first)->command;
    bool gets = leader->kind == GSH_RING_GET;
    struct gsh_piece pieces[MOST_AT_ONCE];
    size_t n = 0;

    while (n < MOST_AT_ONCE && is_there(proxy, first + n)) {
        struct gsh_device_slot *slot = slot_of(proxy, first + n);
        const struct gsh_device_command *c = &slot->command;
        void *data = data_here(slot);

        if (!data || c->pe != leader->pe || (c->kind == GSH_RING_GET) != gets)
            break;
        pieces[n++] = (struct gsh_piece){ .off = gsh_offset_of((void *)(uintptr_t)c->sym),
                                          .at.to = data,
                                          .bytes = c->bytes };
    }
    if (n)
        (gets ? gsh_get_pieces_at : gsh_put_pieces_at)(leader->pe, pieces, n);
    return n;
}

/* Carries out what is there; whether that was anything. */
static bool turn(struct gsh_proxy *proxy)
{
    uint64_t first = atomic_load_explicit(&proxy->done, memory_order_relaxed), next = first;

    while (is_there(proxy, next)) {
        size_t n = move_at_once(proxy, next);

        if (!n) {
            carry_out(slot_of(proxy, next));
            n = 1;
        }
        atomic_store_explicit(&proxy->done, next + n, memory_order_release);
        for (; n; n--, next++)
            answer(slot_of(proxy, next), next);
        free_slots(proxy, next);
    }
    free_slots(proxy, next);
    if (next == first)
        return false;
    gsh_ring(&gsh_inner()->bell); /* for who drains */
    return true;
}

/* ---- The thread ---- */

/* Until the bell; when commands are not over, kernels that wait for room need the thread. */
static void sleep_for_bell(struct gsh_proxy *proxy)
{
    const struct timespec nap = { .tv_nsec = LONGEST_NAP_NS };
    uint64_t done = atomic_load_explicit(&proxy->done, memory_order_relaxed);

    atomic_store(&proxy->asleep, 1);
    if (!is_there(proxy, done) && !atomic_load(&proxy->stop))
        syscall(SYS_futex, &proxy->asleep, FUTEX_WAIT_PRIVATE, 1, proxy->over < done ? &nap : NULL,
                NULL, 0);
    atomic_store(&proxy->asleep, 0);
}

/* The longer nothing has come, the longer it may take to be seen. */
static void rest(struct gsh_proxy *proxy, int *idle)
{
    int polls = proxy->polls ? GPU_POLLS : gsh.spin, naps = *idle - polls;
    struct timespec nap = { .tv_nsec = SHORTEST_NAP_NS * (naps / 8 + 1) };

    if (naps < 0) {
        gsh_cpu_relax();
    } else if (!proxy->polls) {
        sleep_for_bell(proxy);
        return;
    } else {
        nanosleep(&nap, NULL);
    }
    if (nap.tv_nsec < LONGEST_NAP_NS)
        ++*idle;
}

static void *run(void *arg)
{
    struct gsh_proxy *proxy = arg;
    int idle = 0;

    gsh_stuck_own(false);
    for (;;) {
        bool stops = atomic_load(&proxy->stop);

        if (turn(proxy)) {
            idle = 0;
            continue;
        }
        if (stops)
            break;
        rest(proxy, &idle);
    }
    gsh_stuck_disown();
    return NULL;
}

/* It must not run handlers of the program. */
static int start(struct gsh_proxy *proxy)
{
    sigset_t all, before;
    int err = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&lock);
    if (!atomic_load(&proxy->started)) {
        err = pthread_create(&proxy->thread, NULL, run, proxy);
        atomic_store(&proxy->started, !err);
    }
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err ? gsh_fail(-err, "cannot start the thread that serves kernels: %s", strerror(err))
               : 0;
}

static void wake(struct gsh_proxy *proxy)
{
    if (atomic_exchange(&proxy->asleep, 0))
        syscall(SYS_futex, &proxy->asleep, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

int gsh_proxy_open(struct gsh_proxy *proxy, struct gsh_device_ring *ring, bool polls)
{
    *proxy = (struct gsh_proxy){ .ring = ring, .polls = polls };
    LIST_INSERT_HEAD(&proxies, proxy, link);
    return polls ? start(proxy) : 0;
}

void gsh_proxy_bell(struct gsh_proxy *proxy)
{
    if (start(proxy))
        gsh_die("%s", gsh_last_error());
    wake(proxy);
}

static void stop(struct gsh_proxy *proxy)
{
    if (!atomic_exchange(&proxy->started, false))
        return;
    atomic_store(&proxy->stop, true);
    wake(proxy);
    pthread_join(proxy->thread, NULL);
}

void gsh_proxy_close(struct gsh_proxy *proxy)
{
    if (!proxy->ring)
        return;
    stop(proxy);
    LIST_REMOVE(proxy, link);
    proxy->ring = NULL;
}

void gsh_proxy_leave(void)
{
    struct gsh_proxy *proxy;

    LIST_FOREACH(proxy, &proxies, link)
    stop(proxy);
}

/* ---- What others want to know ---- */

static bool tell_drain(const struct gsh_wait *wait, char *text, size_t bytes)
{
    (void)wait;
    snprintf(text, bytes, "for what its kernels have asked the host to do");
    return false;
}

/* No command is there that is not done. Between two equal counts the slot is that of the next one;
 * later it may hold another. */
static bool is_drained(const struct gsh_proxy *proxy)
{
    uint64_t done = atomic_load(&proxy->done);

    return !is_there(proxy, done) && atomic_load(&proxy->done) == done;
}

void gsh_proxy_drain(void)
{
    struct gsh_wait wait = { .call = "quiet", .describe = tell_drain };
    struct gsh_proxy *proxy;

    LIST_FOREACH(proxy, &proxies, link)
    while (!is_drained(proxy))
        gsh_pause(&wait);
    gsh_wait_end(&wait);
}

bool gsh_proxy_describe(const struct gsh_proxy *proxy, const void *word, char *text, size_t bytes)
{
    static const char *const does[] = {
        [GSH_RING_PUT] = "put",        [GSH_RING_P] = "put",
        [GSH_RING_GET] = "get",        [GSH_RING_AMO] = "do an atomic operation on",
        [GSH_RING_SIGNAL] = "signal",  [GSH_RING_FENCE] = "fence",
        [GSH_RING_QUIET] = "complete",
    };
    const struct gsh_device_ring *ring = proxy->ring;
    size_t at = (size_t)((const char *)word - (const char *)ring);
    const struct gsh_device_command *c;

    if (!ring || at >= sizeof(*ring))
        return false;
    if (word == &ring->over) {
        snprintf(text, bytes, "for room among the %d commands to the host", GSH_RING_SLOTS);
        return true;
    }
    c = &ring->slots[(at - offsetof(struct gsh_device_ring, slots)) / sizeof(ring->slots[0])]
             .command;
    if (c->kind == GSH_RING_QUIET)
        snprintf(text, bytes, "for the host to complete what kernels have begun");
    else
        snprintf(text, bytes, "for the host to %s %zu bytes at PE %d", does[c->kind],
                 (size_t)c->bytes, c->pe);
    return true;
}
