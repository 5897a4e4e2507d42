/* What is captured of streams, and graphs made node by node, run at each launch as the
 * streams would have run it. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gate.cuh"

#include <stdlib.h>
#include <string.h>

static int *list, *n;
static cudaStream_t s, fork_;
static cudaEvent_t event, joined;

static cudaGraphExec_t instance(cudaGraph_t graph)
{
    cudaGraphExec_t exec = nullptr;

    return cudaGraphInstantiate(&exec, graph, 0) ? nullptr : exec;
}

static void plain()
{
    cudaStreamCaptureStatus before, during;
    enum cudaGraphNodeType type;
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t nodes[3];
    size_t n_nodes = 3, n_edges = 0;

    cudaStreamIsCapturing(s, &before);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaStreamIsCapturing(s, &during);
    cudaMemsetAsync(n, 0, sizeof(*n), s);
    append<<<1, 1, 0, s>>>(list, n, 5);
    add<<<1, 1, 0, s>>>(&list[10], 1);
    tap_ok(cudaStreamEndCapture(s, &graph) == cudaSuccess && graph &&
               before == cudaStreamCaptureStatusNone && during == cudaStreamCaptureStatusActive,
           "a stream is captured");
    tap_ok(!cudaGraphGetNodes(graph, nodes, &n_nodes) && n_nodes == 3 &&
               !cudaGraphGetEdges(graph, nullptr, nullptr, &n_edges) && n_edges == 2 &&
               !cudaGraphNodeGetType(nodes[0], &type) && type == cudaGraphNodeTypeMemset,
           "the graph has a node a call and the edges of the stream");
    cudaStreamSynchronize(s);
    tap_ok(*n == 0 && list[10] == 0, "what was captured was not done");
    cudaGraphExec_t exec = instance(graph);
    cudaGraphDestroy(graph);
    for (int i = 0; i < 100; i++)
        cudaGraphLaunch(exec, s);
    tap_ok(cudaStreamSynchronize(s) == cudaSuccess && *n == 1 && list[0] == 5 && list[10] == 100,
           "100 launches do it 100 times");
    cudaGraphExecDestroy(exec);
    list[10] = 0;
}

/* 1, then 2 and 3 beside each other, then 4. */
static cudaGraph_t forked(gate *left, gate *right)
{
    cudaGraph_t graph = nullptr;

    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, s>>>(&list[0], 1);
    cudaEventRecord(event, s);
    cudaStreamWaitEvent(fork_, event);
    cudaLaunchHostFunc(s, pass, left);
    cudaLaunchHostFunc(fork_, pass, right);
    add<<<1, 1, 0, fork_>>>(&list[1], 1);
    cudaEventRecord(joined, fork_);
    cudaStreamWaitEvent(s, joined);
    add<<<1, 1, 0, s>>>(&list[2], 1);
    cudaStreamEndCapture(s, &graph);
    return graph;
}

static void fork_and_join()
{
    gate left, right;
    cudaGraph_t graph = forked(&left, &right);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    size_t n_edges = 0;

    memset(list, 0, 12);
    cudaStreamIsCapturing(fork_, &status);
    tap_ok(graph && status == cudaStreamCaptureStatusNone &&
               !cudaGraphGetEdges(graph, nullptr, nullptr, &n_edges) && n_edges == 5,
           "a capture forks into a stream that waits for its event, and joins it again");
    tap_ok(cudaEventQuery(event) == cudaErrorCapturedEvent, "the event tells of no work");
    cudaGetLastError();
    cudaGraphExec_t exec = instance(graph);
    right.open = true;
    cudaGraphLaunch(exec, s);
    while (!__atomic_load_n(&list[1], __ATOMIC_ACQUIRE))
        usleep(100);
    tap_ok(list[0] == 1 && list[2] == 0 && left.passed == 0,
           "one branch goes on while the other is blocked, and the join waits");
    left.open = true;
    cudaStreamSynchronize(s);
    tap_ok(list[2] == 1, "the join comes after both");
    for (int i = 0; i < 100; i++)
        cudaGraphLaunch(exec, i % 2 ? s : fork_);
    cudaDeviceSynchronize();
    tap_ok(list[0] == 101 && list[1] == 101 && list[2] == 101 && left.passed == 101,
           "launches in several streams come after each other");
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

static void refused()
{
    cudaGraph_t graph = nullptr;

    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(event, s);
    cudaStreamWaitEvent(fork_, event);
    add<<<1, 1, 0, fork_>>>(list, 1);
    tap_ok(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureUnjoined && !graph,
           "a branch that is not joined makes the capture fail");
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    tap_ok(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported &&
               cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated,
           "so does waiting for a stream that is being captured");
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 1>>>(list, 1);
    tap_ok(cudaGetLastError() == cudaErrorStreamCaptureImplicit &&
               cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated,
           "so does work in the default stream");
    cudaEventRecord(event, fork_);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    tap_ok(cudaStreamWaitEvent(s, event) == cudaErrorStreamCaptureIsolation &&
               cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated,
           "so does waiting for work that is not captured");
    tap_ok(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) ==
               cudaErrorStreamCaptureUnsupported,
           "the default stream cannot be captured");
    tap_ok(cudaStreamEndCapture(s, &graph) == cudaErrorIllegalState,
           "a capture that was not begun cannot end");
    cudaGetLastError();
    add<<<1, 1, 0, s>>>(&list[0], 0);
    tap_ok(cudaStreamSynchronize(s) == cudaSuccess, "the stream works on");
}

