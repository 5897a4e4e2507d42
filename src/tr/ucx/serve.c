/* serve.c - carries out the messages of other PEs, and takes their answers. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"
#include "tr/ucx/ucx.h"
#include "util/stream.h"

#include <stdlib.h>

/* The bytes of a message as they came. */
struct data {
    void *at;
    bool rndv;
    bool kept; /* UCX keeps them until they are given back */
};

static void run(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, struct data data);

/* After a store to this PE's memory: wakes who sleeps for it. */
static void ring(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    gsh_ring_flag(&gsh_inner()->bell);
}

static struct gsh_ucx_early *find_due(struct gsh_ucx_peer *peer)
{
    struct gsh_ucx_early *early;

    TAILQ_FOREACH(early, &peer->early, link)
    if (early->head.after <= peer->done)
        return early;
    return NULL;
}

/* Does what has waited for other operations of the PE. Those that it does can make more
 * due: they leave that to the loop. */
static void run_early(struct gsh_ucx *ucx, struct gsh_ucx_peer *peer)
{
    struct gsh_ucx_early *early;

    if (peer->runs_early)
        return;
    peer->runs_early = true;
    while ((early = find_due(peer))) {
        TAILQ_REMOVE(&peer->early, early, link);
        run(ucx, &early->head, (struct data){ early->data, early->rndv, early->is_ucx });
        if (!early->is_ucx)
            free(early->data);
        free(early);
    }
    peer->runs_early = false;
}

static void flush(struct gsh_ucx *ucx, const struct gsh_ucx_head *head)
{
    const struct gsh_ucx_head answer = { .from = gsh.my_pe,
                                         .kind = GSH_UCX_FLUSHED,
                                         .count = head->after };

    gsh_ucx_post(ucx, head->from, &answer, NULL, NULL);
}

/* Does the message now, or keeps it until what comes before it is done; what UCX must return. */
static int8_t take_in(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, struct data data);

/* One more operation of the PE is done. */
static void finish(struct gsh_ucx *ucx, const struct gsh_ucx_head *head)
{
    struct gsh_ucx_peer *peer = &ucx->peers[head->from];

    if (head->kind == GSH_UCX_SIGNAL) {
        atomic_thread_fence(memory_order_release);
        gsh_amo_post_at(gsh.my_pe, head->amo_off, &head->amo);
    }
    ring();
    peer->done++;
    if (head->count)
        take_in(ucx,
                &(struct gsh_ucx_head){
                    .from = head->from, .kind = GSH_UCX_FLUSH, .after = head->count },
                (struct data){ 0 });
    if (!TAILQ_EMPTY(&peer->early))
        run_early(ucx, peer);
}

/* Data that come straight from the sender's memory. */
struct fetch {
    struct gsh_ucx *ucx;
    struct gsh_ucx_head head;
    void *bounce; /* where they come to on the way to a GPU; NULL: not so */
};

/* The call that waits for this answer; NULL: it does not any more. */
static struct gsh_ucx_ask *find_ask(struct gsh_ucx *ucx, const struct gsh_ucx_head *head)
{
    struct gsh_ucx_ask *ask;

    LIST_FOREACH(ask, &ucx->open_asks, link)
    if (ask->id == head->ask)
        break;
    return ask;
}

static void end_ask(struct gsh_ucx_ask *ask)
{
    LIST_REMOVE(ask, link);
    atomic_store(&ask->done, true);
    ring();
}

/* The data of the message have come to their place. */
static void end_take(struct gsh_ucx *ucx, const struct gsh_ucx_head *head)
{
    struct gsh_ucx_ask *ask;

    if (head->kind != GSH_UCX_ANSWER)
        finish(ucx, head);
    else if ((ask = find_ask(ucx, head)))
        end_ask(ask);
}

static void drop(struct fetch *fetch)
{
    free(fetch->bounce);
    free(fetch);
}

static void end_fetch(struct fetch *fetch)
{
    if (fetch->bounce)
        gsh_gpu_put_at(gsh.my_pe, fetch->head.off, fetch->bounce, fetch->head.bytes);
    end_take(fetch->ucx, &fetch->head);
    drop(fetch);
}

