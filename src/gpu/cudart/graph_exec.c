/* graph_exec.c - graphs made ready to launch: their works in an order that can be queued,
 * spread over lanes.
 *
 * A lane is a stream. A step goes on with the lane of a step that it comes after, if that
 * is the last one there, else it begins a lane; the first lane is the stream of the
 * launch. Launches of one graph come after each other.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <stdlib.h>

enum { MOST_LANES = 16 };

struct step {
    struct gsh_work *work;
    size_t *after; /* [n_after]: earlier steps */
    size_t n_after;
    size_t lane;
    bool last; /* nothing comes after it */
};

struct CUgraphExec_st {
    struct step *steps;
    size_t n;
    size_t n_lanes;
    struct CUstream_st *lanes[MOST_LANES]; /* from the second on */
    struct gsh_item *end;                  /* of the last launch; NULL before the first */
};

/* Writes to order[] the nodes such that each comes after its predecessors, else as they
 * were made; false when there is a cycle. place[] becomes the step of each node. */
static bool sort(const struct CUgraph_st *graph, size_t *order, size_t *place)
{
    size_t n = 0, before;

    for (size_t i = 0; i < graph->nodes.n; i++)
        place[i] = SIZE_MAX;
    do {
        before = n;
        for (size_t i = 0; i < graph->nodes.n; i++) {
            const struct gsh_nodes *after = &graph->nodes.at[i]->after;
            bool ready = place[i] == SIZE_MAX;

            for (size_t k = 0; k < after->n; k++)
                ready &= place[after->at[k]->index] != SIZE_MAX;
            if (!ready)
                continue;
            place[i] = n;
            order[n++] = i;
        }
    } while (n > before);
    return n == graph->nodes.n;
}

/* The lane of a step that `step` comes after and that is the last one there. */
static size_t lane_before(const struct CUgraphExec_st *exec, const size_t *tails,
                          const struct step *step)
{
    for (size_t k = 0; k < step->n_after; k++)
        if (tails[exec->steps[step->after[k]].lane] == step->after[k])
            return exec->steps[step->after[k]].lane;
    return SIZE_MAX;
}

static void choose_lane(struct CUgraphExec_st *exec, size_t *tails, size_t i)
{
    struct step *step = &exec->steps[i];

    step->lane = lane_before(exec, tails, step);
    if (step->lane == SIZE_MAX)
        step->lane = exec->n_lanes < MOST_LANES ? exec->n_lanes++ : i % MOST_LANES;
    tails[step->lane] = i;
}

static bool fill_step(struct CUgraphExec_st *exec, const struct CUgraphNode_st *node,
                      const size_t *place, size_t i)
{
    struct step *step = &exec->steps[i];

    step->after = calloc(node->after.n + 1, sizeof(*step->after));
    if (!step->after)
        return false;
    step->work = gsh_work_use(node->work);
    step->last = true;
    for (step->n_after = 0; step->n_after < node->after.n; step->n_after++) {
        step->after[step->n_after] = place[node->after.at[step->n_after]->index];
        exec->steps[step->after[step->n_after]].last = false;
    }
    return true;
}

static cudaError_t fill(struct CUgraphExec_st *exec, const struct CUgraph_st *graph)
{
    size_t tails[MOST_LANES] = { 0 };
    size_t *order = calloc(2 * graph->nodes.n + 1, sizeof(*order));
    size_t *place = order + graph->nodes.n;
    cudaError_t error = cudaSuccess;

    exec->steps = calloc(graph->nodes.n + 1, sizeof(*exec->steps));
    if (!exec->steps || !order)
        error = cudaErrorMemoryAllocation;
    if (!error && !sort(graph, order, place))
        error = cudaErrorInvalidValue;
    for (; !error && exec->n < graph->nodes.n; exec->n++) {
        if (!fill_step(exec, graph->nodes.at[order[exec->n]], place, exec->n))
            error = cudaErrorMemoryAllocation;
        else
            choose_lane(exec, tails, exec->n);
    }
    for (size_t i = 1; !error && i < exec->n_lanes; i++) {
        exec->lanes[i] = gsh_stream_new(cudaStreamNonBlocking, 0);
        if (!exec->lanes[i])
            error = cudaErrorMemoryAllocation;
    }
    free(order);
    return error;
}

