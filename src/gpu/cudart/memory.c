/* memory.c - memory of the pretended device: all of it is this process's, and the runtime
 * keeps a list to know what kind an address is of. */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <gshmem/impl/state.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIGNMENT = 512, PITCH = 512 };

struct block {
    const char *at;
    size_t bytes;
    enum cudaMemoryType type;
    bool registered; /* the program's own memory */
};

/* Sorted by address; none overlaps another. */
static struct block *blocks;
static size_t n_blocks, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The first block that ends behind `at`. */
static size_t search(const char *at)
{
    size_t low = 0, high = n_blocks;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (blocks[middle].at + blocks[middle].bytes > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The block that holds `at`, or NULL. */
static const struct block *holds(const char *at)
{
    size_t i = search(at);

    return i < n_blocks && blocks[i].at <= at ? &blocks[i] : NULL;
}

static cudaError_t insert(const struct block *block)
{
    size_t i = search(block->at);

    if (i < n_blocks && blocks[i].at < block->at + block->bytes)
        return cudaErrorHostMemoryAlreadyRegistered;
    if (n_blocks == room) {
        size_t more = room ? 2 * room : 64;
        struct block *grown = realloc(blocks, more * sizeof(*grown));

        if (!grown)
            return cudaErrorMemoryAllocation;
        blocks = grown;
        room = more;
    }
    memmove(&blocks[i + 1], &blocks[i], (n_blocks - i) * sizeof(*blocks));
    blocks[i] = *block;
    n_blocks++;
    return cudaSuccess;
}

static cudaError_t add(const struct block *block)
{
    cudaError_t error;

    pthread_mutex_lock(&lock);
    error = insert(block);
    pthread_mutex_unlock(&lock);
    return error;
}

/* Takes the block that begins at `at` from the list if it is of the kind that `like` says,
 * which gets its size. */
static bool drop(const void *at, struct block *like)
{
    bool host = like->type == cudaMemoryTypeHost, good;
    size_t i;

    pthread_mutex_lock(&lock);
    i = search(at);
    good = i < n_blocks && blocks[i].at == at && blocks[i].registered == like->registered &&
           (blocks[i].type == cudaMemoryTypeHost) == host;
    if (good) {
        like->bytes = blocks[i].bytes;
        memmove(&blocks[i], &blocks[i + 1], (--n_blocks - i) * sizeof(*blocks));
    }
    pthread_mutex_unlock(&lock);
    return good;
}

static size_t total_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE) * (size_t)sysconf(_SC_PHYS_PAGES);
}

