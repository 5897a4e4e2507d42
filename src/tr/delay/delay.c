/* delay.c - stands in for a network on one machine, or makes that between machines worse, so
 * that tests meet every order of delivery that the model allows.
 *
 * What is put is copied into a queue of its target, and a thread delivers it after a
 * random delay. Each piece carries the epoch in which it was queued; fence and
 * quiet begin the next epoch. Among the pieces of a target's oldest epoch the order
 * is free; pieces of later epochs wait. A put of more than SMALL bytes becomes several
 * pieces. A signal waits for the pieces of its payload. get and amo act at once, and so may
 * overtake what is queued.
 *
 * The thread delivers into the target's memory where that is mapped, else through the
 * transport below, if NVSHMEM_REMOTE_TRANSPORT names one besides this (delay,ucx), which it gives
 * the pieces in the order that they had: with a fence of its own before a piece of a later epoch,
 * and before a signal.
 *
 * `lock` guards all of struct delay but the bytes of queued pieces, which
 * belong to the thread until it takes the piece out of the queue. Pieces come from a
 * fixed stock; when it is used up, the caller waits for the thread.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/amo.h"
#include "core/env.h"
#include "core/log.h"
#include "heap/segment.h"
#include "util/fault.h"
#include "watch/stuck.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <time.h>

enum {
    SMALL = 64, /* bytes that always travel together */
    N_PIECES = 256,
    PIECE_BYTES = 16 << 10,
    LONGEST_NS = 50 * 1000,
};

struct piece {
    TAILQ_ENTRY(piece) link;
    uint64_t epoch;
    int64_t due_ns;
    int pe;
    size_t off;
    size_t bytes;            /* of data; 0: this is `amo` */
    struct gsh_amo_args amo; /* what to do at off when bytes is 0 */
    struct piece *signal;    /* the signal that waits for this piece; NULL: none */
    int holds;               /* pieces that this signal waits for */
    _Alignas(8) char data[PIECE_BYTES];
};

TAILQ_HEAD(queue, piece);

struct delay {
    pthread_mutex_t lock;
    pthread_mutex_t signals; /* taken before lock by put_signal, see there */
    pthread_cond_t work;     /* something was queued, or closing */
    pthread_cond_t gone;     /* something was delivered */
    struct queue *queues;    /* [n_pes], by age */
    struct gsh_tr **below;   /* [n_pes]: what carries to PEs whose memory is not mapped */
    uint64_t *sent;          /* [n_pes]: the epoch of the last piece; of the thread alone */
    struct queue spare;
    struct piece *pieces;
    uint64_t epoch;
    uint64_t random;
    bool closing;
    pthread_t thread;
};

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* A number below `bound`, from a linear congruence; its high bits are good. */
static size_t draw(struct delay *delay, size_t bound)
{
    delay->random = delay->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(delay->random >> 33) % bound;
}

/* Differs with the PE, and with the text of GSHMEM_FAULT, whatever it says. */
static uint64_t seed(void)
{
    uint64_t value = (uint64_t)gsh.my_pe + 1;

    for (const char *c = gsh_env.FAULT; c && *c; c++)
        value = value * 257 + (unsigned char)*c;
    return value * UINT64_C(0x9e3779b97f4a7c15);
}

/* Copies to memory that others poll: no word that is aligned there is seen half
 * written, and who sees a word sees what was delivered before it. */
static void store(char *to, const char *from, size_t bytes)
{
    while (bytes) {
        uint64_t word = 0;
        size_t n = 8;

        while ((uintptr_t)to & (n - 1) || n > bytes)
            n /= 2;
        memcpy(&word, from, n);
        if (n == 8)
            __atomic_store_n((uint64_t *)(void *)to, word, __ATOMIC_RELEASE);
        else if (n == 4)
            __atomic_store_n((uint32_t *)(void *)to, (uint32_t)word, __ATOMIC_RELEASE);
        else if (n == 2)
            __atomic_store_n((uint16_t *)(void *)to, (uint16_t)word, __ATOMIC_RELEASE);
        else
            __atomic_store_n(to, (char)word, __ATOMIC_RELEASE);
        to += n;
        from += n;
        bytes -= n;
    }
}

