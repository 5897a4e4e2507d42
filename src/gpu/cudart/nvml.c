/* nvml.c - the management library's calls, each over the runtime's. A handle is the number
 * of its device and one. */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <nvml.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int n_inits;

nvmlReturn_t nvmlInit(void)
{
    atomic_fetch_add(&n_inits, 1);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlShutdown(void)
{
    if (atomic_load(&n_inits) < 1)
        return NVML_ERROR_UNINITIALIZED;
    atomic_fetch_sub(&n_inits, 1);
    return NVML_SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t result)
{
    switch (result) {
#define TEXT(value, name, text) \
    case name: \
        return text;
        GSH_NVML_RESULTS(TEXT)
#undef TEXT
    }
    return "unknown error";
}

static nvmlReturn_t give(const char *text, char *out, unsigned length)
{
    if (!atomic_load(&n_inits))
        return NVML_ERROR_UNINITIALIZED;
    if (!out)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (strlen(text) >= length)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    memcpy(out, text, strlen(text) + 1);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    return give("gshmem CPU device", version, length);
}

nvmlReturn_t nvmlDeviceGetCount(unsigned int *deviceCount)
{
    if (!atomic_load(&n_inits))
        return NVML_ERROR_UNINITIALIZED;
    if (!deviceCount)
        return NVML_ERROR_INVALID_ARGUMENT;
    *deviceCount = (unsigned)gsh_cpu_devices();
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device)
{
    if (!atomic_load(&n_inits))
        return NVML_ERROR_UNINITIALIZED;
    if (!device || index >= (unsigned)gsh_cpu_devices())
        return NVML_ERROR_INVALID_ARGUMENT;
    *device = (nvmlDevice_t)(uintptr_t)(index + 1);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *pciBusId, nvmlDevice_t *device)
{
    int index = 0;

    if (!pciBusId)
        return NVML_ERROR_INVALID_ARGUMENT;
    for (char id[32]; index < gsh_cpu_devices(); index++)
        if (!cudaDeviceGetPCIBusId(id, sizeof(id), index) && strstr(pciBusId, id))
            return nvmlDeviceGetHandleByIndex((unsigned)index, device);
    return NVML_ERROR_NOT_FOUND;
}

/* The number of a handle, -1 when it is none. */
static int index_of(nvmlDevice_t device)
{
    uintptr_t handle = (uintptr_t)device;

    return atomic_load(&n_inits) && handle && handle <= (uintptr_t)gsh_cpu_devices()
               ? (int)handle - 1
               : -1;
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
    if (!index || index_of(device) < 0)
        return NVML_ERROR_INVALID_ARGUMENT;
    *index = (unsigned)index_of(device);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
    struct cudaDeviceProp prop;

    if (index_of(device) < 0 || cudaGetDeviceProperties(&prop, index_of(device)))
        return NVML_ERROR_INVALID_ARGUMENT;
    return give(prop.name, name, length);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
    struct cudaDeviceProp prop;

    if (index_of(device) < 0 || cudaGetDeviceProperties(&prop, index_of(device)))
        return NVML_ERROR_INVALID_ARGUMENT;
    return give(prop.uuid.bytes, uuid, length);
}

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    int index = index_of(device);

    if (!pci || index < 0)
        return NVML_ERROR_INVALID_ARGUMENT;
    *pci = (nvmlPciInfo_t){ .bus = (unsigned)index + 1 };
    cudaDeviceGetPCIBusId(pci->busId, sizeof(pci->busId), index);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
    size_t available = 0, total = 0;

    if (!memory || index_of(device) < 0)
        return NVML_ERROR_INVALID_ARGUMENT;
    cudaMemGetInfo(&available, &total);
    *memory = (nvmlMemory_t){ .total = total, .free = available, .used = total - available };
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t device1, nvmlDevice_t device2,
                                    nvmlGpuP2PCapsIndex_t p2pIndex, nvmlGpuP2PStatus_t *p2pStatus)
{
    if (!p2pStatus || index_of(device1) < 0 || index_of(device2) < 0)
        return NVML_ERROR_INVALID_ARGUMENT;
    *p2pStatus = p2pIndex == NVML_P2P_CAPS_INDEX_READ || p2pIndex == NVML_P2P_CAPS_INDEX_WRITE ||
                         p2pIndex == NVML_P2P_CAPS_INDEX_ATOMICS
                     ? NVML_P2P_STATUS_OK
                     : NVML_P2P_STATUS_NOT_SUPPORTED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t *gpuFabricInfo)
{
    if (!gpuFabricInfo || index_of(device) < 0)
        return NVML_ERROR_INVALID_ARGUMENT;
    return NVML_ERROR_NOT_SUPPORTED;
}
