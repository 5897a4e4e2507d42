/* nvml.h - the calls of NVIDIA's management library with which performance programs name
 * their devices, for the CPU device. C and C++. What a CPU device has no value for, such
 * as power, is not declared.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_NVML_H
#define GSHMEM_CPU_NVML_H

#include <gshmem/attr.h>

/* X(value, name, text) */
/* clang-format off */
#define GSH_NVML_RESULTS(X) \
    X(0, NVML_SUCCESS, "success") \
    X(1, NVML_ERROR_UNINITIALIZED, "nvmlInit() was not called") \
    X(2, NVML_ERROR_INVALID_ARGUMENT, "invalid argument") \
    X(3, NVML_ERROR_NOT_SUPPORTED, "the CPU device does not have this") \
    X(6, NVML_ERROR_NOT_FOUND, "no such device") \
    X(7, NVML_ERROR_INSUFFICIENT_SIZE, "the buffer is too small") \
    X(999, NVML_ERROR_UNKNOWN, "unknown error")
/* clang-format on */

typedef enum nvmlReturn_enum {
#define GSH_NVML_RESULT(value, name, text) name = value,
    GSH_NVML_RESULTS(GSH_NVML_RESULT)
#undef GSH_NVML_RESULT
} nvmlReturn_t;

typedef struct nvmlDevice_st *nvmlDevice_t;

#define NVML_DEVICE_NAME_BUFFER_SIZE 64
#define NVML_DEVICE_UUID_BUFFER_SIZE 80
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE 32
#define NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE 80

typedef struct nvmlMemory_st {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
} nvmlMemory_t;

typedef struct nvmlPciInfo_st {
    char busId[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
    unsigned int domain;
    unsigned int bus;
    unsigned int device;
} nvmlPciInfo_t;

typedef enum nvmlGpuP2PCapsIndex_enum {
    NVML_P2P_CAPS_INDEX_READ = 0,
    NVML_P2P_CAPS_INDEX_WRITE = 1,
    NVML_P2P_CAPS_INDEX_NVLINK = 2,
    NVML_P2P_CAPS_INDEX_ATOMICS = 3,
    NVML_P2P_CAPS_INDEX_PCI = 4,
    NVML_P2P_CAPS_INDEX_UNKNOWN = 5
} nvmlGpuP2PCapsIndex_t;

typedef enum nvmlGpuP2PStatus_enum {
    NVML_P2P_STATUS_OK = 0,
    NVML_P2P_STATUS_NOT_SUPPORTED = 5,
    NVML_P2P_STATUS_UNKNOWN = 6
} nvmlGpuP2PStatus_t;

#define NVML_GPU_FABRIC_UUID_LEN 16
typedef unsigned char nvmlGpuFabricState_t;

typedef struct {
    unsigned int version;
    unsigned char clusterUuid[NVML_GPU_FABRIC_UUID_LEN];
    nvmlReturn_t status;
    unsigned int cliqueId;
    nvmlGpuFabricState_t state;
    unsigned int healthMask;
} nvmlGpuFabricInfo_v2_t;
typedef nvmlGpuFabricInfo_v2_t nvmlGpuFabricInfoV_t;

#define nvmlGpuFabricInfo_v2 ((unsigned int)(sizeof(nvmlGpuFabricInfo_v2_t) | 2u << 24))

GSH_BEGIN_C

GSH_API nvmlReturn_t nvmlInit(void);
GSH_API nvmlReturn_t nvmlShutdown(void);
GSH_API const char *nvmlErrorString(nvmlReturn_t result);
GSH_API nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length);
GSH_API nvmlReturn_t nvmlDeviceGetCount(unsigned int *deviceCount);
GSH_API nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device);
GSH_API nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *pciBusId, nvmlDevice_t *device);
GSH_API nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index);
GSH_API nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length);
GSH_API nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length);
GSH_API nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci);
GSH_API nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory);

/* Loads and stores work between all devices; there is no NVLink and no fabric. */
GSH_API nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t device1, nvmlDevice_t device2,
                                            nvmlGpuP2PCapsIndex_t p2pIndex,
                                            nvmlGpuP2PStatus_t *p2pStatus);
GSH_API nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device,
                                                 nvmlGpuFabricInfoV_t *gpuFabricInfo);

GSH_END_C

#endif /* GSHMEM_CPU_NVML_H */
