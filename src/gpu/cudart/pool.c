/* pool.c - memory pools: each device has its default one alone, which gives memory back to the
 * system at once, so that what is set is only kept.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <string.h>

struct CUmemPoolHandle_st {
    int reuse[3]; /* by events, opportunistic, by dependencies */
    uint64_t threshold;
};

enum { N_POOLS = 64 };

/* A pool is the place of its device here. */
static struct CUmemPoolHandle_st pools[N_POOLS];

static bool is_pool(cudaMemPool_t pool)
{
    return pool >= pools && pool < pools + N_POOLS;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
    if (!memPool)
        return gsh_cuda_end(cudaErrorInvalidValue);
    if (device < 0 || device >= gsh_cpu_devices() || device >= N_POOLS)
        return gsh_cuda_end(cudaErrorInvalidDevice);
    *memPool = &pools[device];
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
    return cudaDeviceGetDefaultMemPool(memPool, device);
}

/* Where the value of an attribute is, and its size; NULL: nothing counts it. */
static void *find(cudaMemPool_t pool, enum cudaMemPoolAttr attr, size_t *bytes)
{
    if (attr == cudaMemPoolAttrReleaseThreshold) {
        *bytes = sizeof(pool->threshold);
        return &pool->threshold;
    }
    *bytes = sizeof(pool->reuse[0]);
    return attr >= cudaMemPoolReuseFollowEventDependencies &&
                   attr <= cudaMemPoolReuseAllowInternalDependencies
               ? &pool->reuse[attr - cudaMemPoolReuseFollowEventDependencies]
               : NULL;
}

static cudaError_t move(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value, bool set)
{
    size_t bytes;
    void *at;

    if (!is_pool(pool) || !value)
        return cudaErrorInvalidValue;
    at = find(pool, attr, &bytes);
    if (!at)
        return cudaErrorNotSupported;
    memcpy(set ? at : value, set ? value : at, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    return gsh_cuda_end(move(memPool, attr, value, true));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    return gsh_cuda_end(move(memPool, attr, value, false));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
    (void)minBytesToKeep;
    return gsh_cuda_end(is_pool(memPool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                    cudaStream_t stream)
{
    return is_pool(memPool) ? cudaMallocAsync(ptr, size, stream)
                            : gsh_cuda_end(cudaErrorInvalidValue);
}
