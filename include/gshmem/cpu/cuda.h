/* cuda.h - the calls of the CUDA driver that communication programs make, for the CPU
 * device. C and C++. Streams and events are those of the runtime.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_CUDA_H
#define GSHMEM_CPU_CUDA_H

#include <gshmem/cpu/cuda_runtime_api.h>
#include <stdint.h>

#define CUDA_VERSION CUDART_VERSION
#define CUDAAPI
#define CUDA_CB CUDART_CB

/* X(value, name): values and meanings are those of the runtime's errors. */
/* clang-format off */
#define GSH_CUDA_RESULTS(X) \
    X(0, CUDA_SUCCESS) \
    X(1, CUDA_ERROR_INVALID_VALUE) \
    X(2, CUDA_ERROR_OUT_OF_MEMORY) \
    X(3, CUDA_ERROR_NOT_INITIALIZED) \
    X(100, CUDA_ERROR_NO_DEVICE) \
    X(101, CUDA_ERROR_INVALID_DEVICE) \
    X(201, CUDA_ERROR_INVALID_CONTEXT) \
    X(304, CUDA_ERROR_OPERATING_SYSTEM) \
    X(400, CUDA_ERROR_INVALID_HANDLE) \
    X(401, CUDA_ERROR_ILLEGAL_STATE) \
    X(500, CUDA_ERROR_NOT_FOUND) \
    X(600, CUDA_ERROR_NOT_READY) \
    X(700, CUDA_ERROR_ILLEGAL_ADDRESS) \
    X(701, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) \
    X(702, CUDA_ERROR_LAUNCH_TIMEOUT) \
    X(719, CUDA_ERROR_LAUNCH_FAILED) \
    X(720, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) \
    X(800, CUDA_ERROR_NOT_PERMITTED) \
    X(801, CUDA_ERROR_NOT_SUPPORTED) \
    X(900, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) \
    X(901, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED) \
    X(906, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) \
    X(999, CUDA_ERROR_UNKNOWN)
/* clang-format on */

typedef enum cudaError_enum {
#define GSH_CUDA_RESULT(value, name) name = value,
    GSH_CUDA_RESULTS(GSH_CUDA_RESULT)
#undef GSH_CUDA_RESULT
} CUresult;

typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef unsigned long long CUdeviceptr;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)

typedef enum CUdevice_attribute_enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = cudaDevAttrMaxThreadsPerBlock,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = cudaDevAttrMaxSharedMemoryPerBlock,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = cudaDevAttrWarpSize,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = cudaDevAttrClockRate,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = cudaDevAttrMultiProcessorCount,
    CU_DEVICE_ATTRIBUTE_INTEGRATED = cudaDevAttrIntegrated,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = cudaDevAttrPciBusId,
    CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = cudaDevAttrPciDeviceId,
    CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = cudaDevAttrPciDomainId,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = cudaDevAttrMaxThreadsPerMultiProcessor,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = cudaDevAttrUnifiedAddressing,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = cudaDevAttrComputeCapabilityMajor,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = cudaDevAttrComputeCapabilityMinor,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = cudaDevAttrCooperativeLaunch,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED = cudaDevAttrGPUDirectRDMASupported
} CUdevice_attribute;

typedef enum CUmemorytype_enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 } CUmemorytype;

typedef enum CUpointer_attribute_enum {
    CU_POINTER_ATTRIBUTE_CONTEXT = 1,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
    CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
    CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
    CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9
} CUpointer_attribute;

typedef enum CUstreamWaitValue_flags_enum {
    CU_STREAM_WAIT_VALUE_GEQ = 0, /* (signed)(*addr - value) >= 0 */
    CU_STREAM_WAIT_VALUE_EQ = 1,
    CU_STREAM_WAIT_VALUE_AND = 2, /* *addr & value */
    CU_STREAM_WAIT_VALUE_NOR = 3, /* ~(*addr | value) */
    CU_STREAM_WAIT_VALUE_FLUSH = 1 << 30
} CUstreamWaitValue_flags;

typedef enum CUstreamWriteValue_flags_enum {
    CU_STREAM_WRITE_VALUE_DEFAULT = 0,
    CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER = 1
} CUstreamWriteValue_flags;

GSH_BEGIN_C

GSH_API CUresult cuInit(unsigned int Flags);
GSH_API CUresult cuDriverGetVersion(int *driverVersion);
GSH_API CUresult cuGetErrorString(CUresult error, const char **pStr);
GSH_API CUresult cuGetErrorName(CUresult error, const char **pStr);

GSH_API CUresult cuDeviceGetCount(int *count);
GSH_API CUresult cuDeviceGet(CUdevice *device, int ordinal);
GSH_API CUresult cuDeviceGetName(char *name, int len, CUdevice dev);
GSH_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev);
GSH_API CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev);
GSH_API CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev);
GSH_API CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev);

/* Each device has one context, its primary one, which is never destroyed. */
GSH_API CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev);
GSH_API CUresult cuDevicePrimaryCtxRelease(CUdevice dev);
GSH_API CUresult cuCtxGetCurrent(CUcontext *pctx);
GSH_API CUresult cuCtxSetCurrent(CUcontext ctx);
GSH_API CUresult cuCtxGetDevice(CUdevice *device);
GSH_API CUresult cuCtxSynchronize(void);

GSH_API CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr);
GSH_API CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                                       CUdeviceptr ptr);

GSH_API CUresult cuStreamSynchronize(CUstream hStream);
GSH_API CUresult cuStreamQuery(CUstream hStream);
GSH_API CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags);
GSH_API CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                     unsigned int flags);
GSH_API CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                     unsigned int flags);
GSH_API CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                      unsigned int flags);
GSH_API CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                      unsigned int flags);

GSH_END_C

#endif /* GSHMEM_CPU_CUDA_H */
