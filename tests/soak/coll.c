/* coll.c - collectives in a row on teams that have members in common, without a
 * barrier between: a fast member is in a later one while a slow one is in an earlier one.
 *
 * Each collective of a round has a part of the symmetric buffers of its own.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "soak.h"

#include <stdio.h>
#include <string.h>

enum { PART = 320 << 10, OPS = 5, POISON = 0xee };

/* X(name, type, op, expression): reductions; x and y are combined. Reals hold small
 * whole numbers, so that sums are exact in any order. */
/* clang-format off */
#define REDUCTIONS(X) \
    X(int, int, sum, x + y) \
    X(long, long, sum, x + y) \
    X(short, short, sum, (short)(x + y)) \
    X(float, float, sum, x + y) \
    X(double, double, sum, x + y) \
    X(uchar, unsigned char, sum, (unsigned char)(x + y)) \
    X(int64, int64_t, max, x > y ? x : y) \
    X(double, double, min, x < y ? x : y) \
    X(uint32, uint32_t, and, x & y) \
    X(uint64, uint64_t, or, x | y) \
    X(ushort, unsigned short, xor, x ^ y) \
    X(uint64, uint64_t, prod, x * y) \
    X(size, size_t, min, x < y ? x : y)
/* clang-format on */

/* One collective as all PEs know it. */
struct coll {
    enum {
        BROADCAST,
        FCOLLECT,
        COLLECT,
        ALLTOALL,
        ALLTOALLS,
        REDUCE,
        SCATTER,
        SCAN,
        SYNC,
        N_OPS
    } kind;
    const struct soak_team *team;
    size_t n; /* elements, of rank i n + i * step */
    size_t step;
    size_t width;
    int root;
    int function; /* of the reductions */
    bool in_place;
    ptrdiff_t dst, sst;
    unsigned char *to, *from;
    uint64_t seed;
};

static unsigned char *dest, *source; /* symmetric */
static unsigned char *model;         /* private: what dest should be */

void coll_setup(void)
{
    dest = need_symmetric((size_t)OPS * PART);
    source = need_symmetric((size_t)OPS * PART);
    model = need_private(PART);
}

/* Element k of member pe's operand. */
#define VALUE(type, name, pe, k) ((type)(name_of((name) + (uint64_t)(pe), k) % 97))

#define REDUCE_ONE(name, type, way, expression) \
    static void name##_##way##_operand(const struct coll *o, int pe, size_t n, void *at) \
    { \
        for (size_t k = 0; k < n; k++) \
            ((type *)at)[k] = VALUE(type, o->seed, pe, k); \
    } \
    static int name##_##way##_call(const struct coll *o, void *to) \
    { \
        if (o->kind == REDUCE) \
            return shmem_##name##_##way##_reduce(o->team->handle, to, (type *)(void *)o->from, \
                                                 o->n); \
        return nvshmem_##name##_##way##_reducescatter(o->team->handle, to, \
                                                      (type *)(void *)o->from, o->n); \
    } \
    static void name##_##way##_model(const struct coll *o, size_t first, size_t n, void *at) \
    { \
        for (size_t k = 0; k < n; k++) { \
            type x = VALUE(type, o->seed, o->team->pes[0], first + k); \
            for (int i = 1; i < o->team->n; i++) { \
                type y = VALUE(type, o->seed, o->team->pes[i], first + k); \
                x = expression; \
            } \
            ((type *)at)[k] = x; \
        } \
    }
/* clang-format off */
REDUCTIONS(REDUCE_ONE)
/* clang-format on */
#undef REDUCE_ONE

