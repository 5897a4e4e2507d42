/* Graphs with communication are updated, share buffers and are made by several threads, and calls
 * that are no work of a stream neither get into a capture nor spoil it. */
// SPDX-License-Identifier: BSD-3-Clause
#include "stream.cuh"

#include <thread>

enum { N = 200, GRAPHS = 3, LAUNCHES = 100 };

static int *from, *to, *sum;

static cudaGraph_t end_capture(void)
{
    cudaGraph_t graph = nullptr;
    cudaError_t error = cudaStreamEndCapture(s, &graph);

    CHECK(!error, "the end of a capture: %s", cudaGetErrorString(error));
    return graph;
}

static cudaGraphExec_t ready(cudaGraph_t graph)
{
    cudaGraphExec_t exec = nullptr;
    cudaError_t error = graph ? cudaGraphInstantiate(&exec, graph, 0) : cudaErrorInvalidValue;

    CHECK(!error, "a graph: %s", cudaGetErrorString(error));
    return exec;
}

__global__ void add(int *at, int n, int what)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        at[i] += what;
}

/* --- Update --- */

/* What is put is step more than before, and the signal's value tells which version put it. */
static cudaGraph_t version(int v)
{
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 64, 0, s>>>(from, N, v);
    nvshmemx_int_put_signal_on_stream(to, from, N, &words[v % 2], (uint64_t)v, NVSHMEM_SIGNAL_SET,
                                      next_pe, s);
    nvshmemx_signal_wait_until_on_stream(&words[v % 2], NVSHMEM_CMP_EQ, (uint64_t)v, s);
    nvshmemx_int_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, sum, to, N / v, s);
    nvshmemx_signal_op_on_stream(&words[v % 2], 0, NVSHMEM_SIGNAL_SET, me, s);
    nvshmemx_barrier_all_on_stream(s);
    return end_capture();
}

static void update(void)
{
    cudaGraph_t graphs[2] = { version(1), version(2) }, other;
    cudaGraphExec_t exec = ready(graphs[0]);
    cudaGraphExecUpdateResultInfo info;
    unsigned seed = 11;
    int total = 0;

    for (int i = 0; i < LAUNCHES; i++) {
        int v = 1 + (int)draw(&seed, 2);

        CHECK(!cudaGraphExecUpdate(exec, graphs[v - 1], &info), "update %d", i);
        CHECK(!cudaGraphLaunch(exec, s), "launch %d", i);
        total += v;
        expect<int>(to, N, "put", [=](size_t) { return total; });
        expect<int>(sum, N / v, "sum", [=](size_t) { return total * n_pes; });
        nvshmem_barrier_all();
    }
    fact("an instance that is updated a hundred times does what it was updated to");
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    nvshmemx_barrier_all_on_stream(s);
    other = end_capture();
    CHECK(cudaGraphExecUpdate(exec, other, &info) == cudaErrorGraphExecUpdateFailure, "other");
    cudaGetLastError();
    CHECK(!cudaGraphLaunch(exec, s), "launch");
    cudaStreamSynchronize(s);
    fact("an update by a graph with other nodes fails, and the instance is as it was");
    cudaGraphDestroy(other);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graphs[0]);
    cudaGraphDestroy(graphs[1]);
    nvshmem_barrier_all();
}

/* --- Buffers of several graphs --- */

/* Each reads what another one wrote: the sum becomes the source, the source goes around the ring,
 * and what came is added to. */
static void part(int g)
{
    if (g == 0) {
        nvshmemx_int_put_on_stream(to, from, N, next_pe, s);
        nvshmemx_barrier_all_on_stream(s);
    } else if (g == 1) {
        nvshmemx_int_max_reduce_on_stream(NVSHMEM_TEAM_WORLD, sum, to, N, s);
        cudaMemcpyAsync(from, sum, N * sizeof(int), cudaMemcpyDeviceToDevice, s);
        nvshmemx_barrier_all_on_stream(s);
    } else {
        add<<<1, 64, 0, s>>>(from, N, 1 + me);
        nvshmemx_int_fcollect_on_stream(NVSHMEM_TEAM_WORLD, (int *)result + N, from, 1, s);
        nvshmemx_barrier_all_on_stream(s);
    }
}

/* The same for one element of all PEs. */
struct model {
    int from[64], to[64];
};

static void step(model *m, int g)
{
    int most = m->to[0], shifted[64];

    for (int pe = 0; pe < n_pes; pe++) {
        shifted[pe] = m->from[(pe + n_pes - 1) % n_pes];
        most = m->to[pe] > most ? m->to[pe] : most;
    }
    for (int pe = 0; pe < n_pes; pe++) {
        if (g == 0)
            m->to[pe] = shifted[pe];
        else
            m->from[pe] = g == 1 ? most : m->from[pe] + 1 + pe;
    }
}

