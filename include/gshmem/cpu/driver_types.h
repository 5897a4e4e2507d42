/* driver_types.h - types and values of the CUDA runtime for the CPU device: what
 * communication programs use of them. C and C++.
 *
 * Values are CUDA's. Structs have CUDA's members, as far as they mean something here, but
 * not its layout.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_DRIVER_TYPES_H
#define GSHMEM_CPU_DRIVER_TYPES_H

#include <gshmem/cpu/cuda_errors.h>
#include <gshmem/cpu/vector_types.h>
#include <stddef.h>

#define CUDART_CB

enum cudaError {
#define GSH_CUDA_ERROR(value, name, text) name = value,
    GSH_CUDA_ERRORS(GSH_CUDA_ERROR)
#undef GSH_CUDA_ERROR
};
typedef enum cudaError cudaError_t;

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;

#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

typedef void(CUDART_CB *cudaHostFn_t)(void *userData);
typedef void(CUDART_CB *cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status,
                                              void *userData);

/* --- Flags --- */

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01

#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventRecordDefault 0x00
#define cudaEventRecordExternal 0x01
#define cudaEventWaitDefault 0x00
#define cudaEventWaitExternal 0x01

#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterIoMemory 0x04
#define cudaHostRegisterReadOnly 0x08
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04

#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceScheduleMask 0x07
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10

#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01

#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)

/* --- Devices --- */

typedef struct CUuuid_st {
    char bytes[16];
} CUuuid;
typedef CUuuid cudaUUID_t;

struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    size_t sharedMemPerBlockOptin;
    size_t sharedMemPerMultiprocessor;
    size_t reservedSharedMemPerBlock;
    size_t totalConstMem;
    size_t memPitch;
    size_t textureAlignment;
    size_t surfaceAlignment;
    int regsPerBlock;
    int regsPerMultiprocessor;
    int warpSize;
    int maxThreadsPerBlock;
    int maxThreadsPerMultiProcessor;
    int maxBlocksPerMultiProcessor;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int major;
    int minor;
    int multiProcessorCount;
    int clockRate;       /* kHz */
    int memoryClockRate; /* kHz */
    int memoryBusWidth;  /* bits */
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int accessPolicyMaxWindowSize;
    int computeMode;
    int kernelExecTimeoutEnabled;
    int deviceOverlap;
    int asyncEngineCount;
    int concurrentKernels;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    int integrated;
    int canMapHostMemory;
    int ECCEnabled;
    int tccDriver;
    int pciDomainID;
    int pciBusID;
    int pciDeviceID;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int unifiedAddressing;
    int managedMemory;
    int concurrentManagedAccess;
    int directManagedMemAccessFromHost;
    int pageableMemoryAccess;
    int pageableMemoryAccessUsesHostPageTables;
    int hostNativeAtomicSupported;
    int hostRegisterSupported;
    int canUseHostPointerForRegisteredMem;
    int computePreemptionSupported;
    int cooperativeLaunch;
    int clusterLaunch;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
};

