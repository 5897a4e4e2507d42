/* graph.c - graphs: works as nodes, and what each comes after; made by captures or node by
 * node. */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>

bool gsh_nodes_have(const struct gsh_nodes *nodes, const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < nodes->n; i++)
        if (nodes->at[i] == node)
            return true;
    return false;
}

static bool append(struct gsh_nodes *nodes, cudaGraphNode_t node)
{
    if (nodes->n == nodes->room) {
        size_t room = nodes->room ? 2 * nodes->room : 4;
        cudaGraphNode_t *at = realloc(nodes->at, room * sizeof(*at));

        if (!at)
            return false;
        nodes->at = at;
        nodes->room = room;
    }
    nodes->at[nodes->n++] = node;
    return true;
}

bool gsh_nodes_add(struct gsh_nodes *nodes, cudaGraphNode_t node)
{
    return gsh_nodes_have(nodes, node) || append(nodes, node);
}

bool gsh_nodes_add_all(struct gsh_nodes *nodes, const cudaGraphNode_t *more, size_t n)
{
    bool good = true;

    for (size_t i = 0; i < n && good; i++)
        good = gsh_nodes_add(nodes, more[i]);
    return good;
}

void gsh_nodes_clear(struct gsh_nodes *nodes)
{
    free(nodes->at);
    *nodes = (struct gsh_nodes){ 0 };
}

struct CUgraph_st *gsh_graph_new(void)
{
    return calloc(1, sizeof(struct CUgraph_st));
}

static void free_node(cudaGraphNode_t node)
{
    gsh_work_drop(node->work);
    gsh_nodes_clear(&node->after);
    free(node);
}

void gsh_graph_free(struct CUgraph_st *graph)
{
    if (!graph)
        return;
    for (size_t i = 0; i < graph->nodes.n; i++)
        free_node(graph->nodes.at[i]);
    gsh_nodes_clear(&graph->nodes);
    free(graph);
}

cudaGraphNode_t gsh_graph_add(cudaGraph_t graph, struct gsh_work *work,
                              const cudaGraphNode_t *after, size_t n_after)
{
    cudaGraphNode_t node = calloc(1, sizeof(*node));

    if (!node)
        return NULL;
    node->graph = graph;
    node->index = graph->nodes.n;
    node->work = gsh_work_use(work);
    if (gsh_nodes_add_all(&node->after, after, n_after) && append(&graph->nodes, node))
        return node;
    free_node(node);
    return NULL;
}

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags)
{
    if (!pGraph || flags)
        return gsh_cuda_end(cudaErrorInvalidValue);
    *pGraph = gsh_graph_new();
    return gsh_cuda_end(*pGraph ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    if (!graph)
        return gsh_cuda_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&gsh_cuda_lock);
    gsh_graph_free(graph);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(cudaSuccess);
}

