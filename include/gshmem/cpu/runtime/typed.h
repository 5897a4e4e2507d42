/* typed.h - the typed forms of the runtime's calls that CUDA has for C++: any pointer for
 * void *, kernels as functions, symbols as variables.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_RUNTIME_TYPED_H
#define GSHMEM_CPU_RUNTIME_TYPED_H

#include <gshmem/cpu/cuda_runtime_api.h>

/* Always inlined, so that reports have the line of the program's call. */
#define GSH_TYPED inline __attribute__((always_inline))

/* --- Memory --- */

template <class T> GSH_TYPED cudaError_t cudaMalloc(T **devPtr, size_t size)
{
    return cudaMalloc(reinterpret_cast<void **>(devPtr), size);
}

template <class T>
GSH_TYPED cudaError_t cudaMallocPitch(T **devPtr, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch(reinterpret_cast<void **>(devPtr), pitch, width, height);
}

template <class T>
GSH_TYPED cudaError_t cudaMallocManaged(T **devPtr, size_t size,
                                        unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged(reinterpret_cast<void **>(devPtr), size, flags);
}

template <class T>
GSH_TYPED cudaError_t cudaMallocHost(T **ptr, size_t size,
                                     unsigned int flags = cudaHostAllocDefault)
{
    return cudaHostAlloc(reinterpret_cast<void **>(ptr), size, flags);
}

template <class T> GSH_TYPED cudaError_t cudaHostAlloc(T **ptr, size_t size, unsigned int flags)
{
    return cudaHostAlloc(reinterpret_cast<void **>(ptr), size, flags);
}

template <class T>
GSH_TYPED cudaError_t cudaHostGetDevicePointer(T **pDevice, void *pHost, unsigned int flags)
{
    return cudaHostGetDevicePointer(reinterpret_cast<void **>(pDevice), pHost, flags);
}

template <class T>
GSH_TYPED cudaError_t cudaMallocAsync(T **devPtr, size_t size, cudaStream_t stream)
{
    return cudaMallocAsync(reinterpret_cast<void **>(devPtr), size, stream);
}

template <class T>
GSH_TYPED cudaError_t cudaMallocFromPoolAsync(T **ptr, size_t size, cudaMemPool_t memPool,
                                              cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(reinterpret_cast<void **>(ptr), size, memPool, stream);
}

template <class T>
GSH_TYPED cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaMemPool_t memPool,
                                      cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(ptr, size, memPool, stream);
}

/* --- Symbols: on the CPU device a symbol is the variable itself --- */

namespace gsh_cuda {

template <class T> inline char *symbol(const T &variable)
{
    return const_cast<char *>(&reinterpret_cast<const volatile char &>(variable));
}

/* [offset, offset + count) is inside the variable. */
template <class T> inline bool inside(const T &variable, size_t offset, size_t count)
{
    return offset <= sizeof(variable) && count <= sizeof(variable) - offset;
}

} // namespace gsh_cuda

template <class T> GSH_TYPED cudaError_t cudaGetSymbolAddress(void **devPtr, const T &symbol)
{
    *devPtr = gsh_cuda::symbol(symbol);
    return cudaSuccess;
}

template <class T, class P> GSH_TYPED cudaError_t cudaGetSymbolAddress(P **devPtr, const T &symbol)
{
    return cudaGetSymbolAddress(reinterpret_cast<void **>(devPtr), symbol);
}

template <class T> GSH_TYPED cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    *size = sizeof(symbol);
    return cudaSuccess;
}

/* A copy of more than the variable holds is one to nowhere, which the copy refuses. */
template <class T>
GSH_TYPED cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count,
                                         size_t offset = 0,
                                         cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    bool good = gsh_cuda::inside(symbol, offset, count);

    return cudaMemcpy(good ? gsh_cuda::symbol(symbol) + offset : nullptr, src, count, kind);
}

template <class T>
GSH_TYPED cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count,
                                              size_t offset = 0,
                                              cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                              cudaStream_t stream = 0)
{
    bool good = gsh_cuda::inside(symbol, offset, count);

    return cudaMemcpyAsync(good ? gsh_cuda::symbol(symbol) + offset : nullptr, src, count, kind,
                           stream);
}

template <class T>
GSH_TYPED cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count,
                                           size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    bool good = gsh_cuda::inside(symbol, offset, count);

    return cudaMemcpy(dst, good ? gsh_cuda::symbol(symbol) + offset : nullptr, count, kind);
}

