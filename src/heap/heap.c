/* heap.c - the public allocation calls, and the heap of each kind of memory. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/heap.h"
#include "core/env.h"
#include "core/init.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/gpu.h"
#include "gpu/stage.h"
#include "heap/alloc.h"
#include "heap/blocks.h"
#include "heap/bring.h"
#include "heap/device.h"
#include "heap/segment.h"
#include "heap/team_heap.h"

#include <gshmem/memory.h>

#include <errno.h>
#include <strings.h>
#include <unistd.h>

enum {
    ALIGN_LEAST = sizeof(void *),
    SPLIT_ALIGN = 2 << 20,
};

/* The device's memory is the GPU's, or the CPU device's where no GPU is in use. */
static struct gsh_blocks host, cpu, gpu;
static struct gsh_blocks *const heaps[] = { &host, &cpu, &gpu };
enum { HEAPS = sizeof(heaps) / sizeof(heaps[0]) };

size_t gsh_heap_with_slack(size_t bytes)
{
    size_t slack = bytes / 8 + (1 << 20);

    return bytes > SIZE_MAX - slack ? SIZE_MAX : bytes + slack;
}

static bool default_is_host(void)
{
    return *gsh_env.HEAP_KIND ? !strcasecmp(gsh_env.HEAP_KIND, "SYSMEM") : !gpu.arena;
}

size_t gsh_heap_most(bool grows)
{
    size_t least = gsh_heap_with_slack(gsh_env.SYMMETRIC_SIZE);

    return grows && gsh_env.MAX_MEMORY_PER_GPU > least ? gsh_env.MAX_MEMORY_PER_GPU : least;
}

void gsh_heap_window(size_t *want, size_t *need)
{
    size_t least = gsh_heap_most(false), most = gsh_heap_most(!gsh_env.DISABLE_CUDA_VMM);

    *need = gsh.heap_off + (default_is_host() ? least : 2 * least);
    /* The race checker needs address space for eight times as much. */
    *want = gsh.heap_off + (gsh_env.CHECK == GSH_CHECK_RACE ? most : 2 * most);
}

size_t gsh_heap_split(size_t window)
{
    size_t half = gsh.heap_off + (window - gsh.heap_off) / 2;
    size_t least = gsh.heap_off + gsh_heap_most(false);
    size_t at = (half > least ? half : least) / SPLIT_ALIGN * SPLIT_ALIGN;

    return at + SPLIT_ALIGN < window ? at + SPLIT_ALIGN : window;
}

/* What all kinds have in common; limit is for the whole heap, in bytes of the user. */
static int open_heap(struct gsh_blocks *heap, size_t step)
{
    heap->limit = (gsh_heap_most(!gsh_env.DISABLE_CUDA_VMM) + step - 1) / step * step;
    heap->step = step;
    return gsh_blocks_open(heap);
}

int gsh_heap_open(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), step = gsh_env.CUMEM_GRANULARITY;
    bool checks = gsh_env.CHECK || gsh_env.ENABLE_ERROR_CHECKS;
    int err;

    if (!step || step % page)
        return gsh_fail(-EINVAL,
                        "NVSHMEM_CUMEM_GRANULARITY is %zu, which is no multiple of a page, %zu",
                        step, page);
    host = (struct gsh_blocks){ .base = gsh.base + gsh.heap_off,
                                .window = gsh.device_off - gsh.heap_off,
                                .checks = checks,
                                .kind = "host",
                                .from = &gsh_backing_host };
    cpu = (struct gsh_blocks){ .base = gsh.base + gsh.device_off,
                               .window = gsh.window - gsh.device_off,
                               .checks = checks,
                               .kind = "device",
                               .from = &gsh_backing_cpu };
    gsh.span = gsh.heap_off;
    err = open_heap(&host, step);
    return err ? err : open_heap(&cpu, step);
}

int gsh_heap_open_device(size_t reserved, size_t bytes)
{
    size_t unit = gsh_gpu_granularity();

    gsh_alloc_set_seams(host.arena); /* kernels reach it from now on: see heap/pin.h */
    gpu = (struct gsh_blocks){ .base = gsh_device_heap.base + reserved,
                               .window = bytes,
                               .kind = "GPU",
                               .from = &gsh_backing_gpu };
    return open_heap(&gpu, (gsh_env.CUMEM_GRANULARITY + unit - 1) / unit * unit);
}

static void close_heap(struct gsh_blocks *heap)
{
    gsh_team_heap_close_all(heap);
    gsh_blocks_close(heap, gsh.my_pe == 0);
}

void gsh_heap_close(void)
{
    close_heap(&host);
    close_heap(&cpu);
}

void gsh_heap_close_device(void)
{
    close_heap(&gpu);
}

struct gsh_blocks *gsh_heap_now(struct gsh_call *call, enum gsh_heap_kind kind)
{
    bool is_host;

    gsh_quiet();
    gsh_gpu_stage(call->name);
    gsh_team_heap_reclaim(call);
    is_host = kind == GSH_HEAP_DEFAULT ? default_is_host() : kind == GSH_HEAP_HOST;
    call->root = is_host;
    return is_host ? &host : gpu.arena ? &gpu : &cpu;
}

static void *allocate(struct gsh_call call, enum gsh_heap_kind kind, bool zero)
{
    if (!call.bytes)
        return NULL;
    return gsh_blocks_take(gsh_heap_now(&call, kind), gsh_team_get(NVSHMEM_TEAM_WORLD), &call,
                           call.extra, zero);
}

