/* memory.c - puts and gets of all forms, in the heap and in static data.
 *
 * Each of the two areas has two halves. In a round one half is written, where each PE
 * has a part of its own of every PE's half, and the other is read, which nobody
 * writes.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "soak.h"

#include <string.h>

enum { HALF = 48 << 10, AREA = 2 * HALF, OPS = 6 };

static _Alignas(64) unsigned char in_data[AREA];
static unsigned char *areas[2];
static unsigned char *models[2][SOAK_PES];
static unsigned char *out[OPS]; /* private: what is put; may be in use until quiet */
static unsigned char *in;       /* private: what is got */
static unsigned char *packed;   /* of any actor: the bytes of an operation in a row */

/* One operation, as all PEs know it. Elements of `width` bytes; strides in elements. */
struct op {
    enum { PUT, PUT_NBI, IPUT, P, CTX_PUT, COPY, GET, GET_NBI, IGET, G, CTX_GET, N_OPS } kind;
    int pe;
    size_t width, n;
    ptrdiff_t there_stride; /* of the symmetric side */
    ptrdiff_t here_stride;
    size_t there, here; /* offsets in the area; `here` of a copy only */
    uint64_t name;
};

struct round {
    int area;
    size_t written, read; /* where these halves begin */
};

/* The places that this PE has put to since its last fence. */
static struct {
    int pe;
    size_t from, to;
} pending[OPS];
static int n_pending;

void memory_setup(void)
{
    areas[0] = need_symmetric(AREA);
    areas[1] = in_data;
    for (int area = 0; area < 2; area++)
        for (int pe = 0; pe < n_pes; pe++)
            models[area][pe] = need_private(AREA);
    for (int i = 0; i < OPS; i++)
        out[i] = need_private(2 * HALF);
    in = need_private(2 * HALF);
    packed = need_private(HALF);
}

static size_t draw_place(struct dice *dice, size_t room, size_t span, size_t width)
{
    return draw(dice, (unsigned)((room - span) / width) + 1) * width;
}

static struct op draw_op(struct dice *dice, const struct round *round, int actor)
{
    static const size_t widths[] = { 1, 2, 4, 8, 16 };
    struct op op = { .kind = draw(dice, N_OPS), .pe = (int)draw(dice, (unsigned)n_pes) };
    size_t part = HALF / (size_t)n_pes & ~(size_t)15, room, start, span;
    bool strided = op.kind == IPUT || op.kind == IGET;

    op.width = op.kind == P || op.kind == G ? 8 : widths[draw(dice, 5)];
    op.name = name_of(dice->state, (uint64_t)actor);
    room = op.kind >= GET ? HALF : part;
    start = op.kind >= GET ? round->read : round->written + part * (size_t)actor;
    op.there_stride = strided ? 1 + draw(dice, 5) : 1;
    op.here_stride = strided ? 1 + draw(dice, 5) : 1;
    op.n = op.kind == P || op.kind == G
               ? 1
               : draw_size(dice, room / op.width / (size_t)op.there_stride);
    if (strided && op.n * (size_t)op.here_stride * op.width > HALF)
        op.here_stride = 1;
    span = op.n * (size_t)op.there_stride * op.width;
    op.there = start + draw_place(dice, room, span, op.width);
    if (op.kind == COPY)
        op.here = round->read + draw_place(dice, HALF, op.n * op.width, op.width);
    return op;
}

/* The bytes that a put of the actor carries. */
static void pack(const struct op *op, const struct round *round, int actor)
{
    if (op->kind == COPY)
        memcpy(packed, models[round->area][actor] + op->here, op->n * op->width);
    else
        fill(packed, op->n * op->width, op->name);
}

static void apply(const struct op *op, const struct round *round)
{
    unsigned char *to = models[round->area][op->pe] + op->there;

    for (size_t i = 0; i < op->n; i++)
        memcpy(to + i * (size_t)op->there_stride * op->width, packed + i * op->width, op->width);
}

/* A put over an earlier one must be kept in order; a fence does so within a context. */
static void order(const struct op *op, struct dice *dice)
{
    size_t to = op->there + op->n * (size_t)op->there_stride * op->width;
    bool overlaps = false;

    for (int i = 0; i < n_pending; i++)
        overlaps |= pending[i].pe == op->pe && pending[i].from < to && op->there < pending[i].to;
    if (overlaps) {
        if (op->kind != CTX_PUT && flip(dice))
            shmem_fence();
        else
            shmem_quiet();
        n_pending = 0;
    }
    pending[n_pending].pe = op->pe;
    pending[n_pending].from = op->there;
    pending[n_pending++].to = to;
}

