/* The calls of the driver and of the management library that programs mix with the
 * runtime's agree with it. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gate.cuh"

#include <cuda.h>
#include <gshmem/cpu/stream.h>
#include <nvml.h>
#include <string.h>

static void words()
{
    uint64_t *wide;
    uint32_t *narrow;
    cudaStream_t waits, writes;

    cudaMallocManaged(&wide, sizeof(*wide));
    cudaMallocManaged(&narrow, sizeof(*narrow));
    *wide = 5;
    *narrow = 0xffffffff;
    cudaStreamCreate(&waits);
    cudaStreamCreate(&writes);
    tap_ok(cuStreamWaitValue64(waits, (CUdeviceptr)wide, 6, CU_STREAM_WAIT_VALUE_GEQ) ==
                   CUDA_SUCCESS &&
               cuStreamQuery(waits) == CUDA_ERROR_NOT_READY,
           "a stream waits for a word");
    cuStreamWriteValue64(writes, (CUdeviceptr)wide, 6, CU_STREAM_WRITE_VALUE_DEFAULT);
    tap_ok(cuStreamSynchronize(waits) == CUDA_SUCCESS && *wide == 6, "that another stream writes");
    cuStreamWaitValue32(waits, (CUdeviceptr)narrow, 0xfffffff0, CU_STREAM_WAIT_VALUE_GEQ);
    cuStreamWriteValue32(waits, (CUdeviceptr)narrow, 3, 0);
    cuStreamWaitValue32(waits, (CUdeviceptr)narrow, 0xfffffff0, CU_STREAM_WAIT_VALUE_GEQ);
    cuStreamWaitValue32(waits, (CUdeviceptr)narrow, 2, CU_STREAM_WAIT_VALUE_AND);
    cuStreamWaitValue32(waits, (CUdeviceptr)narrow, 3, CU_STREAM_WAIT_VALUE_EQ);
    cuStreamWaitValue32(waits, (CUdeviceptr)narrow, 4, CU_STREAM_WAIT_VALUE_NOR);
    tap_ok(cuStreamSynchronize(waits) == CUDA_SUCCESS, "words of 32 bits are compared in a circle");
    tap_ok(cuStreamWaitValue64(waits, (CUdeviceptr)wide + 4, 0, 0) == CUDA_ERROR_INVALID_VALUE &&
               cuStreamWriteValue32(waits, (CUdeviceptr)narrow, 0, 2) == CUDA_ERROR_INVALID_VALUE,
           "a word that is not aligned and unknown flags are errors");
    cudaGetLastError();
    cudaStreamDestroy(writes);
    cudaStreamDestroy(waits);
    cudaFree(narrow);
    cudaFree(wide);
}

static void devices()
{
    const char *text = nullptr;
    char name[64] = "";
    int count = 0, same = 0, version = 0, runtime = 1;
    CUdevice device = 9;
    CUcontext context = nullptr;

    tap_ok(!cuInit(0) && !cuDeviceGetCount(&count) && !cudaGetDeviceCount(&same) && count == same &&
               !cuDriverGetVersion(&version) && !cudaRuntimeGetVersion(&runtime) &&
               version == runtime && version == CUDART_VERSION,
           "driver and runtime have the same devices and version");
    tap_ok(!cuCtxGetDevice(&device) && device == 0 && !cuCtxGetCurrent(&context) && context &&
               !cuCtxSetCurrent(context),
           "the context is that of the runtime's device");
    tap_ok(cuDeviceGet(&device, count) == CUDA_ERROR_INVALID_DEVICE &&
               !cuGetErrorString(CUDA_ERROR_INVALID_DEVICE, &text) &&
               !strcmp(text, cudaGetErrorString(cudaErrorInvalidDevice)) &&
               cuGetErrorName((CUresult)12345, &text) == CUDA_ERROR_INVALID_VALUE,
           "errors have the runtime's texts");

    nvmlDevice_t handle;
    unsigned number = 7, n_nvml = 0;
    tap_ok(nvmlDeviceGetCount(&n_nvml) == NVML_ERROR_UNINITIALIZED, "nvmlInit() comes first");
    tap_ok(!nvmlInit() && !nvmlDeviceGetCount(&n_nvml) && (int)n_nvml == count &&
               !nvmlDeviceGetHandleByIndex(0, &handle) &&
               !nvmlDeviceGetName(handle, name, sizeof(name)) && strlen(name) &&
               nvmlDeviceGetName(handle, name, 3) == NVML_ERROR_INSUFFICIENT_SIZE,
           "the management library names the devices");
    nvmlPciInfo_t pci;
    tap_ok(!nvmlDeviceGetPciInfo(handle, &pci) &&
               !nvmlDeviceGetHandleByPciBusId(pci.busId, &handle) &&
               !nvmlDeviceGetIndex(handle, &number) && number == 0 && !nvmlShutdown(),
           "and finds them by bus id");
}

static void pointers()
{
    CUmemorytype type = (CUmemorytype)0;
    unsigned on = 1;
    char *device, plain;
    void *same = nullptr;

    cudaMalloc(&device, 10);
    tap_ok(!cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)device) &&
               type == CU_MEMORYTYPE_DEVICE &&
               !cuPointerGetAttribute(&same, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                      (CUdeviceptr)device) &&
               same == device,
           "the driver knows the runtime's memory");
    tap_ok(!cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)device) &&
               cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                     (CUdeviceptr)&plain) == CUDA_ERROR_INVALID_VALUE,
           "and no other");
    cudaFree(device);
}

static int n_released;

static int count_up(void *arg)
{
    ++*static_cast<int *>(arg);
    return 0;
}

static void released(void *)
{
    n_released++;
}

static int fail(void *)
{
    return -1;
}

static void foreign()
{
    int calls = 0;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    cudaStreamCreate(&s);
    gsh_cuda_stream_do(s, "count", nullptr, count_up, &calls, released);
    cudaStreamSynchronize(s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    gsh_cuda_stream_do(s, "count", nullptr, count_up, &calls, released);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    for (int i = 0; i < 5; i++)
        cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    tap_ok(calls == 6 && n_released == 1, "other libraries queue work that is captured as well");
    cudaGraphExecDestroy(exec);
    tap_ok(n_released == 2, "which is released with the last graph that has it");
    gsh_cuda_stream_do(s, "fail", nullptr, fail, nullptr, nullptr);
    tap_ok(cudaStreamSynchronize(s) == cudaErrorLaunchFailure, "work that fails breaks the device");
    tap_ok(cudaGetLastError() == cudaErrorLaunchFailure &&
               cudaGetLastError() == cudaErrorLaunchFailure &&
               cudaStreamSynchronize(s) == cudaErrorLaunchFailure,
           "for good");
}

int main()
{
    words();
    devices();
    pointers();
    foreign();
    return tap_end();
}
