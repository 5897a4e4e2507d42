/* ucx.h - the transport over UCX: active messages that the target carries out itself.
 *
 * A message is a head (struct gsh_ucx_head), and data that it may have:
 *
 *     PUT      data, for a place of the target's window
 *     PIECES   data for several places: a struct gsh_ucx_piece before each, all of it padded
 *     SIGNAL   PUT, then an atomic operation on a word: put_signal
 *     AMO      an atomic operation; the old value is answered when `ask` is set
 *     GET      a place and a size; the data are answered
 *     GETS     several of these, as struct gsh_ucx_piece; answered one behind the other
 *     FLUSH    answered when all that the sender has posted so far is done
 *     ANSWER   to an AMO, a GET or GETS, for the call that waits for `ask`
 *     FLUSHED  what FLUSH is answered by: `count` operations are done
 *     BYE      the sender wants nothing any more; the last it says
 *
 * All operations are done by the target's processor, so that they are atomic with what
 * others do there, and need of a transport of UCX nothing but that messages arrive. Their
 * order does not matter: the sender counts its PUT, PIECES, SIGNAL and AMO to a PE, and the target
 * counts those of a PE that it has done. A message bears in `after` how many must have been
 * done before it: all before the last fence. One that comes too early is kept. So a fence
 * costs nothing, and quiet one FLUSH and its answer for each PE that something was sent to. A
 * message with a `count` asks for the same, with that number.
 *
 * Memory of a GPU goes through copies on the host.
 *
 * The worker is used under `lock`. It is moved on by whoever waits (gsh_pause()) and, when
 * nobody does, by a thread of its own, that sleeps on the worker's descriptor: see thread.c.
 * Messages are carried out by whoever moves the worker on, with the lock: gsh_ucx_turn().
 *
 * No endpoint is made meanwhile: UCX then takes over the connection that the other PE has made,
 * and over TCP falls over what it has read of it and not handed on yet. What is to be sent to
 * a PE that has no endpoint waits for the end of the turn.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TR_UCX_UCX_H
#define GSH_TR_UCX_UCX_H

#include "core/amo.h"
#include "core/escape.h"
#include "tr/ucx/api.h"

#include <pthread.h>
#include <sys/queue.h>

enum gsh_ucx_kind {
    GSH_UCX_PUT,
    GSH_UCX_PIECES,
    GSH_UCX_SIGNAL,
    GSH_UCX_AMO,
    GSH_UCX_GET,
    GSH_UCX_GETS,
    GSH_UCX_FLUSH,
    GSH_UCX_ANSWER,
    GSH_UCX_FLUSHED,
    GSH_UCX_BYE,
    GSH_UCX_KINDS,
};

struct gsh_ucx_head {
    int32_t from;
    uint32_t kind;
    uint64_t after;
    uint64_t off;
    uint64_t bytes; /* of the data, or that GET asks for */
    uint64_t ask;   /* 0: no answer */
    uint64_t
        count; /* FLUSHED: done; PUT, PIECES, SIGNAL, AMO: to be told of when done; ANSWER: old */
    uint64_t amo_off;
    struct gsh_amo_args amo;
};

struct gsh_ucx_piece {
    uint64_t off;
    uint64_t bytes;
};

/* From one piece in PIECES to the next. */
static inline size_t gsh_ucx_step(size_t bytes)
{
    const size_t unit = _Alignof(struct gsh_ucx_piece);

    return sizeof(struct gsh_ucx_piece) + (bytes + unit - 1) / unit * unit;
}

/* A message that came before its time. */
struct gsh_ucx_early {
    TAILQ_ENTRY(gsh_ucx_early) link;
    struct gsh_ucx_head head;
    void *data;
    bool is_ucx; /* the data are UCX's */
    bool rndv;   /* the data are still with the sender */
};

/* A message that nobody waits for. */
struct gsh_ucx_card {
    STAILQ_ENTRY(gsh_ucx_card) link;
    int pe;
    struct gsh_ucx_head head;
    const void *data;
    void *owned;
};