static void ring(int pe)
{
    struct gsh_inner *inner = (struct gsh_inner *)(void *)gsh_segment.windows[pe];

    atomic_thread_fence(memory_order_seq_cst);
    gsh_ring_flag(&inner->bell);
}

static int pass_on(struct delay *delay, const struct piece *piece)
{
    struct gsh_tr *tr = delay->below[piece->pe];
    int err = 0;

    if (piece->epoch != delay->sent[piece->pe] || !piece->bytes)
        err = tr->ops.fence(tr);
    delay->sent[piece->pe] = piece->epoch;
    if (err)
        return err;
    if (piece->bytes)
        return tr->ops.put(tr, piece->pe, piece->off, piece->data, piece->bytes);
    return tr->ops.amo_post(tr, piece->pe, piece->off, &piece->amo);
}

static void deliver(struct delay *delay, const struct piece *piece)
{
    char *window = gsh_segment.windows[piece->pe];

    if (gsh_fault_fails("delay.deliver"))
        gsh_die("transport delay to PE %d failed: GSHMEM_FAULT asks for it", piece->pe);
    if (!window) {
        if (pass_on(delay, piece))
            gsh_die("transport %s below delay to PE %d failed: %s", delay->below[piece->pe]->name,
                    piece->pe, gsh_last_error());
        return;
    }
    if (piece->bytes)
        store(window + piece->off, piece->data, piece->bytes);
    else
        gsh_amo_local(window + piece->off, &piece->amo);
    ring(piece->pe);
}

/* The piece that is due first among those that may be delivered. NULL only when nothing
 * is queued: the pieces that a signal waits for are in its queue, before it. */
static struct piece *pick(struct delay *delay)
{
    struct piece *best = NULL;

    for (int pe = 0; pe < gsh.n_pes; pe++) {
        struct piece *oldest = TAILQ_FIRST(&delay->queues[pe]);

        for (struct piece *piece = oldest; piece && piece->epoch == oldest->epoch;
             piece = TAILQ_NEXT(piece, link))
            if (!piece->holds && (!best || piece->due_ns < best->due_ns))
                best = piece;
    }
    return best;
}

static void retire(struct delay *delay, struct piece *piece)
{
    TAILQ_REMOVE(&delay->queues[piece->pe], piece, link);
    if (piece->signal)
        piece->signal->holds--;
    TAILQ_INSERT_HEAD(&delay->spare, piece, link);
    pthread_cond_broadcast(&delay->gone);
}

static void *carry(void *arg)
{
    struct delay *delay = arg;
    struct piece *piece;

    gsh_stuck_own(false);
    pthread_mutex_lock(&delay->lock);
    while ((piece = pick(delay)) || !delay->closing) {
        if (!piece) {
            pthread_cond_wait(&delay->work, &delay->lock);
        } else if (piece->due_ns > now_ns()) {
            struct timespec due = { .tv_sec = piece->due_ns / 1000000000,
                                    .tv_nsec = piece->due_ns % 1000000000 };

            pthread_cond_timedwait(&delay->work, &delay->lock, &due);
        } else {
            pthread_mutex_unlock(&delay->lock);
            deliver(delay, piece);
            pthread_mutex_lock(&delay->lock);
            retire(delay, piece);
        }
    }
    pthread_mutex_unlock(&delay->lock);
    gsh_stuck_disown();
    return NULL;
}

/* An unused piece, once there is one. Called with the lock, which it may let go. */
static struct piece *take(struct delay *delay, int pe, size_t off)
{
    struct piece *piece;

    while (!(piece = TAILQ_FIRST(&delay->spare)))
        pthread_cond_wait(&delay->gone, &delay->lock);
    TAILQ_REMOVE(&delay->spare, piece, link);
    piece->pe = pe;
    piece->off = off;
    piece->bytes = 0;
    piece->signal = NULL;
    piece->holds = 0;
    return piece;
}

static void append(struct delay *delay, struct piece *piece)
{
    piece->epoch = delay->epoch;
    piece->due_ns = now_ns() + (int64_t)draw(delay, LONGEST_NS);
    TAILQ_INSERT_TAIL(&delay->queues[piece->pe], piece, link);
    pthread_cond_signal(&delay->work);
}

