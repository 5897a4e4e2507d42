/* overruns.cu - a program with one access outside of its object a case: overruns CASE, which is a
 * row of the table in docs/races.md. tests/docs/overruns.sh runs them.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 32, BYTES = N * sizeof(int) };

static int *device, *symmetric, *source, *freed;

__device__ int variable[N];

__global__ void store(int *at, int i)
{
    at[i] = 1;
}

__global__ void store_variable(int i)
{
    variable[i] = 1;
}

__global__ void store_local(int i)
{
    volatile int mine[N];

    mine[i] = 1;
}

__global__ void store_shared(int i)
{
    __shared__ int tile[N], behind[N];

    behind[0] = 0;
    tile[i] = 1;
}

__global__ void store_dynamic(int i)
{
    extern __shared__ int tile[];

    tile[i] = 1;
}

__global__ void put(int *to, const int *from, int n)
{
    nvshmem_int_put(to, from, (size_t)n, nvshmem_my_pe());
}

static void behind_device()
{
    store<<<1, 1>>>(device, N);
}

static void freed_device()
{
    int *at;

    cudaMalloc(&at, BYTES);
    cudaFree(at);
    store<<<1, 1>>>(at, 0);
}

static void behind_variable()
{
    store_variable<<<1, 1>>>(N);
}

static void behind_local()
{
    store_local<<<1, 1>>>(N);
}

static void behind_shared()
{
    store_shared<<<1, 1>>>(N);
}

static void behind_dynamic()
{
    store_dynamic<<<1, 1, BYTES>>>(N);
}

static void copy_behind()
{
    cudaMemset(device, 0, BYTES + 4);
}

static void behind_symmetric()
{
    store<<<1, 1>>>(symmetric, N);
}

static void freed_symmetric()
{
    store<<<1, 1>>>(freed, 0);
}

static void put_behind()
{
    put<<<1, 1>>>(symmetric, source, N + 1);
}

static void put_freed()
{
    put<<<1, 1>>>(freed, source, 1);
}

static void put_from()
{
    put<<<1, 1>>>(source, device, N + 1);
}

static void host_behind()
{
    nvshmem_int_put(symmetric, source, N + 1, nvshmem_my_pe());
}

static const struct {
    const char *name;
    void (*run)();
} cases[] = {
    { "store behind memory of cudaMalloc", behind_device },
    { "store to memory that cudaFree took", freed_device },
    { "store behind a __device__ variable", behind_variable },
    { "store behind a local array of a kernel", behind_local },
    { "store behind a __shared__ array", behind_shared },
    { "store behind extern __shared__ memory", behind_dynamic },
    { "cudaMemset or copy that is too long", copy_behind },
    { "store behind memory of nvshmem_malloc", behind_symmetric },
    { "store to memory that nvshmem_free took", freed_symmetric },
    { "put of a kernel that is too long for its dest", put_behind },
    { "put of a kernel to memory that nvshmem_free took", put_freed },
    { "put of a kernel that is too long for its source", put_from },
    { "put of the host that is too long for its dest", host_behind },
};

static void run(const char *name)
{
    for (const auto &c : cases)
        if (!strcmp(c.name, name))
            c.run();
}

int main(int argc, char **argv)
{
    for (const auto &c : cases)
        if (argc < 2)
            puts(c.name);
    if (argc < 2)
        return 0;
    nvshmem_init();
    cudaMalloc(&device, BYTES);
    symmetric = (int *)nvshmem_calloc(N, sizeof(int));
    source = (int *)nvshmem_calloc(2 * N, sizeof(int));
    freed = (int *)nvshmem_malloc(BYTES);
    nvshmem_free(freed);
    run(argv[1]);
    cudaDeviceSynchronize();
    nvshmem_free(source);
    nvshmem_free(symmetric);
    cudaFree(device);
    nvshmem_finalize();
    return 0;
}
