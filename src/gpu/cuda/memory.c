/* memory.c - gpu.h over the CUDA driver: memory that processes share, and the host's memory
 * for kernels. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"
#include "gpu/cuda/context.h"
#include "gpu/cuda/driver.h"
#include "gpu/gpu.h"

#include <errno.h>
#include <string.h>

enum { UNIT = 2 << 20 /* where the driver names none */ };

static struct {
    int device;
    size_t granularity;
    bool host_addresses; /* kernels use registered memory at the host's addresses */
} memory;

static struct cuda_allocation exportable(void)
{
    return (struct cuda_allocation){ .type = CUDA_PINNED,
                                     .handles = CUDA_FILE_DESCRIPTOR,
                                     .location = { CUDA_DEVICE, memory.device } };
}

static bool can(int attribute)
{
    int value = 0;

    return !gsh_cuda.device_attribute(&value, attribute, memory.device) && value;
}

int gsh_cuda_memory_open(int device)
{
    struct cuda_allocation what;

    memory.device = device;
    memory.granularity = UNIT;
    memory.host_addresses = can(CUDA_ATTRIBUTE_HOST_ADDRESSES);
    what = exportable();
    if (!can(CUDA_ATTRIBUTE_VIRTUAL_MEMORY) || !can(CUDA_ATTRIBUTE_FILE_DESCRIPTORS))
        return 0;
    return gsh_cuda_result(
        gsh_cuda.granularity(&memory.granularity, &what, CUDA_GRANULARITY_RECOMMENDED),
        "cannot ask for the granularity of device memory");
}

size_t gsh_gpu_granularity(void)
{
    return memory.granularity;
}

int gsh_gpu_reserve(size_t bytes, char **at)
{
    uint64_t where = 0;
    int err = gsh_cuda_enter();

    if (err)
        return err;
    err = gsh_cuda_leave(gsh_cuda.reserve(&where, bytes, memory.granularity, 0, 0),
                         "cannot reserve address space for device memory");
    *at = (char *)(uintptr_t)where;
    return err;
}

void gsh_gpu_unreserve(char *at, size_t bytes)
{
    if (!gsh_cuda_enter())
        gsh_cuda_leave(gsh_cuda.unreserve((uintptr_t)at, bytes), "cannot give address space back");
}

/* The descriptor of a chunk whose handle is ours; a handle that has none is given back. */
static int export_chunk(const struct gsh_gpu_chunk *chunk, int *fd)
{
    int error = gsh_cuda.export_handle(fd, chunk->handle, CUDA_FILE_DESCRIPTOR, 0);

    if (error)
        gsh_cuda.release(chunk->handle);
    return error;
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
    return gsh_cuda_leave(export_chunk(chunk, fd), "cannot share device memory");
}

int gsh_gpu_chunk_of(struct gsh_gpu_chunk *chunk, const void *at, size_t bytes, int *fd)
{
    uint64_t start = 0;
    size_t has = 0;
    int error, err = gsh_cuda_enter();

    if (err)
        return err;
    error = gsh_cuda.address_range(&start, &has, (uintptr_t)at);
    if (error || start != (uintptr_t)at || has < bytes)
        return gsh_cuda_leave(CUDA_SUCCESS, ""),
               gsh_miss(-EINVAL,
                        "%p is not the start of %zu bytes of device memory; they are %zu "
                        "bytes from %p on",
                        at, bytes, has, (void *)(uintptr_t)start);
    chunk->bytes = bytes;
    error = gsh_cuda.retain_handle(&chunk->handle, (void *)(uintptr_t)at);
    if (!error)
        error = export_chunk(chunk, fd);
    if (error)
        return gsh_cuda_leave(CUDA_SUCCESS, ""),
               gsh_miss(-ENOTSUP,
                        "the memory at %p cannot be mapped by other PEs; make it by cuMemCreate "
                        "with file descriptors as handles",
                        at);
    return gsh_cuda_leave(CUDA_SUCCESS, "");
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
    struct cuda_access access = { { CUDA_DEVICE, memory.device }, CUDA_READ_WRITE };
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

_Static_assert(sizeof(struct gsh_gpu_ticket) == sizeof(struct cuda_ticket), "the driver's ticket");

int gsh_gpu_offer(const void *at, struct gsh_gpu_ticket *ticket)
{
    struct cuda_ticket theirs;
    int err = gsh_cuda_enter();

    if (err)
        return err;
    err = gsh_cuda_leave(gsh_cuda.ipc_share(&theirs, (uintptr_t)at),
                         "cannot share device memory by CUDA IPC");
    if (!err)
        memcpy(ticket, &theirs, sizeof(theirs));
    return err;
}

int gsh_gpu_attach(const struct gsh_gpu_ticket *ticket, char **at)
{
    struct cuda_ticket theirs;
    uint64_t where = 0;
    int err = gsh_cuda_enter();

    if (err)
        return err;
    memcpy(&theirs, ticket, sizeof(theirs));
    err = gsh_cuda_leave(gsh_cuda.ipc_open(&where, theirs, CUDA_LAZY_PEER_ACCESS),
                         "cannot map device memory of another PE by CUDA IPC");
    *at = (char *)(uintptr_t)where;
    return err;
}

void gsh_gpu_detach(char *at)
{
    if (!gsh_cuda_enter())
        gsh_cuda_leave(gsh_cuda.ipc_close((uintptr_t)at), "cannot unmap memory of another PE");
}

bool gsh_gpu_pins(void)
{
    return memory.host_addresses;
}

int gsh_gpu_pin(void *at, size_t bytes)
{
    const char *text = "unknown error";
    int error, err = gsh_cuda_enter();

    if (err)
        return err;
    error = gsh_cuda.host_register(at, bytes, CUDA_HOST_PORTABLE_MAPPED);
    gsh_cuda_leave(CUDA_SUCCESS, "");
    if (!error)
        return 0;
    gsh_cuda.error_text(error, &text);
    return gsh_miss(-ENOMEM,
                    "%zu KiB of host memory cannot be mapped for the GPU: %s (CUDA error %d)",
                    bytes >> 10, text, error);
}

void gsh_gpu_unpin(void *at)
{
    if (!gsh_cuda_enter())
        gsh_cuda_leave(gsh_cuda.host_unregister(at), "cannot unmap host memory");
}

enum gsh_gpu_kind gsh_gpu_kind_of(const void *at)
{
    static const int attributes[] = { CUDA_POINTER_MEMORY_TYPE, CUDA_POINTER_IS_MANAGED };
    unsigned type = 0, managed = 0;
    void *values[] = { &type, &managed };

    /* In this form memory that the driver does not know is no error. */
    if (!memory.granularity || gsh_cuda.pointer_attributes(2, attributes, values, (uintptr_t)at))
        return GSH_GPU_UNKNOWN;
    if (managed)
        return GSH_GPU_MANAGED;
    return type == CUDA_MEMORY_DEVICE ? GSH_GPU_DEVICE
           : type == CUDA_MEMORY_HOST ? GSH_GPU_HOST
                                      : GSH_GPU_UNKNOWN;
}
