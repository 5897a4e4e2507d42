/* gpu.c - puts operations into streams of a GPU.
 *
 * Data goes by copies, which need no multiprocessor; a signal that is set, and a wait for one
 * value, by the stream itself where it can; all else by the library's kernels. Captures take
 * copies and kernels. Collectives meet by the words and the phase that those in kernels use.
 * What is much is split so that the stream's own order is the barrier of a grid: one block
 * meets the other PEs, many blocks or copies move or combine, one block meets again.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gpu.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/kernels.h"
#include "heap/device.h"
#include "stream/stream.h"
#include "team/team.h"

#include <errno.h>

enum {
    WARP = 32,
    MOVERS = 512,         /* threads of a block that moves or combines */
    ONE_BLOCK = 32 << 10, /* bytes that one block moves or combines at most */
    ONE_COPY = 64 << 10,  /* bytes to each PE from which on copies pay */
    EACH_ELEMENTS = 1,    /* of a strided operation, a thread */
    EACH_BYTES = 64,      /* of a reduction, a thread */
};

/* Where [sym, sym + bytes) of pe is for this GPU. */
static void *find(const struct gsh_op *op, const void *sym, size_t bytes, int pe)
{
    char *at;

    if (!gsh_device_heap_has(sym, bytes))
        gsh_die("%s: %p is symmetric, but not in GPU memory, where streams of a GPU need it; take "
                "it from nvshmem_malloc",
                op->call, sym);
    at = gsh_device_heap_at(sym, pe);
    if (!at)
        gsh_die("%s: the GPU memory of PE %d cannot be reached from this machine", op->call, pe);
    return at;
}

static int put(const struct gsh_op *op, cudaStream_t stream)
{
    return op->n ? gsh_gpu_copy_on(stream, find(op, op->dest, op->n, op->pe), op->source, op->n)
                 : 0;
}

static int get(const struct gsh_op *op, cudaStream_t stream)
{
    return op->n ? gsh_gpu_copy_on(stream, op->dest, find(op, op->source, op->n, op->pe), op->n)
                 : 0;
}

static int strided(const struct gsh_op *op, cudaStream_t stream)
{
    struct gsh_op there = *op;

    if (!op->n)
        return 0;
    if (op->kind == GSH_OP_IPUT)
        there.dest = find(op, op->dest, (size_t)op->size, op->pe);
    else
        there.source = find(op, op->source, (size_t)op->size, op->pe);
    return gsh_kernels_launch(GSH_KERNEL_strided, &there,
                              gsh_kernels_blocks(op->n, EACH_ELEMENTS, MOVERS), MOVERS, stream);
}

static int p(const struct gsh_op *op, cudaStream_t stream)
{
    struct gsh_op there = *op;

    there.dest = find(op, op->dest, (size_t)op->size, op->pe);
    return gsh_kernels_launch(GSH_KERNEL_word, &there, 1, 1, stream);
}

static int signal(const struct gsh_op *op, cudaStream_t stream)
{
    struct gsh_op there = *op;
    int err = -ENOTSUP;

    there.kind = GSH_OP_SIGNAL;
    there.word = find(op, op->word, sizeof(*op->word), op->pe);
    if (op->how == NVSHMEM_SIGNAL_SET)
        err = gsh_gpu_write_on(stream, there.word, op->value);
    return err == -ENOTSUP ? gsh_kernels_launch(GSH_KERNEL_word, &there, 1, 1, stream) : err;
}

static int put_signal(const struct gsh_op *op, cudaStream_t stream)
{
    int err = put(op, stream);

    return err ? err : signal(op, stream);
}

static int wait(const struct gsh_op *op, cudaStream_t stream)
{
    int err = -ENOTSUP;

    if (!op->n)
        return 0;
    find(op, op->word, op->n * (size_t)op->size, gsh.my_pe);
    if (op->n == 1 && op->size == 8 && op->how == NVSHMEM_CMP_EQ && !op->values && !op->status)
        err = gsh_gpu_wait_on(stream, op->word, op->value);
    return err == -ENOTSUP ? gsh_kernels_launch(GSH_KERNEL_wait, op, 1, 1, stream) : err;
}

/* Work of a stream is complete before what comes later in it begins. */
static int quiet(const struct gsh_op *op, cudaStream_t stream)
{
    (void)op, (void)stream;
    return 0;
}

/* --- Collectives --- */

static int reachable(const struct gsh_op *op, const struct gsh_team *team)
{
    for (int i = 0; i < team->n; i++)
        if (!gsh_device_heap_at(gsh_device_heap.base, team->pes[i]))
            return gsh_fail(-ENOTSUP,
                            "%s: GPU %d of the team is on another machine; streams reach the GPUs "
                            "of this one",
                            op->call, team->pes[i]);
    return 0;
}

