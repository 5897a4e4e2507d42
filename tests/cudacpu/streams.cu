/* Streams do their work in order and beside each other, and wait where CUDA says so. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gate.cuh"

static int *list, *n;

/* The numbers that kernels have left so far are 1, 2, ... count. */
static bool in_order(int count)
{
    bool good = *n == count;

    for (int i = 0; i < *n; i++)
        good = good && list[i] == i + 1;
    *n = 0;
    return good;
}

static void order()
{
    cudaStream_t s;
    gate g;

    cudaStreamCreate(&s);
    cudaLaunchHostFunc(s, pass, &g);
    for (int i = 1; i <= 50; i++)
        append<<<1, 1, 0, s>>>(list, n, i);
    tap_ok(*n == 0, "a launch returns before the kernel runs");
    tap_ok(cudaStreamQuery(s) == cudaErrorNotReady, "the stream has work");
    g.open = true;
    tap_ok(cudaStreamSynchronize(s) == cudaSuccess && in_order(50),
           "the kernels of a stream run in order");
    tap_ok(cudaStreamQuery(s) == cudaSuccess, "after synchronize the stream has no work");
    tap_ok(cudaGetLastError() == cudaSuccess, "that there was work is no error");
    cudaStreamDestroy(s);
}

static void beside()
{
    cudaStream_t blocked, free_;
    gate g;

    cudaStreamCreate(&blocked);
    cudaStreamCreate(&free_);
    cudaLaunchHostFunc(blocked, pass, &g);
    append<<<1, 1, 0, free_>>>(list, n, 1);
    tap_ok(cudaStreamSynchronize(free_) == cudaSuccess && in_order(1) && g.passed == 0,
           "one stream goes on while another is blocked");
    g.open = true;
    cudaDeviceSynchronize();
    tap_ok(g.passed == 1, "cudaDeviceSynchronize() waits for all streams");
    cudaStreamDestroy(free_);
    cudaStreamDestroy(blocked);
}

static void default_stream()
{
    cudaStream_t blocking, apart;
    gate g;

    cudaStreamCreate(&blocking);
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    cudaLaunchHostFunc(blocking, pass, &g);
    append<<<1, 1>>>(list, n, 1);
    cudaLaunchHostFunc(
        apart, [](void *) {}, nullptr);
    cudaStreamSynchronize(apart);
    tap_ok(*n == 0, "the default stream waits for a blocking stream, others do not");
    append<<<1, 1, 0, blocking>>>(list, n, 2);
    append<<<1, 1>>>(list, n, 3);
    g.open = true;
    cudaStreamSynchronize(0);
    tap_ok(in_order(3), "a blocking stream waits for the default stream");

    gate h;
    cudaLaunchHostFunc(apart, pass, &h);
    append<<<1, 1>>>(list, n, 1);
    tap_ok(cudaStreamSynchronize(0) == cudaSuccess && in_order(1) && !h.passed,
           "the default stream does not wait for a non-blocking stream");
    h.open = true;

    append<<<1, 1, 0, cudaStreamPerThread>>>(list, n, 1);
    tap_ok(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess && in_order(1),
           "each thread has a stream of its own");
    cudaStreamSynchronize(apart); /* it still uses h */
    cudaStreamDestroy(apart);
    cudaStreamDestroy(blocking);
}

static void events()
{
    cudaStream_t a, b;
    cudaEvent_t before, event, untimed;
    float ms = -1;
    gate g;

    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&before);
    cudaEventCreate(&event);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    tap_ok(cudaEventQuery(event) == cudaSuccess && cudaEventSynchronize(event) == cudaSuccess,
           "an event that was never recorded is complete");
    tap_ok(cudaEventElapsedTime(&ms, before, event) == cudaErrorInvalidResourceHandle,
           "and has no time");
    list[0] = 0;
    cudaEventRecord(before, a);
    cudaEventSynchronize(before);
    cudaLaunchHostFunc(a, pass, &g);
    append<<<1, 1, 0, a>>>(list, n, 1);
    cudaEventRecord(event, a);
    cudaStreamWaitEvent(b, event);
    append<<<1, 1, 0, b>>>(list, n, 2);
    tap_ok(cudaEventQuery(event) == cudaErrorNotReady && cudaStreamQuery(b) == cudaErrorNotReady,
           "an event is not complete before the work ahead of it, and who waits for it waits");
    tap_ok(cudaEventElapsedTime(&ms, before, event) == cudaErrorNotReady, "it has no time yet");
    usleep(2000);
    g.open = true;
    tap_ok(cudaEventSynchronize(event) == cudaSuccess && list[0] == 1,
           "cudaEventSynchronize() waits");
    cudaStreamSynchronize(b);
    tap_ok(in_order(2), "the other stream goes on after the event");
    tap_ok(cudaEventElapsedTime(&ms, before, event) == cudaSuccess && ms >= 2,
           "the time between two events is that of the work between them");
    cudaEventRecord(untimed, a);
    cudaEventSynchronize(untimed);
    tap_ok(cudaEventElapsedTime(&ms, before, untimed) == cudaErrorInvalidResourceHandle,
           "an event without timing has no time");
    tap_ok(cudaGetLastError() == cudaErrorInvalidResourceHandle, "which is the last error");
    cudaEventDestroy(untimed);
    cudaEventDestroy(event);
    cudaEventDestroy(before);
    cudaStreamDestroy(b);
    cudaStreamDestroy(a);
}

static cudaError_t in_host_function;

static void call_runtime(void *)
{
    in_host_function = cudaStreamSynchronize(0);
}

static void CUDART_CB called_back(cudaStream_t, cudaError_t status, void *user)
{
    *static_cast<int *>(user) = status == cudaSuccess ? 1 : 2;
}

static void rest()
{
    int least = -1, greatest = 1, priority = 9, called = 0;
    unsigned flags = 9;
    cudaStream_t s;
    gate g;

    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest - 100);
    cudaStreamGetPriority(s, &priority);
    cudaStreamGetFlags(s, &flags);
    tap_ok(greatest < least && priority == greatest && flags == cudaStreamNonBlocking,
           "a stream has the flags and the priority it was made with, within the range");
    cudaLaunchHostFunc(s, call_runtime, nullptr);
    cudaStreamAddCallback(s, called_back, &called, 0);
    cudaStreamSynchronize(s);
    tap_ok(in_host_function == cudaErrorNotPermitted, "a host function may not call the runtime");
    tap_ok(called == 1, "a callback gets the status of the stream");
    cudaLaunchHostFunc(s, pass, &g);
    append<<<1, 1, 0, s>>>(list, n, 1);
    tap_ok(cudaStreamDestroy(s) == cudaSuccess && *n == 0,
           "a stream may be destroyed with work in it");
    tap_ok(cudaStreamQuery(s) == cudaErrorInvalidResourceHandle, "and then is no stream any more");
    g.open = true;
    cudaDeviceSynchronize();
    tap_ok(in_order(1), "its work is still done");
}

int main()
{
    cudaMallocManaged(&list, 100 * sizeof(*list));
    cudaMallocManaged(&n, sizeof(*n));
    *n = 0;
    order();
    beside();
    default_stream();
    events();
    rest();
    return tap_end();
}
