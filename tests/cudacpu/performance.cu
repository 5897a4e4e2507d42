/* A program in the manner of NVSHMEM's performance programs runs as it is: it takes its sizes,
 * iterations, warm-up, blocks and threads from -b -e -n -w -c -t, looks its GPU up through
 * nvml.h, loads NVML by itself under names that begin with nvshmemi_nvml_, and launches
 * kernels that time put, put with signal, barrier and reduction, at all scopes. */
// SPDX-License-Identifier: BSD-3-Clause
#include "../conform/check.h"

#include <cuda_runtime.h>
#include <nvshmemx.h>

#include <dlfcn.h>
#include <getopt.h>
#include <nvml.h>

#define CUDA_CHECK(call) \
    do { \
        cudaError_t error = (call); \
        CHECK(error == cudaSuccess, "%s: %s", #call, cudaGetErrorString(error)); \
    } while (0)

/* Names that such programs have for themselves. */
struct nvml_function_table {
    nvmlReturn_t (*nvmlInit)(void);
    nvmlReturn_t (*nvmlShutdown)(void);
    nvmlReturn_t (*nvmlDeviceGetCount)(unsigned int *count);
    nvmlReturn_t (*nvmlDeviceGetHandleByPciBusId)(const char *bus_id, nvmlDevice_t *device);
    nvmlReturn_t (*nvmlDeviceGetP2PStatus)(nvmlDevice_t device1, nvmlDevice_t device2,
                                           nvmlGpuP2PCapsIndex_t index, nvmlGpuP2PStatus_t *status);
    nvmlReturn_t (*nvmlDeviceGetGpuFabricInfoV)(nvmlDevice_t device, nvmlGpuFabricInfoV_t *info);
};

#define NVSHMEMI_NVML_LOAD(table, handle, name) (*(void **)(&(table)->name) = dlsym(handle, #name))

static void *nvshmemi_nvml_open(void)
{
    void *handle = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_GLOBAL);

    /* The CPU device's is linked. */
    return handle ? handle : dlopen(NULL, RTLD_LAZY);
}

static int nvshmemi_nvml_ftable_init(struct nvml_function_table *table, void **handle)
{
    *handle = nvshmemi_nvml_open();
    if (!*handle)
        return -1;
    NVSHMEMI_NVML_LOAD(table, *handle, nvmlInit);
    NVSHMEMI_NVML_LOAD(table, *handle, nvmlShutdown);
    NVSHMEMI_NVML_LOAD(table, *handle, nvmlDeviceGetCount);
    NVSHMEMI_NVML_LOAD(table, *handle, nvmlDeviceGetHandleByPciBusId);
    NVSHMEMI_NVML_LOAD(table, *handle, nvmlDeviceGetP2PStatus);
    NVSHMEMI_NVML_LOAD(table, *handle, nvmlDeviceGetGpuFabricInfoV);
    return table->nvmlInit && table->nvmlDeviceGetP2PStatus ? 0 : -1;
}

static void nvshmemi_nvml_ftable_fini(void **handle)
{
    dlclose(*handle);
    *handle = NULL;
}

static size_t min_size = 8, max_size = 4096, iters = 10, warmup_iters = 2;
static int num_ctas = 2, threads_per_cta = 64;

static void read_args(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "b:e:n:w:c:t:")) != -1) {
        size_t value = strtoull(optarg ? optarg : "0", NULL, 0);

        switch (option) {
        case 'b':
            min_size = value;
            break;
        case 'e':
            max_size = value;
            break;
        case 'n':
            iters = value;
            break;
        case 'w':
            warmup_iters = value;
            break;
        case 'c':
            num_ctas = (int)value;
            break;
        case 't':
            threads_per_cta = (int)value;
            break;
        default:
            exit(2);
        }
    }
}

/* Puts of all blocks, each its part, with a meeting of the grid in each iteration. */
__global__ void bw(double *dest, const double *source, volatile unsigned *counter, size_t len,
                   int peer, size_t count)
{
    size_t part = len / gridDim.x;

    for (size_t i = 0; i < count; i++) {
        nvshmemx_double_put_nbi_block(dest + blockIdx.x * part, source + blockIdx.x * part, part,
                                      peer);
        __syncthreads();
        if (!threadIdx.x) {
            __threadfence();
            unsigned arrived = atomicInc((unsigned *)counter, UINT_MAX);
            if (arrived == gridDim.x * (i + 1) - 1)
                counter[1] += 1;
            while (counter[1] != i + 1)
                ;
        }
        __syncthreads();
    }
    nvshmem_quiet();
}

__global__ void ping_pong(double *dest, const double *source, uint64_t *flag, size_t len, int pe,
                          size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        if (pe)
            nvshmem_signal_wait_until(flag, NVSHMEM_CMP_EQ, i + 1);
        nvshmem_double_put_signal_nbi(dest, source, len, flag, i + 1, NVSHMEM_SIGNAL_SET, !pe);
        if (!pe)
            nvshmem_signal_wait_until(flag, NVSHMEM_CMP_EQ, i + 1);
    }
    nvshmem_quiet();
}

/* Scopes by the number of threads, as templates of such programs have them. */
template <int scope>
__global__ void reduce(nvshmem_team_t team, float *dest, const float *source, size_t n,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (scope == 0 && !threadIdx.x)
            nvshmem_float_sum_reduce(team, dest, source, n);
        if (scope == 1 && threadIdx.x < 32)
            nvshmemx_float_sum_reduce_warp(team, dest, source, n);
        if (scope == 2)
            nvshmemx_float_sum_reduce_block(team, dest, source, n);
    }
    nvshmemx_barrier_all_block();
}

