/* streams.cu - a program for two PEs with one race a case between what is done in streams, by
 * the host and by graphs, and a correct twin of each:
 *
 *     streams CASE wrong|right
 *
 * tests/race/streams.sh runs them. A comment "CASE: WHAT" marks the two lines that the report of
 * a case must name, with what acts there; of a kernel it is the line "body of NAME".
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, BYTES = N * sizeof(int) };

/* Memory of the device, of the host, registered and symmetric, all 0; two streams that wait for
 * nobody, and who calls. */
struct job {
    int *a, *b, *pinned, *registered, *data, *other;
    uint64_t *flag;
    cudaStream_t s, t;
    cudaEvent_t e;
    int me, peer;
    bool wrong;
};

static job j;

__device__ __managed__ int variable[N];

__host__ __device__ static void use(int value)
{
    if (value == 12345)
        printf("a value that nobody has written\n");
}

__global__ void fill(int *at)
{
    at[threadIdx.x] = (int)threadIdx.x; // body of fill
}

__global__ void twice(int *at)
{
    at[threadIdx.x] *= 2; // body of twice
}

__global__ void look(const int *at)
{
    use(at[threadIdx.x]); // body of look
}

/* The stream for what must come after the work of j.s. */
static cudaStream_t then()
{
    return j.wrong ? j.t : j.s;
}

/* --- Streams and copies --- */

static void two_kernels()
{
    fill<<<1, N, 0, j.s>>>(j.a);     // two_kernels: kernel fill, .* stream [0-9]+
    twice<<<1, N, 0, then()>>>(j.a); // two_kernels: kernel twice, .* stream [0-9]+
}

static void copy_out()
{
    fill<<<1, N, 0, j.s>>>(j.a);                                        // copy_out: kernel fill
    cudaMemcpyAsync(j.b, j.a, BYTES, cudaMemcpyDeviceToDevice, then()); // copy_out: memcpy, stream
}

static void copy_rows()
{
    size_t half = BYTES / 2;

    look<<<1, N, 0, j.s>>>(j.b); // copy_rows: kernel look
    cudaMemcpy2DAsync(j.b, half, j.a, half, 8, 2, cudaMemcpyDeviceToDevice, // copy_rows: memcpy
                      then());
}

static void set()
{
    cudaMemsetAsync(j.a, 1, BYTES, j.s); // set: memset, stream
    look<<<1, N, 0, then()>>>(j.a);      // set: kernel look
}

/* The legacy stream does not wait for streams that are not blocking. */
static void copy_now()
{
    fill<<<1, N, 0, j.s>>>(j.a); // copy_now: kernel fill
    if (!j.wrong)
        cudaStreamSynchronize(j.s);
    cudaMemcpy(j.pinned, j.a, BYTES, cudaMemcpyDeviceToHost); // copy_now: memcpy
}

static void blocking()
{
    cudaStream_t b;

    cudaStreamCreateWithFlags(&b, j.wrong ? cudaStreamNonBlocking : cudaStreamDefault);
    fill<<<1, N>>>(j.a);        // blocking: kernel fill
    twice<<<1, N, 0, b>>>(j.a); // blocking: kernel twice
    cudaStreamDestroy(b);
}

/* The device's memory is set when the stream comes to it; the host's is when the call returns. */
static void set_now()
{
    int *at = j.wrong ? j.a : j.pinned;

    cudaMemset(at, 1, BYTES); // set_now: memset
    use(at[3]);               // set_now: host
}

static void read_early()
{
    cudaMemcpyAsync(j.pinned, j.a, BYTES, cudaMemcpyDeviceToHost, j.s); // read_early: memcpy
    if (!j.wrong)
        cudaStreamSynchronize(j.s);
    use(j.pinned[3]); // read_early: host
}

static void source_reused()
{
    int mine[N] = { 0 }, *from = j.wrong ? j.pinned : mine;

    cudaMemcpyAsync(j.a, from, BYTES, cudaMemcpyHostToDevice, j.s); // source_reused: memcpy
    from[3] = 7;                                                    // source_reused: host
}

static void registered()
{
    cudaMemcpyAsync(j.registered, j.a, BYTES, cudaMemcpyDefault, j.s); // registered: memcpy
    if (!j.wrong)
        cudaDeviceSynchronize();
    use(j.registered[3]); // registered: host
    cudaDeviceSynchronize();
}

static void symbol()
{
    int mine[N] = { 0 };

    look<<<1, N, 0, j.s>>>(variable); // symbol: kernel look
    if (!j.wrong)
        cudaStreamSynchronize(j.s);
    cudaMemcpyToSymbol(variable, mine, sizeof(mine)); // symbol: memcpy
}

