/* event.c - events: the item that was last in a stream when they were recorded, or the
 * leaves of a capture. */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <stdlib.h>

struct CUevent_st {
    unsigned flags;
    struct gsh_item *item;          /* NULL: not recorded, or in a capture */
    unsigned long long captured_in; /* 0: not in a capture */
    struct gsh_nodes nodes;
};

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    if (!event || flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming))
        return gsh_cuda_end(cudaErrorInvalidValue);
    *event = calloc(1, sizeof(**event));
    if (!*event)
        return gsh_cuda_end(cudaErrorMemoryAllocation);
    (*event)->flags = flags;
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

static void clear(cudaEvent_t event)
{
    gsh_item_drop(event->item);
    event->item = NULL;
    event->captured_in = 0;
    gsh_nodes_clear(&event->nodes);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (!event)
        return gsh_cuda_end(cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&gsh_cuda_lock);
    clear(event);
    pthread_mutex_unlock(&gsh_cuda_lock);
    free(event);
    return gsh_cuda_end(cudaSuccess);
}

static cudaError_t record(cudaEvent_t event, cudaStream_t handle)
{
    struct CUstream_st *stream = gsh_stream_find(handle);

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    clear(event);
    if (stream->capture) {
        event->captured_in = gsh_capture_id(stream);
        return gsh_nodes_add_all(&event->nodes, stream->leaves.at, stream->leaves.n)
                   ? cudaSuccess
                   : gsh_capture_spoil(stream, cudaErrorMemoryAllocation);
    }
    event->item = gsh_queue_push(stream, NULL, NULL, 0);
    return event->item ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    cudaError_t error;

    if (!event || flags)
        return gsh_cuda_end(event ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
    if (gsh_cuda_in_callback)
        return gsh_cuda_end(cudaErrorNotPermitted);
    pthread_mutex_lock(&gsh_cuda_lock);
    error = record(event, stream);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(error);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

/* The event may be recorded anew meanwhile. */
static void wait_item(struct gsh_item *item)
{
    gsh_item_use(item);
    gsh_item_wait(item);
    gsh_item_drop(item);
}

static cudaError_t query(cudaEvent_t event, bool wait)
{
    if (!event)
        return cudaErrorInvalidResourceHandle;
    if (gsh_cuda_in_callback)
        return cudaErrorNotPermitted;
    if (event->captured_in)
        return cudaErrorCapturedEvent;
    if (event->item && event->item->done && gsh_race_on)
        gsh_race_acquire(event->item);
    if (!event->item || event->item->done)
        return cudaSuccess;
    if (wait)
        wait_item(event->item);
    return wait ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t error;

    pthread_mutex_lock(&gsh_cuda_lock);
    error = query(event, false);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return error == cudaErrorNotReady ? gsh_cuda_tell(error) : gsh_cuda_end(error);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t error;

    pthread_mutex_lock(&gsh_cuda_lock);
    error = query(event, true);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(error);
}

static cudaError_t elapsed(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    if (!from->item || !to->item || (from->flags | to->flags) & cudaEventDisableTiming)
        return cudaErrorInvalidResourceHandle;
    if (!from->item->done || !to->item->done)
        return cudaErrorNotReady;
    *ms = (float)((double)(int64_t)(to->item->done_ns - from->item->done_ns) / 1e6);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t error;

    if (!ms || !start || !end)
        return gsh_cuda_end(ms ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    pthread_mutex_lock(&gsh_cuda_lock);
    error = elapsed(ms, start, end);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(error);
}

static cudaError_t wait_event(cudaStream_t handle, cudaEvent_t event)
{
    struct CUstream_st *stream = gsh_stream_find(handle);
    struct gsh_item *item;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (event->captured_in)
        return gsh_capture_join(stream, event->captured_in, &event->nodes);
    if (!event->item)
        return cudaSuccess;
    if (stream->capture)
        return gsh_capture_spoil(stream, cudaErrorStreamCaptureIsolation);
    item = gsh_queue_push(stream, NULL, &event->item, 1);
    gsh_item_drop(item);
    return item ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    cudaError_t error;

    if (!event || flags)
        return gsh_cuda_end(event ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
    if (gsh_cuda_in_callback)
        return gsh_cuda_end(cudaErrorNotPermitted);
    pthread_mutex_lock(&gsh_cuda_lock);
    error = wait_event(stream, event);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(error);
}