static cudaError_t allocate(void **at, size_t bytes, enum cudaMemoryType type, const void *where)
{
    struct block block = { .bytes = bytes, .type = type };
    size_t unit = ALIGNMENT, padded = bytes;
    cudaError_t error;

    if (!at)
        return cudaErrorInvalidValue;
    *at = NULL;
    if (!bytes)
        return cudaSuccess;
    /* The race checker watches whole pages. */
    if (gsh_race_on) {
        unit = GSH_RACE_PAGE;
        padded = (bytes + GSH_RACE_PAGE - 1) / GSH_RACE_PAGE * GSH_RACE_PAGE;
    }
    if (bytes > total_bytes() || posix_memalign(at, unit, padded)) {
        *at = NULL;
        return cudaErrorMemoryAllocation;
    }
    if (gsh_race_on)
        gsh_race_watch(*at, bytes, where);
    block.at = *at;
    error = add(&block);
    if (error) {
        free(*at);
        *at = NULL;
    }
    return error;
}

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    return gsh_cuda_end(allocate(devPtr, size, cudaMemoryTypeDevice, GSH_HERE));
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    if (!pitch || width > SIZE_MAX / 2 || (height && width > SIZE_MAX / 4 / height))
        return gsh_cuda_end(pitch ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return gsh_cuda_end(allocate(devPtr, *pitch * height, cudaMemoryTypeDevice, GSH_HERE));
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    if (!size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return gsh_cuda_end(cudaErrorInvalidValue);
    return gsh_cuda_end(allocate(devPtr, size, cudaMemoryTypeManaged, GSH_HERE));
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    if (flags &
        ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        return gsh_cuda_end(cudaErrorInvalidValue);
    return gsh_cuda_end(allocate(pHost, size, cudaMemoryTypeHost, GSH_HERE));
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    return gsh_cuda_end(allocate(ptr, size, cudaMemoryTypeHost, GSH_HERE));
}

/* Waits for what is queued, which may use the memory, as CUDA does. */
static cudaError_t release(void *at, enum cudaMemoryType type)
{
    struct block like = { .type = type };
    cudaError_t error = at ? gsh_stream_wait_all() : cudaSuccess;

    if (!at || error)
        return error;
    if (!drop(at, &like))
        return cudaErrorInvalidValue;
    if (gsh_race_on)
        gsh_race_unwatch(at, like.bytes);
    free(at);
    return cudaSuccess;
}

cudaError_t cudaFree(void *devPtr)
{
    return gsh_cuda_end(release(devPtr, cudaMemoryTypeDevice));
}

cudaError_t cudaFreeHost(void *ptr)
{
    return gsh_cuda_end(release(ptr, cudaMemoryTypeHost));
}

static cudaError_t refuse_capture(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status;
    cudaError_t error = cudaStreamIsCapturing(stream, &status);

    return error ? error : status ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t stream)
{
    cudaError_t error = refuse_capture(stream);

    return gsh_cuda_end(error ? error : allocate(devPtr, size, cudaMemoryTypeDevice, GSH_HERE));
}

static cudaError_t free_queued(void *at)
{
    struct block like = { .type = cudaMemoryTypeDevice };

    if (!drop(at, &like))
        return cudaErrorInvalidValue;
    if (gsh_race_on)
        gsh_race_unwatch(at, like.bytes);
    free(at);
    return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t stream)
{
    cudaError_t error = refuse_capture(stream);

    if (error || !devPtr)
        return gsh_cuda_end(error);
    return gsh_cuda_end(gsh_stream_do(
        stream,
        gsh_work_new(&(struct gsh_work){ .name = "free", .run = free_queued, .data = devPtr })));
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    struct block block = {
        .at = ptr, .bytes = size, .type = cudaMemoryTypeHost, .registered = true
    };
    cudaError_t error;

    if (!ptr || !size ||
        flags & ~(unsigned)(cudaHostRegisterPortable | cudaHostRegisterMapped |
                            cudaHostRegisterIoMemory | cudaHostRegisterReadOnly))
        return gsh_cuda_end(cudaErrorInvalidValue);
    error = add(&block);
    if (!error && gsh_race_on)
        gsh_race_watch(ptr, size, GSH_HERE);
    return gsh_cuda_end(error);
}

cudaError_t cudaHostUnregister(void *ptr)
{
    struct block like = { .type = cudaMemoryTypeHost, .registered = true };
    cudaError_t error = gsh_stream_wait_all();

    if (error)
        return gsh_cuda_end(error);
    if (!drop(ptr, &like))
        return gsh_cuda_end(cudaErrorHostMemoryNotRegistered);
    if (gsh_race_on)
        gsh_race_unwatch(ptr, like.bytes);
    return gsh_cuda_end(cudaSuccess);
}

static enum cudaMemoryType type_of(const char *at)
{
    enum cudaMemoryType type = cudaMemoryTypeUnregistered;
    const struct block *block;

    pthread_mutex_lock(&lock);
    block = holds(at);
    if (block)
        type = block->type;
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < GSH_WINDOWS && !type; k++)
        if ((uint64_t)(uintptr_t)at - gsh_cpu_device_state.windows[k].base <
            gsh_cpu_device_state.windows[k].bytes)
            type = cudaMemoryTypeDevice;
    return type;
}

bool gsh_memory_is_pageable(const void *at)
{
    return type_of(at) == cudaMemoryTypeUnregistered;
}

bool gsh_memory_is_of_host(const void *at)
{
    enum cudaMemoryType type = type_of(at);

    return type == cudaMemoryTypeHost || type == cudaMemoryTypeManaged;
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
    if (!pDevice || !pHost || flags || type_of(pHost) != cudaMemoryTypeHost)
        return gsh_cuda_end(cudaErrorInvalidValue);
    *pDevice = pHost;
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    void *at = (void *)(uintptr_t)ptr;
    enum cudaMemoryType type = type_of(ptr);
    int device = 0;

    if (!attributes)
        return gsh_cuda_end(cudaErrorInvalidValue);
    cudaGetDevice(&device);
    *attributes = (struct cudaPointerAttributes){
        .type = type,
        .device = type == cudaMemoryTypeUnregistered ? cudaInvalidDeviceId : device,
        .devicePointer = type == cudaMemoryTypeUnregistered ? NULL : at,
        .hostPointer = type == cudaMemoryTypeDevice ? NULL : at,
    };
    return gsh_cuda_end(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (!available || !total)
        return gsh_cuda_end(cudaErrorInvalidValue);
    *available = page * (size_t)sysconf(_SC_AVPHYS_PAGES);
    *total = total_bytes();
    return gsh_cuda_end(cudaSuccess);
}

/* Host and device share their memory: hints are checked, and have no effect. */
static cudaError_t hint(const void *at, size_t bytes)
{
    enum cudaMemoryType type = type_of(at);

    return at && bytes && type == cudaMemoryTypeManaged ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    (void)location;
    (void)stream;
    return gsh_cuda_end(flags ? cudaErrorInvalidValue : hint(devPtr, count));
}

cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    (void)advice;
    (void)location;
    return gsh_cuda_end(hint(devPtr, count));
}
