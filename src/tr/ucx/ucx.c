/* ucx.c - brings the transport over UCX up and down. */
// SPDX-License-Identifier: BSD-3-Clause
#include "tr/ucx/ucx.h"
#include "core/env.h"
#include "core/log.h"
#include "topo/host.h"
#include "util/fault.h"
#include "watch/stuck.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WHY = 120, BYE_SECONDS = 5 };

/* What each PE tells the others before addresses are exchanged. */
struct card {
    uint64_t bytes; /* of its address; 0: it has no UCX */
    char why[WHY];
};

static int failed(const char *what, int8_t status)
{
    return gsh_miss(-EIO, "UCX cannot %s: %s", what, gsh_ucp.status_text(status));
}

static int create_context(struct gsh_ucx *ucx)
{
    const struct gsh_ucp_params params = {
        .mask = GSH_UCP_PARAM_FEATURES | GSH_UCP_PARAM_NUM_EPS,
        .features = GSH_UCP_FEATURE_AM | GSH_UCP_FEATURE_WAKEUP,
        .estimated_num_eps = (size_t)gsh.n_pes,
    };
    void *config;
    int8_t status = gsh_ucp.config_read(NULL, NULL, &config);

    if (status != GSH_UCS_OK)
        return failed("read its settings (UCX_*)", status);
    status = gsh_ucp.init(GSH_UCP_MAJOR, GSH_UCP_MINOR, &params, config, &ucx->context);
    gsh_ucp.config_release(config);
    return status == GSH_UCS_OK ? 0 : failed("start (UCX_TLS? UCX_NET_DEVICES?)", status);
}

static int create_worker(struct gsh_ucx *ucx)
{
    const struct gsh_ucp_worker_params params = { .mask = GSH_UCP_WORKER_THREAD_MODE,
                                                  .thread_mode = GSH_UCS_THREAD_SERIALIZED };
    const struct gsh_ucp_am_handler handler = {
        .mask = GSH_UCP_HANDLER_ID | GSH_UCP_HANDLER_CALL | GSH_UCP_HANDLER_ARG,
        .call = gsh_ucx_receive,
        .arg = ucx,
    };
    int8_t status = gsh_fault_fails("ucx.worker")
                        ? GSH_UCS_ERR_NO_MEMORY
                        : gsh_ucp.worker_create(ucx->context, &params, &ucx->worker);

    if (status != GSH_UCS_OK)
        return failed("make a worker", status);
    status = gsh_ucp.worker_on_am(ucx->worker, &handler);
    if (status == GSH_UCS_OK)
        status = gsh_ucp.worker_fd(ucx->worker, &ucx->worker_fd);
    return status == GSH_UCS_OK ? 0 : failed("receive messages", status);
}

static void destroy(struct gsh_ucx *ucx)
{
    struct gsh_ucx_ask *ask;

    if (ucx->worker)
        gsh_ucp.worker_destroy(ucx->worker);
    if (ucx->context)
        gsh_ucp.cleanup(ucx->context);
    gsh_stuck_own_more(-ucx->threads);
    pthread_mutex_destroy(&ucx->lock);
    while ((ask = LIST_FIRST(&ucx->open_asks))) {
        LIST_REMOVE(ask, link);
        free(ask);
    }
    for (int pe = 0; pe < gsh.n_pes; pe++)
        free(ucx->peers[pe].why);
    free(ucx->peers);
    free(ucx->addresses);
    free(ucx);
}

static int create(struct gsh_ucx **made)
{
    struct gsh_ucx *ucx = calloc(1, sizeof(*ucx));
    int before = gsh_stuck_threads(), err;

    if (ucx)
        ucx->peers = calloc((size_t)gsh.n_pes, sizeof(*ucx->peers));
    if (!ucx || !ucx->peers) {
        free(ucx);
        return gsh_miss(-ENOMEM, "no memory for UCX with %d PEs", gsh.n_pes);
    }
    pthread_mutex_init(&ucx->lock, NULL);
    STAILQ_INIT(&ucx->after_turn);
    for (int pe = 0; pe < gsh.n_pes; pe++) {
        ucx->peers[pe].pe = pe;
        TAILQ_INIT(&ucx->peers[pe].early);
    }
    err = gsh_ucp_load();
    if (!err)
        err = create_context(ucx);
    if (!err)
        err = create_worker(ucx);
    ucx->threads = gsh_stuck_threads() - before;
    gsh_stuck_own_more(ucx->threads);
    if (err)
        destroy(ucx);
    else
        *made = ucx;
    return err;
}

