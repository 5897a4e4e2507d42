/* driver.h - the CUDA driver, loaded at run time: its calls as one list, and the few
 * types and values that they take. Facts of the interface; no header of CUDA's is needed.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_CUDA_DRIVER_H
#define GSH_GPU_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

struct CUctx_st;
struct CUfunc_st;
struct CUlib_st;
struct CUmod_st;
struct CUstream_st;

enum { CUDA_SUCCESS = 0 };

struct cuda_location {
    int type; /* 1: a device */
    int id;
};

struct cuda_allocation {
    int type;    /* 1: pinned */
    int handles; /* 1: file descriptors */
    struct cuda_location location;
    void *unused;
    struct {
        unsigned char compression, rdma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};

struct cuda_access {
    struct cuda_location location;
    int flags; /* 3: read and write */
};

enum {
    CUDA_DEVICE = 1,
    CUDA_PINNED = 1,
    CUDA_FILE_DESCRIPTOR = 1,
    CUDA_READ_WRITE = 3,
    CUDA_HOST_PORTABLE_MAPPED = 3,
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_GRANULARITY_RECOMMENDED = 1,
    CUDA_POINTER_MEMORY_TYPE = 2, /* attribute: 1 host, 2 device */
    CUDA_MEMORY_DEVICE = 2,
    CUDA_ATTRIBUTE_MULTIPROCESSORS = 16,
    CUDA_ATTRIBUTE_MAJOR = 75,
    CUDA_ATTRIBUTE_MINOR = 76,
    CUDA_ATTRIBUTE_VIRTUAL_MEMORY = 102,
    CUDA_ATTRIBUTE_MEMORY_OPERATIONS = 122, /* of streams, on 64 bits */
    CUDA_CAPTURE_NONE = 0,
    CUDA_CAPTURE_RELAXED = 2,
    CUDA_WAIT_EQ = 1,
};

/* X(name here, symbol, parameters); the second list may be missing in an older driver, and
 * then is NULL. */
/* clang-format off */
#define GSH_CUDA_CALLS(X) \
    X(init, cuInit, (unsigned flags)) \
    X(driver_version, cuDriverGetVersion, (int *version)) \
    X(error_text, cuGetErrorString, (int error, const char **text)) \
    X(device_count, cuDeviceGetCount, (int *n)) \
    X(device_get, cuDeviceGet, (int *device, int ordinal)) \
    X(device_name, cuDeviceGetName, (char *name, int bytes, int device)) \
    X(device_uuid, cuDeviceGetUuid_v2, (char uuid[16], int device)) \
    X(device_memory, cuDeviceTotalMem_v2, (size_t *bytes, int device)) \
    X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device)) \
    X(can_access_peer, cuDeviceCanAccessPeer, (int *can, int device, int peer)) \
    X(primary_retain, cuDevicePrimaryCtxRetain, (struct CUctx_st **context, int device)) \
    X(primary_release, cuDevicePrimaryCtxRelease_v2, (int device)) \
    X(context_current, cuCtxGetCurrent, (struct CUctx_st **context)) \
    X(context_push, cuCtxPushCurrent_v2, (struct CUctx_st *context)) \
    X(context_pop, cuCtxPopCurrent_v2, (struct CUctx_st **context)) \
    X(context_device, cuCtxGetDevice, (int *device)) \
    X(stream_create, cuStreamCreate, (struct CUstream_st **stream, unsigned flags)) \
    X(stream_destroy, cuStreamDestroy_v2, (struct CUstream_st *stream)) \
    X(stream_sync, cuStreamSynchronize, (struct CUstream_st *stream)) \
    X(stream_capturing, cuStreamIsCapturing, (struct CUstream_st *stream, int *status)) \
    X(capture_mode, cuThreadExchangeStreamCaptureMode, (int *mode)) \
    X(context_sync, cuCtxSynchronize, (void)) \
    X(module_load, cuModuleLoadData, (struct CUmod_st **module, const void *image)) \
    X(module_unload, cuModuleUnload, (struct CUmod_st *module)) \
    X(module_function, cuModuleGetFunction, (struct CUfunc_st **function, \
                                             struct CUmod_st *module, const char *name)) \
    X(module_global, cuModuleGetGlobal_v2, (uint64_t *at, size_t *bytes, \
                                            struct CUmod_st *module, const char *name)) \
    X(launch, cuLaunchKernel, (struct CUfunc_st *function, unsigned blocks_x, unsigned blocks_y, \
                               unsigned blocks_z, unsigned threads_x, unsigned threads_y, \
                               unsigned threads_z, unsigned shared, struct CUstream_st *stream, \
                               void **args, void **extra)) \
    X(reserve, cuMemAddressReserve, (uint64_t *at, size_t bytes, size_t align, uint64_t near, \
                                     unsigned long long flags)) \
    X(unreserve, cuMemAddressFree, (uint64_t at, size_t bytes)) \
    X(granularity, cuMemGetAllocationGranularity, (size_t *bytes, \
                                                   const struct cuda_allocation *what, int option)) \
    X(create, cuMemCreate, (uint64_t *handle, size_t bytes, const struct cuda_allocation *what, \
                            unsigned long long flags)) \
    X(release, cuMemRelease, (uint64_t handle)) \
    X(map, cuMemMap, (uint64_t at, size_t bytes, size_t offset, uint64_t handle, \
                      unsigned long long flags)) \
    X(unmap, cuMemUnmap, (uint64_t at, size_t bytes)) \
    X(set_access, cuMemSetAccess, (uint64_t at, size_t bytes, const struct cuda_access *who, \
                                   size_t n)) \
    X(export_handle, cuMemExportToShareableHandle, (void *fd, uint64_t handle, int type, \
                                                    unsigned long long flags)) \
    X(import_handle, cuMemImportFromShareableHandle, (uint64_t *handle, void *fd, int type)) \
    X(memory_info, cuMemGetInfo_v2, (size_t *available, size_t *all)) \
    X(alloc, cuMemAlloc_v2, (uint64_t *at, size_t bytes)) \
    X(free, cuMemFree_v2, (uint64_t at)) \
    X(host_alloc, cuMemHostAlloc, (void **at, size_t bytes, unsigned flags)) \
    X(host_free, cuMemFreeHost, (void *at)) \
    X(copy, cuMemcpyAsync, (uint64_t to, uint64_t from, size_t bytes, struct CUstream_st *stream)) \
    X(set, cuMemsetD8Async, (uint64_t at, unsigned char byte, size_t bytes, \
                             struct CUstream_st *stream)) \
    X(pointer_attributes, cuPointerGetAttributes, (unsigned n, const int *attributes, void **values, \
                                                   uint64_t at))
#define GSH_CUDA_NEWER_CALLS(X) \
    X(library_global, cuLibraryGetGlobal, (uint64_t *at, size_t *bytes, struct CUlib_st *library, \
                                           const char *name)) \
    X(write_value, cuStreamWriteValue64_v2, (struct CUstream_st *stream, uint64_t at, \
                                             uint64_t value, unsigned flags)) \
    X(wait_value, cuStreamWaitValue64_v2, (struct CUstream_st *stream, uint64_t at, \
                                           uint64_t value, unsigned flags))
/* clang-format on */

struct gsh_cuda {
#define ROW(name, symbol, params) int(*name) params;
    GSH_CUDA_CALLS(ROW) GSH_CUDA_NEWER_CALLS(ROW)
#undef ROW
};

extern struct gsh_cuda gsh_cuda;

/* Loads libcuda; 0, or -ENODEV after gsh_miss(). */
int gsh_cuda_load(void);

/* 0, or a negative errno after gsh_fail(): what was tried, and the driver's reason. */
int gsh_cuda_result(int error, const char *what);

#endif /* GSH_GPU_CUDA_DRIVER_H */
