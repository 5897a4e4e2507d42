/* transport.h - what a transport is: a const table of operations.
 *
 * A transport moves bytes between this PE and the windows of others; a place is
 * (pe, offset into the window). Where map() gives an address the core loads and
 * stores by itself and calls no other op for that peer. Rules for the rest:
 *
 * - put, put_pieces, put_signal and amo_post return when src may be reused; what they did is
 *   complete at the target after quiet, and in order to one PE across a fence.
 * - put_signal: the signal is visible no earlier than all of its payload.
 * - get, get_pieces and amo return with the data, and see what quiet has completed.
 * - Whoever delivers into a window rings the bell of that PE (core/wait.h).
 * - All ops but open and close may be called by several threads at once.
 *
 * Ops return 0 or a negative errno after gsh_fail(). An op left out of a table is
 * filled from the defaults of choose.c, so callers never test for NULL. Keep
 * sorted.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TR_TRANSPORT_H
#define GSH_TR_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

struct gsh_tr;

/* X(op, expression): the atomic operations on `old` with `operand`; compare and
 * swap takes `cond` too. fadd takes both for the bits of a float or double. */
/* clang-format off */
#define GSH_AMO_OPS(X) \
    X(fetch, old) \
    X(set,   operand) \
    X(add,   old + operand) \
    X(and,   old & operand) \
    X(or,    old | operand) \
    X(xor,   old ^ operand) \
    X(fadd,  gsh_bits(gsh_real(old) + gsh_real(operand))) \
    X(cswap, old == cond ? operand : old)
/* clang-format on */

enum gsh_amo {
#define ROW(op, expression) GSH_AMO_##op,
    GSH_AMO_OPS(ROW)
#undef ROW
};

struct gsh_amo_args {
    enum gsh_amo op;
    size_t bytes; /* 4 or 8 */
    uint64_t operand;
    uint64_t cond;
};

/* One of several puts or gets: a place of the target's window, and one here. */
struct gsh_piece {
    size_t off;
    union {
        const void *from; /* of a put */
        void *to;
    } at;
    size_t bytes;
};

struct gsh_tr_ops {
    /* *old = what was there before. */
    int (*amo)(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args,
               uint64_t *old);
    int (*amo_post)(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args);
    void (*close)(struct gsh_tr *tr);
    int (*fence)(struct gsh_tr *tr);
    /* What collectives send: `bytes`, which may be none, and then one of the library's own
     * words, which a member of the team waits for, after all that was put to that PE before.
     * Returns when src may be reused; quiet need not complete it. */
    int (*flag)(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes,
                size_t flag_off, uint64_t value);
    int (*get)(struct gsh_tr *tr, int pe, void *dst, size_t off, size_t bytes);
    /* Several at once, to host memory; by default one after the other. */
    int (*get_pieces)(struct gsh_tr *tr, int pe, const struct gsh_piece *pieces, size_t n);
    /* This process ends without finalize: completes all, flags too, and stops threads. */
    void (*leave)(struct gsh_tr *tr);
    /* The peer's window in this process, NULL when it cannot be mapped. */
    char *(*map)(struct gsh_tr *tr, int pe);
    /* A failure is no error yet, as the next transport is tried: gsh_miss(), and
     * nothing is left to close. */
    int (*open)(struct gsh_tr *tr);
    /* A get of a few words for messages, which gives up when the PE does not answer soon:
     * gsh_miss(). */
    int (*peek)(struct gsh_tr *tr, int pe, void *dst, size_t off, size_t bytes);
    /* Delivers what has come, for a thread that waits; how much that was, as far as is
     * known. Never waits. */
    int (*progress)(struct gsh_tr *tr);
    int (*put)(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes);
    /* As get_pieces. */
    int (*put_pieces)(struct gsh_tr *tr, int pe, const struct gsh_piece *pieces, size_t n);
    int (*put_signal)(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes,
                      size_t sig_off, const struct gsh_amo_args *signal);
    int (*quiet)(struct gsh_tr *tr);
    /* 1, or 0 with the reason in why[]. */
    int (*reaches)(struct gsh_tr *tr, int pe, char *why, size_t bytes);
    /* The thread that waits will sleep, and call progress no more until it is woken by the
     * bell. */
    void (*rest)(struct gsh_tr *tr);
};

struct gsh_tr {
    const char *name;
    struct gsh_tr_ops ops; /* filled by gsh_tr_open_all(), never NULL */
    void *priv;
};

struct gsh_tr_driver {
    const char *name;
    const char *what; /* one sentence for gshinfo */
    /* Does this transport exist here at all? 1, or 0 with a reason for gshinfo. NULL
     * stands for yes. */
    int (*usable)(const char **why_not);
    struct gsh_tr_ops ops;
};

/* Every transport that was built, in order of preference. */
#define GSH_TR_BUILT(X) X(self) X(p2p) X(delay) X(ucx)
extern const struct gsh_tr_driver *const gsh_tr_drivers[];

/* Opens the transports that are usable and fills gsh.peers: tr is the first that maps
 * the peer, and gives base and bell; else the first that reaches it. A peer that none
 * reaches is an error: one table of peer, transport and reason. Needs the machine
 * segment. Transports that cannot map are remote ones: NVSHMEM_REMOTE_TRANSPORT
 * picks among them. */
int gsh_tr_open_all(void);
void gsh_tr_close_all(void);

/* The first open transport after this one that reaches a PE; NULL, and why[] as reaches()
 * has it. */
struct gsh_tr *gsh_tr_below(const struct gsh_tr *tr, int pe, char *why, size_t bytes);

/* Over all open transports. */
int gsh_tr_fence(void);
void gsh_tr_leave_all(void);
int gsh_tr_progress(void);
int gsh_tr_quiet(void);
void gsh_tr_rest(void);

#endif /* GSH_TR_TRANSPORT_H */
