/* stream.cu - operations that a stream does: a batch is put into it and timed by events, call
 * by call, and as a graph that was captured of the same calls. It is longer than those of kernels,
 * so that events and the launch of the graph do not count. put_signal is a round trip of PEs 0 and
 * 1, which take the signal back each time, as a graph's values never change. */
// SPDX-License-Identifier: BSD-3-Clause
#include "../list.h"
#include "../timed.cuh"

enum { LONGER = 8 };

static void good(cudaError_t error, const char *what)
{
    if (error)
        bench_stop(what, cudaGetErrorString(error));
}

static void barrier_all(const bench_at &, cudaStream_t s)
{
    nvshmemx_barrier_all_on_stream(s);
}

static void sum_reduce(const bench_at &at, cudaStream_t s)
{
    nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, at.dst, at.src, at.bytes / 4, s);
}

static void fcollect(const bench_at &at, cudaStream_t s)
{
    nvshmemx_float_fcollect_on_stream(NVSHMEM_TEAM_WORLD, at.dst, at.src, at.bytes / 4, s);
}

static void broadcast(const bench_at &at, cudaStream_t s)
{
    nvshmemx_float_broadcast_on_stream(NVSHMEM_TEAM_WORLD, at.dst, at.src, at.bytes / 4, 0, s);
}

static void alltoall(const bench_at &at, cudaStream_t s)
{
    nvshmemx_float_alltoall_on_stream(NVSHMEM_TEAM_WORLD, at.dst, at.src, at.bytes / 4, s);
}

static void take(const bench_at &at, uint64_t *word, cudaStream_t s)
{
    nvshmemx_signal_wait_until_on_stream(word, NVSHMEM_CMP_EQ, 1, s);
    nvshmemx_signal_op_on_stream(word, 0, NVSHMEM_SIGNAL_SET, at.me, s);
}

static void put_signal(const bench_at &at, cudaStream_t s)
{
    uint64_t *word = &at.flags[BENCH_STREAM];

    if (at.me > 1)
        return;
    if (at.me == 1)
        take(at, word, s);
    nvshmemx_double_put_signal_on_stream((double *)at.dst, (const double *)at.src, at.bytes / 8,
                                         word, 1, NVSHMEM_SIGNAL_SET, at.peer, s);
    if (at.me == 0)
        take(at, word, s);
}

typedef void (*stream_call)(const bench_at &at, cudaStream_t s);

static cudaStream_t stream(void)
{
    static cudaStream_t s;

    if (!s)
        good(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "a stream");
    return s;
}

template <stream_call call> static cudaGraphExec_t captured(const bench_at &at, int calls)
{
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    good(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeRelaxed), "begin of a capture");
    for (int i = 0; i < calls; i++)
        call(at, stream());
    good(cudaStreamEndCapture(stream(), &graph), "end of a capture");
    good(cudaGraphInstantiate(&exec, graph, 0), "a graph");
    cudaGraphDestroy(graph);
    return exec;
}

template <stream_call call, bool graph>
static void timed_stream(const bench_at &at, const bench_plan &plan, double *ns)
{
    static cudaEvent_t at_batch[BENCH_BATCHES + 1];
    cudaGraphExec_t exec = graph ? captured<call>(at, LONGER * plan.calls) : NULL;

    for (int i = 0; i <= plan.batches; i++) {
        if (!at_batch[i])
            good(cudaEventCreate(&at_batch[i]), "an event");
        good(cudaEventRecord(at_batch[i], stream()), "a record of an event");
        if (i == plan.batches)
            break;
        if (graph)
            good(cudaGraphLaunch(exec, stream()), "the launch of a graph");
        for (int k = 0; !graph && k < LONGER * plan.calls; k++)
            call(at, stream());
    }
    good(cudaStreamSynchronize(stream()), "the stream");
    for (int i = 0; i < plan.batches; i++) {
        float ms = 0;

        good(cudaEventElapsedTime(&ms, at_batch[i], at_batch[i + 1]), "the time of a batch");
        ns[i] = ms * 1e6 / LONGER;
    }
    if (graph)
        cudaGraphExecDestroy(exec);
}

/* Barriers have nothing to look at: that the stream came to its end without an error counts. */
static void check_end(const bench_at &at)
{
    unsigned long long found[2];

    cudaMemcpy(found, at.findings, sizeof(found), cudaMemcpyDefault);
    found[1]++;
    cudaMemcpy(at.findings, found, sizeof(found), cudaMemcpyDefault);
}

static const bench_op ops[] = {
#define ROW(call, graph, name, most, per_pe, check, ...) \
    { \
#call, name, BENCH_US, most, 0, per_pe, \
            { __VA_ARGS__ }, timed_stream < call, graph>, NULL, check \
    }
#define ROWS(graph, name) \
    ROW(barrier_all, graph, name, 0, false, check_end, BENCH_NO_SIZE), \
        ROW(sum_reduce, graph, name, 0, false, bench_check_sum, 256, 65536, 1 << 20), \
        ROW(fcollect, graph, name, 0, true, bench_check_fcollect, 256, 65536, 1 << 20), \
        ROW(broadcast, graph, name, 0, false, bench_check_broadcast, 256, 65536, 1 << 20), \
        ROW(alltoall, graph, name, 0, true, bench_check_alltoall, 256, 65536, 1 << 20), \
        ROW(put_signal, graph, name, 2, false, bench_check_pair, 8, 65536, 1 << 20, 16 << 20)
    ROWS(false, "stream"),
    ROWS(true, "graph"),
};

const bench_ops bench_stream = { ops, sizeof(ops) / sizeof(*ops) };