static void empty(struct CUgraphExec_st *exec)
{
    for (size_t i = 0; i < exec->n; i++) {
        gsh_work_drop(exec->steps[i].work);
        free(exec->steps[i].after);
    }
    for (size_t i = 1; i < exec->n_lanes; i++)
        gsh_stream_close(exec->lanes[i]);
    free(exec->steps);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    struct CUgraphExec_st *exec;
    cudaError_t error;

    if (!pGraphExec || !graph ||
        flags & ~(unsigned long long)(cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                      cudaGraphInstantiateFlagUpload |
                                      cudaGraphInstantiateFlagUseNodePriority))
        return gsh_cuda_end(cudaErrorInvalidValue);
    exec = calloc(1, sizeof(*exec));
    if (!exec)
        return gsh_cuda_end(cudaErrorMemoryAllocation);
    pthread_mutex_lock(&gsh_cuda_lock);
    error = fill(exec, graph);
    if (error) {
        empty(exec);
        free(exec);
    }
    pthread_mutex_unlock(&gsh_cuda_lock);
    if (!error)
        *pGraphExec = exec;
    return gsh_cuda_end(error);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(pGraphExec, graph, flags);
}

/* What is queued of it is still done: items hold their works, lanes end when empty. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
    if (!graphExec)
        return gsh_cuda_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&gsh_cuda_lock);
    empty(graphExec);
    gsh_item_drop(graphExec->end);
    pthread_mutex_unlock(&gsh_cuda_lock);
    free(graphExec);
    return gsh_cuda_end(cudaSuccess);
}

static bool same_edges(const struct step *a, const struct step *b)
{
    if (a->n_after != b->n_after)
        return false;
    for (size_t k = 0; k < a->n_after; k++)
        if (a->after[k] != b->after[k])
            return false;
    return true;
}

static enum cudaGraphExecUpdateResult compare(const struct CUgraphExec_st *a,
                                              const struct CUgraphExec_st *b)
{
    if (a->n != b->n)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < a->n; i++) {
        if (!same_edges(&a->steps[i], &b->steps[i]))
            return cudaGraphExecUpdateErrorTopologyChanged;
        if (a->steps[i].work->kind != b->steps[i].work->kind)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
    }
    return cudaGraphExecUpdateSuccess;
}

/* Gives the works of `fresh` to `exec` in exchange for its own. */
static void exchange(struct CUgraphExec_st *exec, struct CUgraphExec_st *fresh)
{
    for (size_t i = 0; i < exec->n; i++) {
        struct gsh_work *work = exec->steps[i].work;

        exec->steps[i].work = fresh->steps[i].work;
        fresh->steps[i].work = work;
    }
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo)
{
    struct CUgraphExec_st fresh = { 0 };
    enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
    cudaError_t error;

    if (!hGraphExec || !hGraph)
        return gsh_cuda_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&gsh_cuda_lock);
    error = fill(&fresh, hGraph);
    if (!error)
        result = compare(hGraphExec, &fresh);
    if (result == cudaGraphExecUpdateSuccess)
        exchange(hGraphExec, &fresh);
    else if (!error)
        error = cudaErrorGraphExecUpdateFailure;
    empty(&fresh);
    pthread_mutex_unlock(&gsh_cuda_lock);
    if (resultInfo)
        *resultInfo = (cudaGraphExecUpdateResultInfo){ .result = result };
    return gsh_cuda_end(error);
}

/* In a capture the steps become nodes of the other graph. `nodes` has room for two a
 * step. */
