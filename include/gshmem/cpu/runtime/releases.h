/* releases.h - forms of the runtime's calls that CUDA had before release 13. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_RUNTIME_RELEASES_H
#define GSHMEM_CPU_RUNTIME_RELEASES_H

#include <gshmem/cpu/cuda_runtime_api.h>

namespace gsh_cuda {

inline cudaMemLocation location(int device)
{
    return device == cudaCpuDeviceId ? cudaMemLocation{ cudaMemLocationTypeHost, 0 }
                                     : cudaMemLocation{ cudaMemLocationTypeDevice, device };
}

} // namespace gsh_cuda

inline cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, int dstDevice,
                                        cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync(devPtr, count, gsh_cuda::location(dstDevice), 0, stream);
}

inline cudaError_t cudaMemAdvise(const void *devPtr, size_t count, cudaMemoryAdvise advice,
                                 int device)
{
    return cudaMemAdvise(devPtr, count, advice, gsh_cuda::location(device));
}

inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                               cudaStreamCaptureStatus *captureStatus_out,
                                               unsigned long long *id_out = 0,
                                               cudaGraph_t *graph_out = 0,
                                               const cudaGraphNode_t **dependencies_out = 0,
                                               size_t *numDependencies_out = 0)
{
    return cudaStreamGetCaptureInfo(stream, captureStatus_out, id_out, graph_out, dependencies_out,
                                    static_cast<const cudaGraphEdgeData **>(nullptr),
                                    numDependencies_out);
}

inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                            cudaStreamCaptureStatus *captureStatus_out,
                                            unsigned long long *id_out, cudaGraph_t *graph_out,
                                            const cudaGraphNode_t **dependencies_out,
                                            size_t *numDependencies_out)
{
    return cudaStreamGetCaptureInfo_v2(stream, captureStatus_out, id_out, graph_out,
                                       dependencies_out, numDependencies_out);
}

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to, size_t numDependencies)
{
    return cudaGraphAddDependencies(graph, from, to, nullptr, numDependencies);
}

inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                     size_t *numEdges)
{
    return cudaGraphGetEdges(graph, from, to, nullptr, numEdges);
}

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                        cudaGraphNode_t *pErrorNode, char *pLogBuffer,
                                        size_t bufferSize)
{
    if (pErrorNode)
        *pErrorNode = nullptr;
    if (pLogBuffer && bufferSize)
        *pLogBuffer = '\0';
    return cudaGraphInstantiateWithFlags(pGraphExec, graph, 0);
}

inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                       cudaGraphNode_t *hErrorNode_out,
                                       cudaGraphExecUpdateResult *updateResult_out)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t error = cudaGraphExecUpdate(hGraphExec, hGraph, &info);

    if (hErrorNode_out)
        *hErrorNode_out = info.errorNode;
    if (updateResult_out)
        *updateResult_out = info.result;
    return error;
}

#endif /* GSHMEM_CPU_RUNTIME_RELEASES_H */
