/* copy.c - copies and sets, queued in streams.
 *
 * As in CUDA, memory that the runtime does not know (pageable memory) may be used again
 * when an asynchronous copy returns: what is copied from there is taken at the call,
 * what is copied to there has arrived.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static cudaError_t run_copy(void *data)
{
    const struct gsh_rows *rows = data;

    for (size_t y = 0; gsh_race_on && y < rows->height; y++) {
        gsh_race_touch(rows->src + y * rows->src_pitch, rows->width, 0, rows->where);
        gsh_race_touch(rows->dst + y * rows->dst_pitch, rows->width, 1, rows->where);
    }
    for (size_t y = 0; y < rows->height; y++)
        memmove(rows->dst + y * rows->dst_pitch, rows->src + y * rows->src_pitch, rows->width);
    return cudaSuccess;
}

static struct gsh_work *copy_work(struct gsh_rows *rows)
{
    return gsh_work_new(&(struct gsh_work){ .name = "memcpy",
                                            .kind = cudaGraphNodeTypeMemcpy,
                                            .run = run_copy,
                                            .release = free,
                                            .data = rows,
                                            .where = rows->where });
}

struct gsh_work *gsh_work_copy(const struct gsh_rows *rows)
{
    struct gsh_rows *own = malloc(sizeof(*own));

    if (!own)
        return NULL;
    *own = *rows;
    return copy_work(own);
}

/* The same from a copy of the source that is made now. */
static struct gsh_work *copy_work_of_now(const struct gsh_rows *rows)
{
    struct gsh_rows *own = malloc(sizeof(*own) + rows->width * rows->height);
    struct gsh_rows taken = *rows;

    if (!own)
        return NULL;
    taken.dst = (char *)(own + 1);
    taken.dst_pitch = rows->width;
    run_copy(&taken);
    *own = *rows;
    own->src = taken.dst;
    own->src_pitch = rows->width;
    return copy_work(own);
}

static cudaError_t check(const struct gsh_rows *rows, enum cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (rows->width > rows->dst_pitch || rows->width > rows->src_pitch)
        return cudaErrorInvalidPitchValue;
    return rows->dst && rows->src ? cudaSuccess : cudaErrorInvalidValue;
}

static bool is_empty(const struct gsh_rows *rows)
{
    return !rows->width || !rows->height;
}

static cudaError_t copy(const struct gsh_rows *rows, enum cudaMemcpyKind kind)
{
    cudaError_t error = is_empty(rows) ? cudaSuccess : check(rows, kind);

    if (error || is_empty(rows))
        return gsh_cuda_end(error);
    return gsh_cuda_end(gsh_stream_do_now(NULL, gsh_work_copy(rows)));
}

static bool in_capture(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status;

    return !cudaStreamIsCapturing(stream, &status) && status;
}

/* Of an address of unknown kind, which may be a variable of the device, nothing is taken
 * early: the copy is waited for. */
static cudaError_t copy_async(const struct gsh_rows *rows, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    cudaError_t error = is_empty(rows) ? cudaSuccess : check(rows, kind);
    bool to_host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
    bool known = kind != cudaMemcpyDefault;

    if (error || is_empty(rows))
        return gsh_cuda_end(error);
    if (kind == cudaMemcpyDeviceToDevice || in_capture(stream))
        return gsh_cuda_end(gsh_stream_do(stream, gsh_work_copy(rows)));
    if (kind == cudaMemcpyHostToDevice && gsh_memory_is_pageable(rows->src))
        return gsh_cuda_end(gsh_stream_do(stream, copy_work_of_now(rows)));
    if ((to_host && gsh_memory_is_pageable(rows->dst)) ||
        (!known && (gsh_memory_is_pageable(rows->src) || gsh_memory_is_pageable(rows->dst))))
        return gsh_cuda_end(gsh_stream_do_now(stream, gsh_work_copy(rows)));
    return gsh_cuda_end(gsh_stream_do(stream, gsh_work_copy(rows)));
}

