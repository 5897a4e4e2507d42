/* cuda_runtime_api.h - the calls of the CUDA runtime that communication programs make, for
 * the CPU device: as CUDA 13 declares them. C and C++.
 *
 * Device memory is memory of this process, so that all copies are between addresses of
 * one space; streams work on threads of their own, and a call that CUDA lets return early
 * returns early here. All calls return CUDA's errors; a call that is not declared here
 * does not exist, so that a program that needs it does not compile.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_CUDA_RUNTIME_API_H
#define GSHMEM_CPU_CUDA_RUNTIME_API_H

#include <gshmem/attr.h>
#include <gshmem/cpu/driver_types.h>

#define CUDART_VERSION 13000
#define CUDARTAPI

#ifdef __cplusplus
#define GSH_CUDA_OR(value) = value
#else
#define GSH_CUDA_OR(value)
#endif

GSH_BEGIN_C

/* --- Errors: error.c --- */

GSH_API const char *cudaGetErrorName(cudaError_t error);
GSH_API const char *cudaGetErrorString(cudaError_t error);
GSH_API cudaError_t cudaGetLastError(void);
GSH_API cudaError_t cudaPeekAtLastError(void);

/* --- Devices: device.c --- */

GSH_API cudaError_t cudaGetDeviceCount(int *count);
GSH_API cudaError_t cudaSetDevice(int device);
GSH_API cudaError_t cudaGetDevice(int *device);
GSH_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
GSH_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
GSH_API cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device);
GSH_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId);
GSH_API cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice);
GSH_API cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr,
                                              int srcDevice, int dstDevice);
GSH_API cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags);
GSH_API cudaError_t cudaDeviceDisablePeerAccess(int peerDevice);
GSH_API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
GSH_API cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit);
GSH_API cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
GSH_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig);
GSH_API cudaError_t cudaSetDeviceFlags(unsigned int flags);
GSH_API cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
GSH_API cudaError_t cudaDeviceSynchronize(void);
GSH_API cudaError_t cudaDeviceReset(void);
GSH_API cudaError_t cudaRuntimeGetVersion(int *runtimeVersion);
GSH_API cudaError_t cudaDriverGetVersion(int *driverVersion);

/* --- Memory: memory.c --- */

GSH_API cudaError_t cudaMalloc(void **devPtr, size_t size);
GSH_API cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height);
GSH_API cudaError_t cudaMallocManaged(void **devPtr, size_t size,
                                      unsigned int flags GSH_CUDA_OR(cudaMemAttachGlobal));
GSH_API cudaError_t cudaMallocHost(void **ptr, size_t size);
GSH_API cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags);
GSH_API cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t stream);
GSH_API cudaError_t cudaFree(void *devPtr);
GSH_API cudaError_t cudaFreeHost(void *ptr);
GSH_API cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t stream);
GSH_API cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags);
GSH_API cudaError_t cudaHostUnregister(void *ptr);
GSH_API cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags);
GSH_API cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
GSH_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                             const void *ptr);
GSH_API cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
                                         struct cudaMemLocation location, unsigned int flags,
                                         cudaStream_t stream GSH_CUDA_OR(0));
GSH_API cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                                  struct cudaMemLocation location);

/* --- Memory pools: pool.c --- */

GSH_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device);
GSH_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device);
GSH_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                                            void *value);
GSH_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                                            void *value);
GSH_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep);
GSH_API cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                            cudaStream_t stream);

/* --- Copies: copy.c --- */

GSH_API cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind);
GSH_API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
                                    enum cudaMemcpyKind kind, cudaStream_t stream GSH_CUDA_OR(0));
GSH_API cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice,
                                   size_t count);
GSH_API cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                        size_t count, cudaStream_t stream GSH_CUDA_OR(0));
GSH_API cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch,
                                 size_t width, size_t height, enum cudaMemcpyKind kind);
GSH_API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                      size_t width, size_t height, enum cudaMemcpyKind kind,
                                      cudaStream_t stream GSH_CUDA_OR(0));
GSH_API cudaError_t cudaMemset(void *devPtr, int value, size_t count);
GSH_API cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
                                    cudaStream_t stream GSH_CUDA_OR(0));
GSH_API cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width,
                                 size_t height);
GSH_API cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width,
                                      size_t height, cudaStream_t stream GSH_CUDA_OR(0));

