/* ask.c - what this PE asks of others. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"
#include "topo/host.h"
#include "tr/ucx/ucx.h"
#include "util/fault.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PEEK_MS = 200, PACK_BYTES = 4096 };

/* What a thread waits for. */
struct waiting {
    const char *what;
    struct gsh_ucx *ucx;
    int pe;
};

static bool describe(const struct gsh_wait *wait, char *text, size_t bytes)
{
    const struct waiting *w = wait->arg;

    snprintf(text, bytes, "for PE %d on host %s %s", w->pe, gsh_host_name(w->pe), w->what);
    return false;
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* The PE needs nothing any more, and answers nothing. Not so of one that is gone: that ends
 * the job, and the wait by itself. */
static bool has_left(int pe)
{
    enum gsh_pe_state state = gsh_pe_state(pe);

    return state == GSH_PE_FINALIZED || state == GSH_PE_LEFT;
}

/* There is no way to that PE. A connection that has failed is told to the watch, which ends
 * the job, or learns that the PE has left. */
static bool is_lost(const struct waiting *w)
{
    const struct gsh_ucx_peer *peer = &w->ucx->peers[w->pe];

    return gsh_unlikely(has_left(w->pe) || (atomic_load(&peer->lost) && !peer->ep));
}

static int lost(const struct waiting *w)
{
    const char *failure = w->ucx->peers[w->pe].failure;

    if (!failure)
        return gsh_miss(-EPIPE, "PE %d on host %s has ended", w->pe, gsh_host_name(w->pe));
    return gsh_miss(-EPIPE, "the connection to PE %d on host %s has failed: %s", w->pe,
                    gsh_host_name(w->pe), failure);
}

/* ---- Messages whose data stay where they are until they are sent ---- */

enum sending { SENDING, SENT, FAILED };

/* A message on its way. Not on the stack of who sends it: with GSHMEM_SURVIVE that one may
 * leave it behind. */
struct letter {
    struct gsh_ucx_head head;
    _Atomic int state; /* enum sending */
};

static void sent(void *request, int8_t status, void *arg)
{
    struct letter *letter = arg;

    gsh_ucp.request_free(request);
    atomic_store(&letter->state, status == GSH_UCS_OK ? SENT : FAILED);
    gsh_ring_flag(&gsh_inner()->bell);
}

/* With the lock. */
static void start(struct gsh_ucx *ucx, int pe, struct letter *letter, const void *data)
{
    void *ep = gsh_ucx_ep(ucx, pe);
    size_t bytes = data ? letter->head.bytes : 0;
    struct gsh_ucp_request_params params = { .mask = GSH_UCP_REQUEST_CALLBACK |
                                                     GSH_UCP_REQUEST_ARG | GSH_UCP_REQUEST_FLAGS |
                                                     GSH_UCP_REQUEST_MEMORY_TYPE,
                                             .flags = gsh_ucx_flags(ucx, pe, &letter->head, bytes),
                                             .done.send = sent,
                                             .arg = letter,
                                             .memory_type = GSH_UCS_MEMORY_HOST };
    int8_t status = GSH_UCS_ERR_LAST;

    if (ep)
        status = gsh_ucp_status(
            gsh_ucp.am_send(ep, 0, &letter->head, sizeof(letter->head), data, bytes, &params));
    if (gsh_fault_fails("ucx.send"))
        status = GSH_UCS_ERR_CONNECTION_RESET;
    if (status == GSH_UCS_INPROGRESS)
        return;
    atomic_store(&letter->state, status == GSH_UCS_OK ? SENT : FAILED);
    if (ep && status != GSH_UCS_OK)
        gsh_ucx_fail(&ucx->peers[pe], status);
}

/* Counts an operation on the PE, and says what comes before it. One that quiet must complete
 * asks for that at once when it looks as if quiet came next. With the lock. */
static void count(struct gsh_ucx *ucx, int pe, struct gsh_ucx_head *head, bool for_quiet)
{
    struct gsh_ucx_peer *peer = &ucx->peers[pe];
    uint64_t fence = atomic_load(&ucx->fence);

    if (peer->fence != fence) {
        peer->fence = fence;
        peer->fenced = peer->sent;
    }
    head->after = peer->fenced;
    peer->sent++;
    if (!for_quiet)
        return;
    peer->wanted = peer->sent;
    peer->since_quiet++;
    if (peer->is_single) {
        head->count = peer->sent;
        atomic_store(&peer->asked, peer->sent);
    }
}

/* Waits until the message has left. Its data are UCX's until then: there is no giving up. */
static int await_sent(struct gsh_ucx *ucx, int pe, struct letter *letter)
{
    struct waiting w = { .what = "to take data", .ucx = ucx, .pe = pe };
    struct gsh_wait wait = { .call = "a transfer", .describe = describe, .arg = &w };

    while (atomic_load(&letter->state) == SENDING)
        gsh_pause(&wait);
    while (atomic_load(&letter->state) == FAILED && !is_lost(&w))
        gsh_pause(&wait);
    gsh_wait_end(&wait);
    return atomic_load(&letter->state) == SENT || has_left(pe) ? 0 : lost(&w);
}

static int post(struct gsh_tr *tr, int pe, const struct gsh_ucx_head *head, const void *data,
                bool for_quiet)
{
    struct gsh_ucx *ucx = tr->priv;
    struct letter *letter = malloc(sizeof(*letter));
    int err;

    if (!letter)
        return gsh_miss(-ENOMEM, "no memory for a message to PE %d", pe);
    letter->head = *head;
    letter->head.from = gsh.my_pe;
    atomic_init(&letter->state, SENDING);
    pthread_mutex_lock(&ucx->lock);
    count(ucx, pe, &letter->head, for_quiet);
    start(ucx, pe, letter, data);
    pthread_mutex_unlock(&ucx->lock);
    err = gsh_likely(atomic_load(&letter->state) == SENT) ? 0 : await_sent(ucx, pe, letter);
    free(letter);
    return err;
}

int gsh_ucx_put(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes)
{
    struct gsh_ucx_head head = { .kind = GSH_UCX_PUT, .off = off, .bytes = bytes };

    return post(tr, pe, &head, src, true);
}

static int post_pieces(struct gsh_tr *tr, int pe, const char *pack, size_t bytes)
{
    struct gsh_ucx_head head = { .kind = GSH_UCX_PIECES, .bytes = bytes };

    return bytes ? post(tr, pe, &head, pack, true) : 0;
}

/* What does not fit into a message goes in the next, and what fits in none by itself. */
int gsh_ucx_put_pieces(struct gsh_tr *tr, int pe, const struct gsh_piece *pieces, size_t n)
{
    _Alignas(struct gsh_ucx_piece) char pack[PACK_BYTES];
    size_t used = 0;
    int err = 0;

    for (size_t i = 0; i < n && !err; i++) {
        const struct gsh_ucx_piece piece = { pieces[i].off, pieces[i].bytes };
        size_t step = gsh_ucx_step(piece.bytes);

        if (step > sizeof(pack) - used) {
            err = post_pieces(tr, pe, pack, used);
            used = 0;
        }
        if (step > sizeof(pack)) {
            if (!err)
                err = gsh_ucx_put(tr, pe, piece.off, pieces[i].at.from, piece.bytes);
            continue;
        }
        memcpy(pack + used, &piece, sizeof(piece));
        memcpy(pack + used + sizeof(piece), pieces[i].at.from, piece.bytes);
        used += step;
    }
    return err ? err : post_pieces(tr, pe, pack, used);
}

int gsh_ucx_put_signal(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes,
                       size_t sig_off, const struct gsh_amo_args *signal)
{
    struct gsh_ucx_head head = {
        .kind = GSH_UCX_SIGNAL, .off = off, .bytes = bytes, .amo_off = sig_off, .amo = *signal
    };

    return post(tr, pe, &head, src, true);
}

int gsh_ucx_amo_post(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args)
{
    struct gsh_ucx_head head = { .kind = GSH_UCX_AMO, .amo_off = off, .amo = *args };

    return post(tr, pe, &head, NULL, true);
}

int gsh_ucx_flag(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes,
                 size_t flag_off, uint64_t value)
{
    struct gsh_ucx_head head = { .kind = GSH_UCX_SIGNAL,
                                 .off = off,
                                 .bytes = bytes,
                                 .amo_off = flag_off,
                                 .amo = { .op = GSH_AMO_set, .bytes = 8, .operand = value } };

    gsh_ucx_fence(tr);
    return post(tr, pe, &head, bytes ? src : NULL, false);
}

/* ---- Calls that wait for an answer ---- */

/* NULL without memory. The answer may come at any time. `list` is what GETS asks for, and
 * freed in any case. */
static struct gsh_ucx_ask *send_ask(struct gsh_ucx *ucx, int pe, struct gsh_ucx_head *head,
                                    void *list, void *to, size_t bytes)
{
    struct gsh_ucx_ask *ask = calloc(1, sizeof(*ask));

    if (!ask) {
        free(list);
        return NULL;
    }
    ask->to = to;
    ask->bytes = bytes;
    head->from = gsh.my_pe;
    pthread_mutex_lock(&ucx->lock);
    head->ask = ask->id = ++ucx->asks;
    if (head->kind == GSH_UCX_AMO)
        count(ucx, pe, head, false);
    LIST_INSERT_HEAD(&ucx->open_asks, ask, link);
    gsh_ucx_post(ucx, pe, head, list, list);
    pthread_mutex_unlock(&ucx->lock);
    return ask;
}

/* What is not answered yet will not be. True when it was. */
static bool end_ask(struct gsh_ucx *ucx, struct gsh_ucx_ask *ask)
{
    bool answered;

    pthread_mutex_lock(&ucx->lock);
    answered = atomic_load(&ask->done);
    if (!answered)
        LIST_REMOVE(ask, link);
    pthread_mutex_unlock(&ucx->lock);
    free(ask);
    return answered;
}

static int ask(struct gsh_tr *tr, int pe, struct gsh_ucx_head *head, void *list, void *to,
               size_t bytes)
{
    struct gsh_ucx *ucx = tr->priv;
    struct waiting w = { .what = "to answer", .ucx = ucx, .pe = pe };
    struct gsh_wait wait = { .call = "a transfer", .describe = describe, .arg = &w };
    struct gsh_ucx_ask *ask = send_ask(ucx, pe, head, list, to, bytes);

    if (!ask)
        return gsh_miss(-ENOMEM, "no memory to ask PE %d", pe);
    while (!atomic_load(&ask->done) && !is_lost(&w))
        gsh_pause(&wait);
    gsh_wait_end(&wait);
    return end_ask(ucx, ask) ? 0 : lost(&w);
}

int gsh_ucx_amo(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args,
                uint64_t *old)
{
    struct gsh_ucx_head head = { .kind = GSH_UCX_AMO, .amo_off = off, .amo = *args };

    return ask(tr, pe, &head, NULL, old, sizeof(*old));
}

int gsh_ucx_get(struct gsh_tr *tr, int pe, void *dst, size_t off, size_t bytes)
{
    struct gsh_ucx_head head = { .kind = GSH_UCX_GET, .off = off, .bytes = bytes };

    return ask(tr, pe, &head, NULL, dst, bytes);
}

/* So many pieces, `bytes` in all. */
static int get_packed(struct gsh_tr *tr, int pe, const struct gsh_piece *pieces, size_t n,
                      size_t bytes)
{
    struct gsh_ucx_head head = { .kind = GSH_UCX_GETS, .bytes = n * sizeof(struct gsh_ucx_piece) };
    struct gsh_ucx_piece *list = malloc(head.bytes);
    char pack[PACK_BYTES];
    size_t at = 0;
    int err;

    if (!list)
        return gsh_miss(-ENOMEM, "no memory to ask PE %d", pe);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct gsh_ucx_piece){ pieces[i].off, pieces[i].bytes };
    err = ask(tr, pe, &head, list, pack, bytes);
    for (size_t i = 0; i < n && !err; at += pieces[i++].bytes)
        memcpy(pieces[i].at.to, pack + at, pieces[i].bytes);
    return err;
}

