/* cuda.c - a pretended libcuda: the calls that gshmem makes, for the GPUs of gpus.h. Kernels are
 * launched and do nothing; memory is a file of its own. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "calls.h"

#include <gshmem/impl/state.h>

#define CALL __attribute__((visibility("default"))) int

enum {
    OK,
    INVALID = 1,
    NO_PEER = 217,
    NO_LIMIT = 224,
    MOST_GPUS = 16,
};

/* Each call is as gshmem declares it. */
#define ROW(name, symbol, params) int symbol params;
GSH_CUDA_CALLS(ROW)
GSH_CUDA_NEWER_CALLS(ROW)
#undef ROW
int cuCtxSetCurrent(struct CUctx_st *context);

/* --- Devices --- */

CALL cuInit(unsigned flags)
{
    return flags ? INVALID : OK;
}

CALL cuDriverGetVersion(int *version)
{
    *version = fake_number("FAKE_CUDA", 13000);
    return OK;
}

CALL cuGetErrorString(int error, const char **text)
{
    *text = error == NO_PEER ? "pretended: no peer access" : "pretended error";
    return OK;
}

CALL cuDeviceGetCount(int *n)
{
    for (*n = 0; *n < MOST_GPUS && fake_gpu_of(*n) >= 0 && fake_gpu_of(*n) < fake_count();)
        ++*n;
    return OK;
}

CALL cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return OK;
}

CALL cuDeviceGetName(char *name, int bytes, int device)
{
    return device < 0 || snprintf(name, (size_t)bytes, "Pretended GPU") < 0;
}

CALL cuDeviceGetUuid_v2(char uuid[16], int device)
{
    memset(uuid, 0, 16);
    uuid[15] = (char)fake_gpu_of(device);
    return OK;
}

CALL cuDeviceGetPCIBusId(char *bus, int bytes, int device)
{
    return snprintf(bus, (size_t)bytes, "0000:%02X:00.0", fake_bus(fake_gpu_of(device))) < 0;
}

CALL cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = (size_t)fake_number("FAKE_MEMORY", 512) << 20;
    return device < 0;
}

CALL cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int values[] = {
        [CUDA_ATTRIBUTE_MULTIPROCESSORS] = 132,
        [CUDA_ATTRIBUTE_COPY_ENGINES] = 3,
        [CUDA_ATTRIBUTE_MAJOR] = 9,
        [CUDA_ATTRIBUTE_HOST_ADDRESSES] = 1,
        [CUDA_ATTRIBUTE_VIRTUAL_MEMORY] = 1,
        [CUDA_ATTRIBUTE_FILE_DESCRIPTORS] = 1,
        [CUDA_ATTRIBUTE_MPS] = 0,
    };

    *value = attribute == CUDA_ATTRIBUTE_MPS ? fake_number("FAKE_MPS", 0) : values[attribute];
    if (attribute == CUDA_ATTRIBUTE_VIRTUAL_MEMORY || attribute == CUDA_ATTRIBUTE_FILE_DESCRIPTORS)
        *value = !fake_number("FAKE_NO_DESCRIPTORS", 0);
    return device < 0;
}

CALL cuDeviceGetP2PAttribute(int *value, int attribute, int device, int peer)
{
    int a = fake_gpu_of(device), b = fake_gpu_of(peer);

    *value = fake_peers(a, b);
    if (attribute == CUDA_P2P_ATOMICS)
        *value = fake_switched() || fake_pair("FAKE_NVLINK", a, b);
    return OK;
}

/* --- Contexts: one for each device --- */

struct CUctx_st {
    int unused;
};

static struct CUctx_st contexts[MOST_GPUS];
static _Thread_local struct CUctx_st *stack[8];
static _Thread_local int top;

CALL cuDevicePrimaryCtxRetain(struct CUctx_st **context, int device)
{
    *context = &contexts[device];
    return OK;
}

CALL cuDevicePrimaryCtxRelease_v2(int device)
{
    return device < 0;
}

CALL cuCtxGetCurrent(struct CUctx_st **context)
{
    *context = stack[top];
    return OK;
}

CALL cuCtxSetCurrent(struct CUctx_st *context)
{
    stack[top] = context;
    return OK;
}

CALL cuCtxPushCurrent_v2(struct CUctx_st *context)
{
    stack[++top] = context;
    return OK;
}

CALL cuCtxPopCurrent_v2(struct CUctx_st **context)
{
    *context = stack[top--];
    return OK;
}

CALL cuCtxGetDevice(int *device)
{
    *device = (int)(stack[top] - contexts);
    return OK;
}

CALL cuCtxGetExecAffinity(struct cuda_limit *limit, int type)
{
    int share = fake_number("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", 100);

    if (!fake_number("FAKE_MPS", 0))
        return NO_LIMIT;
    *limit = (struct cuda_limit){ type, 132u * (unsigned)share / 100 };
    return OK;
}

/* --- Streams and modules: all is done when a call returns --- */

struct CUstream_st {
    int unused;
};
struct CUmod_st {
    int unused;
};
struct CUfunc_st {
    int unused;
};

static struct CUstream_st a_stream;
static struct CUmod_st a_module;
static struct CUfunc_st a_kernel;
static struct gsh_device_state told;

CALL cuStreamCreate(struct CUstream_st **stream, unsigned flags)
{
    *stream = &a_stream;
    return flags > 1;
}

CALL cuStreamDestroy_v2(struct CUstream_st *stream)
{
    return stream != &a_stream;
}

CALL cuStreamSynchronize(struct CUstream_st *stream)
{
    return stream != &a_stream;
}

CALL cuStreamIsCapturing(struct CUstream_st *stream, int *status)
{
    *status = 0;
    return stream != &a_stream;
}

CALL cuThreadExchangeStreamCaptureMode(int *mode)
{
    *mode = 0;
    return OK;
}

CALL cuCtxSynchronize(void)
{
    return OK;
}

CALL cuModuleLoadData(struct CUmod_st **module, const void *image)
{
    *module = &a_module;
    return !image;
}

CALL cuModuleUnload(struct CUmod_st *module)
{
    return module != &a_module;
}

CALL cuModuleGetFunction(struct CUfunc_st **function, struct CUmod_st *module, const char *name)
{
    *function = &a_kernel;
    return module != &a_module || !name;
}

CALL cuModuleGetGlobal_v2(uint64_t *at, size_t *bytes, struct CUmod_st *module, const char *name)
{
    *at = (uintptr_t)&told;
    *bytes = sizeof(told);
    return module != &a_module || !name;
}

CALL cuLibraryGetGlobal(uint64_t *at, size_t *bytes, struct CUlib_st *library, const char *name)
{
    return library ? cuModuleGetGlobal_v2(at, bytes, &a_module, name) : INVALID;
}

CALL cuLaunchKernel(struct CUfunc_st *function, unsigned bx, unsigned by, unsigned bz, unsigned tx,
                    unsigned ty, unsigned tz, unsigned shared, struct CUstream_st *stream,
                    void **args, void **extra)
{
    (void)shared, (void)stream, (void)extra;
    return function != &a_kernel || !(bx && by && bz && tx && ty && tz) || !args;
}

CALL cuStreamWriteValue64_v2(struct CUstream_st *stream, uint64_t at, uint64_t value,
                             unsigned flags)
{
    (void)stream, (void)at, (void)value, (void)flags;
    return INVALID;
}

CALL cuStreamWaitValue64_v2(struct CUstream_st *stream, uint64_t at, uint64_t value, unsigned flags)
{
    (void)stream, (void)at, (void)value, (void)flags;
    return INVALID;
}