/* Of a PE that is lost nothing more is done. */
static void fetched(void *request, int8_t status, size_t bytes, void *arg)
{
    (void)bytes;
    if (status == GSH_UCS_OK)
        end_fetch(arg);
    else
        drop(arg);
    gsh_ucp.request_free(request);
}

/* `to` is NULL for memory of a GPU. */
static void start_fetch(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, void *data, char *to)
{
    struct fetch *fetch = malloc(sizeof(*fetch));
    void *bounce = to ? NULL : malloc(head->bytes);
    struct gsh_ucp_request_params params = { .mask = GSH_UCP_REQUEST_CALLBACK |
                                                     GSH_UCP_REQUEST_ARG |
                                                     GSH_UCP_REQUEST_MEMORY_TYPE,
                                             .done.receive = fetched,
                                             .arg = fetch,
                                             .memory_type = GSH_UCS_MEMORY_HOST };
    int8_t status;

    if (!fetch || (!to && !bounce))
        gsh_die("no memory to receive %zu bytes of PE %d", (size_t)head->bytes, head->from);
    *fetch = (struct fetch){ ucx, *head, bounce };
    status = gsh_ucp_status(
        gsh_ucp.am_receive(ucx->worker, data, to ? to : bounce, head->bytes, &params));
    if (status == GSH_UCS_OK)
        end_fetch(fetch);
    else if (status != GSH_UCS_INPROGRESS)
        drop(fetch);
}

/* Moves the bytes to their place; `to` is NULL for memory of a GPU. */
static void take(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, struct data data, char *to)
{
    if (data.rndv) {
        start_fetch(ucx, head, data.at, to);
        return;
    }
    if (!to)
        gsh_gpu_put_at(gsh.my_pe, head->off, data.at, head->bytes);
    else
        gsh_copy(to, data.at, head->bytes);
    end_take(ucx, head);
}

static void put(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, struct data data)
{
    take(ucx, head, data, head->off < gsh.window ? gsh.base + head->off : NULL);
}

/* The data come with the message. */
static void put_pieces(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, const char *data)
{
    struct gsh_ucx_piece piece;

    for (size_t at = 0; at < head->bytes; at += gsh_ucx_step(piece.bytes)) {
        memcpy(&piece, data + at, sizeof(piece));
        gsh_put_at(gsh.my_pe, piece.off, data + at + sizeof(piece), piece.bytes);
    }
    finish(ucx, head);
}

static void answer_amo(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, uint64_t old)
{
    const struct gsh_ucx_head answer = {
        .from = gsh.my_pe, .kind = GSH_UCX_ANSWER, .ask = head->ask, .count = old
    };

    gsh_ucx_post(ucx, head->from, &answer, NULL, NULL);
}

static void amo(struct gsh_ucx *ucx, const struct gsh_ucx_head *head)
{
    if (head->ask)
        answer_amo(ucx, head, gsh_amo_at(gsh.my_pe, head->amo_off, &head->amo));
    else
        gsh_amo_post_at(gsh.my_pe, head->amo_off, &head->amo);
    finish(ucx, head);
}

static void get(struct gsh_ucx *ucx, const struct gsh_ucx_head *head)
{
    const struct gsh_ucx_head answer = {
        .from = gsh.my_pe, .kind = GSH_UCX_ANSWER, .ask = head->ask, .bytes = head->bytes
    };
    void *copy = NULL;

    if (head->off >= gsh.window) {
        copy = malloc(head->bytes);
        if (!copy)
            gsh_die("no memory to send %zu bytes to PE %d", (size_t)head->bytes, head->from);
        gsh_gpu_get_at(gsh.my_pe, copy, head->off, head->bytes);
    }
    gsh_ucx_post(ucx, head->from, &answer, copy ? copy : gsh.base + head->off, copy);
}