struct memory {
    double *dest, *source;
    uint64_t *flag;
    unsigned *counter;
};

static void fill(const memory &m)
{
    size_t n = max_size / sizeof(float);
    float *host = (float *)malloc(max_size);

    for (size_t i = 0; i < n; i++)
        host[i] = (float)(nvshmem_my_pe() + 1);
    CUDA_CHECK(cudaMemcpy(m.source, host, max_size, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(m.dest, 0, max_size));
    CUDA_CHECK(cudaMemset(m.counter, 0, 2 * sizeof(*m.counter)));
    CUDA_CHECK(cudaDeviceSynchronize());
    free(host);
    nvshmem_barrier_all();
}

static void expect(const memory &m, size_t bytes, float want, const char *what)
{
    size_t n = bytes / sizeof(float), wrong = 0;
    float *host = (float *)malloc(bytes);

    CUDA_CHECK(cudaDeviceSynchronize());
    nvshmem_barrier_all();
    CUDA_CHECK(cudaMemcpy(host, m.dest, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        wrong += host[i] != want;
    CHECK(!wrong, "%s of %zu bytes: %zu of %zu wrong", what, bytes, wrong, n);
    free(host);
    nvshmem_barrier_all();
}

static void look_up(void)
{
    nvml_function_table table = {};
    nvmlGpuP2PStatus_t status = NVML_P2P_STATUS_UNKNOWN;
    nvmlGpuFabricInfoV_t fabric = {};
    nvmlDevice_t device = NULL;
    unsigned count = 0;
    void *handle = NULL;
    char bus[50] = "";

    fabric.version = nvmlGpuFabricInfo_v2;
    CUDA_CHECK(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
    CHECK(!nvshmemi_nvml_ftable_init(&table, &handle), "NVML is loaded");
    CHECK(!table.nvmlInit() && !table.nvmlDeviceGetCount(&count) && count > 0, "%u devices", count);
    CHECK(!table.nvmlDeviceGetHandleByPciBusId(bus, &device), "the device at %s", bus);
    table.nvmlDeviceGetP2PStatus(device, device, NVML_P2P_CAPS_INDEX_READ, &status);
    table.nvmlDeviceGetGpuFabricInfoV(device, &fabric);
    CHECK(!table.nvmlShutdown(), "the end of NVML");
    nvshmemi_nvml_ftable_fini(&handle);
    fact("the program loads NVML under its own names and finds its GPU");
}

static void bandwidth(const memory &m)
{
    int me = nvshmem_my_pe(), peer = !me;
    size_t left = 0, all = warmup_iters + iters;

    for (size_t size = min_size * num_ctas; size <= max_size; size *= 2) {
        size_t len = size / sizeof(double);
        void *args[] = {
            (void *)&m.dest, (void *)&m.source, (void *)&m.counter, &len, &peer, &all
        };

        fill(m);
        if (!me)
            CHECK(!nvshmemx_collective_launch((const void *)bw, num_ctas, threads_per_cta, args, 0,
                                              0),
                  "a launch of %d blocks", num_ctas);
        expect(m, size, me ? 1 : 0, "put");
        left++;
    }
    CHECK(left > 0, "no size between -b and -e");
    fact("blocks put their parts at all sizes from -b to -e");
}

static void latency(const memory &m)
{
    int me = nvshmem_my_pe();
    size_t done = 0;

    for (size_t size = min_size; size <= max_size; size *= 2) {
        size_t len = size / sizeof(double);

        fill(m);
        ping_pong<<<1, 1>>>(m.dest, m.source, m.flag, len, me, done, warmup_iters);
        done += warmup_iters;
        ping_pong<<<1, 1>>>(m.dest, m.source, m.flag, len, me, done, iters);
        done += iters;
        expect(m, size, me ? 1 : 2, "put_signal");
    }
    fact("two PEs hand data to and fro by put and signal");
}

template <int scope> static void reductions(const memory &m, const char *what)
{
    nvshmem_team_t team = NVSHMEM_TEAM_WORLD;

    for (size_t size = min_size; size <= max_size; size *= 2) {
        float *dest = (float *)m.dest;
        const float *source = (const float *)m.source;
        size_t n = size / sizeof(float);
        void *args[] = { &team, &dest, &source, &n, &iters };

        fill(m);
        CHECK(!nvshmemx_collective_launch((const void *)reduce<scope>, 1, threads_per_cta, args, 0,
                                          0),
              "a launch by %s", what);
        expect(m, size, 3, what);
    }
    fact("and reduce by %s", what);
}

int main(int argc, char **argv)
{
    memory m;

    read_args(argc, argv);
    nvshmem_init();
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % 1));
    m.dest = (double *)need(max_size);
    m.source = (double *)need(max_size);
    m.flag = (uint64_t *)need(sizeof(*m.flag));
    CUDA_CHECK(cudaMemset(m.flag, 0, sizeof(*m.flag)));
    CUDA_CHECK(cudaMalloc((void **)&m.counter, 2 * sizeof(*m.counter)));
    look_up();
    bandwidth(m);
    latency(m);
    reductions<0>(m, "thread");
    reductions<1>(m, "warp");
    reductions<2>(m, "block");
    int status = finish();
    cudaFree(m.counter);
    nvshmem_free(m.flag);
    nvshmem_free(m.source);
    nvshmem_free(m.dest);
    nvshmem_finalize();
    return status;
}
