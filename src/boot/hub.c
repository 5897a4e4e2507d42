/* hub.c - the root of a job, as an engine without input and output.
 *
 * Every input changes the state of ranks and then calls gsh_hub_settle(), which alone
 * decides whether those who wait get an answer.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/hub.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOTH_LINES ((1u << GSH_LINE_EXCHANGE) | (1u << GSH_LINE_LIFE))
#define MAX_RANKS 65536

/* Appends to text[]; what does not fit is cut. */
static void __attribute__((format(printf, 2, 3))) append(char *text, const char *fmt, ...)
{
    size_t have = strlen(text);
    va_list args;

    va_start(args, fmt);
    vsnprintf(text + have, GSH_FRAME_TEXT_BYTES - have, fmt, args);
    va_end(args);
}

static void send_bytes(struct gsh_hub *hub, int rank, enum gsh_line line,
                       const struct gsh_frame *head, const void *data, size_t bytes)
{
    struct gsh_blob *blob = gsh_blob_create(bytes);

    if (blob)
        memcpy(blob->data, data, bytes);
    hub->ops.send(hub->ctx, rank, line, head, blob);
    gsh_blob_drop(blob);
}

static void send_text(struct gsh_hub *hub, int rank, enum gsh_line line,
                      const struct gsh_frame *head, const char *text)
{
    send_bytes(hub, rank, line, head, text, strlen(text));
}

static int set_size(struct gsh_hub *hub, int n_ranks)
{
    hub->ranks = calloc((size_t)n_ranks, sizeof(*hub->ranks));
    if (!hub->ranks)
        return -ENOMEM;
    hub->n_ranks = n_ranks;
    return 0;
}

int gsh_hub_open(struct gsh_hub *hub, int n_ranks, const struct gsh_hub_ops *ops, void *ctx)
{
    *hub = (struct gsh_hub){ .ops = *ops, .ctx = ctx };
    return n_ranks ? set_size(hub, n_ranks) : 0;
}

void gsh_hub_close(struct gsh_hub *hub)
{
    gsh_blob_drop(hub->blocks);
    free(hub->ranks);
    *hub = (struct gsh_hub){ 0 };
}

bool gsh_hub_is_in(const struct gsh_hub *hub, int rank)
{
    enum gsh_hub_state state = hub->ranks[rank].state;

    return state == GSH_HUB_IN || state == GSH_HUB_READY;
}

bool gsh_hub_is_over(const struct gsh_hub *hub)
{
    for (int i = 0; i < hub->n_ranks; i++) {
        enum gsh_hub_state state = hub->ranks[i].state;

        if (!hub->ranks[i].ended && state <= GSH_HUB_IN)
            return false;
    }
    return hub->n_ranks > 0;
}

/* What a rank is doing in a world, for the text of a mismatch. */
static void describe(const struct gsh_hub_rank *rank, char *text, size_t bytes)
{
    if (rank->call == GSH_FRAME_ALLGATHER)
        snprintf(text, bytes, "exchanges %zu bytes", rank->bytes);
    else if (rank->call == GSH_FRAME_BARRIER)
        snprintf(text, bytes, "is in a barrier");
    else if (rank->state == GSH_HUB_GONE)
        snprintf(text, bytes, "has died");
    else if (rank->state == GSH_HUB_DONE || rank->state == GSH_HUB_READY)
        snprintf(text, bytes, "has finalized");
    else if (rank->state == GSH_HUB_LEFT || rank->ended)
        snprintf(text, bytes, "has left without finalize");
    else
        snprintf(text, bytes, "makes no call");
}

/* "PE 0-2 exchanges 8 bytes, PE 3 is in a barrier": neighbours that do the same
 * share a range. */
static void describe_all(const struct gsh_hub *hub, char *text)
{
    char now[64];
    char next[64];

    describe(&hub->ranks[0], now, sizeof(now));
    for (int first = 0, i = 1; i <= hub->n_ranks; i++) {
        next[0] = '\0';
        if (i < hub->n_ranks)
            describe(&hub->ranks[i], next, sizeof(next));
        if (!strcmp(now, next))
            continue;
        if (first == i - 1)
            append(text, "%sPE %d %s", first ? ", " : "", first, now);
        else
            append(text, "%sPE %d-%d each %s", first ? ", " : "", first, i - 1, now);
        memcpy(now, next, sizeof(now));
        first = i;
    }
}

static void drop_calls(struct gsh_hub *hub)
{
    for (int i = 0; i < hub->n_ranks; i++)
        hub->ranks[i].call = 0;
    gsh_blob_drop(hub->blocks);
    hub->blocks = NULL;
}

