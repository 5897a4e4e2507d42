/* connect.c - endpoints, and what is sent through them without waiting. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"
#include "tr/ucx/ucx.h"
#include "watch/watch.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST_EAGER = 256 << 10 };
#define SLOW_BYTES_S 4e9

void gsh_ucx_fail(struct gsh_ucx_peer *peer, int8_t status)
{
    peer->failure = gsh_ucp.status_text(status);
    atomic_store(&peer->lost, true);
    if (peer->ep && !atomic_load(&peer->bye))
        gsh_watch_suspect(peer->pe, peer->failure);
    gsh_ring_flag(&gsh_inner()->bell);
}

/* UCX calls it while the worker is moved on. */
static void failed(void *peer, void *ep, int8_t status)
{
    (void)ep;
    gsh_ucx_fail(peer, status);
}

/* On a slow network, as TCP is, copies cost less than to ask the target whether it is ready.
 * UCX reckons otherwise. */
static size_t most_eager(void *ep)
{
    const struct gsh_ucp_size size = { .mask = GSH_UCP_SIZE_BYTES, .bytes = MOST_EAGER };
    struct gsh_ucp_time time = { .mask = GSH_UCP_TIME_SECONDS };

    if (gsh_ucp.ep_reckon(ep, &size, &time) != GSH_UCS_OK)
        return 0;
    return (double)MOST_EAGER / time.seconds < SLOW_BYTES_S ? MOST_EAGER : 0;
}

void *gsh_ucx_ep(struct gsh_ucx *ucx, int pe)
{
    struct gsh_ucx_peer *peer = &ucx->peers[pe];
    const struct gsh_ucp_ep_params params = {
        .mask = GSH_UCP_EP_ADDRESS | GSH_UCP_EP_ERROR_MODE | GSH_UCP_EP_ERROR,
        .address = peer->address,
        .error_mode = GSH_UCP_ERROR_MODE_PEER,
        .error = { failed, peer },
    };
    int8_t status;

    if (peer->ep)
        return peer->ep;
    status = gsh_ucp.ep_create(ucx->worker, &params, &peer->ep);
    if (status != GSH_UCS_OK) {
        peer->ep = NULL;
        gsh_ucx_fail(peer, status);
        gsh_miss(-EHOSTUNREACH, "has no way there (UCX_TLS? UCX_NET_DEVICES?): %s", peer->failure);
        return NULL;
    }
    peer->most_eager = most_eager(peer->ep);
    return peer->ep;
}

uint32_t gsh_ucx_flags(const struct gsh_ucx *ucx, int pe, const struct gsh_ucx_head *head,
                       size_t bytes)
{
    bool is_list = head->kind == GSH_UCX_PIECES || head->kind == GSH_UCX_GETS;

    return is_list || (bytes && bytes <= ucx->peers[pe].most_eager) ? GSH_UCP_SEND_EAGER : 0;
}

static void drop(struct gsh_ucx_card *card)
{
    free(card->owned);
    free(card);
}

static void posted(void *request, int8_t status, void *arg)
{
    (void)status; /* of an endpoint that has failed: failed() */
    gsh_ucp.request_free(request);
    drop(arg);
}

/* The card stays until it is sent. */
static void send(struct gsh_ucx *ucx, struct gsh_ucx_card *card)
{
    struct gsh_ucx_peer *peer = &ucx->peers[card->pe];
    void *ep = gsh_ucx_ep(ucx, card->pe);
    size_t bytes = card->data ? card->head.bytes : 0;
    const struct gsh_ucp_request_params params = {
        .mask = GSH_UCP_REQUEST_CALLBACK | GSH_UCP_REQUEST_ARG | GSH_UCP_REQUEST_FLAGS |
                GSH_UCP_REQUEST_MEMORY_TYPE,
        .flags = gsh_ucx_flags(ucx, card->pe, &card->head, bytes),
        .done.send = posted,
        .arg = card,
        .memory_type = GSH_UCS_MEMORY_HOST
    };
    int8_t status = GSH_UCS_ERR_LAST;

    if (ep)
        status = gsh_ucp_status(
            gsh_ucp.am_send(ep, 0, &card->head, sizeof(card->head), card->data, bytes, &params));
    if (status == GSH_UCS_INPROGRESS)
        return;
    drop(card);
    if (ep && status != GSH_UCS_OK)
        gsh_ucx_fail(peer, status);
}

void gsh_ucx_post(struct gsh_ucx *ucx, int pe, const struct gsh_ucx_head *head, const void *data,
                  void *owned)
{
    struct gsh_ucx_card *card = malloc(sizeof(*card));

    if (!card)
        gsh_die("no memory for a message to PE %d", pe);
    *card = (struct gsh_ucx_card){ .pe = pe, .head = *head, .data = data, .owned = owned };
    if (gsh_unlikely(!ucx->peers[pe].ep && ucx->is_turning))
        STAILQ_INSERT_TAIL(&ucx->after_turn, card, link);
    else
        send(ucx, card);
}

unsigned gsh_ucx_turn(struct gsh_ucx *ucx)
{
    struct gsh_ucx_card *card;
    unsigned n;

    ucx->is_turning = true;
    n = gsh_ucp.worker_progress(ucx->worker);
    ucx->is_turning = false;
    while (gsh_unlikely((card = STAILQ_FIRST(&ucx->after_turn)) != NULL)) {
        STAILQ_REMOVE_HEAD(&ucx->after_turn, link);
        send(ucx, card);
        n++;
    }
    return n;
}
