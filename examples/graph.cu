/* graph.cu - a step of the heat equation on a ring of cells, captured once and launched a hundred
 * times as a CUDA graph: the cells in the middle are computed while those at the edges travel.
 *
 *     gshcc graph.cu -o graph && gshrun -n 4 ./graph
 *
 * With a name, ./graph steps.dot writes the graph's nodes: dot -Tsvg steps.dot -o steps.svg
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <math.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <vector>

constexpr int N = 1000, STEPS = 100;
constexpr float RATE = 0.25f;

/* Cells 1 to N of a PE; 0 and N + 1 are copies of its neighbours'. */
__host__ __device__ float next(float left, float here, float right)
{
    return here + RATE * (left - 2 * here + right);
}

__global__ void middle(const float *now, float *then)
{
    for (int i = 2 + threadIdx.x; i < N; i += blockDim.x)
        then[i] = next(now[i - 1], now[i], now[i + 1]);
}

/* And the heat of this PE, when all its cells are there. */
__global__ void edges(const float *now, float *then, float *heat)
{
    then[1] = next(now[0], now[1], now[2]);
    then[N] = next(now[N - 1], now[N], now[N + 1]);
    *heat = 0;
    for (int i = 1; i <= N; i++)
        *heat += then[i];
}

struct ring {
    float *now, *then, *heat, *all; /* symmetric, but then */
    uint64_t *arrived;              /* edges that have come */
    int me, left, right;
};

/* Nothing in it depends on the number of the step: the signal is taken back, and the sum, for
 * which all wait, keeps a PE from sending the next edges before. */
static void step(const ring &r, cudaStream_t main, cudaStream_t side, cudaEvent_t fork,
                 cudaEvent_t join)
{
    cudaEventRecord(fork, main);
    cudaStreamWaitEvent(side, fork);
    middle<<<1, 128, 0, side>>>(r.now, r.then);
    cudaEventRecord(join, side);

    nvshmemx_float_put_signal_on_stream(&r.now[N + 1], &r.now[1], 1, r.arrived, 1,
                                        NVSHMEM_SIGNAL_ADD, r.left, main);
    nvshmemx_float_put_signal_on_stream(&r.now[0], &r.now[N], 1, r.arrived, 1, NVSHMEM_SIGNAL_ADD,
                                        r.right, main);
    nvshmemx_signal_wait_until_on_stream(r.arrived, NVSHMEM_CMP_EQ, 2, main);
    nvshmemx_signal_op_on_stream(r.arrived, 0, NVSHMEM_SIGNAL_SET, r.me, main);
    cudaStreamWaitEvent(main, join);
    edges<<<1, 1, 0, main>>>(r.now, r.then, r.heat);
    cudaMemcpyAsync(&r.now[1], &r.then[1], N * sizeof(float), cudaMemcpyDeviceToDevice, main);
    nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, r.all, r.heat, 1, main);
}

static cudaGraphExec_t captured(const ring &r, cudaStream_t main, const char *dot)
{
    cudaStream_t side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
    cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal);
    step(r, main, side, fork, join);
    cudaStreamEndCapture(main, &graph);
    if (dot && r.me == 0)
        cudaGraphDebugDotPrint(graph, dot, 0);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    cudaEventDestroy(join);
    cudaEventDestroy(fork);
    cudaStreamDestroy(side);
    return exec;
}

/* The same on all cells at once. */
static std::vector<float> plain(int cells)
{
    std::vector<float> now(cells), then(cells);

    now[cells / 2] = 1000;
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < cells; i++)
            then[i] = next(now[(i + cells - 1) % cells], now[i], now[(i + 1) % cells]);
        now.swap(then);
    }
    return now;
}

int main(int argc, char **argv)
{
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), hot = n * N / 2, devices;
    ring r = { NULL, NULL, NULL, NULL, NULL, me, (me + n - 1) % n, (me + 1) % n };
    float heat, off = 0, first[N] = {};
    cudaStream_t main;

    cudaGetDeviceCount(&devices);
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);
    r.now = (float *)nvshmem_calloc(N + 2, sizeof(float));
    r.heat = (float *)nvshmem_calloc(1, sizeof(float));
    r.all = (float *)nvshmem_calloc(1, sizeof(float));
    r.arrived = (uint64_t *)nvshmem_calloc(1, sizeof(uint64_t));
    cudaMalloc(&r.then, (N + 2) * sizeof(float));
    cudaStreamCreateWithFlags(&main, cudaStreamNonBlocking);
    if (me == hot / N)
        first[hot % N] = 1000;
    cudaMemcpy(&r.now[1], first, sizeof(first), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();

    cudaGraphExec_t exec = captured(r, main, argc > 1 ? argv[1] : NULL);
    for (int s = 0; s < STEPS; s++)
        cudaGraphLaunch(exec, main);
    cudaError_t error = cudaStreamSynchronize(main);

    cudaMemcpy(first, &r.now[1], sizeof(first), cudaMemcpyDeviceToHost);
    cudaMemcpy(&heat, r.all, sizeof(heat), cudaMemcpyDeviceToHost);
    std::vector<float> want = plain(n * N);
    for (int i = 0; i < N; i++)
        off = fmaxf(off, fabsf(first[i] - want[me * N + i]));
    bool good = !error && off < 1e-3f && fabsf(heat - 1000) < 0.1f;
    if (me == 0 || !good)
        printf("PE %d: %d launches, the heat is %.2f of 1000, cells are off by %.1e at most%s\n",
               me, STEPS, heat, off, good ? "" : ": WRONG");

    cudaGraphExecDestroy(exec);
    cudaStreamDestroy(main);
    cudaFree(r.then);
    nvshmem_free(r.arrived);
    nvshmem_free(r.all);
    nvshmem_free(r.heat);
    nvshmem_free(r.now);
    nvshmem_finalize();
    return !good;
}
