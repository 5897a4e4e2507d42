/* Communication that is captured into graphs does its work at each launch, in whatever order
 * graphs are launched: two graphs that share buffers, with put and signal, wait, kernel and
 * reduction, a hundred times. */
// SPDX-License-Identifier: BSD-3-Clause
#include "stream.cuh"

enum { N = 300, LAUNCHES = 100, GRAPHS = 2 };

struct shared {
    int *value;      /* what the ring hands on */
    int *got;        /* from the last PE */
    int *sum;        /* over all */
    uint64_t *count; /* of signals that have come */
    uint64_t *want;  /* how many are to have come */
};

static shared d;

/* Waits count signals of this graph; the kernel says how many there are to be. */
__global__ void prepare(shared a, int step, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a.value[i] += step;
    if (!threadIdx.x)
        a.want[0]++;
}

__global__ void take(shared a, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a.got[i] = 3 * a.got[i] + 1;
}

static void record(int g)
{
    prepare<<<1, 64, 0, s>>>(d, g + 1, N);
    nvshmemx_int_put_signal_on_stream(d.got, d.value, N, d.count, 1, NVSHMEM_SIGNAL_ADD, next_pe,
                                      s);
    nvshmemx_uint64_wait_until_all_vector_on_stream(d.count, 1, NULL, NVSHMEM_CMP_GE, d.want, s);
    take<<<1, 64, 0, s>>>(d, N);
    if (g == 0)
        nvshmemx_int_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, d.sum, d.got, N, s);
    else
        nvshmemx_int_max_reduce_on_stream(NVSHMEM_TEAM_WORLD, d.sum, d.got, N, s);
    nvshmemx_barrier_all_on_stream(s);
}

static cudaGraphExec_t capture(int g, cudaStreamCaptureMode mode)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaError_t error = cudaStreamBeginCapture(s, mode);

    record(g);
    if (!error)
        error = cudaStreamEndCapture(s, &graph);
    if (!error)
        error = cudaGraphInstantiate(&exec, graph, 0);
    CHECK(!error, "graph %d: %s", g, cudaGetErrorString(error));
    if (graph)
        cudaGraphDestroy(graph);
    return exec;
}

/* What the graph leaves when `total` was added to all values by then. */
static int want_of(int g, int total)
{
    int sum = 0, most = 0;

    for (int pe = 0; pe < n_pes; pe++) {
        int got = 3 * (10 * pe + total) + 1;

        sum += got;
        most = got > most ? got : most;
    }
    return g ? most : sum;
}

static void begin_values(void)
{
    int host[N];

    for (int i = 0; i < N; i++)
        host[i] = 10 * me;
    to_device(d.value, host, sizeof(host));
}

static void launches(const cudaGraphExec_t *graphs, bool check_each)
{
    unsigned seed = 5;
    int total = 0, g = 0;

    begin_values();
    nvshmem_barrier_all();
    for (int i = 0; i < LAUNCHES; i++) {
        g = (int)draw(&seed, GRAPHS);
        total += g + 1;
        CHECK(cudaGraphLaunch(graphs[g], s) == cudaSuccess, "launch %d", i);
        if (check_each)
            expect<int>(d.sum, N, "launch", [=](size_t) { return want_of(g, total); });
    }
    expect<int>(d.sum, N, "last launch", [=](size_t) { return want_of(g, total); });
}

/* A call that cannot be captured leaves the capture as it is. */
static void not_captured(void)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStream_t other;
    void *made;
    int had;

    to_device(d.value, "\7\0\0\0", 4);
    nvshmem_barrier_all();
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    nvshmemx_int_p_on_stream(d.got, 77, next_pe, s);
    had = nvshmemx_int_g_on_stream(d.value, me, s);
    CHECK(had == 0 && strstr(nvshmemx_last_error(), "captured"), "g gives %d: %s", had,
          nvshmemx_last_error());
    CHECK(nvshmemx_int_g_on_stream(d.value, me, other) == 7, "another stream is not captured");
    made = nvshmem_malloc(1 << 16);
    CHECK(made != NULL, "%s", nvshmemx_last_error());
    CHECK(!cudaStreamEndCapture(s, &graph) && !cudaGraphInstantiate(&exec, graph, 0), "the end");
    CHECK(!cudaGraphLaunch(exec, s), "the launch");
    nvshmemx_barrier_all_on_stream(s);
    expect<int>(d.got, 1, "p", [](size_t) { return 77; });
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    nvshmem_free(made);
    cudaStreamDestroy(other);
}

int main()
{
    static const cudaStreamCaptureMode modes[] = { cudaStreamCaptureModeGlobal,
                                                   cudaStreamCaptureModeThreadLocal,
                                                   cudaStreamCaptureModeRelaxed };
    cudaGraphExec_t graphs[GRAPHS];

    begin();
    d = { (int *)source, (int *)dest, (int *)result, words, words + 8 };
    for (int m = 0; m < 3; m++) {
        for (int g = 0; g < GRAPHS; g++)
            graphs[g] = capture(g, modes[m]);
        launches(graphs, true);
        launches(graphs, false);
        fact("graphs of capture mode %d do their work at each launch", m);
        for (int g = 0; g < GRAPHS; g++)
            cudaGraphExecDestroy(graphs[g]);
    }
    begin_values();
    record(0);
    expect<int>(d.sum, N, "plain", [](size_t) { return want_of(0, 1); });
    fact("after the graphs the stream does the same without one");
    not_captured();
    fact("calls that cannot be captured say so, and the capture goes on");
    return end();
}
