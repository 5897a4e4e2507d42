/* stream.c - the stream calls of the runtime, over queue.c. */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <gshmem/cpu/stream.h>

#include <stdlib.h>

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

static int within_priorities(int priority)
{
    if (priority > LEAST_PRIORITY)
        return LEAST_PRIORITY;
    return priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority)
{
    if (!pStream || flags & ~(unsigned)cudaStreamNonBlocking)
        return gsh_cuda_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&gsh_cuda_lock);
    *pStream = gsh_stream_new(flags, within_priorities(priority));
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(*pStream ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(pStream, flags, LEAST_PRIORITY);
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
    return cudaStreamCreateWithPriority(pStream, cudaStreamDefault, LEAST_PRIORITY);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    if (leastPriority)
        *leastPriority = LEAST_PRIORITY;
    if (greatestPriority)
        *greatestPriority = GREATEST_PRIORITY;
    return gsh_cuda_end(cudaSuccess);
}

static bool is_default(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    struct CUstream_st *found;

    pthread_mutex_lock(&gsh_cuda_lock);
    found = is_default(stream) ? NULL : gsh_stream_find(stream);
    if (found && found->capture)
        gsh_capture_spoil(found, cudaErrorStreamCaptureInvalidated);
    gsh_stream_close(found);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(found ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static cudaError_t refuse_capture(struct CUstream_st *stream)
{
    return stream->capture ? gsh_capture_spoil(stream, cudaErrorStreamCaptureUnsupported)
                           : cudaSuccess;
}

/* The legacy stream is done when those are it waits for. */
static cudaError_t wait(struct CUstream_st *stream)
{
    struct gsh_item *item;

    if (stream->capture)
        return gsh_capture_spoil(stream, cudaErrorStreamCaptureUnsupported);
    if (gsh_stream_is_legacy(stream)) {
        item = gsh_queue_push(stream, NULL, NULL, 0);
        if (!item)
            return cudaErrorMemoryAllocation;
    } else {
        if (!stream->last) {
            if (gsh_race_on)
                gsh_race_acquire(stream);
            return cudaSuccess;
        }
        item = gsh_item_use(stream->last);
    }
    gsh_item_wait(item);
    gsh_item_drop(item);
    return cudaSuccess;
}

static cudaError_t query(struct CUstream_st *stream)
{
    bool all = gsh_stream_is_legacy(stream);

    if (stream->capture)
        return gsh_capture_spoil(stream, cudaErrorStreamCaptureUnsupported);
    for (struct CUstream_st *other = gsh_stream_all(); other; other = other->next)
        if (other->last && (other == stream || (all && !(other->flags & cudaStreamNonBlocking))))
            return cudaErrorNotReady;
    for (struct CUstream_st *other = gsh_stream_all(); gsh_race_on && other; other = other->next)
        if (other == stream || (all && !(other->flags & cudaStreamNonBlocking)))
            gsh_race_acquire(other);
    return cudaSuccess;
}

static cudaError_t with(cudaStream_t handle, cudaError_t (*what)(struct CUstream_st *stream))
{
    struct CUstream_st *stream;
    cudaError_t error;

    if (gsh_cuda_in_callback)
        return cudaErrorNotPermitted;
    pthread_mutex_lock(&gsh_cuda_lock);
    stream = gsh_stream_find(handle);
    error = stream ? what(stream) : cudaErrorInvalidResourceHandle;
    pthread_mutex_unlock(&gsh_cuda_lock);
    return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return gsh_cuda_end(with(stream, wait));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error = with(stream, query);

    return error == cudaErrorNotReady ? gsh_cuda_tell(error) : gsh_cuda_end(error);
}

static cudaError_t refuse_captures(void)
{
    cudaError_t error = cudaSuccess;

    pthread_mutex_lock(&gsh_cuda_lock);
    for (struct CUstream_st *stream = gsh_stream_all(); stream && !error; stream = stream->next)
        error = refuse_capture(stream);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return error;
}

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t error = refuse_captures();

    return gsh_cuda_end(error ? error : gsh_stream_wait_all());
}

#define GETTER(call, T, member) \
    cudaError_t call(cudaStream_t hStream, T *value) \
    { \
        struct CUstream_st *stream; \
\
        if (!value) \
            return gsh_cuda_end(cudaErrorInvalidValue); \
        pthread_mutex_lock(&gsh_cuda_lock); \
        stream = gsh_stream_find(hStream); \
        if (stream) \
            *value = stream->member; \
        pthread_mutex_unlock(&gsh_cuda_lock); \
        return gsh_cuda_end(stream ? cudaSuccess : cudaErrorInvalidResourceHandle); \
    }
GETTER(cudaStreamGetPriority, int, priority)
GETTER(cudaStreamGetFlags, unsigned, flags)
GETTER(cudaStreamGetId, unsigned long long, id)
#undef GETTER

struct host_call {
    cudaHostFn_t fn;
    cudaStreamCallback_t callback; /* instead of fn */
    cudaStream_t stream;
    void *user;
};

static cudaError_t call_host(void *data)
{
    const struct host_call *call = data;

    gsh_cuda_in_callback = true;
    if (call->fn)
        call->fn(call->user);
    else
        call->callback(call->stream, gsh_cuda_broken(), call->user);
    gsh_cuda_in_callback = false;
    return cudaSuccess;
}

static struct gsh_work *host_work(const struct host_call *like)
{
    struct host_call *call = malloc(sizeof(*call));

    if (!call)
        return NULL;
    *call = *like;
    return gsh_work_new(&(struct gsh_work){ .name = "host function",
                                            .kind = cudaGraphNodeTypeHost,
                                            .run = call_host,
                                            .release = free,
                                            .data = call });
}

struct gsh_work *gsh_work_host(cudaHostFn_t fn, void *user)
{
    return host_work(&(struct host_call){ .fn = fn, .user = user });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    if (!fn)
        return gsh_cuda_end(cudaErrorInvalidValue);
    return gsh_cuda_end(gsh_stream_do(stream, gsh_work_host(fn, userData)));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags)
{
    struct host_call call = { .callback = callback, .stream = stream, .user = userData };
    cudaError_t error;

    if (!callback || flags)
        return gsh_cuda_end(cudaErrorInvalidValue);
    error = with(stream, refuse_capture);
    return gsh_cuda_end(error ? error : gsh_stream_do(stream, host_work(&call)));
}

cudaError_t gsh_cuda_stream_drain(void)
{
    return gsh_cuda_end(gsh_stream_wait_all());
}

/* What other parts queue, see gshmem/cpu/stream.h. */
struct foreign {
    int (*fn)(void *arg);
    void (*release)(void *arg);
    void *arg;
};

static cudaError_t run_foreign(void *data)
{
    const struct foreign *foreign = data;

    return foreign->fn(foreign->arg) ? cudaErrorLaunchFailure : cudaSuccess;
}

static void release_foreign(void *data)
{
    struct foreign *foreign = data;

    if (foreign->release)
        foreign->release(foreign->arg);
    free(foreign);
}

cudaError_t gsh_cuda_stream_do(cudaStream_t stream, const char *name, const void *where,
                               int (*fn)(void *arg), void *arg, void (*release)(void *arg))
{
    struct foreign *foreign = malloc(sizeof(*foreign));

    if (!foreign) {
        if (release)
            release(arg);
        return gsh_cuda_end(cudaErrorMemoryAllocation);
    }
    *foreign = (struct foreign){ .fn = fn, .release = release, .arg = arg };
    return gsh_cuda_end(
        gsh_stream_do(stream, gsh_work_new(&(struct gsh_work){ .name = name,
                                                               .kind = cudaGraphNodeTypeKernel,
                                                               .run = run_foreign,
                                                               .release = release_foreign,
                                                               .data = foreign,
                                                               .where = where })));
}
