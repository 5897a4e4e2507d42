/* queue.c - gives operations to streams.
 *
 * Streams of the CPU device belong to libgshcudart, which is found in the program when it is
 * there. A program without it and without a GPU has no streams but NULL.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "coll/checked.h"
#include "core/init.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/gpu.h"
#include "gpu/stage.h"
#include "stream/stream.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* What libgshcudart offers: see gshmem/cpu/stream.h. */
static struct {
    int (*put)(cudaStream_t stream, const char *name, const void *where, int (*fn)(void *),
               void *arg, void (*release)(void *));
    int (*capturing)(cudaStream_t stream, int *status);
    int (*drain)(void);
} cudart;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static _Atomic bool used; /* some stream has been given something */

static void find(const char *name, void *function)
{
    void *at = dlsym(RTLD_DEFAULT, name);

    memcpy(function, &at, sizeof(at));
}

static void find_cudart(void)
{
    find("gsh_cuda_stream_do", &cudart.put);
    if (!cudart.put)
        return;
    find("cudaStreamIsCapturing", &cudart.capturing);
    find("gsh_cuda_stream_drain", &cudart.drain);
}

static int status_of(int err)
{
    switch (err) {
    case 0:
        return NVSHMEMX_SUCCESS;
    case -EINVAL:
    case -EOVERFLOW:
        return NVSHMEMX_ERROR_INVALID_VALUE;
    case -ENOMEM:
        return NVSHMEMX_ERROR_OUT_OF_MEMORY;
    case -ENOTSUP:
        return NVSHMEMX_ERROR_NOT_SUPPORTED;
    default:
        return NVSHMEMX_ERROR_INTERNAL;
    }
}

static int run(void *op)
{
    return gsh_stream_run(op);
}

/* Gives fn(arg) to a stream of the host; arg is released in any case. */
static int give(const struct gsh_op *op, cudaStream_t stream, int (*fn)(void *), void *arg,
                void (*release)(void *))
{
    int error;

    pthread_once(&once, find_cudart);
    if (cudart.put) {
        error = cudart.put(stream, op->call, op->where, fn, arg, release);
        if (error)
            return gsh_fail(-EINVAL, "%s: the stream %p does not take it (CUDA error %d)", op->call,
                            (void *)stream, error);
        return 0;
    }
    error = stream ? gsh_fail(-EINVAL,
                              "%s: %p is no stream: the program runs neither on a GPU nor on the "
                              "CPU device (gshcc --target=cpu), and has NULL alone",
                              op->call, (void *)stream)
                   : fn(arg);
    release(arg);
    return error;
}

static int put_host(const struct gsh_op *op, cudaStream_t stream)
{
    struct gsh_op *copy = malloc(sizeof(*copy));

    if (!copy)
        return gsh_fail(-ENOMEM, "%s: no memory to put it into a stream", op->call);
    *copy = *op;
    return give(op, stream, run, copy, free);
}

/* The bytes of a collective's dest and source. */
static int extents(const struct gsh_op *op, int n_pes, size_t *to, size_t *from)
{
    size_t own = gsh_bytes(op->n, (size_t)op->size), all = gsh_bytes(own, (size_t)n_pes);

    *to = op->kind == GSH_OP_FCOLLECT || op->kind == GSH_OP_ALLTOALL ? all : own;
    *from = op->kind == GSH_OP_REDUCESCATTER || op->kind == GSH_OP_ALLTOALL ? all : own;
    if (all < SIZE_MAX)
        return 0;
    return gsh_fail(-EOVERFLOW,
                    "%s: %zu elements of %d bytes for each of %d PEs are more than an address can "
                    "hold",
                    op->call, op->n, op->size, n_pes);
}

/* Found now, and not when the stream comes to it. */
static int check_collective(const struct gsh_op *op)
{
    const struct gsh_team *team = gsh_coll_team(op->call, op->team);
    size_t to, from;
    int err = team ? 0 : -EINVAL;

    if (err || op->kind == GSH_OP_BARRIER || op->kind == GSH_OP_SYNC)
        return err;
    if (op->kind == GSH_OP_BROADCAST && (op->pe < 0 || op->pe >= team->n))
        return gsh_fail(-EINVAL, "%s: root %d is no rank of a team of %d PEs", op->call, op->pe,
                        team->n);
    err = extents(op, team->n, &to, &from);
    if (!err && op->n) {
        gsh_offset(op->call, op->dest, to, gsh.my_pe);
        gsh_offset(op->call, op->source, from, gsh.my_pe);
    }
    return err;
}

