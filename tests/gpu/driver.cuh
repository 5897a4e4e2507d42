/* driver.cuh - the driver's calls for tests that load modules and make memory by hand, through
 * the runtime, so that a program starts where there is no driver. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_DRIVER_CUH
#define GSH_TESTS_DRIVER_CUH

#include <cuda.h>
#include <cuda_runtime.h>

#include "../conform/check.h"

static bool has_gpu()
{
    int n = 0;

    return !cudaGetDeviceCount(&n) && n;
}

static void *driver_call(const char *name)
{
    cudaDriverEntryPointQueryResult found;
    void *call = NULL;

    if (cudaGetDriverEntryPointByVersion(name, &call, CUDART_VERSION, cudaEnableDefault, &found) ||
        found != cudaDriverEntryPointSuccess) {
        fprintf(stderr, "# the driver has no %s\n", name);
        exit(1);
    }
    return call;
}

/* driver(cuModuleLoad)(&module, path), which ends the test when it fails. */
#define driver(name, ...) \
    do { \
        CUresult result_ = reinterpret_cast<decltype(&name)>(driver_call(#name))(__VA_ARGS__); \
        if (result_) { \
            fprintf(stderr, "# line %d: %s: CUDA error %d\n", __LINE__, #name, (int)result_); \
            exit(1); \
        } \
    } while (0)

/* Launches one block that waits for those of the other PEs. */
static void launch(CUfunction kernel, unsigned threads, void **args)
{
    driver(cuLaunchKernel, kernel, 1, 1, 1, threads, 1, 1, 0, NULL, args, NULL);
    CHECK(!cudaDeviceSynchronize(), "the kernel: %s", cudaGetErrorString(cudaGetLastError()));
}

/* Where the kernels of these tests work: a ring of ints, and what was wrong. */
struct ring {
    int *at;         /* symmetric */
    unsigned *wrong; /* this PE's */
};

static ring make_ring()
{
    ring r;

    r.at = (int *)nvshmem_calloc(64, sizeof(int));
    cudaMalloc((void **)&r.wrong, sizeof(*r.wrong));
    cudaMemset(r.wrong, 0, sizeof(*r.wrong));
    CHECK(r.at, "%s", nvshmemx_last_error());
    return r;
}

/* Runs a kernel (int *at, unsigned *wrong), and looks what it found. */
static void run_ring(const ring &r, CUfunction kernel)
{
    void *args[] = { (void *)&r.at, (void *)&r.wrong };
    unsigned wrong = 1;

    nvshmem_barrier_all();
    launch(kernel, 64, args);
    cudaMemcpy(&wrong, r.wrong, sizeof(wrong), cudaMemcpyDeviceToHost);
    CHECK(!wrong, "%u details", wrong);
    cudaMemset(r.wrong, 0, sizeof(*r.wrong));
    nvshmem_barrier_all();
}

#endif /* GSH_TESTS_DRIVER_CUH */