/* --- Streams: stream.c --- */

GSH_API cudaError_t cudaStreamCreate(cudaStream_t *pStream);
GSH_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags);
GSH_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags,
                                                 int priority);
GSH_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
GSH_API cudaError_t cudaStreamSynchronize(cudaStream_t stream);
GSH_API cudaError_t cudaStreamQuery(cudaStream_t stream);
GSH_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                        unsigned int flags GSH_CUDA_OR(0));
GSH_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                          void *userData, unsigned int flags);
GSH_API cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority);
GSH_API cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags);
GSH_API cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId);
GSH_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData);

/* From here on the stream 0 is cudaStreamPerThread, in the whole program: one file that is
 * compiled with --default-stream=per-thread suffices. */
GSH_API void gsh_cuda_default_per_thread(void);
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
__attribute__((constructor)) static void gsh_cuda_default_of_unit(void)
{
    gsh_cuda_default_per_thread();
}
#endif

/* --- Events: event.c --- */

GSH_API cudaError_t cudaEventCreate(cudaEvent_t *event);
GSH_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
GSH_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream GSH_CUDA_OR(0));
GSH_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream GSH_CUDA_OR(0),
                                             unsigned int flags GSH_CUDA_OR(0));
GSH_API cudaError_t cudaEventQuery(cudaEvent_t event);
GSH_API cudaError_t cudaEventSynchronize(cudaEvent_t event);
GSH_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);
GSH_API cudaError_t cudaEventDestroy(cudaEvent_t event);

/* --- Launches: launch.c --- */

GSH_API cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                     size_t sharedMem, cudaStream_t stream);
GSH_API cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim,
                                                void **args, size_t sharedMem, cudaStream_t stream);
GSH_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func,
                                        void **args);
GSH_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func);
GSH_API cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value);
GSH_API cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig);
GSH_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                                  int blockSize,
                                                                  size_t dynamicSMemSize);
GSH_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize, unsigned int flags);
GSH_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
                                                              const void *func, int numBlocks,
                                                              int blockSize);

/* --- Capture: capture.c --- */

GSH_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
GSH_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph);
GSH_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                          enum cudaStreamCaptureStatus *pCaptureStatus);
GSH_API cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
    unsigned long long *id_out GSH_CUDA_OR(0), cudaGraph_t *graph_out GSH_CUDA_OR(0),
    const cudaGraphNode_t **dependencies_out GSH_CUDA_OR(0),
    const cudaGraphEdgeData **edgeData_out GSH_CUDA_OR(0),
    size_t *numDependencies_out GSH_CUDA_OR(0));

/* --- Graphs: graph.c, graph_exec.c --- */

GSH_API cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags);
GSH_API cudaError_t cudaGraphDestroy(cudaGraph_t graph);
GSH_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies,
                                           size_t numDependencies,
                                           const struct cudaKernelNodeParams *pNodeParams);
GSH_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                         const cudaGraphNode_t *pDependencies,
                                         size_t numDependencies,
                                         const struct cudaHostNodeParams *pNodeParams);
GSH_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies,
                                             size_t numDependencies, void *dst, const void *src,
                                             size_t count, enum cudaMemcpyKind kind);
GSH_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies,
                                           size_t numDependencies,
                                           const struct cudaMemsetParams *pMemsetParams);
GSH_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t *pDependencies,
                                          size_t numDependencies);
GSH_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                             const cudaGraphNode_t *to,
                                             const cudaGraphEdgeData *edgeData,
                                             size_t numDependencies);
GSH_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes);
GSH_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                      cudaGraphEdgeData *edgeData, size_t *numEdges);
GSH_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType);
GSH_API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags);
GSH_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                         unsigned long long flags GSH_CUDA_OR(0));
GSH_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                                  unsigned long long flags GSH_CUDA_OR(0));
GSH_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                        cudaGraphExecUpdateResultInfo *resultInfo);
GSH_API cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream);
GSH_API cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream);
GSH_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec);

/* --- Profiler: programs bound what a profiler records; there is none --- */

GSH_API cudaError_t cudaProfilerStart(void);
GSH_API cudaError_t cudaProfilerStop(void);

GSH_END_C

#endif /* GSHMEM_CPU_CUDA_RUNTIME_API_H */