/* How many bytes go into the next piece. Cuts lie between words of 8 bytes. */
static size_t cut(struct delay *delay, size_t off, size_t bytes)
{
    size_t most = bytes < PIECE_BYTES - 8 ? bytes : PIECE_BYTES - 8;
    size_t n;

    if (bytes <= SMALL)
        return bytes;
    n = 1 + draw(delay, most);
    n += -(off + n) & 7;
    return n < bytes ? n : bytes;
}

static void append_payload(struct delay *delay, int pe, size_t off, const char *src, size_t bytes,
                           struct piece *signal)
{
    while (bytes) {
        struct piece *piece = take(delay, pe, off);

        piece->bytes = cut(delay, off, bytes);
        memcpy(piece->data, src, piece->bytes);
        piece->signal = signal;
        if (signal)
            signal->holds++;
        off += piece->bytes;
        src += piece->bytes;
        bytes -= piece->bytes;
        append(delay, piece);
    }
}

static int delay_put(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes)
{
    struct delay *delay = tr->priv;

    pthread_mutex_lock(&delay->lock);
    append_payload(delay, pe, off, src, bytes, NULL);
    pthread_mutex_unlock(&delay->lock);
    return 0;
}

/* One caller at a time: it holds the piece of the signal while it waits for more, and
 * if all pieces were so held, nobody would get on. */
static int delay_put_signal(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes,
                            size_t sig_off, const struct gsh_amo_args *args)
{
    struct delay *delay = tr->priv;
    struct piece *signal;

    pthread_mutex_lock(&delay->signals);
    pthread_mutex_lock(&delay->lock);
    signal = take(delay, pe, sig_off);
    signal->amo = *args;
    append_payload(delay, pe, off, src, bytes, signal);
    append(delay, signal);
    pthread_mutex_unlock(&delay->lock);
    pthread_mutex_unlock(&delay->signals);
    return 0;
}

static int delay_amo_post(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args)
{
    struct delay *delay = tr->priv;
    struct piece *piece;

    pthread_mutex_lock(&delay->lock);
    piece = take(delay, pe, off);
    piece->amo = *args;
    append(delay, piece);
    pthread_mutex_unlock(&delay->lock);
    return 0;
}

/* Every eighth call or so waits, for as long as a delivery may take. */
static void dawdle(struct delay *delay)
{
    struct timespec pause = { 0 };

    pthread_mutex_lock(&delay->lock);
    if (!draw(delay, 8))
        pause.tv_nsec = (long)draw(delay, LONGEST_NS);
    pthread_mutex_unlock(&delay->lock);
    if (pause.tv_nsec)
        nanosleep(&pause, NULL);
}

static int delay_get(struct gsh_tr *tr, int pe, void *dst, size_t off, size_t bytes)
{
    struct delay *delay = tr->priv;
    struct gsh_tr *below = delay->below[pe];

    dawdle(delay);
    if (!gsh_segment.windows[pe])
        return below->ops.get(below, pe, dst, off, bytes);
    memcpy(dst, gsh_segment.windows[pe] + off, bytes);
    return 0;
}

static int delay_amo(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args,
                     uint64_t *old)
{
    struct delay *delay = tr->priv;
    struct gsh_tr *below = delay->below[pe];

    dawdle(delay);
    if (!gsh_segment.windows[pe])
        return below->ops.amo(below, pe, off, args, old);
    *old = gsh_amo_local(gsh_segment.windows[pe] + off, args);
    ring(pe);
    return 0;
}

static int delay_fence(struct gsh_tr *tr)
{
    struct delay *delay = tr->priv;

    pthread_mutex_lock(&delay->lock);
    delay->epoch++;
    pthread_mutex_unlock(&delay->lock);
    return 0;
}

/* Is all delivered that was queued before this epoch? */
static bool drained(const struct delay *delay, uint64_t epoch)
{
    for (int pe = 0; pe < gsh.n_pes; pe++) {
        const struct piece *oldest = TAILQ_FIRST(&delay->queues[pe]);

        if (oldest && oldest->epoch < epoch)
            return false;
    }
    return true;
}

/* Does not wait for what other threads queue meanwhile. What was passed on then completes
 * by the quiet of the transports below, which are opened and asked after this one. */