struct gsh_ucx_peer {
    int pe;
    void *address; /* NULL: has no UCX, and this is why */
    char *why;
    void *ep;          /* NULL: not used yet */
    void *closing;     /* the request that closes it */
    size_t most_eager; /* bytes that are sent without asking first: 0: as UCX decides */
    /* As a sender to it: */
    uint64_t sent;
    uint64_t wanted; /* of them, up to the last that quiet must complete */
    uint64_t since_quiet;
    bool is_single;         /* one operation, then quiet: so it was the last time */
    uint64_t fenced;        /* before the last fence */
    uint64_t fence;         /* number of the fence when something was sent last */
    _Atomic uint64_t asked; /* by FLUSH */
    _Atomic uint64_t flushed;
    /* As a target: */
    uint64_t done;
    TAILQ_HEAD(, gsh_ucx_early) early;
    bool runs_early;
    _Atomic bool lost;   /* the endpoint has failed, or could not be made */
    const char *failure; /* and this is why */
    _Atomic bool bye;
};

/* A call that waits for an answer. */
struct gsh_ucx_ask {
    LIST_ENTRY(gsh_ucx_ask) link;
    uint64_t id;
    void *to;
    size_t bytes;
    _Atomic bool done;
};

struct gsh_ucx {
    pthread_mutex_t lock;
    void *context;
    void *worker;
    struct gsh_ucx_peer *peers;
    char *addresses;
    bool has_way; /* an endpoint could be made */
    _Atomic uint64_t fence;
    uint64_t asks; /* so far */
    LIST_HEAD(, gsh_ucx_ask) open_asks;
    bool is_turning; /* the worker is being moved on */
    STAILQ_HEAD(, gsh_ucx_card) after_turn;
    int threads; /* UCX's own */
    /* See thread.c: */
    pthread_t thread;
    bool started;
    int worker_fd;
    int stop_fd;
    _Atomic uint32_t turns; /* of threads that wait */
    _Atomic uint32_t naps;  /* the thread does, as they take turns */
};

/* connect.c: the endpoint to a PE, made when it is used first; NULL after gsh_miss(). With
 * the lock, and not while the worker is moved on. */
void *gsh_ucx_ep(struct gsh_ucx *ucx, int pe);

/* Moves the worker on, with the lock; how much was done. */
unsigned gsh_ucx_turn(struct gsh_ucx *ucx);

/* Of a message with so much data to a PE whose endpoint is there. */
uint32_t gsh_ucx_flags(const struct gsh_ucx *ucx, int pe, const struct gsh_ucx_head *head,
                       size_t bytes);

/* The endpoint has failed. With the lock; who waits for the PE finds out. */
void gsh_ucx_fail(struct gsh_ucx_peer *peer, int8_t status);

/* Sends a message that nobody waits for: an answer, FLUSH or BYE; `owned` is freed when it has
 * left. With the lock. */
void gsh_ucx_post(struct gsh_ucx *ucx, int pe, const struct gsh_ucx_head *head, const void *data,
                  void *owned);

/* serve.c: what UCX calls for each message. */
int8_t gsh_ucx_receive(void *ucx, const void *head, size_t head_bytes, void *data, size_t bytes,
                       const struct gsh_ucp_am_params *params);

/* ask.c: the operations of a transport, see transport.h. */
int gsh_ucx_amo(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args,
                uint64_t *old);
int gsh_ucx_amo_post(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args);
int gsh_ucx_fence(struct gsh_tr *tr);
int gsh_ucx_flag(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes,
                 size_t flag_off, uint64_t value);
int gsh_ucx_get(struct gsh_tr *tr, int pe, void *dst, size_t off, size_t bytes);
int gsh_ucx_get_pieces(struct gsh_tr *tr, int pe, const struct gsh_piece *pieces, size_t n);
int gsh_ucx_peek(struct gsh_tr *tr, int pe, void *dst, size_t off, size_t bytes);
int gsh_ucx_put(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes);
int gsh_ucx_put_pieces(struct gsh_tr *tr, int pe, const struct gsh_piece *pieces, size_t n);
int gsh_ucx_put_signal(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes,
                       size_t sig_off, const struct gsh_amo_args *signal);
void gsh_ucx_leave(struct gsh_tr *tr);
int gsh_ucx_quiet(struct gsh_tr *tr);

/* Nothing is moved on any more: the job is lost, and with GSHMEM_SURVIVE calls have been left
 * whose memory messages would go to. */
static inline bool gsh_ucx_halted(void)
{
    return gsh_escape_wanted() && atomic_load_explicit(&gsh.alert, memory_order_relaxed);
}

/* thread.c: the thread that moves the worker on; progress for whoever waits. */
int gsh_ucx_thread_start(struct gsh_ucx *ucx);
void gsh_ucx_thread_stop(struct gsh_ucx *ucx);
int gsh_ucx_progress(struct gsh_tr *tr);
void gsh_ucx_rest(struct gsh_tr *tr);

#endif /* GSH_TR_UCX_UCX_H */
