/* gpu.c - puts operations into streams of a GPU.
 *
 * Data goes by copies, which need no multiprocessor; a signal that is set, and a wait for one
 * value, by the stream itself where it can; all else by the library's kernels. Captures take
 * copies and kernels. Collectives meet by the words and the phase that those in kernels use, and
 * take one launch: of one block, or of a few, of which one meets the other PEs. What is much is
 * split so that the stream's own order is the barrier of a grid: one block meets the others, many
 * blocks or copies move or combine, one block meets again. In no way do more than a few blocks
 * wait for other PEs, whose kernels may have yet to find room.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gpu.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/kernels.h"
#include "gpu/state.h"
#include "heap/device.h"
#include "heap/pin.h"
#include "stream/stream.h"
#include "team/team.h"

#include <errno.h>

enum {
    WARP = 32,
    MOVERS = 512,         /* threads of a block that moves or combines, at most */
    FEW_MEMBERS = 3,      /* that one thread meets as fast as many */
    FEW_BLOCKS = 8,       /* that wait for other PEs, at most */
    EACH_BLOCK = 8 << 10, /* bytes for a block of a few */
    ONE_BLOCK = 16 << 10, /* bytes that one block moves or combines at most */
    ONE_COPY = 256 << 10, /* bytes to each PE from which on copies pay */
    ONE_LAUNCH = 1 << 20, /* bytes that a few blocks combine at most */
    ONE_WORD = 16 << 10,  /* bytes that come with a signal in one launch at most */
    EACH_ELEMENTS = 1,    /* of a strided operation, a thread */
    EACH_BYTES = 64,      /* of a reduction by many blocks, a thread */
};

/* Of the one block for so many bytes. Mail takes 8 bytes a thread, see mail.cuh. */
static unsigned threads_for(size_t bytes)
{
    size_t each = bytes <= GSH_MAIL_BYTES ? 8 : 16;
    size_t warps = (bytes / each + WARP - 1) / WARP;

    return warps < MOVERS / WARP ? (unsigned)(warps ? warps : 1) * WARP : MOVERS;
}

static unsigned few_blocks(size_t bytes)
{
    size_t blocks = (bytes + EACH_BLOCK - 1) / EACH_BLOCK;

    return blocks < FEW_BLOCKS ? (unsigned)blocks : FEW_BLOCKS;
}

/* Where [sym, sym + bytes) of pe is for this GPU. */
static void *find(const struct gsh_op *op, const void *sym, size_t bytes, int pe)
{
    bool host = gsh_pin_has(sym, bytes);
    char *at;

    if (!host && !gsh_device_heap_has(sym, bytes))
        gsh_die("%s: %p is symmetric, but not where streams of a GPU reach it; take it from "
                "nvshmem_malloc or nvshmemx_malloc_kind",
                op->call, sym);
    at = host ? gsh_device_host_at(sym, pe) : gsh_device_heap_at(sym, pe);
    if (!at)
        gsh_die("%s: the memory of PE %d cannot be reached from this GPU", op->call, pe);
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

/* Few bytes of GPU memory go with the signal. Of other sources only copies know the way. */
static int put_signal_at_once(const struct gsh_op *op, cudaStream_t stream)
{
    struct gsh_op there = *op;

    there.dest = find(op, op->dest, op->n, op->pe);
    there.word = find(op, op->word, sizeof(*op->word), op->pe);
    return gsh_kernels_launch(GSH_KERNEL_word, &there, 1, threads_for(op->n), stream);
}

static int put_signal(const struct gsh_op *op, cudaStream_t stream)
{
    int err;

    if (op->n && op->n <= ONE_WORD && gsh_device_heap_has(op->source, op->n))
        return put_signal_at_once(op, stream);
    err = put(op, stream);
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

    if (team->n <= FEW_MEMBERS)
        return gsh_kernels_launch(GSH_KERNEL_sync, op, 1, 1, stream);
    return gsh_kernels_launch(GSH_KERNEL_sync, op, 1, (warps < 16 ? warps : 16) * WARP, stream);
}

static int copy_to(const struct gsh_op *op, const struct gsh_team *team, int rank, size_t to,
                   size_t from, size_t bytes, cudaStream_t stream)
{
    char *dest = find(op, (char *)op->dest + to, bytes, team->pes[rank]);

    return gsh_gpu_copy_on(stream, dest, (const char *)op->source + from, bytes);
}

static bool gives(const struct gsh_op *op, const struct gsh_team *team)
{
    return op->kind != GSH_OP_BROADCAST || team->my == op->pe;
}

/* A few blocks for what this PE moves or combines, in one launch. */
static int spread(enum gsh_kernel kernel, const struct gsh_op *op, size_t bytes,
                  cudaStream_t stream)
{
    struct gsh_op all = *op;

    all.steps = GSH_STEP_SPREAD;
    return gsh_kernels_launch(kernel, &all, bytes ? few_blocks(bytes) : 1, MOVERS, stream);
}

/* By copies, and a meeting that tells of them. */
static int move_much(const struct gsh_op *op, size_t bytes, cudaStream_t stream)
{
    const struct gsh_team *team = gsh_team_get(op->team);
    int err = 0;

    for (int i = 1; i <= team->n && gives(op, team) && !err; i++) {
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
    if (bytes > ONE_BLOCK)
        return spread(GSH_KERNEL_move, op, gives(op, team) ? bytes * (size_t)team->n : 0, stream);
    return gsh_kernels_launch(GSH_KERNEL_move, op, 1, threads_for(bytes), stream);
}

static int combine(const struct gsh_op *op, size_t bytes, cudaStream_t stream)
{
    struct gsh_op part = *op;

    part.steps = GSH_STEP_COMBINE;
    return gsh_kernels_launch(GSH_KERNEL_reduce, &part,
                              gsh_kernels_blocks(bytes, EACH_BYTES, MOVERS), MOVERS, stream);
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
        return gsh_kernels_launch(GSH_KERNEL_reduce, op, 1, threads_for(bytes), stream);
    if (bytes <= ONE_LAUNCH)
        return spread(GSH_KERNEL_reduce, op, bytes, stream);
    err = meet(op, stream);
    if (!err)
        err = combine(op, bytes, stream);
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
    int err = reachable(op, gsh_team_get(op->team));

    if (!err)
        err = combine(op, op->n * (size_t)op->size, own);
    return err ? err : gsh_gpu_wait_for(own);
}
