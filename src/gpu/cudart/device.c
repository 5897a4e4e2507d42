/* device.c - the pretended devices: as many as this machine has PEs of the job, so that
 * programs that give each PE a device of its own find it. They are all the same cores. */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Thread_local int current;
static bool peers[64]; /* peer access is enabled, by device */

enum { N_PEERS = sizeof(peers) / sizeof(peers[0]) };

cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count)
        return gsh_cuda_end(cudaErrorInvalidValue);
    *count = gsh_cpu_devices();
    return gsh_cuda_end(cudaSuccess);
}

static cudaError_t check(int device)
{
    return device >= 0 && device < gsh_cpu_devices() ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t error = check(device);

    if (!error)
        current = device;
    return gsh_cuda_end(error);
}

cudaError_t cudaGetDevice(int *device)
{
    if (!device)
        return gsh_cuda_end(cudaErrorInvalidValue);
    *device = current;
    return gsh_cuda_end(cudaSuccess);
}

/* Compute capability 9.0, as the newest that needs nothing that the CPU device lacks. */
static void describe(struct cudaDeviceProp *p, int device)
{
    *p = (struct cudaDeviceProp){
        .name = "gshmem CPU device",
        .totalGlobalMem = (size_t)sysconf(_SC_PAGESIZE) * (size_t)sysconf(_SC_PHYS_PAGES),
        .sharedMemPerBlock = 48 << 10,
        .sharedMemPerBlockOptin = GSH_CPU_SHARED_BYTES,
        .sharedMemPerMultiprocessor = GSH_CPU_SHARED_BYTES + (1 << 10),
        .reservedSharedMemPerBlock = 1 << 10,
        .totalConstMem = 64 << 10,
        .memPitch = 0x7fffffff,
        .textureAlignment = 512,
        .surfaceAlignment = 512,
        .regsPerBlock = 64 << 10,
        .regsPerMultiprocessor = 64 << 10,
        .warpSize = GSH_CPU_WARP,
        .maxThreadsPerBlock = GSH_CPU_MAX_THREADS,
        .maxThreadsPerMultiProcessor = GSH_CPU_SM_THREADS,
        .maxBlocksPerMultiProcessor = 32,
        .maxThreadsDim = { GSH_CPU_MAX_THREADS, GSH_CPU_MAX_THREADS, 64 },
        .maxGridSize = { 0x7fffffff, 0xffff, 0xffff },
        .major = GSH_CPU_COMPUTE,
        .multiProcessorCount = GSH_CPU_SMS,
        .clockRate = 1000000,
        .memoryClockRate = 1000000,
        .memoryBusWidth = 64,
        .l2CacheSize = 32 << 20,
        .deviceOverlap = 1,
        .asyncEngineCount = 2,
        .concurrentKernels = 1,
        .streamPrioritiesSupported = 1,
        .integrated = 1,
        .canMapHostMemory = 1,
        .pciBusID = device + 1,
        .unifiedAddressing = 1,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .directManagedMemAccessFromHost = 1,
        .pageableMemoryAccess = 1,
        .pageableMemoryAccessUsesHostPageTables = 1,
        .hostNativeAtomicSupported = 1,
        .hostRegisterSupported = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .computePreemptionSupported = 1,
        .cooperativeLaunch = 1,
        .memoryPoolsSupported = 1,
    };
    snprintf(p->uuid.bytes, sizeof(p->uuid.bytes), "gshmem-%d", device);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    cudaError_t error = prop ? check(device) : cudaErrorInvalidValue;

    if (!error)
        describe(prop, device);
    return gsh_cuda_end(error);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    struct cudaDeviceProp prop;
    const struct cudaDeviceProp *p = &prop;
    cudaError_t error = value ? check(device) : cudaErrorInvalidValue;

    if (error)
        return gsh_cuda_end(error);
    describe(&prop, device);
    switch (attr) {
#define ATTRIBUTE(number, name, what) \
    case cudaDevAttr##name: \
        *value = (int)(what); \
        return gsh_cuda_end(cudaSuccess);
        GSH_CUDA_DEVICE_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
    }
    return gsh_cuda_end(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    char id[16];
    cudaError_t error = pciBusId && len > 0 ? check(device) : cudaErrorInvalidValue;

    if (error)
        return gsh_cuda_end(error);
    snprintf(id, sizeof(id), "0000:%02X:00.0", (device + 1) & 0xff);
    if (strlen(id) >= (size_t)len)
        return gsh_cuda_end(cudaErrorInvalidValue);
    memcpy(pciBusId, id, strlen(id) + 1);
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    unsigned domain, bus, slot;

    if (!device || !pciBusId)
        return gsh_cuda_end(cudaErrorInvalidValue);
    if (sscanf(pciBusId, "%x:%x:%x", &domain, &bus, &slot) != 3 || domain || slot || !bus ||
        check((int)bus - 1))
        return gsh_cuda_end(cudaErrorInvalidDevice);
    *device = (int)bus - 1;
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    cudaError_t error = canAccessPeer ? check(device) : cudaErrorInvalidValue;

    if (!error)
        error = check(peerDevice);
    if (!error)
        *canAccessPeer = device != peerDevice;
    return gsh_cuda_end(error);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice,
                                      int dstDevice)
{
    cudaError_t error = value ? check(srcDevice) : cudaErrorInvalidValue;

    if (!error)
        error = srcDevice == dstDevice ? cudaErrorInvalidDevice : check(dstDevice);
    if (!error)
        *value =
            attr == cudaDevP2PAttrAccessSupported || attr == cudaDevP2PAttrNativeAtomicSupported;
    return gsh_cuda_end(error);
}

static cudaError_t switch_peer(int peer, bool on)
{
    cudaError_t error = peer < N_PEERS ? check(peer) : cudaErrorInvalidDevice;

    if (error)
        return error;
    if (peer == current)
        return cudaErrorInvalidDevice;
    if (peers[peer] == on)
        return on ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled;
    peers[peer] = on;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    return gsh_cuda_end(flags ? cudaErrorInvalidValue : switch_peer(peerDevice, true));
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
    return gsh_cuda_end(switch_peer(peerDevice, false));
}

/* Kept for who asks; memory is the host's and has no such limits. */
static size_t limits[] = {
    [cudaLimitStackSize] = 1 << 10,
    [cudaLimitPrintfFifoSize] = 1 << 20,
    [cudaLimitMallocHeapSize] = 8 << 20,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
    [cudaLimitPersistingL2CacheSize] = 0,
};

enum { N_LIMITS = sizeof(limits) / sizeof(limits[0]) };

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if ((unsigned)limit >= N_LIMITS)
        return gsh_cuda_end(cudaErrorUnsupportedLimit);
    limits[limit] = value;
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit)
{
    if (!pValue || (unsigned)limit >= N_LIMITS)
        return gsh_cuda_end(pValue ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
    *pValue = limits[limit];
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    (void)cacheConfig; /* a hint */
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    unsigned known = cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax;

    return gsh_cuda_end(flags & ~known ? cudaErrorInvalidValue : cudaSuccess);
}

/* Nothing has to be made first. */
cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    (void)deviceFlags, (void)flags;
    return gsh_cuda_end(check(device));
}

/* Waits for the work; memory stays, as other PEs and libraries may use it. */
cudaError_t cudaDeviceReset(void)
{
    return gsh_cuda_end(gsh_stream_wait_all());
}

static cudaError_t version(int *version_out)
{
    if (!version_out)
        return gsh_cuda_end(cudaErrorInvalidValue);
    *version_out = CUDART_VERSION;
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
    return version(runtimeVersion);
}

cudaError_t cudaDriverGetVersion(int *driverVersion)
{
    return version(driverVersion);
}

cudaError_t cudaProfilerStart(void)
{
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaProfilerStop(void)
{
    return gsh_cuda_end(cudaSuccess);
}