static bool record_steps(const struct CUgraphExec_st *exec, cudaGraph_t graph,
                         const struct gsh_nodes *start, cudaGraphNode_t *nodes)
{
    cudaGraphNode_t *after = nodes + exec->n;

    for (size_t i = 0; i < exec->n; i++) {
        const struct step *step = &exec->steps[i];

        for (size_t k = 0; k < step->n_after; k++)
            after[k] = nodes[step->after[k]];
        nodes[i] = gsh_graph_add(graph, step->work, step->n_after ? after : start->at,
                                 step->n_after ? step->n_after : start->n);
        if (!nodes[i])
            return false;
    }
    return true;
}

static cudaError_t record(const struct CUgraphExec_st *exec, struct CUstream_st *stream)
{
    cudaGraph_t graph = gsh_capture_graph(stream);
    cudaGraphNode_t *nodes = calloc(2 * exec->n + 1, sizeof(*nodes));
    struct gsh_nodes ends = { 0 };
    bool good = graph && nodes && record_steps(exec, graph, &stream->leaves, nodes);

    for (size_t i = 0; good && i < exec->n; i++)
        if (exec->steps[i].last)
            good = gsh_nodes_add(&ends, nodes[i]);
    free(nodes);
    if (good && exec->n) {
        gsh_nodes_clear(&stream->leaves);
        stream->leaves = ends;
        return cudaSuccess;
    }
    gsh_nodes_clear(&ends);
    if (good)
        return cudaSuccess;
    return gsh_capture_spoil(stream,
                             graph ? cudaErrorMemoryAllocation : cudaErrorStreamCaptureInvalidated);
}

/* Queues a step behind those it comes after; `begin` is what the others begin with. items
 * has room for two a step. */
static bool push_step(const struct CUgraphExec_st *exec, struct CUstream_st *stream,
                      struct gsh_item *begin, struct gsh_item **items, size_t i)
{
    const struct step *step = &exec->steps[i];
    struct gsh_item **after = items + exec->n;

    for (size_t k = 0; k < step->n_after; k++)
        after[k] = items[step->after[k]];
    if (!step->n_after)
        after[0] = begin;
    items[i] = gsh_queue_push(step->lane ? exec->lanes[step->lane] : stream, step->work, after,
                              step->n_after ? step->n_after : 1);
    return items[i];
}

static struct gsh_item *push_all(const struct CUgraphExec_st *exec, struct CUstream_st *stream,
                                 struct gsh_item *begin, struct gsh_item **items)
{
    size_t n_ends = 0;

    for (size_t i = 0; i < exec->n; i++)
        if (!push_step(exec, stream, begin, items, i))
            return NULL;
    for (size_t i = 0; i < exec->n; i++)
        if (exec->steps[i].last)
            items[exec->n + n_ends++] = items[i];
    return gsh_queue_push(stream, NULL, items + exec->n, n_ends);
}

static cudaError_t queue(struct CUgraphExec_st *exec, struct CUstream_st *stream)
{
    struct gsh_item **items = calloc(2 * exec->n + 1, sizeof(*items));
    struct gsh_item *begin = items ? gsh_queue_push(stream, NULL, &exec->end, 1) : NULL;
    struct gsh_item *end = begin ? push_all(exec, stream, begin, items) : NULL;

    for (size_t i = 0; items && i < exec->n; i++)
        gsh_item_drop(items[i]);
    gsh_item_drop(begin);
    free(items);
    if (!end)
        return cudaErrorMemoryAllocation;
    gsh_item_drop(exec->end);
    exec->end = end;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    struct CUstream_st *found;
    cudaError_t error = cudaErrorInvalidResourceHandle;

    if (!graphExec || gsh_cuda_in_callback)
        return gsh_cuda_end(graphExec ? cudaErrorNotPermitted : cudaErrorInvalidValue);
    pthread_mutex_lock(&gsh_cuda_lock);
    found = gsh_stream_find(stream);
    if (found)
        error = found->capture ? record(graphExec, found) : queue(graphExec, found);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(error);
}

/* Nothing has to be brought to the device. */
cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    (void)stream;
    return gsh_cuda_end(graphExec ? cudaSuccess : cudaErrorInvalidValue);
}