static const struct function {
    const char *name;
    size_t width;
    void (*operand)(const struct coll *op, int pe, size_t n, void *at);
    int (*call)(const struct coll *op, void *to);
    void (*model)(const struct coll *op, size_t first, size_t n, void *at);
} functions[] = {
#define ROW(name, type, way, expression) \
    { #name " " #way, sizeof(type), name##_##way##_operand, name##_##way##_call, \
      name##_##way##_model },
    REDUCTIONS(ROW)
#undef ROW
};
enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static bool is_reduction(const struct coll *op)
{
    return op->kind == REDUCE || op->kind == SCATTER;
}

/* The member with this rank gives so many elements. */
static size_t share(const struct coll *op, int rank)
{
    return op->n + (op->kind == COLLECT ? op->step * (size_t)rank : 0);
}

/* Half of them are on the team of the one before, and half of those of its kind: what a
 * collective leaves behind meets the next one of the same sort. */
static struct coll draw_op(struct dice *dice, int place, const struct coll *before)
{
    static const size_t widths[] = { 1, 2, 4, 8 };
    struct coll op = { .kind = draw(dice, N_OPS) };
    size_t room;

    op.team = &soak_teams[draw(dice, (unsigned)soak_n_teams)];
    if (before && flip(dice)) {
        op.team = before->team;
        if (flip(dice))
            op.kind = before->kind;
    }
    op.function = (int)draw(dice, N_FUNCTIONS);
    op.width = is_reduction(&op) ? functions[op.function].width : widths[draw(dice, 4)];
    op.dst = op.sst = 1;
    if (op.kind == ALLTOALLS) {
        op.dst = 1 + (ptrdiff_t)draw(dice, 3);
        op.sst = 1 + (ptrdiff_t)draw(dice, 3);
    }
    if (op.kind == SCAN)
        op.width = sizeof(long);
    op.step = op.kind == COLLECT ? draw(dice, 50) : 0;
    room = PART / (size_t)op.team->n / op.width / (op.kind == ALLTOALLS ? 3 : 1);
    room -= op.kind == COLLECT ? 50 * SOAK_PES : 0;
    if (op.kind == BROADCAST || op.kind == REDUCE)
        room = PART / op.width;
    op.n = draw_size(dice, room);
    op.root = (int)draw(dice, (unsigned)op.team->n);
    op.in_place = (op.kind == REDUCE || op.kind == SCAN) && !draw(dice, 4);
    op.to = dest + (size_t)place * PART;
    op.from = op.in_place ? op.to : source + (size_t)place * PART;
    op.seed = dice->state;
    return op;
}

static size_t source_bytes(const struct coll *op)
{
    size_t parts = op->kind == ALLTOALL || op->kind == ALLTOALLS || op->kind == SCATTER
                       ? (size_t)op->team->n
                       : 1;

    return share(op, soak_rank(op->team)) * parts * (size_t)op->sst * op->width;
}

static void prepare(const struct coll *op)
{
    size_t parts = op->kind == SCATTER ? (size_t)op->team->n : 1;

    memset(op->to, POISON, PART);
    if (soak_rank(op->team) < 0)
        return;
    if (is_reduction(op))
        functions[op->function].operand(op, me, op->n * parts, op->from);
    else if (op->kind == SCAN)
        for (size_t k = 0; k < op->n; k++)
            ((long *)(void *)op->from)[k] = VALUE(long, op->seed, me, k);
    else
        fill(op->from, source_bytes(op), name_of(op->seed, (uint64_t)me));
}

/* An alltoalls call for each width. */
static int alltoalls(const struct coll *op)
{
    shmem_team_t team = op->team->handle;

    switch (op->width) {
    case 1:
        return shmem_uint8_alltoalls(team, op->to, op->from, op->dst, op->sst, op->n);
    case 2:
        return shmem_uint16_alltoalls(team, (uint16_t *)(void *)op->to,
                                      (uint16_t *)(void *)op->from, op->dst, op->sst, op->n);
    case 4:
        return shmem_uint32_alltoalls(team, (uint32_t *)(void *)op->to,
                                      (uint32_t *)(void *)op->from, op->dst, op->sst, op->n);
    default:
        return shmem_uint64_alltoalls(team, (uint64_t *)(void *)op->to,
                                      (uint64_t *)(void *)op->from, op->dst, op->sst, op->n);
    }
}

static int call(const struct coll *op)
{
    shmem_team_t team = op->team->handle;
    size_t bytes = share(op, soak_rank(op->team)) * op->width;

    switch (op->kind) {
    case BROADCAST:
        return nvshmem_broadcastmem(team, op->to, op->from, bytes, op->root);
    case FCOLLECT:
        return shmem_fcollectmem(team, op->to, op->from, bytes);
    case COLLECT:
        return shmem_collectmem(team, op->to, op->from, bytes);
    case ALLTOALL:
        return shmem_alltoallmem(team, op->to, op->from, bytes);
    case ALLTOALLS:
        return alltoalls(op);
    case REDUCE:
    case SCATTER:
        return functions[op->function].call(op, op->to);
    case SCAN:
        return (op->root & 1 ? shmem_long_sum_inscan : shmem_long_sum_exscan)(
            team, (long *)(void *)op->to, (long *)(void *)op->from, op->n);
    default:
        return shmem_team_sync(team);
    }
}

/* Bytes of `pe`'s operand from `from` on to the model; the end of what is there now. */
static size_t model_part(const struct coll *op, size_t at, int rank, size_t from)
{
    size_t bytes = share(op, rank) * op->width;
    uint64_t name = name_of(op->seed, (uint64_t)op->team->pes[rank]);

    for (size_t i = 0; i < bytes; i++)
        model[at + i] = byte_of(name, from + i);
    return at + bytes;
}

static void model_strided(const struct coll *op, int rank, int mine)
{
    uint64_t name = name_of(op->seed, (uint64_t)op->team->pes[rank]);
    size_t dst = (size_t)op->dst, sst = (size_t)op->sst, w = op->width;

    for (size_t k = 0; k < op->n; k++)
        for (size_t i = 0; i < w; i++)
            model[((size_t)rank * op->n + k) * dst * w + i] =
                byte_of(name, ((size_t)mine * op->n + k) * sst * w + i);
}

static void model_scan(const struct coll *op, int mine)
{
    for (size_t k = 0; k < op->n; k++) {
        long sum = 0;

        for (int i = 0; i < mine + (op->root & 1); i++)
            sum += VALUE(long, op->seed, op->team->pes[i], k);
        ((long *)(void *)model)[k] = sum;
    }
}

static void make_model(const struct coll *op)
{
    int mine = soak_rank(op->team);
    size_t at = 0;

    memset(model, POISON, PART);
    if (op->kind == BROADCAST)
        model_part(op, 0, op->root, 0);
    else if (op->kind == REDUCE)
        functions[op->function].model(op, 0, op->n, model);
    else if (op->kind == SCATTER)
        functions[op->function].model(op, op->n * (size_t)mine, op->n, model);
    else if (op->kind == SCAN)
        model_scan(op, mine);
    for (int i = 0; i < op->team->n; i++) {
        if (op->kind == FCOLLECT || op->kind == COLLECT)
            at = model_part(op, at, i, 0);
        else if (op->kind == ALLTOALL)
            at = model_part(op, at, i, op->n * (size_t)mine * op->width);
        else if (op->kind == ALLTOALLS)
            model_strided(op, i, mine);
    }
}

static void verify(const struct coll *op)
{
    static const char *const names[] = { "broadcast",     "fcollect",  "collect",
                                         "alltoall",      "alltoalls", "reduce",
                                         "reducescatter", "scan",      "sync" };
    char what[120];

    snprintf(what, sizeof(what), "%s%s%s of %zu elements of %zu bytes%s on a team of %d",
             is_reduction(op) ? functions[op->function].name : "", is_reduction(op) ? " " : "",
             names[op->kind], op->n, op->width, op->in_place ? " in place" : "", op->team->n);
    make_model(op);
    expect_bytes(op->to, model, PART, what);
    if (!op->in_place && !is_reduction(op) && op->kind != SCAN && op->kind != SYNC)
        expect(op->from, source_bytes(op), name_of(op->seed, (uint64_t)me), 0,
               "source of a collective");
}

/* On return the result is there and the source may be written again, wherever the
 * other members are. */
static void use(const struct coll *op)
{
    verify(op);
    if (!op->in_place)
        memset(op->from, POISON, source_bytes(op));
}

void coll_round(void)
{
    struct dice dice = soak_dice(-1), own = soak_dice(me);
    bool at_once[OPS];
    int n = 1 + (int)draw(&dice, OPS);
    struct coll ops[OPS];

    for (int i = 0; i < n; i++) {
        ops[i] = draw_op(&dice, i, i ? &ops[i - 1] : NULL);
        prepare(&ops[i]);
    }
    shmem_barrier_all();
    for (int i = 0; i < n; i++) {
        if (soak_rank(ops[i].team) < 0)
            continue;
        if (call(&ops[i]))
            soak_fail("a collective on a team of %d failed: %s", ops[i].team->n,
                      nvshmemx_last_error());
        at_once[i] = flip(&own);
        if (at_once[i])
            use(&ops[i]);
    }
    shmem_barrier_all();
    for (int i = 0; i < n; i++)
        if (soak_rank(ops[i].team) >= 0 && !at_once[i])
            verify(&ops[i]);
}
