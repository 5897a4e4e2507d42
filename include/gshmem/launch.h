/* launch.h - kernels that synchronise across PEs; comes with nvshmem.h where CUDA is
 * known. The bodies are here, over the CUDA runtime that the program has. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_LAUNCH_H
#define GSHMEM_LAUNCH_H

#include <gshmem/types.h>

GSH_BEGIN_C

/* The library's part: looks whether there is a job, and keeps a text for
 * nvshmemx_last_error(). These two return what the call returns. */
GSH_API int gsh_launch_begin(const char *call);
GSH_API int gsh_launch_fail(int status, const char *call, const char *why);
/* Blocks that are this PE's, on a GPU that has room for so many on each multiprocessor. */
GSH_API int gsh_launch_blocks(int each, int multiprocessors);

/* Modules of kernels that the program loads itself, from a cubin or compiled by NVRTC: init
 * makes the job known to their kernels, on the device that is in use. Whoever loads a module
 * calls it once, after nvshmem_init() and the first allocation. They return 0, or non-zero
 * with a text in nvshmemx_last_error(). CUmodule and CUlibrary are pointers to these structs. */
struct CUmod_st;
struct CUlib_st;
GSH_API int nvshmemx_cumodule_init(struct CUmod_st *module);
GSH_API int nvshmemx_cumodule_finalize(struct CUmod_st *module);
GSH_API int nvshmemx_culibrary_init(struct CUlib_st *library);
GSH_API int nvshmemx_culibrary_finalize(struct CUlib_st *library);

GSH_END_C

/* The rest is for programs, whose host code knows the CUDA runtime. */
#if !defined(__CUDACC_RTC__) && (defined(__CUDACC__) || defined(CUDART_VERSION))
#include <cuda_runtime_api.h>

/* Writes to *gridsize the blocks of blockDims threads and sharedMem bytes that run at once
 * on this PE's device. Of a GPU that several PEs share through MPS it is an equal part, once the
 * GPUs of all are known, which is from the first allocation on: of the multiprocessors that
 * CUDA_MPS_ACTIVE_THREAD_PERCENTAGE leaves, which may be the same for all PEs. Returns 0, or
 * non-zero with a text in nvshmemx_last_error(). */
static inline int nvshmemx_collective_launch_query_gridsize(const void *func, dim3 blockDims,
                                                            void **args, size_t sharedMem,
                                                            int *gridsize)
{
    const char *call = "nvshmemx_collective_launch_query_gridsize";
    int threads = (int)(blockDims.x * blockDims.y * blockDims.z);
    int device = 0, multiprocessors = 0, blocks = 0;
    cudaError_t error;

    (void)args;
    if (!gridsize)
        return gsh_launch_fail(NVSHMEMX_ERROR_INVALID_VALUE, call, "gridsize is NULL");
    error = cudaGetDevice(&device);
    if (!error)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (!error)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, func, threads, sharedMem);
    if (error)
        return gsh_launch_fail(NVSHMEMX_ERROR_INTERNAL, call, cudaGetErrorString(error));
    *gridsize = gsh_launch_blocks(blocks, multiprocessors);
    return NVSHMEMX_SUCCESS;
}

/* Launches a kernel whose threads may wait for those of other PEs: all of its blocks run at
 * once, and grid barriers are allowed. All PEs call it, with the same kernel. A gridDims of
 * zeros is the largest grid; one with some zeros is an error. args are the addresses of
 * the kernel's arguments. Returns 0, or non-zero with a text in nvshmemx_last_error(). */
static inline int nvshmemx_collective_launch(const void *func, dim3 gridDims, dim3 blockDims,
                                             void **args, size_t sharedMem, cudaStream_t stream)
{
    const char *call = "nvshmemx_collective_launch";
    int blocks = 0, status = gsh_launch_begin(call);
    cudaError_t error;

    if (status)
        return status;
    if (!gridDims.x && !gridDims.y && !gridDims.z) {
        status =
            nvshmemx_collective_launch_query_gridsize(func, blockDims, args, sharedMem, &blocks);
        if (status)
            return status;
        gridDims.x = (unsigned)blocks;
        gridDims.y = gridDims.z = 1;
    }
    if (!gridDims.x || !gridDims.y || !gridDims.z)
        return gsh_launch_fail(NVSHMEMX_ERROR_INVALID_VALUE, call,
                               "the grid has a dimension of zero blocks; all three zero stands for "
                               "the largest grid, which has no block if one needs too much");
    error = cudaLaunchCooperativeKernel(func, gridDims, blockDims, args, sharedMem, stream);
    if (error)
        return gsh_launch_fail(NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED, call,
                               cudaGetErrorString(error));
    return NVSHMEMX_SUCCESS;
}
#endif

#endif /* GSHMEM_LAUNCH_H */