static size_t reach(const struct gsh_op *op, ptrdiff_t stride)
{
    return op->n ? gsh_bytes((op->n - 1) * (size_t)stride + 1, (size_t)op->size) : 0;
}

static int check(const struct gsh_op *op)
{
    switch (op->kind) {
    case GSH_OP_PUT_SIGNAL:
        gsh_offset(op->call, op->word, sizeof(*op->word), op->pe);
        gsh_offset(op->call, op->dest, op->n, op->pe);
        break;
    case GSH_OP_PUT:
        gsh_offset(op->call, op->dest, op->n, op->pe);
        break;
    case GSH_OP_GET:
        gsh_offset(op->call, op->source, op->n, op->pe);
        break;
    case GSH_OP_P:
        gsh_offset(op->call, op->dest, (size_t)op->size, op->pe);
        break;
    case GSH_OP_IPUT:
        gsh_offset(op->call, op->dest, reach(op, op->dst), op->pe);
        break;
    case GSH_OP_IGET:
        gsh_offset(op->call, op->source, reach(op, op->sst), op->pe);
        break;
    case GSH_OP_SIGNAL:
        gsh_offset(op->call, op->word, sizeof(*op->word), op->pe);
        break;
    case GSH_OP_WAIT:
        if (op->how < NVSHMEM_CMP_EQ || op->how > NVSHMEM_CMP_GE)
            gsh_die("%s: comparison %d is none of NVSHMEM_CMP_EQ (0) to NVSHMEM_CMP_GE (5)",
                    op->call, op->how);
        break;
    case GSH_OP_QUIET:
        break;
    default:
        return check_collective(op);
    }
    if ((op->kind == GSH_OP_SIGNAL || op->kind == GSH_OP_PUT_SIGNAL) &&
        op->how != NVSHMEM_SIGNAL_SET && op->how != NVSHMEM_SIGNAL_ADD)
        gsh_die("%s: signal operation %d is neither NVSHMEM_SIGNAL_SET (%d) nor "
                "NVSHMEM_SIGNAL_ADD (%d)",
                op->call, op->how, NVSHMEM_SIGNAL_SET, NVSHMEM_SIGNAL_ADD);
    return 0;
}

int gsh_stream_put(const struct gsh_op *op, cudaStream_t stream)
{
    int err;

    if (!gsh_ready(op->call))
        return NVSHMEMX_ERROR_INTERNAL;
    err = check(op);
    if (err)
        return status_of(err);
    used = true;
    return status_of(gsh.gpu == GSH_GPU_DONE ? gsh_stream_gpu(op, stream) : put_host(op, stream));
}

/* A get that its caller waits for. */
struct asked {
    const struct gsh_op *op;
    sem_t over;
};

static int run_asked(void *asked)
{
    return gsh_stream_run(((struct asked *)asked)->op);
}

static void end_asked(void *asked)
{
    sem_post(&((struct asked *)asked)->over);
}

static int get_host(const struct gsh_op *op, cudaStream_t stream)
{
    struct asked asked = { .op = op };
    int err;

    sem_init(&asked.over, 0, 0);
    err = give(op, stream, run_asked, &asked, end_asked);
    while (sem_wait(&asked.over))
        continue;
    sem_destroy(&asked.over);
    return err;
}

static int get_gpu(const struct gsh_op *op, cudaStream_t stream)
{
    int err = gsh_stream_gpu(op, stream);

    return err ? err : gsh_gpu_wait_for(stream);
}

static bool is_capturing(cudaStream_t stream)
{
    int status = 0;

    if (gsh.gpu == GSH_GPU_DONE)
        return gsh_gpu_is_capturing(stream);
    pthread_once(&once, find_cudart);
    return cudart.put && !cudart.capturing(stream, &status) && status;
}

int gsh_stream_get_now(const struct gsh_op *op, cudaStream_t stream)
{
    if (!gsh_ready(op->call))
        return NVSHMEMX_ERROR_INTERNAL;
    check(op);
    if (is_capturing(stream))
        return gsh_fail(NVSHMEMX_ERROR_NOT_SUPPORTED,
                        "%s returns a value and cannot be captured; get it into memory with "
                        "nvshmemx_getmem_on_stream",
                        op->call);
    return status_of(gsh.gpu == GSH_GPU_DONE ? get_gpu(op, stream) : get_host(op, stream));
}

void gsh_stream_drain(void)
{
    if (!used)
        return;
    if (gsh.gpu == GSH_GPU_DONE)
        gsh_gpu_drain();
    else if (cudart.drain)
        cudart.drain();
}
