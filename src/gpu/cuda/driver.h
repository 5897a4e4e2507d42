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

/* Names memory of one process for others. */
struct cuda_ticket {
    char bytes[64];
};

struct cuda_access {
    struct cuda_location location;
    int flags; /* 3: read and write */
};

struct cuda_limit {
    int type; /* 0: multiprocessors */
    unsigned value;
};

struct cuda_launch_attribute {
    int id; /* 6: may begin before its predecessor in the stream ends */
    int unused;
    union {
        int on;
        uint64_t room[8];
    } value;
};

struct cuda_launch {
    unsigned blocks[3], threads[3];
    unsigned shared;
    struct CUstream_st *stream;
    struct cuda_launch_attribute *attributes;
    unsigned n_attributes;
};

enum {
    CUDA_DEVICE = 1,
    CUDA_PINNED = 1,
    CUDA_FILE_DESCRIPTOR = 1,
    CUDA_READ_WRITE = 3,
    CUDA_HOST_PORTABLE_MAPPED = 3,
    CUDA_LAZY_PEER_ACCESS = 1,
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_GRANULARITY_RECOMMENDED = 1,
    CUDA_POINTER_MEMORY_TYPE = 2, /* attribute: 1 host, 2 device */
    CUDA_POINTER_IS_MANAGED = 8,
    CUDA_MEMORY_HOST = 1,
    CUDA_MEMORY_DEVICE = 2,
    CUDA_ATTRIBUTE_MULTIPROCESSORS = 16,
    CUDA_ATTRIBUTE_COPY_ENGINES = 40,
    CUDA_ATTRIBUTE_MAJOR = 75,
    CUDA_ATTRIBUTE_MINOR = 76,
    CUDA_ATTRIBUTE_HOST_ADDRESSES = 91, /* registered memory has the same ones */
    CUDA_ATTRIBUTE_VIRTUAL_MEMORY = 102,
    CUDA_ATTRIBUTE_FILE_DESCRIPTORS = 103,
    CUDA_ATTRIBUTE_MEMORY_OPERATIONS = 122, /* of streams, on 64 bits */
    CUDA_ATTRIBUTE_MPS = 133,
    CUDA_P2P_ACCESS = 2,
    CUDA_P2P_ATOMICS = 3,
    CUDA_CAPTURE_NONE = 0,
    CUDA_CAPTURE_RELAXED = 2,
    CUDA_WAIT_EQ = 1,
    CUDA_LAUNCH_EARLY = 6,
    CUDA_FUNCTION_PTX_VERSION = 5, /* attribute: what a kernel was compiled for: 90 is 9.0 */
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
    X(device_bus, cuDeviceGetPCIBusId, (char *bus, int bytes, int device)) \
    X(p2p_attribute, cuDeviceGetP2PAttribute, (int *value, int attribute, int device, int peer)) \
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
    X(retain_handle, cuMemRetainAllocationHandle, (uint64_t *handle, void *at)) \
    X(address_range, cuMemGetAddressRange_v2, (uint64_t *start, size_t *bytes, uint64_t at)) \
    X(ipc_share, cuIpcGetMemHandle, (struct cuda_ticket *ticket, uint64_t at)) \
    X(ipc_open, cuIpcOpenMemHandle_v2, (uint64_t *at, struct cuda_ticket ticket, unsigned flags)) \
    X(ipc_close, cuIpcCloseMemHandle, (uint64_t at)) \
    X(host_register, cuMemHostRegister_v2, (void *at, size_t bytes, unsigned flags)) \
    X(host_unregister, cuMemHostUnregister, (void *at)) \
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
    X(execution_limit, cuCtxGetExecAffinity, (struct cuda_limit *limit, int type)) \
    X(library_global, cuLibraryGetGlobal, (uint64_t *at, size_t *bytes, struct CUlib_st *library, \
                                           const char *name)) \
    X(launch_with, cuLaunchKernelEx, (const struct cuda_launch *launch, struct CUfunc_st *function, \
                                      void **args, void **extra)) \
    X(function_attribute, cuFuncGetAttribute, (int *value, int attribute, \
                                               struct CUfunc_st *function)) \
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