/* A call for each width of elements. */
#define BY_WIDTH(op, bits8, bits16, bits32, bits64, bits128, ...) \
    switch ((op)->width) { \
    case 1: \
        bits8(__VA_ARGS__); \
        break; \
    case 2: \
        bits16(__VA_ARGS__); \
        break; \
    case 4: \
        bits32(__VA_ARGS__); \
        break; \
    case 8: \
        bits64(__VA_ARGS__); \
        break; \
    default: \
        bits128(__VA_ARGS__); \
        break; \
    }

static void through_context(const struct op *op, void *there, void *here)
{
    static const long options[] = { 0, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE };
    shmem_ctx_t ctx;

    if (shmem_ctx_create(options[op->n % 3], &ctx))
        soak_fail("no context");
    if (op->kind == CTX_PUT)
        shmem_ctx_putmem_nbi(ctx, there, here, op->n * op->width, op->pe);
    else
        shmem_ctx_getmem_nbi(ctx, here, there, op->n * op->width, op->pe);
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
}

static void put(const struct op *op, const struct round *round, int slot)
{
    unsigned char *there = areas[round->area] + op->there, *from = out[slot];

    for (size_t i = 0; i < op->n; i++)
        memcpy(from + i * (size_t)op->here_stride * op->width, packed + i * op->width, op->width);
    switch (op->kind) {
    case PUT:
        BY_WIDTH(op, shmem_put8, shmem_put16, shmem_put32, shmem_put64, shmem_put128, there, from,
                 op->n, op->pe)
        break;
    case PUT_NBI:
        BY_WIDTH(op, shmem_put8_nbi, shmem_put16_nbi, shmem_put32_nbi, shmem_put64_nbi,
                 shmem_put128_nbi, there, from, op->n, op->pe)
        break;
    case IPUT:
        BY_WIDTH(op, shmem_iput8, shmem_iput16, shmem_iput32, shmem_iput64, shmem_iput128, there,
                 from, op->there_stride, op->here_stride, op->n, op->pe)
        break;
    case P:
        shmem_uint64_p((uint64_t *)(void *)there, *(uint64_t *)(void *)from, op->pe);
        break;
    case CTX_PUT:
        through_context(op, there, from);
        break;
    default:
        shmem_putmem(there, areas[round->area] + op->here, op->n * op->width, op->pe);
    }
}

static void get(const struct op *op, const struct round *round)
{
    unsigned char *there = areas[round->area] + op->there;

    switch (op->kind) {
    case GET:
        BY_WIDTH(op, shmem_get8, shmem_get16, shmem_get32, shmem_get64, shmem_get128, in, there,
                 op->n, op->pe)
        break;
    case GET_NBI:
        BY_WIDTH(op, shmem_get8_nbi, shmem_get16_nbi, shmem_get32_nbi, shmem_get64_nbi,
                 shmem_get128_nbi, in, there, op->n, op->pe)
        shmem_quiet();
        n_pending = 0;
        break;
    case IGET:
        BY_WIDTH(op, shmem_iget8, shmem_iget16, shmem_iget32, shmem_iget64, shmem_iget128, in,
                 there, op->here_stride, op->there_stride, op->n, op->pe)
        break;
    case G:
        *(uint64_t *)(void *)in = shmem_uint64_g((uint64_t *)(void *)there, op->pe);
        break;
    default:
        through_context(op, there, in);
    }
}

static void check_got(const struct op *op, const struct round *round)
{
    const unsigned char *model = models[round->area][op->pe] + op->there;

    for (size_t i = 0; i < op->n; i++)
        expect_bytes(in + i * (size_t)op->here_stride * op->width,
                     model + i * (size_t)op->there_stride * op->width, op->width,
                     op->kind == IGET ? "iget" : "get");
}

static void act(struct dice *dice, const struct round *round, int actor, int slot)
{
    struct op op = draw_op(dice, round, actor);
    struct dice own = *dice;

    if (op.kind < GET) {
        pack(&op, round, actor);
        apply(&op, round);
        if (actor != me)
            return;
        order(&op, &own);
        put(&op, round, slot);
    } else if (actor == me) {
        get(&op, round);
        check_got(&op, round);
    }
}

void memory_round(void)
{
    struct dice dice = soak_dice(-1);
    struct round round = { .area = flip(&dice) };
    int ops = 1 + (int)draw(&dice, OPS);

    round.written = flip(&dice) ? HALF : 0;
    round.read = HALF - round.written;
    n_pending = 0;
    for (int actor = 0; actor < n_pes; actor++) {
        struct dice own = soak_dice(actor);

        for (int i = 0; i < ops; i++)
            act(&own, &round, actor, i);
    }
    meet(&dice);
    for (int area = 0; area < 2; area++)
        expect_bytes(areas[area], models[area][me], AREA, area ? "static data" : "heap");
    shmem_sync_all();
}