static void peer_copy()
{
    fill<<<1, N, 0, j.s>>>(j.a);                        // peer_copy: kernel fill
    cudaMemcpyPeerAsync(j.b, 0, j.a, 0, BYTES, then()); // peer_copy: memcpy
}

/* --- Events --- */

static void event_early()
{
    if (j.wrong)
        cudaEventRecord(j.e, j.s);
    cudaMemcpyAsync(j.pinned, j.a, BYTES, cudaMemcpyDeviceToHost, j.s); // event_early: memcpy
    if (!j.wrong)
        cudaEventRecord(j.e, j.s);
    cudaEventSynchronize(j.e);
    use(j.pinned[3]); // event_early: host
}

static void event_query()
{
    cudaMemcpyAsync(j.pinned, j.a, BYTES, cudaMemcpyDeviceToHost, j.s); // event_query: memcpy
    cudaEventRecord(j.e, j.s);
    while (!j.wrong && cudaEventQuery(j.e) == cudaErrorNotReady)
        ;
    use(j.pinned[3]); // event_query: host
}

static void stream_query()
{
    cudaMemcpyAsync(j.pinned, j.a, BYTES, cudaMemcpyDeviceToHost, j.s); // stream_query: memcpy
    while (!j.wrong && cudaStreamQuery(j.s) == cudaErrorNotReady)
        ;
    use(j.pinned[3]); // stream_query: host
}

static void wait_event()
{
    fill<<<1, N, 0, j.s>>>(j.a); // wait_event: kernel fill
    cudaEventRecord(j.e, j.s);
    if (!j.wrong)
        cudaStreamWaitEvent(j.t, j.e, 0);
    twice<<<1, N, 0, j.t>>>(j.a); // wait_event: kernel twice
}

/* An event that was never recorded is no reason to wait. */
static void wait_early()
{
    if (j.wrong)
        cudaStreamWaitEvent(j.t, j.e, 0);
    fill<<<1, N, 0, j.s>>>(j.a); // wait_early: kernel fill
    cudaEventRecord(j.e, j.s);
    if (!j.wrong)
        cudaStreamWaitEvent(j.t, j.e, 0);
    twice<<<1, N, 0, j.t>>>(j.a); // wait_early: kernel twice
}

/* --- Functions of the host --- */

static void read_pinned(void *)
{
    use(j.pinned[3]); // host_function: host function, stream
}

static void host_function()
{
    cudaMemcpyAsync(j.pinned, j.a, BYTES, cudaMemcpyDeviceToHost, j.s); // host_function: memcpy
    cudaLaunchHostFunc(then(), read_pinned, NULL);
}

static void write_pinned(cudaStream_t, cudaError_t, void *)
{
    j.pinned[3] = 1; // callback: host function, stream
}

static void callback()
{
    cudaStreamAddCallback(j.s, write_pinned, NULL, 0);
    if (!j.wrong)
        cudaStreamSynchronize(j.s);
    use(j.pinned[3]); // callback: host
}

static void write_host(void *)
{
    j.pinned[3] = 1; // before_function: host function
}

static void before_function()
{
    use(j.pinned[3]);
    cudaLaunchHostFunc(j.s, write_host, NULL);
    if (j.wrong)
        j.pinned[3] = 2; // before_function: host
}

/* --- Graphs --- */

