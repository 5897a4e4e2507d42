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
    size_t granularity;
    bool memory_operations; /* streams write and wait for words */
} gpu;

static struct cuda_allocation exportable(void)
{
    return (struct cuda_allocation){ .type = CUDA_PINNED,
                                     .handles = CUDA_FILE_DESCRIPTOR,
                                     .location = { CUDA_DEVICE, gpu.device } };
}

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
    struct cuda_allocation what = exportable();
    int has = 0, err = gsh_cuda_enter();

    if (err)
        return err;
    err =
        gsh_cuda_result(gsh_cuda.device_attribute(&has, CUDA_ATTRIBUTE_VIRTUAL_MEMORY, gpu.device),
                        "cannot ask the device");
    if (!err && !has)
        err = gsh_fail(-ENOTSUP, "the GPU has no virtual memory management, which the symmetric "
                                 "heap needs");
    if (!err)
        err = gsh_cuda_result(
            gsh_cuda.granularity(&gpu.granularity, &what, CUDA_GRANULARITY_RECOMMENDED),
            "cannot ask for the granularity of device memory");
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

static int attribute(int which)
{
    int value = 0;

    gsh_cuda.device_attribute(&value, which, gpu.device);
    return value;
}

int gsh_gpu_describe(struct gsh_gpu_card *card)
{
    size_t memory = 0;
    int error;

    *card = (struct gsh_gpu_card){ 0 };
    error = gsh_cuda.device_uuid(card->uuid, gpu.device);
    if (!error)
        error = gsh_cuda.device_name(card->name, sizeof(card->name), gpu.device);
    if (!error)
        error = gsh_cuda.device_memory(&memory, gpu.device);
    card->memory = memory;
    card->compute = 10 * attribute(CUDA_ATTRIBUTE_MAJOR) + attribute(CUDA_ATTRIBUTE_MINOR);
    card->multiprocessors = attribute(CUDA_ATTRIBUTE_MULTIPROCESSORS);
    return gsh_cuda_result(error, "cannot describe the GPU");
}

bool gsh_gpu_reaches(const char uuid[16])
{
    int n = 0, can = 0;
    char other[16];

    gsh_cuda.device_count(&n);
    for (int i = 0, device; i < n; i++) {
        if (gsh_cuda.device_get(&device, i) || gsh_cuda.device_uuid(other, device) ||
            memcmp(other, uuid, sizeof(other)))
            continue;
        return device == gpu.device || (!gsh_cuda.can_access_peer(&can, gpu.device, device) && can);
    }
    return false;
}

size_t gsh_gpu_granularity(void)
{
    return gpu.granularity;
}

int gsh_gpu_reserve(size_t bytes, char **at)
{
    uint64_t where = 0;
    int err = gsh_cuda_enter();

    if (err)
        return err;
    err = gsh_cuda_leave(gsh_cuda.reserve(&where, bytes, gpu.granularity, 0, 0),
                         "cannot reserve address space for device memory");
    *at = (char *)(uintptr_t)where;
    return err;
}

void gsh_gpu_unreserve(char *at, size_t bytes)
{
    if (!gsh_cuda_enter())
        gsh_cuda_leave(gsh_cuda.unreserve((uintptr_t)at, bytes), "cannot give address space back");
}

int gsh_gpu_chunk_make(struct gsh_gpu_chunk *chunk, size_t bytes, int *fd)
{
    struct cuda_allocation what = exportable();
    int error, err = gsh_cuda_enter();

    if (err)
        return err;
    chunk->bytes = bytes;
    error = gsh_cuda.create(&chunk->handle, bytes, &what, 0);
    if (error) /* no error of ours yet: the heap may be full on purpose */
        return gsh_cuda_leave(CUDA_SUCCESS, ""),
               gsh_miss(-ENOMEM, "the GPU has no %zu MiB left", bytes >> 20);
    error = gsh_cuda.export_handle(fd, chunk->handle, CUDA_FILE_DESCRIPTOR, 0);
    if (error)
        gsh_cuda.release(chunk->handle);
    return gsh_cuda_leave(error, "cannot share device memory");
}

int gsh_gpu_chunk_take(struct gsh_gpu_chunk *chunk, size_t bytes, int fd)
{
    int err = gsh_cuda_enter();

    if (err)
        return err;
    chunk->bytes = bytes;
    return gsh_cuda_leave(
        gsh_cuda.import_handle(&chunk->handle, (void *)(intptr_t)fd, CUDA_FILE_DESCRIPTOR),
        "cannot take device memory of another PE");
}

int gsh_gpu_chunk_map(const struct gsh_gpu_chunk *chunk, char *at)
{
    struct cuda_access access = { { CUDA_DEVICE, gpu.device }, CUDA_READ_WRITE };
    int error, err = gsh_cuda_enter();

    if (err)
        return err;
    error = gsh_cuda.map((uintptr_t)at, chunk->bytes, 0, chunk->handle, 0);
    if (!error) {
        error = gsh_cuda.set_access((uintptr_t)at, chunk->bytes, &access, 1);
        if (error)
            gsh_cuda.unmap((uintptr_t)at, chunk->bytes);
    }
    return gsh_cuda_leave(error, "cannot map device memory");
}

void gsh_gpu_chunk_drop(struct gsh_gpu_chunk *chunk, char *at)
{
    if (gsh_cuda_enter())
        return;
    if (at)
        gsh_cuda.unmap((uintptr_t)at, chunk->bytes);
    gsh_cuda_leave(gsh_cuda.release(chunk->handle), "cannot give device memory back");
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

int gsh_gpu_page(void **at)
{
    int err = gsh_cuda_enter();

    if (err)
        return err;
    err = gsh_cuda_leave(gsh_cuda.host_alloc(at, 4096, CUDA_HOST_PORTABLE_MAPPED),
                         "no memory that host and GPU share");
    if (!err)
        memset(*at, 0, 4096);
    return err;
}

void gsh_gpu_page_free(void *at)
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

bool gsh_gpu_owns(const void *at)
{
    static const int attribute = CUDA_POINTER_MEMORY_TYPE;
    unsigned type = 0;
    void *value = &type;

    /* In this form memory that the driver does not know is no error. */
    return gpu.context && !gsh_cuda.pointer_attributes(1, &attribute, &value, (uintptr_t)at) &&
           type == CUDA_MEMORY_DEVICE;
}