static void shared_buffers(void)
{
    cudaGraphExec_t graphs[GRAPHS];
    model m = {};
    unsigned seed = 3;

    for (int g = 0; g < GRAPHS; g++) {
        cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
        part(g);
        cudaGraph_t graph = end_capture();
        graphs[g] = ready(graph);
        cudaGraphDestroy(graph);
    }
    cudaMemsetAsync(from, 0, N * sizeof(int), s);
    cudaMemsetAsync(to, 0, N * sizeof(int), s);
    nvshmemx_barrier_all_on_stream(s);
    for (int i = 0; i < LAUNCHES; i++) {
        int g = (int)draw(&seed, GRAPHS);

        CHECK(!cudaGraphLaunch(graphs[g], s), "launch %d", i);
        step(&m, g);
        expect<int>(from, N, "from", [&](size_t) { return m.from[me]; });
        expect<int>(to, N, "to", [&](size_t) { return m.to[me]; });
        nvshmem_barrier_all();
    }
    fact("graphs that hand buffers to each other are right in any order");
    for (int g = 0; g < GRAPHS; g++)
        cudaGraphExecDestroy(graphs[g]);
}

/* --- Captures of two threads --- */

static void at_once(void)
{
    nvshmem_team_t teams[2];
    cudaGraphExec_t graphs[2] = {};
    std::thread threads[2];

    for (int k = 0; k < 2; k++)
        nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &teams[k]);
    for (int k = 0; k < 2; k++) {
        threads[k] = std::thread([&, k]() {
            cudaStream_t own;
            cudaGraph_t graph = nullptr;

            cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
            cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal);
            for (int i = 0; i < 20; i++)
                nvshmemx_int_sum_reduce_on_stream(teams[k], &sum[k], &from[k], 1, own);
            if (!cudaStreamEndCapture(own, &graph))
                cudaGraphInstantiate(&graphs[k], graph, 0);
            cudaGraphDestroy(graph);
            cudaStreamDestroy(own);
        });
    }
    threads[0].join();
    threads[1].join();
    int ours[2] = { me + 1, 2 * (me + 1) };
    to_device(from, ours, sizeof(ours));
    nvshmem_barrier_all();
    CHECK(!cudaGraphLaunch(graphs[0], s) && !cudaGraphLaunch(graphs[1], s), "the launches");
    expect<int>(sum, 2, "sums", [](size_t i) { return (int)(i + 1) * n_pes * (n_pes + 1) / 2; });
    fact("threads capture at the same time");
    for (int k = 0; k < 2; k++) {
        cudaGraphExecDestroy(graphs[k]);
        nvshmem_team_destroy(teams[k]);
    }
}

/* --- What is not captured --- */

static void other_calls(cudaStreamCaptureMode mode)
{
    nvshmem_team_t team = NVSHMEM_TEAM_INVALID;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    void *before = nvshmem_malloc(1 << 16), *made;
    int one = 40 + me, had = 0;

    to_device(from, &one, sizeof(one));
    nvshmem_barrier_all();
    cudaStreamBeginCapture(s, mode);
    nvshmemx_int_put_on_stream(to, from, 1, next_pe, s);
    made = nvshmem_calloc(1 << 14, 1);
    nvshmem_free(before);
    nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &team);
    CHECK(made && team != NVSHMEM_TEAM_INVALID, "malloc and split: %s", nvshmemx_last_error());
    CHECK(!nvshmemx_int_sum_reduce_on_stream(team, sum, from, 1, s), "the first use of a team: %s",
          nvshmemx_last_error());
    nvshmemx_barrier_on_stream(team, s);
    nvshmem_int_get(&had, from, 1, next_pe);
    nvshmem_barrier_all();
    CHECK(had == 40 + next_pe, "a get of the host in between gives %d", had);
    CHECK(!cudaStreamIsCapturing(s, &status) && status == cudaStreamCaptureStatusActive,
          "the capture's state is %d", status);
    cudaGraph_t graph = end_capture();
    cudaGraphExec_t exec = ready(graph);
    CHECK(!cudaGraphLaunch(exec, s), "the launch");
    expect<int>(to, 1, "put", [](size_t) { return 40 + last_pe; });
    expect<int>(sum, 1, "sum", [](size_t) { return 40 * n_pes + n_pes * (n_pes - 1) / 2; });
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    nvshmem_team_destroy(team);
    nvshmem_free(made);
}

int main()
{
    begin();
    from = (int *)source;
    to = (int *)dest;
    sum = (int *)result;
    cudaMemsetAsync(from, 0, N * sizeof(int), s);
    nvshmemx_barrier_all_on_stream(s);
    cudaStreamSynchronize(s);
    update();
    shared_buffers();
    at_once();
    other_calls(cudaStreamCaptureModeGlobal);
    other_calls(cudaStreamCaptureModeThreadLocal);
    other_calls(cudaStreamCaptureModeRelaxed);
    fact("allocation, teams and the host's calls are done at once, and spoil no capture");
    return end();
}