static void by_hand()
{
    int one = 1, two = 2;
    void *first[] = { &list, &n, &one }, *second[] = { &list, &n, &two };
    cudaKernelNodeParams kernel = { (void *)append, 1, 1, 0, first, nullptr };
    cudaMemsetParams zero = { n, 4, 0, 4, 1, 1 };
    cudaGraphNode_t set, a, b, copy, end;
    cudaGraph_t graph;
    cudaGraphExecUpdateResultInfo info;

    cudaGraphCreate(&graph, 0);
    cudaGraphAddEmptyNode(&end, graph, nullptr, 0);
    cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, &list[20], list, 8, cudaMemcpyDefault);
    cudaGraphAddKernelNode(&b, graph, nullptr, 0, &kernel);
    kernel.kernelParams = second;
    cudaGraphAddKernelNode(&a, graph, &b, 1, &kernel);
    cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &zero);
    cudaGraphNode_t from[] = { set, a, copy }, to[] = { b, copy, end };
    tap_ok(cudaGraphAddDependencies(graph, from, to, 3) == cudaSuccess,
           "a graph is made node by node");
    cudaGraphExec_t exec = instance(graph);
    cudaGraphLaunch(exec, s);
    tap_ok(cudaStreamSynchronize(s) == cudaSuccess && *n == 2 && list[20] == 1 && list[21] == 2,
           "nodes run in the order of the edges, whatever the order they were made in");
    one = 7;
    kernel.kernelParams = first;
    cudaGraph_t other;
    cudaGraphNode_t others[5];
    cudaGraphCreate(&other, 0);
    cudaGraphAddEmptyNode(&others[0], other, nullptr, 0);
    cudaGraphAddMemcpyNode1D(&others[1], other, nullptr, 0, &list[20], list, 8, cudaMemcpyDefault);
    cudaGraphAddKernelNode(&others[2], other, nullptr, 0, &kernel);
    cudaGraphAddKernelNode(&others[3], other, &others[2], 1, &kernel);
    tap_ok(cudaGraphExecUpdate(exec, other, &info) == cudaErrorGraphExecUpdateFailure &&
               info.result == cudaGraphExecUpdateErrorTopologyChanged,
           "a graph with other nodes does not update an instance");
    cudaGraphAddMemsetNode(&others[4], other, nullptr, 0, &zero);
    cudaGraphNode_t from2[] = { others[4], others[3], others[1] },
                    to2[] = { others[2], others[1], others[0] };
    cudaGraphAddDependencies(other, from2, to2, 3);
    tap_ok(cudaGraphExecUpdate(exec, other, &info) == cudaSuccess, "one with the same nodes does");
    cudaGraphDestroy(other);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    tap_ok(list[20] == 7 && list[21] == 7, "and its arguments are used");
    cudaGraphAddDependencies(graph, &end, &set, 1);
    tap_ok(!instance(graph), "a cycle is refused");
    tap_ok(cudaGraphDebugDotPrint(graph, "graph.dot", 0) == cudaSuccess &&
               !system("grep -q 'append' graph.dot"),
           "a graph is printed");
    cudaGetLastError();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

static void nested()
{
    cudaGraph_t inner, outer;
    size_t n_nodes = 0;

    list[0] = list[1] = 0;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    add<<<1, 1, 0, s>>>(&list[0], 1);
    add<<<1, 1, 0, s>>>(&list[0], 1);
    cudaStreamEndCapture(s, &inner);
    cudaGraphExec_t exec = instance(inner);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    cudaGraphLaunch(exec, s);
    cudaGraphLaunch(exec, s);
    add<<<1, 1, 0, s>>>(&list[1], 1);
    cudaStreamEndCapture(s, &outer);
    cudaGraphGetNodes(outer, nullptr, &n_nodes);
    cudaGraphExec_t all = instance(outer);
    cudaGraphLaunch(all, s);
    cudaGraphExecDestroy(all);
    tap_ok(cudaStreamSynchronize(s) == cudaSuccess && n_nodes == 5 && list[0] == 4 && list[1] == 1,
           "the launch of a graph is captured, and an instance may go while it runs");
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(inner);
    cudaGraphDestroy(outer);
}

int main()
{
    cudaMallocManaged(&list, 100 * sizeof(*list));
    cudaMallocManaged(&n, sizeof(*n));
    memset(list, 0, 100 * sizeof(*list));
    *n = 0;
    cudaStreamCreate(&s);
    cudaStreamCreate(&fork_);
    cudaEventCreate(&event);
    cudaEventCreate(&joined);
    plain();
    fork_and_join();
    refused();
    by_hand();
    nested();
    return tap_end();
}