/* X(value, name, what it is of struct cudaDeviceProp *p) */
/* clang-format off */
#define GSH_CUDA_DEVICE_ATTRIBUTES(X) \
    X(1, MaxThreadsPerBlock, p->maxThreadsPerBlock) \
    X(2, MaxBlockDimX, p->maxThreadsDim[0]) \
    X(3, MaxBlockDimY, p->maxThreadsDim[1]) \
    X(4, MaxBlockDimZ, p->maxThreadsDim[2]) \
    X(5, MaxGridDimX, p->maxGridSize[0]) \
    X(6, MaxGridDimY, p->maxGridSize[1]) \
    X(7, MaxGridDimZ, p->maxGridSize[2]) \
    X(8, MaxSharedMemoryPerBlock, p->sharedMemPerBlock) \
    X(9, TotalConstantMemory, p->totalConstMem) \
    X(10, WarpSize, p->warpSize) \
    X(11, MaxPitch, p->memPitch) \
    X(12, MaxRegistersPerBlock, p->regsPerBlock) \
    X(13, ClockRate, p->clockRate) \
    X(15, GpuOverlap, p->deviceOverlap) \
    X(16, MultiProcessorCount, p->multiProcessorCount) \
    X(17, KernelExecTimeout, p->kernelExecTimeoutEnabled) \
    X(18, Integrated, p->integrated) \
    X(19, CanMapHostMemory, p->canMapHostMemory) \
    X(20, ComputeMode, p->computeMode) \
    X(31, ConcurrentKernels, p->concurrentKernels) \
    X(32, EccEnabled, p->ECCEnabled) \
    X(33, PciBusId, p->pciBusID) \
    X(34, PciDeviceId, p->pciDeviceID) \
    X(36, MemoryClockRate, p->memoryClockRate) \
    X(37, GlobalMemoryBusWidth, p->memoryBusWidth) \
    X(38, L2CacheSize, p->l2CacheSize) \
    X(39, MaxThreadsPerMultiProcessor, p->maxThreadsPerMultiProcessor) \
    X(40, AsyncEngineCount, p->asyncEngineCount) \
    X(41, UnifiedAddressing, p->unifiedAddressing) \
    X(50, PciDomainId, p->pciDomainID) \
    X(75, ComputeCapabilityMajor, p->major) \
    X(76, ComputeCapabilityMinor, p->minor) \
    X(78, StreamPrioritiesSupported, p->streamPrioritiesSupported) \
    X(79, GlobalL1CacheSupported, p->globalL1CacheSupported) \
    X(80, LocalL1CacheSupported, p->localL1CacheSupported) \
    X(81, MaxSharedMemoryPerMultiprocessor, p->sharedMemPerMultiprocessor) \
    X(82, MaxRegistersPerMultiprocessor, p->regsPerMultiprocessor) \
    X(83, ManagedMemory, p->managedMemory) \
    X(84, IsMultiGpuBoard, p->isMultiGpuBoard) \
    X(86, HostNativeAtomicSupported, p->hostNativeAtomicSupported) \
    X(88, PageableMemoryAccess, p->pageableMemoryAccess) \
    X(89, ConcurrentManagedAccess, p->concurrentManagedAccess) \
    X(90, ComputePreemptionSupported, p->computePreemptionSupported) \
    X(91, CanUseHostPointerForRegisteredMem, p->canUseHostPointerForRegisteredMem) \
    X(95, CooperativeLaunch, p->cooperativeLaunch) \
    X(97, MaxSharedMemoryPerBlockOptin, p->sharedMemPerBlockOptin) \
    X(99, HostRegisterSupported, p->hostRegisterSupported) \
    X(100, PageableMemoryAccessUsesHostPageTables, p->pageableMemoryAccessUsesHostPageTables) \
    X(101, DirectManagedMemAccessFromHost, p->directManagedMemAccessFromHost) \
    X(106, MaxBlocksPerMultiprocessor, p->maxBlocksPerMultiProcessor) \
    X(111, ReservedSharedMemoryPerBlock, p->reservedSharedMemPerBlock) \
    X(115, MemoryPoolsSupported, p->memoryPoolsSupported) \
    X(116, GPUDirectRDMASupported, p->gpuDirectRDMASupported) \
    X(120, ClusterLaunch, p->clusterLaunch)
/* clang-format on */

enum cudaDeviceAttr {
#define GSH_CUDA_ATTRIBUTE(value, name, what) cudaDevAttr##name = value,
    GSH_CUDA_DEVICE_ATTRIBUTES(GSH_CUDA_ATTRIBUTE)
#undef GSH_CUDA_ATTRIBUTE
};

enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6
};

enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3
};

/* --- Memory --- */

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
};

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer;
    void *hostPointer;
};

enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6
};

enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2,
    cudaMemLocationTypeHostNuma = 3,
    cudaMemLocationTypeHostNumaCurrent = 4
};

typedef struct CUmemPoolHandle_st *cudaMemPool_t;

enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
};

enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4
};

struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};

/* --- Kernels --- */

struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    size_t constSizeBytes;
    size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14
};

enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3
};

enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100
};

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributePreferredSharedMemoryCarveout = 14
};
typedef enum cudaLaunchAttributeID cudaLaunchAttributeID;

typedef union cudaLaunchAttributeValue {
    char pad[64];
    int cooperative;
    struct {
        unsigned int x;
        unsigned int y;
        unsigned int z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
    int priority;
    unsigned int sharedMemCarveout;
} cudaLaunchAttributeValue;

typedef struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
} cudaLaunchConfig_t;

/* --- Capture and graphs --- */

enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
};

enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2
};

enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel = 0,
    cudaGraphNodeTypeMemcpy = 1,
    cudaGraphNodeTypeMemset = 2,
    cudaGraphNodeTypeHost = 3,
    cudaGraphNodeTypeEmpty = 5
};

struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim;
    dim3 blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
};

struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};

struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
};

typedef struct cudaGraphEdgeData_st {
    unsigned char from_port;
    unsigned char to_port;
    unsigned char type;
    unsigned char reserved[5];
} cudaGraphEdgeData;

enum cudaGraphInstantiateFlags {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
    cudaGraphInstantiateFlagUpload = 2,
    cudaGraphInstantiateFlagUseNodePriority = 8
};

enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess = 0,
    cudaGraphExecUpdateError = 1,
    cudaGraphExecUpdateErrorTopologyChanged = 2,
    cudaGraphExecUpdateErrorNodeTypeChanged = 3
};

typedef struct cudaGraphExecUpdateResultInfo_st {
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode;
    cudaGraphNode_t errorFromNode;
} cudaGraphExecUpdateResultInfo;

enum cudaGraphDebugDotFlags { cudaGraphDebugDotFlagsVerbose = 1 };

#endif /* GSHMEM_CPU_DRIVER_TYPES_H */