static int meet(const struct gsh_op *op, cudaStream_t stream)
{
    const struct gsh_team *team = gsh_team_get(op->team);
    unsigned warps = ((unsigned)team->n + WARP - 1) / WARP;

    return gsh_kernels_launch(GSH_KERNEL_sync, op, 1, (warps < 16 ? warps : 16) * WARP, stream);
}

static int copy_to(const struct gsh_op *op, const struct gsh_team *team, int rank, size_t to,
                   size_t from, size_t bytes, cudaStream_t stream)
{
    char *dest = find(op, (char *)op->dest + to, bytes, team->pes[rank]);

    return gsh_gpu_copy_on(stream, dest, (const char *)op->source + from, bytes);
}

/* By copies, and a meeting that tells of them. */
static int move_much(const struct gsh_op *op, size_t bytes, cudaStream_t stream)
{
    const struct gsh_team *team = gsh_team_get(op->team);
    bool gives = op->kind != GSH_OP_BROADCAST || team->my == op->pe;
    int err = 0;

    for (int i = 1; i <= team->n && gives && !err; i++) {
        int rank = (team->my + i) % team->n;
        size_t to = op->kind == GSH_OP_BROADCAST ? 0 : bytes * (size_t)team->my;
        size_t from = op->kind == GSH_OP_ALLTOALL ? bytes * (size_t)rank : 0;

        err = copy_to(op, team, rank, to, from, bytes, stream);
    }
    return err ? err : meet(op, stream);
}

static int move(const struct gsh_op *op, cudaStream_t stream)
{
    const struct gsh_team *team = gsh_team_get(op->team);
    size_t bytes = op->n * (size_t)op->size;

    find(op, op->dest, op->kind == GSH_OP_BROADCAST ? bytes : bytes * (size_t)team->n, gsh.my_pe);
    if (bytes >= ONE_COPY)
        return move_much(op, bytes, stream);
    return gsh_kernels_launch(GSH_KERNEL_move, op, 1, MOVERS, stream);
}

static int step(const struct gsh_op *op, int steps, unsigned blocks, cudaStream_t stream)
{
    struct gsh_op part = *op;

    part.steps = steps;
    return gsh_kernels_launch(GSH_KERNEL_reduce, &part, blocks, MOVERS, stream);
}

static int reduction(const struct gsh_op *op, cudaStream_t stream)
{
    const struct gsh_team *team = gsh_team_get(op->team);
    size_t bytes = op->n * (size_t)op->size;
    size_t source = op->kind == GSH_OP_REDUCE ? bytes : bytes * (size_t)team->n;
    int err;

    find(op, op->dest, bytes, gsh.my_pe);
    find(op, op->source, source, gsh.my_pe);
    if (bytes <= ONE_BLOCK)
        return step(op, GSH_STEP_COME | GSH_STEP_COMBINE | GSH_STEP_LEAVE, 1, stream);
    err = meet(op, stream);
    if (!err)
        err = step(op, GSH_STEP_COMBINE, gsh_kernels_blocks(bytes, EACH_BYTES, MOVERS), stream);
    return err ? err : meet(op, stream);
}

static int collective(const struct gsh_op *op, cudaStream_t stream)
{
    int err = reachable(op, gsh_team_get(op->team));

    if (err)
        return err;
    switch (op->kind) {
    case GSH_OP_BARRIER:
    case GSH_OP_SYNC:
        return meet(op, stream);
    case GSH_OP_REDUCE:
    case GSH_OP_REDUCESCATTER:
        return op->n ? reduction(op, stream) : 0;
    default:
        return op->n ? move(op, stream) : 0;
    }
}

int gsh_stream_gpu(const struct gsh_op *op, cudaStream_t stream)
{
    switch (op->kind) {
    case GSH_OP_PUT:
        return put(op, stream);
    case GSH_OP_GET:
        return get(op, stream);
    case GSH_OP_IPUT:
    case GSH_OP_IGET:
        return strided(op, stream);
    case GSH_OP_P:
        return p(op, stream);
    case GSH_OP_PUT_SIGNAL:
        return put_signal(op, stream);
    case GSH_OP_SIGNAL:
        return signal(op, stream);
    case GSH_OP_WAIT:
        return wait(op, stream);
    case GSH_OP_QUIET:
        return quiet(op, stream);
    default:
        return collective(op, stream);
    }
}

int gsh_stream_combine(const struct gsh_op *op)
{
    struct CUstream_st *own = gsh_gpu_own_stream();
    size_t bytes = op->n * (size_t)op->size;
    int err = reachable(op, gsh_team_get(op->team));

    if (!err)
        err = step(op, GSH_STEP_COMBINE, gsh_kernels_blocks(bytes, EACH_BYTES, MOVERS), own);
    return err ? err : gsh_gpu_wait_for(own);
}