template <class T>
GSH_TYPED cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count,
                                                size_t offset = 0,
                                                cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                cudaStream_t stream = 0)
{
    bool good = gsh_cuda::inside(symbol, offset, count);

    return cudaMemcpyAsync(dst, good ? gsh_cuda::symbol(symbol) + offset : nullptr, count, kind,
                           stream);
}

/* --- Events and launches --- */

GSH_TYPED cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

namespace gsh_cuda {

template <class F> inline const void *address(F *kernel)
{
    return reinterpret_cast<const void *>(kernel);
}

} // namespace gsh_cuda

template <class F>
GSH_TYPED cudaError_t cudaLaunchKernel(F *func, dim3 gridDim, dim3 blockDim, void **args,
                                       size_t sharedMem = 0, cudaStream_t stream = 0)
{
    return cudaLaunchKernel(gsh_cuda::address(func), gridDim, blockDim, args, sharedMem, stream);
}

template <class F>
GSH_TYPED cudaError_t cudaLaunchCooperativeKernel(F *func, dim3 gridDim, dim3 blockDim, void **args,
                                                  size_t sharedMem = 0, cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel(gsh_cuda::address(func), gridDim, blockDim, args, sharedMem,
                                       stream);
}

/* The arguments become the kernel's parameters first, as in a call. */
template <class... P, class... A>
GSH_TYPED cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                                         A &&...args)
{
    return [&](P... parameters) {
        void *all[] = { const_cast<char *>(reinterpret_cast<const volatile char *>(&parameters))...,
                        nullptr };

        return cudaLaunchKernelExC(config, gsh_cuda::address(kernel), all);
    }(static_cast<A &&>(args)...);
}

template <class F> GSH_TYPED cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attr, F *func)
{
    return cudaFuncGetAttributes(attr, gsh_cuda::address(func));
}

template <class F>
GSH_TYPED cudaError_t cudaFuncSetAttribute(F *func, cudaFuncAttribute attr, int value)
{
    return cudaFuncSetAttribute(gsh_cuda::address(func), attr, value);
}

template <class F> GSH_TYPED cudaError_t cudaFuncSetCacheConfig(F *func, cudaFuncCache cacheConfig)
{
    return cudaFuncSetCacheConfig(gsh_cuda::address(func), cacheConfig);
}

template <class F>
GSH_TYPED cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, F *func,
                                                                    int blockSize,
                                                                    size_t dynamicSMemSize)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, gsh_cuda::address(func),
                                                         blockSize, dynamicSMemSize);
}

template <class F>
GSH_TYPED cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
                                                                             F *func, int blockSize,
                                                                             size_t dynamicSMemSize,
                                                                             unsigned int flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, gsh_cuda::address(func), blockSize, dynamicSMemSize, flags);
}

template <class F>
GSH_TYPED cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, F *func,
                                                                int numBlocks, int blockSize)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, gsh_cuda::address(func),
                                                     numBlocks, blockSize);
}

/* The size of a block for which most threads are resident; `bytes` tells the dynamic shared
 * memory for a size. */
template <class Bytes, class F>
GSH_TYPED cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize,
                                                                     int *blockSize, F *func,
                                                                     Bytes bytes,
                                                                     int blockSizeLimit = 0)
{
    cudaFuncAttributes attributes;
    int device = 0, multiprocessors = 0, best = 0, blocks = 0;
    cudaError_t error = cudaFuncGetAttributes(&attributes, func);

    if (!error)
        error = cudaGetDevice(&device);
    if (!error)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error)
        return error;
    int most = attributes.maxThreadsPerBlock;
    if (blockSizeLimit > 0 && blockSizeLimit < most)
        most = blockSizeLimit;
    for (int size = most; size > 0; size = size % 32 ? size - size % 32 : size - 32) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, func, size, bytes(size));
        if (error)
            return error;
        if (blocks * size <= best)
            continue;
        best = blocks * size;
        *blockSize = size;
        *minGridSize = blocks * multiprocessors;
    }
    return best ? cudaSuccess : cudaErrorInvalidConfiguration;
}

template <class F>
GSH_TYPED cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, F *func,
                                                         size_t dynamicSMemSize = 0,
                                                         int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        minGridSize, blockSize, func, [=](int) { return dynamicSMemSize; }, blockSizeLimit);
}

#undef GSH_TYPED

#endif /* GSHMEM_CPU_RUNTIME_TYPED_H */