static void fail_calls(struct gsh_hub *hub, int err, const char *text)
{
    for (int i = 0; i < hub->n_ranks; i++)
        if (hub->ranks[i].call)
            send_text(hub, i, GSH_LINE_EXCHANGE,
                      &(struct gsh_frame){ .kind = GSH_FRAME_ERROR, .status = err }, text);
    drop_calls(hub);
}

static void finish_calls(struct gsh_hub *hub)
{
    uint32_t kind = hub->ranks[0].call;

    for (int i = 0; i < hub->n_ranks; i++)
        hub->ops.send(hub->ctx, i, GSH_LINE_EXCHANGE, &(struct gsh_frame){ .kind = kind },
                      hub->blocks);
    drop_calls(hub);
}

/* Ends the pending call when every rank has made one, or cannot any more. */
static void settle_calls(struct gsh_hub *hub)
{
    const struct gsh_hub_rank *ranks = hub->ranks;
    int calling = 0;
    int missing = 0;
    int equal = 0;
    char text[GSH_FRAME_TEXT_BYTES];

    for (int i = 0; i < hub->n_ranks; i++) {
        calling += ranks[i].call != 0;
        missing += ranks[i].state != GSH_HUB_IN;
        equal += ranks[i].call == ranks[0].call && ranks[i].bytes == ranks[0].bytes;
    }
    if (!calling)
        return;
    if (hub->broken[0]) {
        fail_calls(hub, -ECONNABORTED, hub->broken);
    } else if (missing) {
        snprintf(text, sizeof(text), "not all PEs can take part in this call: ");
        describe_all(hub, text);
        fail_calls(hub, -ECONNABORTED, text);
    } else if (calling == hub->n_ranks && equal == calling) {
        finish_calls(hub);
    } else if (calling == hub->n_ranks) {
        snprintf(text, sizeof(text), "the PEs make different calls: ");
        describe_all(hub, text);
        fail_calls(hub, -EINVAL, text);
    }
}

static void fail_ready(struct gsh_hub *hub, const char *text)
{
    for (int i = 0; i < hub->n_ranks; i++) {
        struct gsh_hub_rank *rank = &hub->ranks[i];

        if (rank->state != GSH_HUB_READY)
            continue;
        rank->state = GSH_HUB_ABSENT;
        rank->lines = 0;
        send_text(hub, i, GSH_LINE_EXCHANGE,
                  &(struct gsh_frame){ .kind = GSH_FRAME_ERROR, .status = -ECONNABORTED }, text);
    }
}

/* The life line goes first: a PE reads it when the exchange line welcomes it. */
static void start_world(struct gsh_hub *hub)
{
    const struct gsh_frame welcome = { .kind = GSH_FRAME_WELCOME };

    hub->started = true;
    for (int i = 0; i < hub->n_ranks; i++) {
        hub->ranks[i].state = GSH_HUB_IN;
        send_bytes(hub, i, GSH_LINE_LIFE, &welcome, &hub->welcome, sizeof(hub->welcome));
        send_bytes(hub, i, GSH_LINE_EXCHANGE, &welcome, &hub->welcome, sizeof(hub->welcome));
    }
}

/* Keeps the first cause, which is the one that counts. */
static void break_hub(struct gsh_hub *hub, const char *text)
{
    if (!hub->broken[0])
        snprintf(hub->broken, sizeof(hub->broken), "%s", text);
}

/* Begins the world when every rank is ready, or refuses those who wait for one
 * that cannot come any more. */
static void settle_ready(struct gsh_hub *hub)
{
    int ready = 0;
    char text[GSH_FRAME_TEXT_BYTES] = "";

    for (int i = 0; i < hub->n_ranks; i++) {
        ready += hub->ranks[i].state == GSH_HUB_READY;
        if (hub->ranks[i].ended && !text[0])
            append(text, "PE %d has ended without a call to init, while others wait for it", i);
    }
    if (!ready)
        return;
    if (text[0])
        break_hub(hub, text);
    if (hub->broken[0])
        fail_ready(hub, hub->broken);
    else if (ready == hub->n_ranks)
        start_world(hub);
}

void gsh_hub_settle(struct gsh_hub *hub)
{
    settle_calls(hub);
    settle_ready(hub);
}

/* Tells every other rank of the world something on its life line. */
static void tell(struct gsh_hub *hub, int rank, const struct gsh_frame *head, const char *text)
{
    /* Rank 0 last: the root is mostly a thread of it, and ends with it. */
    for (int i = hub->n_ranks - 1; i >= 0; i--)
        if (i != rank && hub->ranks[i].state == GSH_HUB_IN)
            send_text(hub, i, GSH_LINE_LIFE, head, text);
}