static int delay_quiet(struct gsh_tr *tr)
{
    struct delay *delay = tr->priv;
    uint64_t epoch;

    pthread_mutex_lock(&delay->lock);
    epoch = ++delay->epoch;
    while (!drained(delay, epoch))
        pthread_cond_wait(&delay->gone, &delay->lock);
    pthread_mutex_unlock(&delay->lock);
    return 0;
}

static int delay_reaches(struct gsh_tr *tr, int pe, char *why, size_t bytes)
{
    struct delay *delay = tr->priv;

    if (gsh_segment.windows[pe])
        return 1;
    delay->below[pe] = gsh_tr_below(tr, pe, why, bytes);
    return delay->below[pe] != NULL;
}

/* The thread must not run handlers of the program. */
static int start(struct delay *delay)
{
    sigset_t all, before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    err = pthread_create(&delay->thread, NULL, carry, delay);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -err;
}

static void destroy(struct delay *delay)
{
    pthread_mutex_destroy(&delay->lock);
    pthread_mutex_destroy(&delay->signals);
    pthread_cond_destroy(&delay->work);
    pthread_cond_destroy(&delay->gone);
    free(delay->queues);
    free(delay->below);
    free(delay->sent);
    free(delay->pieces);
    free(delay);
}

static struct delay *create(void)
{
    struct delay *delay = calloc(1, sizeof(*delay));
    pthread_condattr_t attr;

    if (!delay)
        return NULL;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&delay->work, &attr);
    pthread_condattr_destroy(&attr);
    pthread_cond_init(&delay->gone, NULL);
    pthread_mutex_init(&delay->lock, NULL);
    pthread_mutex_init(&delay->signals, NULL);
    delay->random = seed();

    delay->queues = calloc((size_t)gsh.n_pes, sizeof(*delay->queues));
    delay->below = calloc((size_t)gsh.n_pes, sizeof(*delay->below));
    delay->sent = calloc((size_t)gsh.n_pes, sizeof(*delay->sent));
    delay->pieces = calloc(N_PIECES, sizeof(*delay->pieces));
    if (!delay->queues || !delay->below || !delay->sent || !delay->pieces) {
        destroy(delay);
        return NULL;
    }
    for (int pe = 0; pe < gsh.n_pes; pe++)
        TAILQ_INIT(&delay->queues[pe]);
    TAILQ_INIT(&delay->spare);
    for (int i = 0; i < N_PIECES; i++)
        TAILQ_INSERT_TAIL(&delay->spare, &delay->pieces[i], link);
    return delay;
}

static int delay_open(struct gsh_tr *tr)
{
    struct delay *delay;
    int err;

    if (gsh_fault_fails("delay.open"))
        return gsh_miss(-EIO, "GSHMEM_FAULT asks delay.open to fail");
    delay = create();
    if (!delay)
        return gsh_miss(-ENOMEM, "no memory for %d pieces of %d bytes", N_PIECES, PIECE_BYTES);
    err = start(delay);
    if (err) {
        destroy(delay);
        return gsh_miss(err, "cannot start the thread that delivers: %s", strerror(-err));
    }
    tr->priv = delay;
    return 0;
}

static void delay_close(struct gsh_tr *tr)
{
    struct delay *delay = tr->priv;

    pthread_mutex_lock(&delay->lock);
    delay->closing = true;
    pthread_cond_signal(&delay->work);
    pthread_mutex_unlock(&delay->lock);
    pthread_join(delay->thread, NULL);
    destroy(delay);
}

static int delay_usable(const char **why_not)
{
    *why_not = "is for tests; NVSHMEM_REMOTE_TRANSPORT=delay asks for it";
    return strstr(gsh_env.REMOTE_TRANSPORT, "delay") != NULL;
}

extern const struct gsh_tr_driver gsh_tr_delay;
const struct gsh_tr_driver gsh_tr_delay = {
    .name = "delay",
    .what = "for tests: delivers late and in any order that the model allows",
    .usable = delay_usable,
    .ops = {
        .amo = delay_amo,
        .amo_post = delay_amo_post,
        .close = delay_close,
        .fence = delay_fence,
        .get = delay_get,
        .open = delay_open,
        .put = delay_put,
        .put_signal = delay_put_signal,
        .quiet = delay_quiet,
        .reaches = delay_reaches,
    },
};