int gsh_ucx_get_pieces(struct gsh_tr *tr, int pe, const struct gsh_piece *pieces, size_t n)
{
    size_t i = 0;
    int err = 0;

    while (i < n && !err) {
        size_t k = 0, bytes = 0;

        while (i + k < n && k < PACK_BYTES / sizeof(struct gsh_ucx_piece) &&
               bytes + pieces[i + k].bytes <= PACK_BYTES)
            bytes += pieces[i + k++].bytes;
        if (k)
            err = get_packed(tr, pe, pieces + i, k, bytes);
        else
            err = gsh_ucx_get(tr, pe, pieces[i].at.to, pieces[i].off, pieces[i].bytes);
        i += k ? k : 1;
    }
    return err;
}

/* For who cannot wait: moves the worker on by itself, and gives up. What comes then goes to
 * nobody: it is so short that it comes as a whole. */
int gsh_ucx_peek(struct gsh_tr *tr, int pe, void *dst, size_t off, size_t bytes)
{
    struct gsh_ucx_head head = { .kind = GSH_UCX_GET, .off = off, .bytes = bytes };
    struct gsh_ucx *ucx = tr->priv;
    int64_t limit = now_ns() + PEEK_MS * INT64_C(1000000);
    struct gsh_ucx_ask *ask = NULL;

    if (gsh_pe_state(pe) <= GSH_PE_RUNNING && !atomic_load(&ucx->peers[pe].lost) &&
        !gsh_ucx_halted())
        ask = send_ask(ucx, pe, &head, NULL, dst, bytes);
    while (ask && !atomic_load(&ask->done) && now_ns() < limit)
        if (!gsh_ucx_progress(tr))
            sched_yield();
    return ask && end_ask(ucx, ask) ? 0 : gsh_miss(-ETIMEDOUT, "PE %d does not answer", pe);
}

