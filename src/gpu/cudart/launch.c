/* launch.c - kernels into streams: <<< >>>, launches by address, what can be asked of a
 * kernel, and occupancy. */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <gshmem/cpu/launch.h>

#include <errno.h>
#include <stdlib.h>

struct kernel {
    struct gsh_cpu_grid grid;
    void (*release)(void *args);
};

static cudaError_t run_kernel(void *data)
{
    const struct kernel *kernel = data;
    int err = gsh_cpu_run(&kernel->grid);

    if (err)
        return err == -ENOMEM ? cudaErrorLaunchOutOfResources : cudaErrorLaunchFailure;
    return cudaSuccess;
}

static void release_kernel(void *data)
{
    struct kernel *kernel = data;

    if (kernel->release)
        kernel->release(kernel->grid.args);
    free(kernel);
}

static bool within(const struct gsh_cpu_dim *dim, uint32_t x, uint32_t y, uint32_t z)
{
    return dim->x && dim->y && dim->z && dim->x <= x && dim->y <= y && dim->z <= z;
}

static cudaError_t check(const struct gsh_cpu_grid *grid)
{
    uint64_t threads = (uint64_t)grid->block.x * grid->block.y * grid->block.z;
    uint64_t blocks = (uint64_t)grid->grid.x * grid->grid.y * grid->grid.z;

    if (!within(&grid->block, GSH_CPU_MAX_THREADS, GSH_CPU_MAX_THREADS, 64) ||
        threads > GSH_CPU_MAX_THREADS || !within(&grid->grid, 0x7fffffff, 0xffff, 0xffff))
        return cudaErrorInvalidConfiguration;
    if (grid->shared_bytes > GSH_CPU_SHARED_BYTES)
        return cudaErrorInvalidValue;
    if (grid->cooperative &&
        blocks > (uint64_t)gsh_cpu_resident_blocks((uint32_t)threads, grid->shared_bytes))
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

static struct gsh_work *kernel_work(const struct gsh_cpu_grid *grid, void (*release)(void *args))
{
    struct kernel *kernel = malloc(sizeof(*kernel));

    if (!kernel) {
        release(grid->args);
        return NULL;
    }
    *kernel = (struct kernel){ .grid = *grid, .release = release };
    return gsh_work_new(&(struct gsh_work){ .name = grid->name,
                                            .kind = cudaGraphNodeTypeKernel,
                                            .run = run_kernel,
                                            .release = release_kernel,
                                            .data = kernel });
}

cudaError_t gsh_cuda_enqueue(const struct gsh_cpu_grid *grid, void (*release)(void *args),
                             cudaStream_t stream)
{
    cudaError_t error = check(grid);

    if (error)
        release(grid->args);
    else
        error = gsh_stream_do(stream, kernel_work(grid, release));
    return gsh_cuda_end(error);
}

cudaError_t gsh_work_kernel(const struct cudaKernelNodeParams *params, int cooperative,
                            struct gsh_work **work)
{
    const struct gsh_cuda_kernel_info *info = gsh_cuda_find_kernel(params->func);
    const dim3 *grid = &params->gridDim, *block = &params->blockDim;
    struct gsh_cpu_grid what;
    cudaError_t error;

    if (!info)
        return cudaErrorInvalidDeviceFunction;
    if (params->extra || (info->n_parameters && !params->kernelParams))
        return cudaErrorInvalidValue;
    what = (struct gsh_cpu_grid){ .name = info->name,
                                  .run = info->run,
                                  .grid = { grid->x, grid->y, grid->z },
                                  .block = { block->x, block->y, block->z },
                                  .shared_bytes = params->sharedMemBytes,
                                  .cooperative = cooperative };
    error = check(&what);
    if (error)
        return error;
    what.args = info->pack(params->kernelParams);
    *work = kernel_work(&what, info->release);
    return *work ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t launch(const struct cudaKernelNodeParams *params, int cooperative,
                          cudaStream_t stream)
{
    struct gsh_work *work = NULL;
    cudaError_t error = gsh_work_kernel(params, cooperative, &work);

    return gsh_cuda_end(error ? error : gsh_stream_do(stream, work));
}

static struct cudaKernelNodeParams params_of(const void *func, dim3 grid, dim3 block, void **args,
                                             size_t shared)
{
    /* More than an unsigned holds is more than there is. */
    return (struct cudaKernelNodeParams){ .func = (void *)(uintptr_t)func,
                                          .gridDim = grid,
                                          .blockDim = block,
                                          .sharedMemBytes =
                                              shared > UINT32_MAX ? UINT32_MAX : (unsigned)shared,
                                          .kernelParams = args };
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                             size_t sharedMem, cudaStream_t stream)
{
    struct cudaKernelNodeParams params = params_of(func, gridDim, blockDim, args, sharedMem);

    return launch(&params, 0, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                        size_t sharedMem, cudaStream_t stream)
{
    struct cudaKernelNodeParams params = params_of(func, gridDim, blockDim, args, sharedMem);

    return launch(&params, 1, stream);
}

/* All other attributes are hints. */
static cudaError_t read_attribute(const cudaLaunchAttribute *attribute, int *cooperative)
{
    const cudaLaunchAttributeValue *value = &attribute->val;

    if (attribute->id == cudaLaunchAttributeCooperative)
        *cooperative = value->cooperative;
    if (attribute->id == cudaLaunchAttributeClusterDimension &&
        (value->clusterDim.x != 1 || value->clusterDim.y != 1 || value->clusterDim.z != 1))
        return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    struct cudaKernelNodeParams params;
    int cooperative = 0;
    cudaError_t error = cudaSuccess;

    if (!config || (config->numAttrs && !config->attrs))
        return gsh_cuda_end(cudaErrorInvalidValue);
    for (unsigned i = 0; i < config->numAttrs && !error; i++)
        error = read_attribute(&config->attrs[i], &cooperative);
    if (error)
        return gsh_cuda_end(error);
    params = params_of(func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes);
    return launch(&params, cooperative, config->stream);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    if (!attr)
        return gsh_cuda_end(cudaErrorInvalidValue);
    if (!gsh_cuda_find_kernel(func))
        return gsh_cuda_end(cudaErrorInvalidDeviceFunction);
    *attr = (struct cudaFuncAttributes){ .maxThreadsPerBlock = GSH_CPU_MAX_THREADS,
                                         .numRegs = 32,
                                         .ptxVersion = 90,
                                         .binaryVersion = 90,
                                         .maxDynamicSharedSizeBytes = GSH_CPU_SHARED_BYTES,
                                         .preferredShmemCarveout = cudaSharedmemCarveoutDefault };
    return gsh_cuda_end(cudaSuccess);
}

/* Launches may have all the shared memory there is without asking for it first. */
cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    if (!gsh_cuda_find_kernel(func))
        return gsh_cuda_end(cudaErrorInvalidDeviceFunction);
    if (attr == cudaFuncAttributeMaxDynamicSharedMemorySize &&
        (value < 0 || (unsigned)value > GSH_CPU_SHARED_BYTES))
        return gsh_cuda_end(cudaErrorInvalidValue);
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
    (void)cacheConfig; /* a hint */
    return gsh_cuda_end(gsh_cuda_find_kernel(func) ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int flags)
{
    if (!numBlocks || blockSize <= 0 || flags & ~(unsigned)cudaOccupancyDisableCachingOverride)
        return gsh_cuda_end(cudaErrorInvalidValue);
    if (!gsh_cuda_find_kernel(func))
        return gsh_cuda_end(cudaErrorInvalidDeviceFunction);
    *numBlocks = 0;
    if (blockSize <= GSH_CPU_MAX_THREADS && dynamicSMemSize <= GSH_CPU_SHARED_BYTES)
        *numBlocks = gsh_cpu_resident_blocks((uint32_t)blockSize, dynamicSMemSize) / GSH_CPU_SMS;
    return gsh_cuda_end(cudaSuccess);
}

/* So many blocks share what a multiprocessor has. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func,
                                                      int numBlocks, int blockSize)
{
    int blocks = 0;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, func, blockSize, 0);

    if (!dynamicSmemSize || numBlocks <= 0)
        return gsh_cuda_end(cudaErrorInvalidValue);
    if (!error)
        *dynamicSmemSize = numBlocks > blocks ? 0 : GSH_CPU_SHARED_BYTES / (unsigned)numBlocks;
    return gsh_cuda_end(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                          int blockSize, size_t dynamicSMemSize)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, func, blockSize, dynamicSMemSize, cudaOccupancyDefault);
}
