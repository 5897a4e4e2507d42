/* run.c - does an operation on the host, in the thread of a stream.
 *
 * Collectives run on the team's twin for streams, so that the host may be in another one on
 * the same team: a program need not wait for its streams before it allocates.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/checked.h"
#include "core/log.h"
#include "core/signal.h"
#include "core/words.h"
#include "stream/stream.h"

#include <errno.h>

static int put(const struct gsh_op *op)
{
    gsh_put_told(op->call, op->pe, gsh_offset(op->call, op->dest, op->n, op->pe), op->source, op->n,
                 op->where);
    return 0;
}

static int get(const struct gsh_op *op)
{
    gsh_get_told(op->call, op->pe, op->dest, gsh_offset(op->call, op->source, op->n, op->pe), op->n,
                 op->where);
    return 0;
}

static int iput(const struct gsh_op *op)
{
    ptrdiff_t size = op->size;
    size_t off = gsh_offset(op->call, op->dest, 0, op->pe);

    for (ptrdiff_t i = 0; i < (ptrdiff_t)op->n; i++)
        gsh_put_told(op->call, op->pe, off + (size_t)(i * op->dst * size),
                     (const char *)op->source + i * op->sst * size, (size_t)size, op->where);
    return 0;
}

static int iget(const struct gsh_op *op)
{
    ptrdiff_t size = op->size;
    size_t off = gsh_offset(op->call, op->source, 0, op->pe);

    for (ptrdiff_t i = 0; i < (ptrdiff_t)op->n; i++)
        gsh_get_told(op->call, op->pe, (char *)op->dest + i * op->dst * size,
                     off + (size_t)(i * op->sst * size), (size_t)size, op->where);
    return 0;
}

static int p(const struct gsh_op *op)
{
    size_t size = (size_t)op->size;

    gsh_put_told(op->call, op->pe, gsh_offset(op->call, op->dest, size, op->pe), &op->value, size,
                 op->where);
    return 0;
}

/* A signal comes after all that the stream has put to that PE. */
static int put_signal(const struct gsh_op *op)
{
    gsh_fence();
    gsh_put_signal(op->call, op->dest, op->source, op->n, op->word, op->value, op->how, op->pe);
    return 0;
}

static int signal(const struct gsh_op *op)
{
    gsh_fence();
    gsh_signal(op->call, op->word, op->value, op->how, op->pe);
    return 0;
}

static int wait(const struct gsh_op *op)
{
    struct gsh_words words = { .call = op->call,
                               .ivars = (const char *)op->word,
                               .n = op->n,
                               .size = (size_t)op->size,
                               .is_signed = op->is_signed,
                               .status = op->status,
                               .cmp = op->how,
                               .values = op->values ? op->values : (const char *)&op->value,
                               .vector = op->values != NULL };

    gsh_words_wait_all(&words, op->where);
    return 0;
}

static int quiet(const struct gsh_op *op)
{
    (void)op;
    gsh_quiet();
    return 0;
}

static struct gsh_coll coll_of(const struct gsh_op *op, enum gsh_coll_op as)
{
    struct gsh_team *team = gsh_coll_team(op->call, op->team);

    return (struct gsh_coll){ .name = op->call,
                              .where = op->where,
                              .team = team ? gsh_team_stream(team) : NULL,
                              .op = as,
                              .type = (enum gsh_coll_type)op->type,
                              .size = (size_t)op->size };
}

static int barrier(const struct gsh_op *op)
{
    const struct gsh_coll c = coll_of(op, GSH_COLL_BARRIER);

    return gsh_coll_meet(&c, true);
}

static int sync(const struct gsh_op *op)
{
    const struct gsh_coll c = coll_of(op, GSH_COLL_SYNC);

    return gsh_coll_meet(&c, false);
}

static int broadcast(const struct gsh_op *op)
{
    const struct gsh_coll c = coll_of(op, GSH_COLL_BROADCAST);

    return gsh_coll_broadcast(&c, op->dest, op->source, op->n, op->pe, true);
}

static int exchange(const struct gsh_op *op)
{
    const struct gsh_coll c =
        coll_of(op, op->kind == GSH_OP_ALLTOALL ? GSH_COLL_ALLTOALL : GSH_COLL_FCOLLECT);

    return gsh_coll_exchange(&c, op->dest, op->source, op->n);
}

static int reduction(const struct gsh_op *op)
{
    const struct gsh_coll c =
        coll_of(op, op->kind == GSH_OP_REDUCE ? GSH_COLL_REDUCE : GSH_COLL_REDUCESCATTER);

    return gsh_coll_reduction(&c, (enum gsh_reduction)op->how, op->dest, op->source, op->n,
                              op->combine);
}

int gsh_stream_run(const struct gsh_op *op)
{
    static int (*const functions[])(const struct gsh_op *) = {
        [GSH_OP_PUT] = put,
        [GSH_OP_GET] = get,
        [GSH_OP_IPUT] = iput,
        [GSH_OP_IGET] = iget,
        [GSH_OP_P] = p,
        [GSH_OP_PUT_SIGNAL] = put_signal,
        [GSH_OP_SIGNAL] = signal,
        [GSH_OP_WAIT] = wait,
        [GSH_OP_QUIET] = quiet,
        [GSH_OP_BARRIER] = barrier,
        [GSH_OP_SYNC] = sync,
        [GSH_OP_BROADCAST] = broadcast,
        [GSH_OP_FCOLLECT] = exchange,
        [GSH_OP_ALLTOALL] = exchange,
        [GSH_OP_REDUCE] = reduction,
        [GSH_OP_REDUCESCATTER] = reduction,
    };

    return functions[op->kind](op);
}
