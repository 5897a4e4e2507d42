/* cuda.c - gpu.h over the CUDA driver.
 *
 * The context is the program's own where it has one, else the device's primary one, which
 * the CUDA runtime uses as well. It is made current around each call, so that any thread
 * may call.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"
#include "gpu/cuda/context.h"
#include "gpu/cuda/driver.h"
#include "gpu/gpu.h"

#include <errno.h>
#include <string.h>

static struct {
    bool loaded;
    bool retained; /* the primary context is ours to release */
    int device;
    struct CUctx_st *context; /* NULL: no device was taken */
    struct CUstream_st *stream;
    bool memory_operations; /* streams write and wait for words */
} gpu;

static _Thread_local int mode; /* the thread's own mode of captures, while it is in here */

int gsh_cuda_enter(void)
{
    int err;

    if (!gpu.context)
        return gsh_fail(-ENODEV, "no GPU was taken");
    err = gsh_cuda_result(gsh_cuda.context_push(gpu.context), "cannot use the GPU's context");
    mode = CUDA_CAPTURE_RELAXED;
    if (!err)
        gsh_cuda.capture_mode(&mode);
    return err;
}

int gsh_cuda_leave(int error, const char *what)
{
    struct CUctx_st *ours;
    int err = gsh_cuda_result(error, what);

    gsh_cuda.capture_mode(&mode);
    gsh_cuda.context_pop(&ours);
    return err;
}

int gsh_gpu_open(void)
{
    int err = gpu.loaded ? 0 : gsh_cuda_load();

    gpu.loaded = !err;
    return err;
}

void gsh_gpu_close(void)
{
    if (!gpu.context)
        return;
    if (!gsh_cuda_enter())
        gsh_cuda_leave(gsh_cuda.stream_destroy(gpu.stream), "cannot end the stream");
    if (gpu.retained)
        gsh_cuda.primary_release(gpu.device);
    gpu.context = NULL;
}

struct CUstream_st *gsh_gpu_own_stream(void)
{
    return gpu.stream;
}

bool gsh_cuda_writes_words(void)
{
    return gpu.memory_operations;
}

void gsh_cuda_write_no_words(void)
{
    gpu.memory_operations = false;
}

bool gsh_gpu_is_chosen(void)
{
    struct CUctx_st *context = NULL;

    return gpu.loaded && !gsh_cuda.context_current(&context) && context;
}

/* The context to work in: the thread's, or the primary one of the first device. */
static int take_context(void)
{
    int err;

    if (gsh_gpu_is_chosen()) {
        gsh_cuda.context_current(&gpu.context);
        gpu.retained = false;
        return gsh_cuda_result(gsh_cuda.context_device(&gpu.device), "cannot tell the device");
    }
    err = gsh_cuda_result(gsh_cuda.device_get(&gpu.device, 0), "cannot find device 0");
    if (err)
        return err;
    err = gsh_cuda_result(gsh_cuda.primary_retain(&gpu.context, gpu.device),
                          "cannot make the context of device 0");
    gpu.retained = !err;
    return err;
}

static int prepare(void)
{
    int has = 0, err = gsh_cuda_enter();

    if (err)
        return err;
    err = gsh_cuda_memory_open(gpu.device);
    if (!err && gsh_cuda.write_value && gsh_cuda.wait_value)
        gpu.memory_operations =
            !gsh_cuda.device_attribute(&has, CUDA_ATTRIBUTE_MEMORY_OPERATIONS, gpu.device) && has;
    if (!err)
        err = gsh_cuda_result(gsh_cuda.stream_create(&gpu.stream, CUDA_STREAM_NON_BLOCKING),
                              "cannot make a stream");
    gsh_cuda_leave(CUDA_SUCCESS, "");
    return err;
}

int gsh_gpu_select(void)
{
    int err = take_context();

    if (!err)
        err = prepare();
    if (err) {
        if (gpu.retained)
            gsh_cuda.primary_release(gpu.device);
        gpu.context = NULL;
    }
    return err;
}

int gsh_gpu_count(void)
{
    int n = 0;

    return gpu.loaded && !gsh_cuda.device_count(&n) ? n : 0;
}

int gsh_gpu_taken(void)
{
    return gpu.context ? gpu.device : -1;
}

int gsh_gpu_cuda_version(void)
{
    int version = 0;

    return gpu.loaded && !gsh_cuda.driver_version(&version) ? version : 0;
}

static int attribute(int which, int device)
{
    int value = 0;

    return gsh_cuda.device_attribute(&value, which, device) ? 0 : value;
}

