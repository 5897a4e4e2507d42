/* capture.c - streams whose works are recorded in a graph instead of done.
 *
 * A capture begins in one stream. Another joins it by waiting for an event that was
 * recorded in the capture, and its works must come before what the first stream has when
 * the capture ends. Each captured stream keeps its leaves: the nodes that its next work
 * comes after.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <stdlib.h>

struct gsh_capture {
    unsigned long long id;
    cudaGraph_t graph;
    struct CUstream_st *origin;
    pthread_t owner;
    enum cudaStreamCaptureMode mode;
    bool spoiled;
};

static unsigned long long n_begun;

unsigned long long gsh_capture_id(const struct CUstream_st *stream)
{
    return stream->capture ? stream->capture->id : 0;
}

cudaGraph_t gsh_capture_graph(const struct CUstream_st *stream)
{
    return stream->capture->spoiled ? NULL : stream->capture->graph;
}

cudaError_t gsh_capture_spoil(struct CUstream_st *stream, cudaError_t error)
{
    stream->capture->spoiled = true;
    return error;
}

static cudaError_t leaf_only(struct CUstream_st *stream, cudaGraphNode_t node)
{
    stream->leaves.n = 0;
    return gsh_nodes_add(&stream->leaves, node) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t gsh_capture_do(struct CUstream_st *stream, struct gsh_work *work)
{
    struct gsh_capture *capture = stream->capture;
    cudaGraphNode_t node;

    if (capture->spoiled)
        return cudaErrorStreamCaptureInvalidated;
    node = gsh_graph_add(capture->graph, work, stream->leaves.at, stream->leaves.n);
    return node ? leaf_only(stream, node) : gsh_capture_spoil(stream, cudaErrorMemoryAllocation);
}

static struct gsh_capture *find(unsigned long long id)
{
    for (struct CUstream_st *stream = gsh_stream_all(); stream; stream = stream->next)
        if (gsh_capture_id(stream) == id)
            return stream->capture;
    return NULL;
}

cudaError_t gsh_capture_join(struct CUstream_st *stream, unsigned long long id,
                             const struct gsh_nodes *nodes)
{
    struct gsh_capture *capture = find(id);

    if (!capture)
        return cudaErrorCapturedEvent;
    if (capture->spoiled)
        return cudaErrorStreamCaptureInvalidated;
    if (stream->capture && stream->capture != capture) {
        capture->spoiled = true;
        return gsh_capture_spoil(stream, cudaErrorStreamCaptureMerge);
    }
    if (gsh_stream_is_legacy(stream)) {
        capture->spoiled = true;
        return cudaErrorStreamCaptureImplicit;
    }
    stream->capture = capture;
    if (!gsh_nodes_add_all(&stream->leaves, nodes->at, nodes->n))
        return gsh_capture_spoil(stream, cudaErrorMemoryAllocation);
    return cudaSuccess;
}

static cudaError_t begin(cudaStream_t handle, enum cudaStreamCaptureMode mode)
{
    struct CUstream_st *stream = gsh_stream_find(handle);
    struct gsh_capture *capture;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (gsh_stream_is_legacy(stream))
        return cudaErrorStreamCaptureUnsupported;
    if (stream->capture)
        return cudaErrorIllegalState;
    capture = malloc(sizeof(*capture));
    if (!capture)
        return cudaErrorMemoryAllocation;
    *capture = (struct gsh_capture){ .id = ++n_begun,
                                     .graph = gsh_graph_new(),
                                     .origin = stream,
                                     .owner = pthread_self(),
                                     .mode = mode };
    if (!capture->graph) {
        free(capture);
        return cudaErrorMemoryAllocation;
    }
    stream->capture = capture;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t error;

    if (mode != cudaStreamCaptureModeGlobal && mode != cudaStreamCaptureModeThreadLocal &&
        mode != cudaStreamCaptureModeRelaxed)
        return gsh_cuda_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&gsh_cuda_lock);
    error = begin(stream, mode);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(error);
}

/* Marks a node and all that it comes after; nodes only come after earlier ones, as a
 * capture makes them. */
static void mark_ancestors(const struct CUgraph_st *graph, const struct gsh_nodes *from,
                           bool *marks)
{
    for (size_t i = 0; i < from->n; i++)
        marks[from->at[i]->index] = true;
    for (size_t i = graph->nodes.n; i-- > 0;)
        for (size_t k = 0; marks[i] && k < graph->nodes.at[i]->after.n; k++)
            marks[graph->nodes.at[i]->after.at[k]->index] = true;
}

/* Everything that was captured comes before what the first stream has at the end. */
static cudaError_t all_joined(const struct gsh_capture *capture)
{
    bool *marks = calloc(capture->graph->nodes.n + 1, sizeof(*marks));
    bool joined = true;

    if (!marks)
        return cudaErrorMemoryAllocation;
    mark_ancestors(capture->graph, &capture->origin->leaves, marks);
    for (size_t i = 0; i < capture->graph->nodes.n; i++)
        joined &= marks[i];
    free(marks);
    return joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

static void leave(const struct gsh_capture *capture)
{
    for (struct CUstream_st *stream = gsh_stream_all(); stream; stream = stream->next) {
        if (stream->capture != capture)
            continue;
        stream->capture = NULL;
        gsh_nodes_clear(&stream->leaves);
    }
}

static cudaError_t end(cudaStream_t handle, cudaGraph_t *graph)
{
    struct CUstream_st *stream = gsh_stream_find(handle);
    struct gsh_capture *capture = stream ? stream->capture : NULL;
    cudaError_t error;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!capture)
        return cudaErrorIllegalState;
    if (capture->mode != cudaStreamCaptureModeRelaxed &&
        !pthread_equal(capture->owner, pthread_self()))
        return cudaErrorStreamCaptureWrongThread;
    if (capture->origin != stream)
        return gsh_capture_spoil(stream, cudaErrorStreamCaptureUnmatched);
    error = capture->spoiled ? cudaErrorStreamCaptureInvalidated : all_joined(capture);
    leave(capture);
    if (error)
        gsh_graph_free(capture->graph);
    else
        *graph = capture->graph;
    free(capture);
    return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    cudaError_t error;

    if (!pGraph)
        return gsh_cuda_end(cudaErrorInvalidValue);
    *pGraph = NULL;
    pthread_mutex_lock(&gsh_cuda_lock);
    error = end(stream, pGraph);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(error);
}

static enum cudaStreamCaptureStatus status_of(const struct CUstream_st *stream)
{
    if (!stream->capture)
        return cudaStreamCaptureStatusNone;
    return stream->capture->spoiled ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     enum cudaStreamCaptureStatus *captureStatus_out,
                                     unsigned long long *id_out, cudaGraph_t *graph_out,
                                     const cudaGraphNode_t **dependencies_out,
                                     const cudaGraphEdgeData **edgeData_out,
                                     size_t *numDependencies_out)
{
    struct CUstream_st *found;

    if (!captureStatus_out)
        return gsh_cuda_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&gsh_cuda_lock);
    found = gsh_stream_find(stream);
    if (found) {
        *captureStatus_out = status_of(found);
        if (id_out)
            *id_out = gsh_capture_id(found);
        if (graph_out)
            *graph_out = found->capture ? found->capture->graph : NULL;
        if (dependencies_out)
            *dependencies_out = found->leaves.at;
        if (edgeData_out)
            *edgeData_out = NULL;
        if (numDependencies_out)
            *numDependencies_out = found->leaves.n;
    }
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(found ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus)
{
    return cudaStreamGetCaptureInfo(stream, pCaptureStatus, NULL, NULL, NULL, NULL, NULL);
}