void *nvshmem_malloc(size_t size)
{
    struct gsh_call call = { .op = GSH_COLL_MALLOC,
                             .bytes = size,
                             .extra = GSH_ALLOC_UNIT,
                             .name = "nvshmem_malloc",
                             .where = __builtin_return_address(0) };

    return gsh_ready(call.name) ? allocate(call, GSH_HEAP_DEFAULT, false) : NULL;
}

void *nvshmemx_malloc_kind(size_t size, enum nvshmemx_kind kind)
{
    struct gsh_call call = { .op = GSH_COLL_MALLOC_KIND,
                             .bytes = size,
                             .extra = GSH_ALLOC_UNIT,
                             .name = "nvshmemx_malloc_kind",
                             .where = __builtin_return_address(0) };

    if (!gsh_ready(call.name))
        return NULL;
    if (kind != NVSHMEMX_KIND_DEVICE && kind != NVSHMEMX_KIND_HOST) {
        gsh_fail(-EINVAL,
                 "nvshmemx_malloc_kind: kind %d is neither NVSHMEMX_KIND_DEVICE (%d) nor "
                 "NVSHMEMX_KIND_HOST (%d)",
                 (int)kind, NVSHMEMX_KIND_DEVICE, NVSHMEMX_KIND_HOST);
        return NULL;
    }
    return allocate(call, kind == NVSHMEMX_KIND_HOST ? GSH_HEAP_HOST : GSH_HEAP_DEVICE, false);
}

void *nvshmem_calloc(size_t count, size_t size)
{
    struct gsh_call call = { .op = GSH_COLL_CALLOC,
                             .extra = GSH_ALLOC_UNIT,
                             .name = "nvshmem_calloc",
                             .where = __builtin_return_address(0) };
    size_t bytes;

    if (!gsh_ready(call.name))
        return NULL;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        gsh_fail(-EOVERFLOW, "nvshmem_calloc: %zu times %zu bytes is more than an address can hold",
                 count, size);
        return NULL;
    }
    call.bytes = bytes;
    return allocate(call, GSH_HEAP_DEFAULT, true);
}

void *nvshmem_align(size_t alignment, size_t size)
{
    struct gsh_call call = { .op = GSH_COLL_ALIGN,
                             .bytes = size,
                             .extra = alignment,
                             .name = "nvshmem_align",
                             .where = __builtin_return_address(0) };

    if (!gsh_ready(call.name))
        return NULL;
    if (alignment < ALIGN_LEAST || alignment & (alignment - 1) || alignment > GSH_SEGMENT_ALIGN) {
        gsh_fail(-EINVAL, "nvshmem_align: alignment %zu is no power of two from %d to %u",
                 alignment, ALIGN_LEAST, GSH_SEGMENT_ALIGN);
        return NULL;
    }
    return allocate(call, GSH_HEAP_DEFAULT, false);
}

struct gsh_blocks *gsh_heap_at(const void *ptr)
{
    for (int i = 0; i < HEAPS; i++)
        if (heaps[i]->arena && (size_t)((const char *)ptr - heaps[i]->base) < heaps[i]->window)
            return heaps[i];
    return NULL;
}

bool gsh_heap_is_symmetric(const void *ptr, size_t bytes)
{
    uintptr_t at = (uintptr_t)ptr, own = (uintptr_t)gsh.base;
    uintptr_t far = (uintptr_t)gsh_device_heap.base;

    return (at < own + gsh.window && own < at + bytes) ||
           (at < far + gsh_device_heap.window && far < at + bytes);
}

/* The heap that ptr is in, for the calls that free; ends the job when it is none of the
 * program's blocks there. */
static struct gsh_blocks *heap_of(const void *ptr)
{
    struct gsh_blocks *heap = gsh_heap_at(ptr);

    if (gsh_team_heap_at(ptr))
        gsh_die("nvshmem_free: %p is in the heap of a team; nvshmemx_team_free frees it", ptr);
    if (gsh_bring_holds(ptr))
        gsh_die("nvshmem_free: %p is a registered buffer; "
                "nvshmemx_buffer_unregister_symmetric ends it",
                ptr);
    if (!heap)
        gsh_die("nvshmem_free: %p is not in the symmetric heap", ptr);
    return heap;
}

size_t gsh_heap_bytes_of(const void *ptr)
{
    const struct gsh_blocks *heap = heap_of(ptr);
    const char *start;
    const void *where;
    size_t bytes;

    gsh_blocks_start(heap, "nvshmem_free", ptr);
    return gsh_blocks_find(heap, ptr, &start, &bytes, &where) ? bytes : 0;
}

void nvshmem_free(void *ptr)
{
    struct gsh_call call = { .op = GSH_COLL_FREE,
                             .name = "nvshmem_free",
                             .where = __builtin_return_address(0) };
    struct gsh_blocks *heap;

    if (!ptr || !gsh_ready(call.name))
        return;
    heap = heap_of(ptr);
    call.root = heap == &host;
    gsh_blocks_give(heap, gsh_team_get(NVSHMEM_TEAM_WORLD), &call, ptr);
}

bool gsh_heap_block(const void *ptr, const char **start, size_t *bytes, const void **where)
{
    const struct gsh_blocks *heap = gsh_team_heap_at(ptr);

    if (!heap)
        heap = gsh_heap_at(ptr);
    return heap && gsh_blocks_find(heap, ptr, start, bytes, where);
}