int gsh_gpu_describe(int device, struct gsh_gpu_card *card)
{
    size_t memory = 0;
    int error;

    *card = (struct gsh_gpu_card){ 0 };
    error = gsh_cuda.device_uuid(card->uuid, device);
    if (!error)
        error = gsh_cuda.device_name(card->name, sizeof(card->name), device);
    if (!error)
        error = gsh_cuda.device_bus(card->bus, sizeof(card->bus), device);
    if (!error)
        error = gsh_cuda.device_memory(&memory, device);
    card->memory = memory;
    card->compute =
        10 * attribute(CUDA_ATTRIBUTE_MAJOR, device) + attribute(CUDA_ATTRIBUTE_MINOR, device);
    card->multiprocessors = attribute(CUDA_ATTRIBUTE_MULTIPROCESSORS, device);
    card->copy_engines = attribute(CUDA_ATTRIBUTE_COPY_ENGINES, device);
    card->mps = attribute(CUDA_ATTRIBUTE_MPS, device) != 0;
    card->exports = attribute(CUDA_ATTRIBUTE_VIRTUAL_MEMORY, device) &&
                    attribute(CUDA_ATTRIBUTE_FILE_DESCRIPTORS, device);
    return gsh_cuda_result(error, "cannot describe the GPU");
}

static enum gsh_gpu_access access_to(int device, int peer)
{
    int access = 0, atomics = 0;

    if (device == peer)
        return GSH_GPU_SAME;
    if (gsh_cuda.p2p_attribute(&access, CUDA_P2P_ACCESS, device, peer) || !access)
        return GSH_GPU_REFUSED;
    return gsh_cuda.p2p_attribute(&atomics, CUDA_P2P_ATOMICS, device, peer) || !atomics
               ? GSH_GPU_PEER_BARE
               : GSH_GPU_PEER;
}

enum gsh_gpu_access gsh_gpu_access(int device, const char uuid[16])
{
    char other[16];

    for (int i = 0, peer; i < gsh_gpu_count(); i++)
        if (!gsh_cuda.device_get(&peer, i) && !gsh_cuda.device_uuid(other, peer) &&
            !memcmp(other, uuid, sizeof(other)))
            return access_to(device, peer);
    return GSH_GPU_HIDDEN;
}

int gsh_gpu_share(int multiprocessors)
{
    struct cuda_limit limit = { 0 };

    if (!gpu.loaded || !gsh_cuda.execution_limit || gsh_cuda.execution_limit(&limit, 0) ||
        !limit.value || limit.value > (unsigned)multiprocessors)
        return multiprocessors;
    return (int)limit.value;
}

static int finish(int error, const char *what)
{
    if (!error)
        error = gsh_cuda.stream_sync(gpu.stream);
    return gsh_cuda_leave(error, what);
}

int gsh_gpu_copy(void *to, const void *from, size_t bytes)
{
    int err = bytes ? gsh_cuda_enter() : 0;

    if (!bytes || err)
        return err;
    return finish(gsh_cuda.copy((uintptr_t)to, (uintptr_t)from, bytes, gpu.stream),
                  "cannot copy device memory");
}

int gsh_gpu_set(void *at, int byte, size_t bytes)
{
    int err = bytes ? gsh_cuda_enter() : 0;

    if (!bytes || err)
        return err;
    return finish(gsh_cuda.set((uintptr_t)at, (unsigned char)byte, bytes, gpu.stream),
                  "cannot set device memory");
}

int gsh_gpu_take(size_t bytes, void **at)
{
    uint64_t where = 0;
    int err = gsh_cuda_enter();

    if (err)
        return err;
    err =
        gsh_cuda_leave(gsh_cuda.alloc(&where, bytes), "no device memory for the library's records");
    *at = (void *)(uintptr_t)where;
    return err ? err : gsh_gpu_set(*at, 0, bytes);
}

void gsh_gpu_give(void *at)
{
    if (at && !gsh_cuda_enter())
        gsh_cuda_leave(gsh_cuda.free((uintptr_t)at), "cannot give device memory back");
}

int gsh_gpu_take_host(size_t bytes, void **at)
{
    int err = gsh_cuda_enter();

    if (err)
        return err;
    err = gsh_cuda_leave(gsh_cuda.host_alloc(at, bytes, CUDA_HOST_PORTABLE_MAPPED),
                         "no memory that host and GPU share");
    if (!err)
        memset(*at, 0, bytes);
    return err;
}

void gsh_gpu_give_host(void *at)
{
    if (at && !gsh_cuda_enter())
        gsh_cuda_leave(gsh_cuda.host_free(at), "cannot give shared memory back");
}

int gsh_gpu_memory(size_t *available, size_t *all)
{
    int err = gsh_cuda_enter();

    return err ? err
               : gsh_cuda_leave(gsh_cuda.memory_info(available, all),
                                "cannot ask for free device memory");
}