/* Adds a node with this work, which it takes; `made` is the error of making it. */
static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                       size_t n_after, struct gsh_work *work, cudaError_t made)
{
    cudaError_t error = made ? made : work ? cudaSuccess : cudaErrorMemoryAllocation;

    if (!error && (!node || !graph || (n_after && !after)))
        error = cudaErrorInvalidValue;
    pthread_mutex_lock(&gsh_cuda_lock);
    for (size_t i = 0; !error && i < n_after; i++)
        if (!after[i] || after[i]->graph != graph)
            error = cudaErrorInvalidValue;
    if (!error) {
        *node = gsh_graph_add(graph, work, after, n_after);
        error = *node ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    pthread_mutex_unlock(&gsh_cuda_lock);
    gsh_work_drop(work);
    return gsh_cuda_end(error);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaKernelNodeParams *pNodeParams)
{
    struct gsh_work *work = NULL;
    cudaError_t error =
        pNodeParams ? gsh_work_kernel(pNodeParams, 0, &work) : cudaErrorInvalidValue;

    return add(pGraphNode, graph, pDependencies, numDependencies, work, error);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                 const struct cudaHostNodeParams *pNodeParams)
{
    struct gsh_work *work = NULL;

    if (!pNodeParams || !pNodeParams->fn)
        return gsh_cuda_end(cudaErrorInvalidValue);
    work = gsh_work_host(pNodeParams->fn, pNodeParams->userData);
    return add(pGraphNode, graph, pDependencies, numDependencies, work, cudaSuccess);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     void *dst, const void *src, size_t count,
                                     enum cudaMemcpyKind kind)
{
    struct gsh_rows rows = { dst, src, count, count, count, 1, GSH_HERE };

    if ((unsigned)kind > cudaMemcpyDefault || !dst || !src)
        return gsh_cuda_end(dst && src ? cudaErrorInvalidMemcpyDirection : cudaErrorInvalidValue);
    return add(pGraphNode, graph, pDependencies, numDependencies, gsh_work_copy(&rows),
               cudaSuccess);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemsetParams *pMemsetParams)
{
    const struct cudaMemsetParams *p = pMemsetParams;

    if (!p || !p->dst || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return gsh_cuda_end(cudaErrorInvalidValue);
    return add(pGraphNode, graph, pDependencies, numDependencies, gsh_work_set(p, GSH_HERE),
               cudaSuccess);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t *pDependencies, size_t numDependencies)
{
    struct gsh_work *work =
        gsh_work_new(&(struct gsh_work){ .name = "empty", .kind = cudaGraphNodeTypeEmpty });

    return add(pGraphNode, graph, pDependencies, numDependencies, work, cudaSuccess);
}

static cudaError_t depend(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to)
{
    if (!from || !to || from == to || from->graph != graph || to->graph != graph ||
        gsh_nodes_have(&to->after, from))
        return cudaErrorInvalidValue;
    return gsh_nodes_add(&to->after, from) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                     size_t numDependencies)
{
    cudaError_t error = cudaSuccess;

    (void)edgeData; /* tells kernels that begin before their predecessors end; ours do not */
    if (!graph || (numDependencies && (!from || !to)))
        return gsh_cuda_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&gsh_cuda_lock);
    for (size_t i = 0; i < numDependencies && !error; i++)
        error = depend(graph, from[i], to[i]);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return gsh_cuda_end(error);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes)
{
    size_t room;

    if (!graph || !numNodes)
        return gsh_cuda_end(cudaErrorInvalidValue);
    room = *numNodes;
    *numNodes = graph->nodes.n;
    for (size_t i = 0; nodes && i < room; i++)
        nodes[i] = i < graph->nodes.n ? graph->nodes.at[i] : NULL;
    if (nodes && room < *numNodes)
        *numNodes = room;
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edgeData, size_t *numEdges)
{
    size_t n = 0, room;

    if (!graph || !numEdges || !from != !to)
        return gsh_cuda_end(cudaErrorInvalidValue);
    room = from ? *numEdges : 0;
    for (size_t i = 0; i < graph->nodes.n; i++) {
        cudaGraphNode_t node = graph->nodes.at[i];

        for (size_t k = 0; k < node->after.n; k++, n++) {
            if (n >= room)
                continue;
            from[n] = node->after.at[k];
            to[n] = node;
            if (edgeData)
                edgeData[n] = (cudaGraphEdgeData){ 0 };
        }
    }
    *numEdges = from && n > room ? room : n;
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType)
{
    if (!node || !pType)
        return gsh_cuda_end(cudaErrorInvalidValue);
    *pType = node->work->kind;
    return gsh_cuda_end(cudaSuccess);
}

static void print(const struct CUgraph_st *graph, FILE *file)
{
    fprintf(file, "digraph graph_of_works {\n");
    for (size_t i = 0; i < graph->nodes.n; i++)
        fprintf(file, "    n%zu [label=\"%zu: %s\"];\n", i, i, graph->nodes.at[i]->work->name);
    for (size_t i = 0; i < graph->nodes.n; i++)
        for (size_t k = 0; k < graph->nodes.at[i]->after.n; k++)
            fprintf(file, "    n%zu -> n%zu;\n", graph->nodes.at[i]->after.at[k]->index, i);
    fprintf(file, "}\n");
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    FILE *file = graph && path ? fopen(path, "w") : NULL;

    (void)flags; /* all that there is to say is said */
    if (!file)
        return gsh_cuda_end(graph && path ? cudaErrorOperatingSystem : cudaErrorInvalidValue);
    print(graph, file);
    return gsh_cuda_end(fclose(file) ? cudaErrorOperatingSystem : cudaSuccess);
}