/* A HELLO that fits no place: 0, or the errno and the reason. */
static int examine(struct gsh_hub *hub, int rank, const struct gsh_hello *hello, char *text)
{
    int n_ranks = hello->n_ranks;

    text[0] = '\0';
    if (n_ranks < 1 || n_ranks > MAX_RANKS || rank < 0 || rank >= n_ranks)
        append(text, "PE %d of %d is no valid place in a job", rank, n_ranks);
    else if (!hub->n_ranks)
        return set_size(hub, n_ranks);
    else if (n_ranks != hub->n_ranks)
        append(text, "process %d says that it is PE %d of %d, others say that there are %d PEs",
               hello->pid, rank, n_ranks, hub->n_ranks);
    else if (hub->ranks[rank].lines & (1u << hello->line))
        append(text, "processes %d and %d both say that they are PE %d", hub->ranks[rank].pid,
               hello->pid, rank);
    return text[0] ? -EINVAL : 0;
}

int gsh_hub_hello(struct gsh_hub *hub, int rank, const struct gsh_hello *hello,
                  char text[GSH_FRAME_TEXT_BYTES])
{
    struct gsh_hub_rank *at;
    int err;

    if (hello->line != GSH_LINE_EXCHANGE && hello->line != GSH_LINE_LIFE)
        return -EPROTO;
    err = examine(hub, rank, hello, text);
    if (err && !hub->started)
        break_hub(hub, text);
    if (!err && hub->broken[0]) {
        memcpy(text, hub->broken, GSH_FRAME_TEXT_BYTES);
        err = -ECONNABORTED;
    }
    if (err)
        return err;
    at = &hub->ranks[rank];
    at->lines |= 1u << hello->line;
    at->pid = hello->pid;
    snprintf(at->host, sizeof(at->host), "%.*s", (int)sizeof(at->host) - 1, hello->host);
    if (at->lines == BOTH_LINES)
        at->state = GSH_HUB_READY;
    return 0;
}

static int take_call(struct gsh_hub *hub, int rank, const struct gsh_frame *head, const char *data)
{
    struct gsh_hub_rank *at = &hub->ranks[rank];
    size_t n = (size_t)hub->n_ranks;

    if (at->state != GSH_HUB_IN || at->call || head->bytes > GSH_FRAME_MAX_BYTES / n)
        return -EPROTO;
    at->call = head->kind;
    at->bytes = head->bytes;
    if (head->kind == GSH_FRAME_ALLGATHER) {
        if (!hub->blocks)
            hub->blocks = gsh_blob_create(n * at->bytes);
        if (!hub->blocks)
            return -ENOMEM;
        if (hub->blocks->bytes == n * at->bytes)
            memcpy(hub->blocks->data + (size_t)rank * at->bytes, data, at->bytes);
    }
    gsh_hub_settle(hub);
    return 0;
}

static void take_abort(struct gsh_hub *hub, int rank, int status, const char *text)
{
    char why[GSH_FRAME_TEXT_BYTES] = "";

    if (hub->aborted)
        return;
    hub->aborted = true;
    append(why, "PE %d ended the job with status %d%s%s", rank, status, *text ? ": " : "", text);
    break_hub(hub, why);
    tell(hub, rank, &(struct gsh_frame){ .kind = GSH_FRAME_END, .who = rank, .status = status },
         text);
    gsh_hub_settle(hub);
    if (hub->ops.end)
        hub->ops.end(hub->ctx, rank, status, text);
}

/* Whom those who wait are waiting for. */
static void name_missing(const struct gsh_hub *hub, bool in_init, char *text)
{
    int missing = 0;

    for (int i = 0; i < hub->n_ranks; i++) {
        const struct gsh_hub_rank *at = &hub->ranks[i];

        if ((in_init ? at->state == GSH_HUB_READY : at->call != 0) || missing++ >= 8)
            continue;
        append(text, "%sPE %d", missing > 1 ? ", " : "", i);
        if (at->pid)
            append(text, " (pid %d)", at->pid);
    }
    if (missing > 8)
        append(text, " and %d more", missing - 8);
    append(text, missing > 1 ? " have not come" : " has not come");
}

/* The rank will not wait any longer, and so nobody need. When its answer is on the
 * way already there is nothing to do. */
static void take_tired(struct gsh_hub *hub, int rank, int seconds)
{
    const struct gsh_hub_rank *at = &hub->ranks[rank];
    bool in_init = at->state == GSH_HUB_READY;
    char text[GSH_FRAME_TEXT_BYTES] = "";

    if (!in_init && !at->call)
        return;
    append(text, "GSHMEM_TIMEOUT: PE %d has waited %d s ", rank, seconds);
    if (in_init)
        append(text, "for all %d PEs to call init; ", hub->n_ranks);
    else if (at->call == GSH_FRAME_ALLGATHER)
        append(text, "to exchange %zu bytes with all PEs; ", at->bytes);
    else
        append(text, "in a barrier of init; ");
    name_missing(hub, in_init, text);
    break_hub(hub, text);
    gsh_hub_settle(hub);
}