static struct gsh_rows one_row(void *dst, const void *src, size_t count, const void *where)
{
    return (struct gsh_rows){ .dst = dst,
                              .src = src,
                              .dst_pitch = count,
                              .src_pitch = count,
                              .width = count,
                              .height = 1,
                              .where = where };
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    struct gsh_rows rows = one_row(dst, src, count, GSH_HERE);

    return copy(&rows, kind);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    struct gsh_rows rows = one_row(dst, src, count, GSH_HERE);

    return copy_async(&rows, kind, stream);
}

static bool are_devices(int a, int b)
{
    int n = 0;

    cudaGetDeviceCount(&n);
    return a >= 0 && a < n && b >= 0 && b < n;
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)
{
    struct gsh_rows rows = one_row(dst, src, count, GSH_HERE);

    if (!are_devices(dstDevice, srcDevice))
        return gsh_cuda_end(cudaErrorInvalidDevice);
    return copy(&rows, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count, cudaStream_t stream)
{
    struct gsh_rows rows = one_row(dst, src, count, GSH_HERE);

    if (!are_devices(dstDevice, srcDevice))
        return gsh_cuda_end(cudaErrorInvalidDevice);
    return copy_async(&rows, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    struct gsh_rows rows = { dst, src, dpitch, spitch, width, height, GSH_HERE };

    return copy(&rows, kind);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    struct gsh_rows rows = { dst, src, dpitch, spitch, width, height, GSH_HERE };

    return copy_async(&rows, kind, stream);
}

static void set_row(char *at, const struct cudaMemsetParams *p)
{
    if (p->elementSize == 1) {
        memset(at, (int)p->value, p->width);
        return;
    }
    for (size_t x = 0; x < p->width; x++)
        memcpy(at + x * p->elementSize, &p->value, p->elementSize); /* little-endian */
}

static cudaError_t run_set(void *data)
{
    const struct cudaMemsetParams *p = data;

    for (size_t y = 0; gsh_race_on && y < p->height; y++)
        gsh_race_touch((char *)p->dst + y * p->pitch, p->width * p->elementSize, 1, NULL);
    for (size_t y = 0; y < p->height; y++)
        set_row((char *)p->dst + y * p->pitch, p);
    return cudaSuccess;
}

struct gsh_work *gsh_work_set(const struct cudaMemsetParams *params, const void *where)
{
    struct cudaMemsetParams *own = malloc(sizeof(*own));

    if (!own)
        return NULL;
    *own = *params;
    return gsh_work_new(&(struct gsh_work){ .name = "memset",
                                            .kind = cudaGraphNodeTypeMemset,
                                            .run = run_set,
                                            .release = free,
                                            .data = own,
                                            .where = where });
}

static cudaError_t set(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                       cudaStream_t stream, bool now, const void *where)
{
    struct cudaMemsetParams p = { .dst = devPtr,
                                  .pitch = pitch,
                                  .value = (unsigned)value & 0xff,
                                  .elementSize = 1,
                                  .width = width,
                                  .height = height };

    if (!width || !height)
        return gsh_cuda_end(cudaSuccess);
    if (!devPtr || width > pitch)
        return gsh_cuda_end(devPtr ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue);
    return gsh_cuda_end((now ? gsh_stream_do_now : gsh_stream_do)(stream, gsh_work_set(&p, where)));
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return set(devPtr, pitch, value, width, height, stream, false, GSH_HERE);
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    return set(devPtr, count, value, count, 1, stream, false, GSH_HERE);
}

/* Device memory is set when the stream comes to it, memory that the host shares before the call
 * returns, as by a GPU. */
cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
    return set(devPtr, pitch, value, width, height, NULL, gsh_memory_is_of_host(devPtr), GSH_HERE);
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
    return set(devPtr, count, value, count, 1, NULL, gsh_memory_is_of_host(devPtr), GSH_HERE);
}