/* ---- Order and completion ---- */

int gsh_ucx_fence(struct gsh_tr *tr)
{
    struct gsh_ucx *ucx = tr->priv;

    atomic_fetch_add(&ucx->fence, 1);
    return 0;
}

/* Asks the PE to tell when it has done all that was sent to it, if some of the first `count_to`
 * is not known to be done. With the lock. */
static void flush(struct gsh_ucx *ucx, int pe, uint64_t count_to)
{
    struct gsh_ucx_peer *peer = &ucx->peers[pe];
    const struct gsh_ucx_head head = { .from = gsh.my_pe,
                                       .kind = GSH_UCX_FLUSH,
                                       .after = peer->sent };

    if (peer->since_quiet)
        peer->is_single = peer->since_quiet == 1;
    peer->since_quiet = 0;
    if (atomic_load(&peer->asked) >= count_to)
        return;
    atomic_store(&peer->asked, peer->sent);
    gsh_ucx_post(ucx, pe, &head, NULL, NULL);
}

static int await_flushed(struct gsh_ucx *ucx, int pe)
{
    uint64_t count_to = atomic_load(&ucx->peers[pe].asked);
    struct waiting w = { .what = "to complete what was sent to it", .ucx = ucx, .pe = pe };
    struct gsh_wait wait = { .call = "quiet", .describe = describe, .arg = &w };

    while (atomic_load(&ucx->peers[pe].flushed) < count_to && !is_lost(&w))
        gsh_pause(&wait);
    gsh_wait_end(&wait);
    if (atomic_load(&ucx->peers[pe].flushed) >= count_to || has_left(pe))
        return 0;
    return lost(&w);
}

static int complete(struct gsh_ucx *ucx, bool flags_too)
{
    int err = 0;

    pthread_mutex_lock(&ucx->lock);
    for (int pe = 0; pe < gsh.n_pes; pe++)
        flush(ucx, pe, flags_too ? ucx->peers[pe].sent : ucx->peers[pe].wanted);
    pthread_mutex_unlock(&ucx->lock);
    for (int pe = 0; pe < gsh.n_pes && !err; pe++)
        err = await_flushed(ucx, pe);
    return err;
}

int gsh_ucx_quiet(struct gsh_tr *tr)
{
    return complete(tr->priv, false);
}

/* Of a PE that is gone nothing is wanted any more. */
void gsh_ucx_leave(struct gsh_tr *tr)
{
    complete(tr->priv, true);
    gsh_ucx_thread_stop(tr->priv);
}