static void launch(cudaGraph_t graph, cudaStream_t stream)
{
    cudaGraphExec_t exec;

    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

static void graph_nodes()
{
    cudaMemsetParams params = {};
    cudaKernelNodeParams kernel = {};
    cudaGraphNode_t one, two;
    cudaGraph_t graph;
    void *args[] = { &j.a };

    params.dst = j.a;
    params.elementSize = 4;
    params.width = N;
    params.height = 1;
    kernel.func = (void *)twice;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(N);
    kernel.kernelParams = args;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemsetNode(&one, graph, NULL, 0, &params); // graph_nodes: memset
    cudaGraphAddKernelNode(&two, graph, &one, j.wrong ? 0 : 1,
                           &kernel); // graph_nodes: kernel twice
    launch(graph, j.s);
}

/* Of a capture the second stream comes after what was there when the event was recorded. */
static void graph_fork()
{
    cudaGraph_t graph;

    cudaStreamBeginCapture(j.s, cudaStreamCaptureModeGlobal);
    if (j.wrong)
        cudaEventRecord(j.e, j.s);
    fill<<<1, N, 0, j.s>>>(j.a); // graph_fork: kernel fill
    if (!j.wrong)
        cudaEventRecord(j.e, j.s);
    cudaStreamWaitEvent(j.t, j.e, 0);
    cudaMemcpyAsync(j.b, j.a, BYTES, cudaMemcpyDeviceToDevice, j.t); // graph_fork: memcpy
    cudaEventRecord(j.e, j.t);
    cudaStreamWaitEvent(j.s, j.e, 0);
    cudaStreamEndCapture(j.s, &graph);
    launch(graph, j.s);
}

static void graph_launch()
{
    cudaGraph_t graph;

    cudaStreamBeginCapture(j.s, cudaStreamCaptureModeGlobal);
    fill<<<1, N, 0, j.s>>>(j.a); // graph_launch: kernel fill
    cudaStreamEndCapture(j.s, &graph);
    launch(graph, j.s);
    twice<<<1, N, 0, then()>>>(j.a); // graph_launch: kernel twice
}

/* Launches of one graph come after each other, of two not. */
static void graph_twice()
{
    cudaGraphExec_t one, two;
    cudaGraph_t graph;

    cudaStreamBeginCapture(j.s, cudaStreamCaptureModeGlobal);
    twice<<<1, N, 0, j.s>>>(j.a); // graph_twice: kernel twice
    cudaStreamEndCapture(j.s, &graph);
    cudaGraphInstantiate(&one, graph, 0);
    cudaGraphInstantiate(&two, graph, 0);
    cudaGraphLaunch(one, j.s);
    cudaGraphLaunch(j.wrong ? two : one, j.t);
    cudaDeviceSynchronize();
}

static void read_node(void *)
{
    use(j.pinned[5]); // graph_host: host function
}

static void graph_host()
{
    cudaGraphNode_t one, two;
    cudaGraph_t graph;
    cudaHostNodeParams params = { read_node, NULL };

    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemcpyNode1D( // graph_host: memcpy
        &one, graph, NULL, 0, j.pinned, j.a, BYTES, cudaMemcpyDeviceToHost);
    cudaGraphAddHostNode(&two, graph, &one, j.wrong ? 0 : 1, &params);
    launch(graph, j.s);
}

/* --- Words that streams wait for --- */

static void stream_words()
{
    CUdeviceptr word = (CUdeviceptr)(uintptr_t)j.b;

    if (j.wrong)
        cuStreamWriteValue32(j.s, word, 1, 0);
    fill<<<1, N, 0, j.s>>>(j.a); // stream_words: kernel fill
    if (!j.wrong)
        cuStreamWriteValue32(j.s, word, 1, 0);
    cuStreamWaitValue32(j.t, word, 1, CU_STREAM_WAIT_VALUE_GEQ);
    twice<<<1, N, 0, j.t>>>(j.a); // stream_words: kernel twice
}

/* The word itself is written by one while another one looks at it plainly. */
static void word_plain()
{
    CUdeviceptr word = (CUdeviceptr)(uintptr_t)j.a;

    cuStreamWriteValue64(j.s, word, 1, 0); // word_plain: cuStreamWriteValue64
    look<<<1, 1, 0, then()>>>(j.a);        // word_plain: kernel look
}

/* --- Calls of the library --- */

static void put_source()
{
    fill<<<1, N, 0, j.s>>>(j.other); // put_source: kernel fill
    nvshmemx_int_put_on_stream(      // put_source: call
        j.data, j.other, N, j.peer, then());
}

/* A sync completes nothing. */
static void put_sync()
{
    nvshmemx_int_put_on_stream( // put_sync: call
        j.data, j.other, N, j.peer, j.s);
    if (j.wrong)
        nvshmemx_sync_all_on_stream(j.s);
    else
        nvshmemx_barrier_all_on_stream(j.s);
    look<<<1, N, 0, j.s>>>(j.data); // put_sync: kernel look
}

static void barrier_aside()
{
    nvshmemx_int_put_on_stream(j.data, j.other, N, j.peer, j.s); // barrier_aside: call
    nvshmemx_barrier_all_on_stream(j.s);
    look<<<1, N, 0, then()>>>(j.data); // barrier_aside: kernel look
}

static void signal_aside()
{
    nvshmemx_int_put_on_stream(j.data, j.other, N, j.peer, j.s); // signal_aside: call
    nvshmemx_signal_op_on_stream(j.flag, 1, NVSHMEM_SIGNAL_SET, j.peer, then());
    nvshmemx_signal_wait_until_on_stream(j.flag, NVSHMEM_CMP_EQ, 1, j.s);
    look<<<1, N, 0, j.s>>>(j.data); // signal_aside: kernel look
}

static void wait_aside()
{
    nvshmemx_int_put_signal_on_stream( // wait_aside: call
        j.data, j.other, N, j.flag, 1, NVSHMEM_SIGNAL_SET, j.peer, j.s);
    nvshmemx_signal_wait_until_on_stream(j.flag, NVSHMEM_CMP_EQ, 1, then());
    look<<<1, N, 0, j.s>>>(j.data); // wait_aside: kernel look
}

static void get_nbi()
{
    nvshmemx_int_get_nbi_on_stream( // get_nbi: call
        j.data, j.other, N, j.peer, j.s);
    if (!j.wrong)
        nvshmemx_quiet_on_stream(j.s);
    look<<<1, N, 0, j.s>>>(j.data); // get_nbi: kernel look
}

static void get_aside()
{
    nvshmemx_int_get_on_stream(j.data, j.other, N, j.peer, j.s); // get_aside: call
    look<<<1, N, 0, then()>>>(j.data);                           // get_aside: kernel look
}

static void reduced()
{
    nvshmemx_int_sum_reduce_on_stream( // reduced: call
        NVSHMEM_TEAM_WORLD, j.data, j.other, N, j.s);
    look<<<1, N, 0, then()>>>(j.data); // reduced: kernel look
}

static void graph_put()
{
    cudaGraph_t graph;

    cudaStreamBeginCapture(j.s, cudaStreamCaptureModeGlobal);
    nvshmemx_int_put_on_stream(j.data, j.other, N, j.peer, j.s); // graph_put: call
    if (!j.wrong)
        nvshmemx_barrier_all_on_stream(j.s);
    cudaStreamEndCapture(j.s, &graph);
    launch(graph, j.s);
    if (j.wrong)
        nvshmemx_sync_all_on_stream(j.s);
    look<<<1, N, 0, j.s>>>(j.data); // graph_put: kernel look
}

/* clang-format off */
#define CASE(name) { #name, name }
/* clang-format on */
static const struct {
    const char *name;
    void (*run)();
} cases[] = {
    CASE(two_kernels),   CASE(copy_out),      CASE(copy_rows),    CASE(set),
    CASE(copy_now),      CASE(blocking),      CASE(set_now),      CASE(read_early),
    CASE(source_reused), CASE(registered),    CASE(symbol),       CASE(peer_copy),
    CASE(event_early),   CASE(event_query),   CASE(stream_query), CASE(wait_event),
    CASE(wait_early),    CASE(host_function), CASE(callback),     CASE(before_function),
    CASE(graph_nodes),   CASE(graph_fork),    CASE(graph_launch), CASE(graph_twice),
    CASE(graph_host),    CASE(stream_words),  CASE(word_plain),   CASE(put_source),
    CASE(put_sync),      CASE(barrier_aside), CASE(signal_aside), CASE(wait_aside),
    CASE(get_nbi),       CASE(get_aside),     CASE(reduced),      CASE(graph_put),
};

static void run(const char *name)
{
    for (const auto &c : cases) {
        if (!strcmp(c.name, name)) {
            c.run();
            return;
        }
    }
    printf("no such case: %s\n", name);
}

static void begin()
{
    cudaMalloc(&j.a, BYTES);
    cudaMalloc(&j.b, BYTES);
    cudaMallocHost(&j.pinned, BYTES);
    j.registered = (int *)calloc(N, sizeof(int));
    cudaHostRegister(j.registered, BYTES, cudaHostRegisterDefault);
    cudaMemset(j.a, 0, BYTES);
    cudaMemset(j.b, 0, BYTES);
    memset(j.pinned, 0, BYTES);
    j.data = (int *)nvshmem_calloc(N, sizeof(int));
    j.other = (int *)nvshmem_calloc(N, sizeof(int));
    j.flag = (uint64_t *)nvshmem_calloc(1, sizeof(uint64_t));
    cudaStreamCreateWithFlags(&j.s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&j.t, cudaStreamNonBlocking);
    cudaEventCreate(&j.e);
    cudaDeviceSynchronize();
}

static void end()
{
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
    cudaEventDestroy(j.e);
    cudaStreamDestroy(j.t);
    cudaStreamDestroy(j.s);
    nvshmem_free(j.flag);
    nvshmem_free(j.other);
    nvshmem_free(j.data);
    cudaHostUnregister(j.registered);
    free(j.registered);
    cudaFreeHost(j.pinned);
    cudaFree(j.b);
    cudaFree(j.a);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    nvshmem_init();
    j.me = nvshmem_my_pe();
    j.peer = 1 - j.me;
    j.wrong = !strcmp(argv[2], "wrong");
    begin();
    run(argv[1]);
    end();
    nvshmem_finalize();
    return 0;
}