/* The rank has left without finalize: nobody need wait for it. */
static void take_leave(struct gsh_hub *hub, int rank)
{
    hub->ranks[rank].state = GSH_HUB_LEFT;
    tell(hub, rank, &(struct gsh_frame){ .kind = GSH_FRAME_LEFT, .who = rank }, "");
}

static void take_bye(struct gsh_hub *hub, int rank, bool clean)
{
    struct gsh_hub_rank *at = &hub->ranks[rank];

    at->lines = 0;
    at->call = 0;
    if (clean)
        at->state = GSH_HUB_DONE;
    else
        take_leave(hub, rank);
    gsh_hub_settle(hub);
}

int gsh_hub_message(struct gsh_hub *hub, int rank, const struct gsh_frame *head, const char *data)
{
    if (!gsh_hub_is_in(hub, rank))
        return -EPROTO;
    switch (head->kind) {
    case GSH_FRAME_ALLGATHER:
    case GSH_FRAME_BARRIER:
        return take_call(hub, rank, head, data);
    case GSH_FRAME_TIRED:
        take_tired(hub, rank, head->status);
        return 0;
    case GSH_FRAME_ABORT:
        take_abort(hub, rank, head->status, data);
        return 0;
    case GSH_FRAME_BYE:
        take_bye(hub, rank, head->status != 0);
        return 0;
    default:
        return -EPROTO;
    }
}

void gsh_hub_name_absent(const struct gsh_hub *hub, int except, char text[GSH_FRAME_TEXT_BYTES])
{
    bool used = false; /* a program that never calls init misses nobody */
    int named = 0;

    for (int rank = 0; rank < hub->n_ranks; rank++)
        used = used || hub->ranks[rank].pid;
    if (hub->started || hub->broken[0] || !used)
        return;
    for (int rank = 0; rank < hub->n_ranks; rank++)
        if (rank != except && hub->ranks[rank].state == GSH_HUB_ABSENT && named++ < 8)
            append(text, "%s PE %d", named > 1 ? "," : "; not in init yet:", rank);
}

/* Where a rank runs, when there is more than one machine. */
static const char *place_of(const struct gsh_hub *hub, int rank, const char **on)
{
    *on = "";
    for (int i = 0; i < hub->n_ranks; i++)
        if (hub->ranks[i].pid && strcmp(hub->ranks[i].host, hub->ranks[rank].host))
            *on = " on ";
    return **on ? hub->ranks[rank].host : "";
}

void gsh_hub_lost(struct gsh_hub *hub, int rank, int seconds)
{
    char text[GSH_FRAME_TEXT_BYTES] = "";
    int named = 0;

    append(text, "node %s (", hub->ranks[rank].host);
    for (int i = 0; i < hub->n_ranks; i++)
        if (!strcmp(hub->ranks[i].host, hub->ranks[rank].host) && named++ < 8)
            append(text, "%sPE %d", named > 1 ? ", " : "", i);
    if (named > 8)
        append(text, " and %d more", named - 8);
    append(text, ") is lost: nothing has come from it for %d s; it has died, or a link is down",
           seconds);
    gsh_hub_gone(hub, rank, text);
}

void gsh_hub_gone(struct gsh_hub *hub, int rank, const char *cause)
{
    struct gsh_hub_rank *at = &hub->ranks[rank];
    bool first = !hub->broken[0];
    char text[GSH_FRAME_TEXT_BYTES] = "";
    const char *on, *place = place_of(hub, rank, &on);

    if (cause)
        append(text, "%s", cause);
    else {
        append(text, "PE %d (pid %d%s%s) ended without a word: it crashed or was killed", rank,
               at->pid, on, place);
        gsh_hub_name_absent(hub, rank, text);
    }
    at->state = GSH_HUB_GONE;
    at->ended = true;
    at->call = 0;
    break_hub(hub, text);
    if (first)
        tell(hub, rank, &(struct gsh_frame){ .kind = GSH_FRAME_GONE, .who = rank }, text);
    gsh_hub_settle(hub);
}

void gsh_hub_ended(struct gsh_hub *hub, int rank)
{
    struct gsh_hub_rank *at = &hub->ranks[rank];

    at->ended = true;
    at->call = 0;
    if (at->state == GSH_HUB_IN)
        take_leave(hub, rank);
    else if (at->state == GSH_HUB_READY)
        at->state = GSH_HUB_LEFT;
    gsh_hub_settle(hub);
}