/* Tells the others of this PE's UCX, and where it is; own is NULL, with the reason as the
 * last error, when it has none. Collective: a PE without UCX takes part. */
static int exchange(const void *own, size_t bytes, struct card *cards, char **addresses,
                    size_t *room)
{
    struct card mine = { .bytes = bytes };
    char *padded;
    int err;

    if (!own)
        snprintf(mine.why, sizeof(mine.why), "%s", gsh_last_error());
    err = gsh.boot.ops.allgather(&gsh.boot, &mine, cards, sizeof(mine));
    *room = 1;
    for (int pe = 0; pe < gsh.n_pes && !err; pe++)
        if (cards[pe].bytes > *room)
            *room = cards[pe].bytes;
    padded = calloc(1, *room);
    *addresses = malloc((size_t)gsh.n_pes * *room);
    if (!err && (!padded || !*addresses))
        err = gsh_fail(-ENOMEM, "no memory for the addresses of %d PEs", gsh.n_pes);
    if (!err) {
        memcpy(padded, own ? own : "", bytes);
        err = gsh.boot.ops.allgather(&gsh.boot, padded, *addresses, *room);
    }
    free(padded);
    return err;
}

/* Enters where the others are. */
static void learn(struct gsh_ucx *ucx, const struct card *cards, size_t room)
{
    for (int pe = 0; pe < gsh.n_pes; pe++) {
        if (cards[pe].bytes)
            ucx->peers[pe].address = ucx->addresses + (size_t)pe * room;
        else
            ucx->peers[pe].why = strdup(cards[pe].why);
    }
}

static int meet(struct gsh_ucx *ucx, int err)
{
    struct card *cards = calloc((size_t)gsh.n_pes, sizeof(*cards));
    void *address = NULL;
    char *addresses = NULL;
    size_t bytes = 0, room;
    int8_t status = GSH_UCS_OK;

    if (!cards)
        return gsh_fail(-ENOMEM, "no memory to learn of %d PEs", gsh.n_pes);
    if (!err)
        status = gsh_ucp.worker_address(ucx->worker, &address, &bytes);
    if (status != GSH_UCS_OK)
        err = failed("tell its address", status);
    if (exchange(address, bytes, cards, &addresses, &room))
        err = -EIO;
    if (!err) {
        ucx->addresses = addresses;
        learn(ucx, cards, room);
    } else {
        free(addresses);
    }
    if (address)
        gsh_ucp.worker_release_address(ucx->worker, address);
    free(cards);
    return err;
}

/* One endpoint is tried at once, to the next PE of another host: the settings of UCX that
 * leave no way at all must be found now. */
static void try_next(struct gsh_ucx *ucx)
{
    for (int i = 1; i < gsh.n_pes; i++) {
        int pe = (gsh.my_pe + i) % gsh.n_pes;

        if (gsh_host_of(pe) == gsh_host_of(gsh.my_pe) || !ucx->peers[pe].address)
            continue;
        ucx->has_way = gsh_ucx_ep(ucx, pe) != NULL;
        return;
    }
}

static int ucx_open(struct gsh_tr *tr)
{
    struct gsh_ucx *ucx = NULL;
    int made = create(&ucx);
    int err = meet(ucx, made);

    if (!err)
        try_next(ucx);
    if (!err)
        err = gsh_ucx_thread_start(ucx);
    if (err) {
        if (!made)
            destroy(ucx);
        return err;
    }
    gsh_log(GSH_INFO, GSH_COMM, "UCX %s carries between hosts, by active messages",
            gsh_ucp.version_text());
    tr->priv = ucx;
    return 0;
}

static bool has_parted(const struct gsh_ucx_peer *peer, int pe)
{
    return !peer->ep || atomic_load(&peer->bye) || atomic_load(&peer->lost) ||
           gsh_pe_state(pe) > GSH_PE_FINALIZED;
}

static bool have_all_parted(struct gsh_ucx *ucx)
{
    for (int pe = 0; pe < gsh.n_pes; pe++)
        if (!has_parted(&ucx->peers[pe], pe))
            return false;
    return true;
}

static time_t seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* Nobody goes before all whom it has dealt with want nothing of it any more; but who has died
 * is not waited for. */
