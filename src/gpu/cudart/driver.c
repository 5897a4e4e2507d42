/* driver.c - the driver's calls, each over the runtime's. */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <cuda.h>
#include <gshmem/cpu/stream.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct CUctx_st {
    char unused;
};

/* A context is the place of its device here. */
static struct CUctx_st contexts[64];

enum { N_CONTEXTS = sizeof(contexts) / sizeof(contexts[0]) };

CUresult cuInit(unsigned int Flags)
{
    return Flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *driverVersion)
{
    return (CUresult)cudaDriverGetVersion(driverVersion);
}

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
    CUresult known = pStr ? cuGetErrorName(error, pStr) : CUDA_ERROR_INVALID_VALUE;

    if (!known)
        *pStr = cudaGetErrorString((cudaError_t)error);
    return known;
}

CUresult cuGetErrorName(CUresult error, const char **pStr)
{
    if (!pStr)
        return CUDA_ERROR_INVALID_VALUE;
    switch (error) {
#define NAME(value, name) \
    case name: \
        *pStr = #name; \
        return CUDA_SUCCESS;
        GSH_CUDA_RESULTS(NAME)
#undef NAME
    }
    *pStr = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count)
{
    return (CUresult)cudaGetDeviceCount(count);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (ordinal < 0 || ordinal >= gsh_cpu_devices())
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

static CUresult describe(struct cudaDeviceProp *prop, const void *out, CUdevice dev)
{
    return out ? (CUresult)cudaGetDeviceProperties(prop, dev) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
    struct cudaDeviceProp prop;
    CUresult result = describe(&prop, len > 0 ? name : NULL, dev);

    if (!result)
        snprintf(name, (size_t)len, "%s", prop.name);
    return result;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    struct cudaDeviceProp prop;
    CUresult result = describe(&prop, uuid, dev);

    if (!result)
        *uuid = prop.uuid;
    return result;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev)
{
    struct cudaDeviceProp prop;
    CUresult result = describe(&prop, bytes, dev);

    if (!result)
        *bytes = prop.totalGlobalMem;
    return result;
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    return (CUresult)cudaDeviceGetAttribute(pi, (enum cudaDeviceAttr)attrib, dev);
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    return (CUresult)cudaDeviceGetPCIBusId(pciBusId, len, dev);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    if (dev < 0 || dev >= gsh_cpu_devices() || dev >= N_CONTEXTS)
        return CUDA_ERROR_INVALID_DEVICE;
    *pctx = &contexts[dev];
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
    return dev < 0 || dev >= gsh_cpu_devices() ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
    int device = 0;

    cudaGetDevice(&device);
    return cuDevicePrimaryCtxRetain(pctx, device);
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
    if (ctx < contexts || ctx >= contexts + N_CONTEXTS)
        return ctx ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
    return (CUresult)cudaSetDevice((int)(ctx - contexts));
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    return (CUresult)cudaGetDevice(device);
}

CUresult cuCtxSynchronize(void)
{
    return (CUresult)cudaDeviceSynchronize();
}

static CUresult pointer_attribute(void *data, CUpointer_attribute attribute,
                                  const struct cudaPointerAttributes *known)
{
    CUcontext context = NULL;

    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        cuDevicePrimaryCtxRetain(&context, known->device);
        memcpy(data, &context, sizeof(context));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(CUmemorytype *)data =
            known->type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        memcpy(data,
               attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER ? &known->hostPointer
                                                              : &known->devicePointer,
               sizeof(void *));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = known->type == cudaMemoryTypeManaged;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = known->device;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(unsigned *)data = 1; /* all is ordered */
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult find(struct cudaPointerAttributes *known, const void *data, CUdeviceptr ptr)
{
    CUresult result;

    if (!data)
        return CUDA_ERROR_INVALID_VALUE;
    result = (CUresult)cudaPointerGetAttributes(known, (void *)(uintptr_t)ptr);
    if (!result && known->type == cudaMemoryTypeUnregistered)
        return CUDA_ERROR_INVALID_VALUE;
    return result;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    struct cudaPointerAttributes known;
    CUresult result = find(&known, data, ptr);

    return result ? result : pointer_attribute(data, attribute, &known);
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    struct cudaPointerAttributes known;

    if (attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return CUDA_ERROR_INVALID_VALUE;
    return find(&known, value, ptr);
}

CUresult cuStreamSynchronize(CUstream hStream)
{
    return (CUresult)cudaStreamSynchronize(hStream);
}

CUresult cuStreamQuery(CUstream hStream)
{
    return (CUresult)cudaStreamQuery(hStream);
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    return (CUresult)cudaStreamWaitEvent(hStream, hEvent, Flags);
}

/* A word that a stream waits for or writes. */
struct word_op {
    void *at;
    uint64_t value;
    unsigned flags;
    bool wide;
};

static uint64_t load(const struct word_op *op)
{
    return op->wide ? __atomic_load_n((uint64_t *)op->at, __ATOMIC_ACQUIRE)
                    : __atomic_load_n((uint32_t *)op->at, __ATOMIC_ACQUIRE);
}

static bool holds(const struct word_op *op)
{
    uint64_t word = load(op), away = word - op->value;

    switch (op->flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH) {
    case CU_STREAM_WAIT_VALUE_EQ:
        return word == op->value;
    case CU_STREAM_WAIT_VALUE_AND:
        return word & op->value;
    case CU_STREAM_WAIT_VALUE_NOR:
        return op->wide ? ~(word | op->value) : (uint32_t) ~(word | op->value);
    }
    return op->wide ? (int64_t)away >= 0 : (int32_t)(uint32_t)away >= 0;
}

static int wait_word(void *arg)
{
    const struct word_op *op = arg;
    enum { EAGER = 100 }; /* looks before the core is given up for longer */
    const struct timespec nap = { .tv_nsec = 50000 }, none = { 0 };

    for (unsigned looks = 0; !holds(arg); looks++)
        nanosleep(looks < EAGER ? &none : &nap, NULL);
    if (gsh_race_on)
        gsh_race_observe(op->at, op->wide ? 8 : 4, NULL);
    return 0;
}

static int write_word(void *arg)
{
    const struct word_op *op = arg;

    if (gsh_race_on) {
        bool orders = !(op->flags & CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER);

        gsh_race_step_begin(op->at);
        gsh_race_access(op->at, op->wide ? 8 : 4, GSH_RACE_ATOMIC_WRITE, gsh_race_host);
        gsh_race_atomic_release(op->at, orders ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
    }
    if (op->wide)
        __atomic_store_n((uint64_t *)op->at, op->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)op->at, (uint32_t)op->value, __ATOMIC_RELEASE);
    if (gsh_race_on)
        gsh_race_step_end(op->at);
    return 0;
}

static CUresult queue(CUstream stream, const char *name, const void *where, int (*fn)(void *arg),
                      const struct word_op *op)
{
    uintptr_t align = op->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    struct word_op *own;

    if (!op->at || (uintptr_t)op->at % align)
        return CUDA_ERROR_INVALID_VALUE;
    own = malloc(sizeof(*own));
    if (!own)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *own = *op;
    return (CUresult)gsh_cuda_stream_do(stream, name, where, fn, own, free);
}

#define WORD(call, bits, is_wide, fn, last_flag) \
    CUresult call##bits(CUstream stream, CUdeviceptr addr, cuuint##bits##_t value, \
                        unsigned int flags) \
    { \
        struct word_op op = { (void *)(uintptr_t)addr, value, flags, is_wide }; \
\
        if ((flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH) > (last_flag)) \
            return CUDA_ERROR_INVALID_VALUE; \
        return queue(stream, #call #bits, GSH_HERE, fn, &op); \
    }
WORD(cuStreamWaitValue, 32, false, wait_word, CU_STREAM_WAIT_VALUE_NOR)
WORD(cuStreamWaitValue, 64, true, wait_word, CU_STREAM_WAIT_VALUE_NOR)
WORD(cuStreamWriteValue, 32, false, write_word, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
WORD(cuStreamWriteValue, 64, true, write_word, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
#undef WORD
