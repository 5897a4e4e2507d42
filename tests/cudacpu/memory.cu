/* Memory, copies and symbols of the CUDA runtime behave on the CPU device as on a GPU. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gate.cuh"

#include <stdlib.h>
#include <string.h>
#include <vector>

__constant__ int table[4];
__device__ int counter = 7;

__global__ void read_table(int *out)
{
    out[threadIdx.x] = table[threadIdx.x] + counter;
}

static void kinds()
{
    const enum cudaMemcpyKind all[] = { cudaMemcpyHostToHost, cudaMemcpyHostToDevice,
                                        cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
                                        cudaMemcpyDefault };
    int from = 0, to = 0, *device;
    bool good = true;

    cudaMalloc(&device, sizeof(int));
    for (auto kind : all) {
        from++;
        good = good && !cudaMemcpy(&to, &from, sizeof(int), kind) && to == from;
    }
    cudaMemcpy(device, &from, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpyPeer(&to, 0, device, 0, sizeof(int));
    tap_ok(good && to == from, "copies of each kind copy");
    tap_ok(cudaMemcpy(&to, &from, 4, (cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection,
           "a kind that does not exist is an error");
    tap_ok(cudaMemcpy(nullptr, &from, 4, cudaMemcpyDefault) == cudaErrorInvalidValue,
           "so is a null address");
    tap_ok(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault) == cudaSuccess,
           "unless nothing is copied");
    tap_ok(cudaFree(device) == cudaSuccess && cudaFree(nullptr) == cudaSuccess,
           "memory is freed, and a null pointer");
    tap_ok(cudaFree(&to) == cudaErrorInvalidValue, "other memory cannot be freed");
    cudaGetLastError();
}

static void two_dimensions()
{
    unsigned char host[4][8], *device, back[4][8];
    size_t pitch = 0;

    for (int i = 0; i < 32; i++)
        host[i / 8][i % 8] = (unsigned char)i;
    cudaMallocPitch(&device, &pitch, 8, 4);
    cudaMemset2D(device, pitch, 0xff, 8, 4);
    cudaMemcpy2D(device, pitch, host, 8, 5, 4, cudaMemcpyHostToDevice);
    cudaMemcpy2D(back, 8, device, pitch, 8, 4, cudaMemcpyDeviceToHost);
    bool good = pitch >= 8;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++)
            good = good && back[y][x] == (x < 5 ? host[y][x] : 0xff);
    tap_ok(good, "2-D copies and sets reach the rows of the pitch and no other bytes");
    tap_ok(cudaMemcpy2D(back, 4, device, pitch, 8, 4, cudaMemcpyDeviceToHost) ==
               cudaErrorInvalidPitchValue,
           "a row longer than the pitch is an error");
    cudaGetLastError();
    cudaFree(device);
}

static void pageable()
{
    std::vector<int> host(1000, 3), back(1000, 0);
    int *device, *pinned;
    cudaStream_t s;
    gate g;

    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&device, 4000);
    cudaMallocHost(&pinned, 4000);
    cudaLaunchHostFunc(s, pass, &g);
    cudaMemcpyAsync(device, host.data(), 4000, cudaMemcpyHostToDevice, s);
    host.assign(1000, 9);
    g.open = true;
    cudaMemcpyAsync(back.data(), device, 4000, cudaMemcpyDeviceToHost, s);
    tap_ok(back == std::vector<int>(1000, 3),
           "pageable memory may be used again when an asynchronous copy returns");

    gate h;
    pinned[999] = 1;
    cudaLaunchHostFunc(s, pass, &h);
    cudaMemcpyAsync(device, pinned, 4000, cudaMemcpyHostToDevice, s);
    pinned[999] = 2;
    h.open = true;
    cudaStreamSynchronize(s);
    cudaMemcpy(&back[0], device + 999, 4, cudaMemcpyDeviceToHost);
    tap_ok(back[0] == 2, "page-locked memory is read when the stream comes to the copy");
    cudaFreeHost(pinned);
    cudaFree(device);
    cudaStreamDestroy(s);
}

static void symbols()
{
    int values[4] = { 1, 2, 3, 4 }, *out, *at;
    size_t size = 0;

    cudaMallocManaged(&out, sizeof(values));
    cudaMemcpyToSymbol(table, values, sizeof(values));
    read_table<<<1, 4>>>(out);
    cudaDeviceSynchronize();
    tap_ok(out[0] == 8 && out[3] == 11, "a kernel sees what was copied to a symbol");
    cudaMemcpyFromSymbol(&values[0], table, sizeof(int), 2 * sizeof(int));
    tap_ok(values[0] == 3, "a part of a symbol is copied from an offset");
    tap_ok(!cudaGetSymbolAddress((void **)&at, counter) && !cudaGetSymbolSize(&size, table) &&
               *at == 7 && size == 16,
           "a symbol has an address and a size");
    tap_ok(cudaMemcpyToSymbol(table, values, sizeof(values), 4) == cudaErrorInvalidValue,
           "a copy beyond the end of a symbol is an error");
    cudaGetLastError();
    cudaFree(out);
}

static cudaMemoryType type_of(const void *at)
{
    cudaPointerAttributes attributes;

    return cudaPointerGetAttributes(&attributes, at) ? (cudaMemoryType)-1 : attributes.type;
}

static void attributes()
{
    char *device, *managed, *pinned, plain[64];
    void *mapped = nullptr;
    size_t available = 0, total = 0;

    cudaMalloc(&device, 100);
    cudaMallocManaged(&managed, 100);
    cudaHostAlloc(&pinned, 100, cudaHostAllocMapped);
    tap_ok(type_of(device + 99) == cudaMemoryTypeDevice &&
               type_of(managed) == cudaMemoryTypeManaged &&
               type_of(pinned + 1) == cudaMemoryTypeHost &&
               type_of(plain) == cudaMemoryTypeUnregistered,
           "an address knows what memory it is of");
    tap_ok(!cudaHostRegister(plain, 64, cudaHostRegisterDefault) &&
               type_of(plain + 63) == cudaMemoryTypeHost &&
               !cudaHostGetDevicePointer(&mapped, plain, 0) && mapped == plain,
           "memory can be registered");
    tap_ok(cudaHostRegister(plain + 8, 8, 0) == cudaErrorHostMemoryAlreadyRegistered,
           "but not twice");
    tap_ok(!cudaHostUnregister(plain) &&
               cudaHostUnregister(plain) == cudaErrorHostMemoryNotRegistered,
           "and unregistered once");
    tap_ok(cudaFreeHost(device) == cudaErrorInvalidValue &&
               cudaFree(pinned) == cudaErrorInvalidValue,
           "host and device memory are freed by calls of their own");
    cudaGetLastError();
    tap_ok(!cudaMemGetInfo(&available, &total) && available && available <= total,
           "the device has memory");
    tap_ok(cudaMalloc(&device, (size_t)1 << 62) == cudaErrorMemoryAllocation && !device,
           "more than there is cannot be had");
    tap_ok(cudaGetLastError() == cudaErrorMemoryAllocation, "which is the last error");
    tap_ok(!cudaMemPrefetchAsync(managed, 100, 0) &&
               !cudaMemPrefetchAsync(managed, 100, { cudaMemLocationTypeDevice, 0 }, 0, 0) &&
               !cudaMemAdvise(managed, 100, cudaMemAdviseSetReadMostly, 0),
           "hints for managed memory are taken in the forms of all releases");
    cudaFree(managed);
    cudaFreeHost(pinned);
}

static void queued()
{
    int *at, value = 0;
    cudaStream_t s;

    cudaStreamCreate(&s);
    cudaMallocAsync(&at, sizeof(*at), s);
    cudaMemsetAsync(at, 0, sizeof(*at), s);
    add<<<4, 32, 0, s>>>(at, 2);
    cudaMemcpyAsync(&value, at, sizeof(value), cudaMemcpyDefault, s);
    tap_ok(cudaFreeAsync(at, s) == cudaSuccess && cudaStreamSynchronize(s) == cudaSuccess &&
               value == 256 && type_of(at) == cudaMemoryTypeUnregistered,
           "memory can be taken and freed in a stream");
    cudaStreamDestroy(s);
}

static void pools()
{
    cudaMemPool_t pool = nullptr, same = nullptr;
    uint64_t keep = 4096, kept = 0;
    int *at = nullptr, on = 1;

    tap_ok(!cudaDeviceGetDefaultMemPool(&pool, 0) && !cudaDeviceGetMemPool(&same, 0) && pool &&
               same == pool,
           "a device has its default pool");
    tap_ok(!cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep) &&
               !cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) &&
               kept == keep &&
               !cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &on),
           "which keeps what is set");
    tap_ok(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &kept) ==
               cudaErrorNotSupported,
           "what nobody counts cannot be asked for");
    tap_ok(!cudaMallocFromPoolAsync(&at, 4, pool, 0) && at && !cudaFreeAsync(at, 0) &&
               !cudaMallocAsync(&at, 4, pool, 0) && !cudaFreeAsync(at, 0) &&
               !cudaMemPoolTrimTo(pool, 0) && !cudaDeviceSynchronize(),
           "memory is taken from it");
    tap_ok(cudaDeviceGetDefaultMemPool(&pool, 1000) == cudaErrorInvalidDevice,
           "no other device has one");
    cudaGetLastError();
}

static void doze(void *)
{
    usleep(50000);
}

static void set_of_host()
{
    unsigned char *at;
    cudaStream_t s;

    cudaMallocHost(&at, 1);
    *at = 0;
    cudaStreamCreate(&s);
    cudaLaunchHostFunc(s, doze, nullptr);
    cudaMemset(at, 7, 1);
    tap_ok(*at == 7, "memory of the host is set when cudaMemset returns, after what it waits for");
    cudaStreamDestroy(s);
    cudaFreeHost(at);
}

int main()
{
    kinds();
    two_dimensions();
    pageable();
    symbols();
    attributes();
    queued();
    pools();
    set_of_host();
    return tap_end();
}