static void get_pieces(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, const char *list)
{
    struct gsh_ucx_head answer = { .from = gsh.my_pe, .kind = GSH_UCX_ANSWER, .ask = head->ask };
    struct gsh_ucx_piece piece;
    char *copy;

    for (size_t at = 0; at < head->bytes; at += sizeof(piece)) {
        memcpy(&piece, list + at, sizeof(piece));
        answer.bytes += piece.bytes;
    }
    copy = malloc(answer.bytes + 1);
    if (!copy)
        gsh_die("no memory to send %zu bytes to PE %d", (size_t)answer.bytes, head->from);
    answer.bytes = 0;
    for (size_t at = 0; at < head->bytes; at += sizeof(piece)) {
        memcpy(&piece, list + at, sizeof(piece));
        gsh_get_at(gsh.my_pe, copy + answer.bytes, piece.off, piece.bytes);
        answer.bytes += piece.bytes;
    }
    gsh_ucx_post(ucx, head->from, &answer, copy, copy);
}

/* That to an AMO is in the head. */
static void answer(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, struct data data)
{
    struct gsh_ucx_ask *ask = find_ask(ucx, head);

    if (!ask)
        return;
    if (head->bytes) {
        take(ucx, head, data, ask->to);
    } else {
        memcpy(ask->to, &head->count, ask->bytes);
        end_ask(ask);
    }
}

static void run(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, struct data data)
{
    struct gsh_ucx_peer *peer = &ucx->peers[head->from];

    switch ((enum gsh_ucx_kind)head->kind) {
    case GSH_UCX_PUT:
    case GSH_UCX_SIGNAL:
        put(ucx, head, data);
        break;
    case GSH_UCX_PIECES:
        put_pieces(ucx, head, data.at);
        break;
    case GSH_UCX_AMO:
        amo(ucx, head);
        break;
    case GSH_UCX_GET:
        get(ucx, head);
        break;
    case GSH_UCX_GETS:
        get_pieces(ucx, head, data.at);
        break;
    case GSH_UCX_FLUSH:
        flush(ucx, head);
        break;
    case GSH_UCX_ANSWER:
        answer(ucx, head, data);
        break;
    case GSH_UCX_FLUSHED:
        if (head->count > atomic_load(&peer->flushed))
            atomic_store(&peer->flushed, head->count);
        ring();
        break;
    case GSH_UCX_BYE:
        atomic_store(&peer->bye, true);
        ring();
        break;
    case GSH_UCX_KINDS:
        break;
    }
    if (data.kept && !data.rndv)
        gsh_ucp.am_data_release(ucx->worker, data.at);
}

/* Keeps a message; what UCX must return. Data that UCX does not keep are copied. */
static int8_t keep(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, struct data data)
{
    struct gsh_ucx_early *early = calloc(1, sizeof(*early));
    size_t bytes = data.kept || !data.at ? 0 : head->bytes;

    if (early)
        *early = (struct gsh_ucx_early){
            .head = *head, .data = data.at, .is_ucx = data.kept, .rndv = data.rndv
        };
    if (early && !data.kept)
        early->data = bytes ? malloc(bytes) : NULL;
    if (!early || (bytes && !early->data))
        gsh_die("no memory to keep %zu bytes of PE %d", (size_t)head->bytes, head->from);
    if (bytes)
        memcpy(early->data, data.at, bytes);
    TAILQ_INSERT_TAIL(&ucx->peers[head->from].early, early, link);
    return data.kept ? GSH_UCS_INPROGRESS : GSH_UCS_OK;
}

static int8_t take_in(struct gsh_ucx *ucx, const struct gsh_ucx_head *head, struct data data)
{
    if (head->after > ucx->peers[head->from].done)
        return keep(ucx, head, data);
    data.kept = false; /* it is done with when this returns, or being fetched */
    run(ucx, head, data);
    return GSH_UCS_OK;
}

int8_t gsh_ucx_receive(void *arg, const void *head_at, size_t head_bytes, void *data_at,
                       size_t bytes, const struct gsh_ucp_am_params *params)
{
    const uint64_t keeps = GSH_UCP_AM_RNDV | GSH_UCP_AM_DATA;
    struct gsh_ucx *ucx = arg;
    struct gsh_ucx_head head;
    struct data data = { data_at, (params->attributes & GSH_UCP_AM_RNDV) != 0,
                         bytes && params->attributes & keeps };

    memcpy(&head, head_at, head_bytes < sizeof(head) ? head_bytes : sizeof(head));
    return take_in(ucx, &head, data);
}
