/* Kernels are launched by address and by attributes, and what cannot be launched is an
 * error with CUDA's name. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gate.cuh"

#include <cooperative_groups.h>
#include <string.h>

namespace cg = cooperative_groups;

__global__ void scale(double *at, int n, double by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        at[i] *= by;
}

template <class T> __global__ void fill(T *at, T value)
{
    at[threadIdx.x] = value;
}

__global__ void count_blocks(int *n, int *seen)
{
    if (threadIdx.x == 0)
        atomicAdd(n, 1);
    cg::this_grid().sync();
    if (threadIdx.x == 0)
        seen[blockIdx.x] = *n;
}

static void by_address()
{
    double *at, by = 3;
    float *floats, value = 2.5f;
    int n = 100;

    cudaMallocManaged(&at, n * sizeof(*at));
    cudaMallocManaged(&floats, 8 * sizeof(*floats));
    for (int i = 0; i < n; i++)
        at[i] = i;
    void *args[] = { &at, &n, &by }, *fill_args[] = { &floats, &value };
    tap_ok(cudaLaunchKernel((const void *)scale, dim3(4), dim3(32), args, 0, 0) == cudaSuccess &&
               cudaDeviceSynchronize() == cudaSuccess && at[99] == 297,
           "a kernel is launched by its address, with the addresses of its arguments");
    tap_ok(cudaLaunchKernel(fill<float>, 1, 8, fill_args) == cudaSuccess &&
               cudaDeviceSynchronize() == cudaSuccess && floats[7] == 2.5f,
           "so is an instance of a template");
    cudaLaunchConfig_t config = {};
    config.gridDim = 4;
    config.blockDim = 32;
    tap_ok(cudaLaunchKernelEx(&config, scale, at, 50u, 2) == cudaSuccess &&
               cudaDeviceSynchronize() == cudaSuccess && at[49] == 294 && at[50] == 150,
           "cudaLaunchKernelEx() converts arguments as a call does");
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = { 2, 1, 1 };
    config.attrs = &cluster;
    config.numAttrs = 1;
    tap_ok(cudaLaunchKernelEx(&config, scale, at, 0, 2) == cudaErrorInvalidClusterSize,
           "clusters of several blocks are refused");
    tap_ok(cudaLaunchKernel((const void *)&by, 1, 1, args, 0, 0) == cudaErrorInvalidDeviceFunction,
           "what is no kernel is refused");
    cudaGetLastError();
    cudaFree(floats);
    cudaFree(at);
}

static void cooperative()
{
    int *n, *seen, per = 0, sms = 0;
    size_t all = 0, half = 0;
    bool good = true;

    cudaMallocManaged(&n, sizeof(*n));
    cudaMallocManaged(&seen, 8 * sizeof(*seen));
    *n = 0;
    void *args[] = { &n, &seen };
    good = !cudaLaunchCooperativeKernel((const void *)count_blocks, 8, 32, args, 0, 0) &&
           !cudaDeviceSynchronize();
    for (int i = 0; i < 8; i++)
        good = good && seen[i] == 8;
    tap_ok(good, "the blocks of a cooperative launch meet");
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, count_blocks, 1024, 0);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    tap_ok(per >= 1 &&
               cudaLaunchCooperativeKernel((const void *)count_blocks, per * sms + 1, 1024, args, 0,
                                           0) == cudaErrorCooperativeLaunchTooLarge,
           "more blocks than occupancy tells are too large a launch");
    cudaGetLastError();
    tap_ok(!cudaOccupancyAvailableDynamicSMemPerBlock(&all, count_blocks, 1, 32) &&
               !cudaOccupancyAvailableDynamicSMemPerBlock(&half, count_blocks, 2, 32) && half &&
               half * 2 <= all,
           "two blocks share the memory of a multiprocessor");
    cudaFree(seen);
    cudaFree(n);
}

static void refused()
{
    add<<<1, 1025>>>(nullptr, 0);
    tap_ok(cudaPeekAtLastError() == cudaErrorInvalidConfiguration &&
               cudaGetLastError() == cudaErrorInvalidConfiguration,
           "a launch with too many threads is the last error");
    tap_ok(cudaGetLastError() == cudaSuccess, "which is forgotten when it was asked for");
    add<<<0, 1>>>(nullptr, 0);
    tap_ok(cudaGetLastError() == cudaErrorInvalidConfiguration, "a grid needs blocks");
    add<<<1, dim3(1, 1, 65)>>>(nullptr, 0);
    tap_ok(cudaGetLastError() == cudaErrorInvalidConfiguration, "z is at most 64 threads");
    add<<<1, 1, 1 << 20>>>(nullptr, 0);
    tap_ok(cudaGetLastError() == cudaErrorInvalidValue, "shared memory is at most the device's");
    tap_ok(cudaDeviceSynchronize() == cudaSuccess, "the device works on");
}

static void questions()
{
    cudaFuncAttributes attributes;
    cudaDeviceProp prop;
    int grid = 0, block = 0, value = 0, count = 0, device = 7;
    char id[32];

    tap_ok(!cudaFuncGetAttributes(&attributes, scale) && attributes.maxThreadsPerBlock == 1024 &&
               cudaFuncGetAttributes(&attributes, (const void *)"") ==
                   cudaErrorInvalidDeviceFunction,
           "a kernel has attributes");
    tap_ok(!cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10) &&
               cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30) ==
                   cudaErrorInvalidValue,
           "it may have as much shared memory as there is");
    tap_ok(!cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 256) && block <= 256 &&
               block > 0 && grid >= 1,
           "a good block size is found within the limit");
    tap_ok(!cudaGetDeviceCount(&count) && count >= 1 && !cudaGetDevice(&device) && device == 0 &&
               cudaSetDevice(count) == cudaErrorInvalidDevice,
           "devices have numbers from 0 on");
    tap_ok(!cudaGetDeviceProperties(&prop, 0) && prop.warpSize == 32 && strlen(prop.name) &&
               !cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) &&
               value == prop.multiProcessorCount,
           "attributes are those of the properties");
    tap_ok(!cudaDeviceGetPCIBusId(id, sizeof(id), 0) && !cudaDeviceGetByPCIBusId(&device, id) &&
               device == 0 && cudaDeviceGetPCIBusId(id, 4, 0) == cudaErrorInvalidValue,
           "a device is found by its bus id");
    tap_ok(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") &&
               strlen(cudaGetErrorString(cudaErrorNotReady)) &&
               !strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"),
           "errors have names and texts");
    cudaGetLastError();
}

int main()
{
    by_address();
    cooperative();
    refused();
    questions();
    return tap_end();
}
