/* A host function in a stream comes after the put_nbi and the quiet before it, of kernels and of
 * the stream, and before what comes later, at once and in a graph. */
// SPDX-License-Identifier: BSD-3-Clause
#include "stream.cuh"

enum { N = 1000, ROUNDS = 40 };

/* What the host function of a round looks at, and what it leaves to the rest of the round. */
struct board {
    int *seen; /* what has come, for the host to read */
    int *next; /* what is sent in the next round */
    int round; /* rounds that are over */
    int wrong; /* elements */
};

static board host;

static int value(int pe, int round, int i)
{
    return pe * 1000 + round * 7 + i;
}

static void look(void *arg)
{
    board *b = (board *)arg;

    for (int i = 0; i < N; i++) {
        b->wrong += b->seen[i] != value(last_pe, b->round, i);
        b->next[i] = value(me, b->round + 1, i);
    }
    b->round++;
}

__global__ void send(int *to, const int *from, int n, int pe)
{
    nvshmemx_int_put_nbi_block(to, from, n, pe);
    if (threadIdx.x == 0)
        nvshmem_quiet();
}

/* One round: the data goes around the ring, and the host sees it. */
static void round_of(bool kernel)
{
    int *to = (int *)dest, *from = (int *)source;

    if (kernel) {
        send<<<1, 64, 0, s>>>(to, from, N, next_pe);
    } else {
        nvshmemx_int_put_nbi_on_stream(to, from, N, next_pe, s);
        nvshmemx_quiet_on_stream(s);
    }
    nvshmemx_barrier_all_on_stream(s);
    cudaMemcpyAsync(host.seen, to, N * sizeof(int), cudaMemcpyDeviceToHost, s);
    CHECK(cudaLaunchHostFunc(s, look, &host) == cudaSuccess, "a host function");
    cudaMemcpyAsync(from, host.next, N * sizeof(int), cudaMemcpyHostToDevice, s);
    nvshmemx_barrier_all_on_stream(s);
}

static void start(void)
{
    host.round = host.wrong = 0;
    for (int i = 0; i < N; i++)
        host.next[i] = value(me, 0, i);
    to_device(source, host.next, N * sizeof(int));
    nvshmem_barrier_all();
}

static void settle(const char *what)
{
    CHECK(cudaStreamSynchronize(s) == cudaSuccess, "%s", what);
    CHECK(host.round == ROUNDS, "%s: %d rounds", what, host.round);
    CHECK(!host.wrong, "%s: %d wrong", what, host.wrong);
    nvshmem_barrier_all();
    fact("a host function sees what was put before it: %s", what);
}

static void at_once(bool kernel, const char *what)
{
    start();
    for (int r = 0; r < ROUNDS; r++)
        round_of(kernel);
    settle(what);
}

static void in_graph(bool kernel, const char *what)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;

    start();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    round_of(kernel);
    CHECK(cudaStreamEndCapture(s, &graph) == cudaSuccess, "%s", what);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess, "%s", what);
    for (int r = 0; r < ROUNDS; r++)
        cudaGraphLaunch(exec, s);
    settle(what);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

int main()
{
    begin();
    cudaMallocHost((void **)&host.seen, N * sizeof(int));
    cudaMallocHost((void **)&host.next, N * sizeof(int));
    at_once(true, "put_nbi of a kernel");
    at_once(false, "put_nbi_on_stream");
    in_graph(true, "put_nbi of a kernel, in a graph");
    in_graph(false, "put_nbi_on_stream, in a graph");
    cudaFreeHost(host.next);
    cudaFreeHost(host.seen);
    return end();
}