static void part(struct gsh_ucx *ucx)
{
    time_t limit = seconds() + BYE_SECONDS;

    for (int pe = 0; pe < gsh.n_pes; pe++) {
        const struct gsh_ucx_head bye = { .from = gsh.my_pe,
                                          .kind = GSH_UCX_BYE,
                                          .after = ucx->peers[pe].sent };

        if (ucx->peers[pe].ep || atomic_load(&ucx->peers[pe].bye))
            gsh_ucx_post(ucx, pe, &bye, NULL, NULL);
    }
    while (!have_all_parted(ucx) && seconds() < limit)
        if (!gsh_ucx_turn(ucx))
            sched_yield();
}

/* Lets what was sent get out, unless `force`. */
static void *start_close(struct gsh_ucx_peer *peer, bool force)
{
    const struct gsh_ucp_request_params params = { .mask = GSH_UCP_REQUEST_FLAGS,
                                                   .flags = force ? GSH_UCP_CLOSE_FORCE : 0 };
    void *request;

    if (!peer->ep)
        return NULL;
    request = gsh_ucp.ep_close(peer->ep, &params);
    peer->ep = NULL;
    return gsh_ucp_status(request) == GSH_UCS_INPROGRESS ? request : NULL;
}

static void close_endpoints(struct gsh_ucx *ucx)
{
    time_t limit = seconds() + BYE_SECONDS;

    for (int pe = 0; pe < gsh.n_pes; pe++) {
        struct gsh_ucx_peer *peer = &ucx->peers[pe];
        bool gone = atomic_load(&peer->lost) || gsh_pe_state(pe) > GSH_PE_FINALIZED;

        peer->closing = start_close(peer, gone || atomic_load(&gsh.alert));
    }
    for (int pe = 0; pe < gsh.n_pes; pe++) {
        void *request = ucx->peers[pe].closing;

        if (!request)
            continue;
        while (gsh_ucp.request_check(request) == GSH_UCS_INPROGRESS && seconds() < limit)
            gsh_ucx_turn(ucx);
        gsh_ucp.request_free(request);
    }
}

static void ucx_close(struct gsh_tr *tr)
{
    struct gsh_ucx *ucx = tr->priv;

    gsh_ucx_thread_stop(ucx);
    if (!atomic_load(&gsh.alert))
        part(ucx);
    close_endpoints(ucx);
    destroy(ucx);
}

/* Before there is a job: could it serve one? */
static int ucx_usable(const char **why_not)
{
    if (!gsh.n_pes) {
        int err = gsh_ucp_load();

        *why_not = gsh_last_error();
        return !err;
    }
    *why_not = "all PEs are on one host";
    return gsh_host_count() > 1 || gsh_env.DISABLE_P2P || *gsh_env.REMOTE_TRANSPORT;
}

/* While no endpoint could be made each is tried. */
static int ucx_reaches(struct gsh_tr *tr, int pe, char *why, size_t bytes)
{
    struct gsh_ucx *ucx = tr->priv;

    if (!ucx->peers[pe].address) {
        snprintf(why, bytes, "cannot be used there: %s", ucx->peers[pe].why);
        return 0;
    }
    pthread_mutex_lock(&ucx->lock);
    if (!ucx->has_way)
        ucx->has_way = gsh_ucx_ep(ucx, pe) != NULL;
    pthread_mutex_unlock(&ucx->lock);
    if (!ucx->has_way)
        snprintf(why, bytes, "%s", gsh_last_error());
    return ucx->has_way;
}

extern const struct gsh_tr_driver gsh_tr_ucx;
const struct gsh_tr_driver gsh_tr_ucx = {
    .name = "ucx",
    .what = "messages through UCX to PEs of other hosts",
    .usable = ucx_usable,
    .ops = {
        .amo = gsh_ucx_amo,
        .amo_post = gsh_ucx_amo_post,
        .close = ucx_close,
        .fence = gsh_ucx_fence,
        .flag = gsh_ucx_flag,
        .get = gsh_ucx_get,
        .leave = gsh_ucx_leave,
        .open = ucx_open,
        .peek = gsh_ucx_peek,
        .progress = gsh_ucx_progress,
        .put = gsh_ucx_put,
        .get_pieces = gsh_ucx_get_pieces,
        .put_pieces = gsh_ucx_put_pieces,
        .put_signal = gsh_ucx_put_signal,
        .quiet = gsh_ucx_quiet,
        .reaches = ucx_reaches,
        .rest = gsh_ucx_rest,
    },
};
