/* heap.c - the public allocation calls.
 *
 * A call allocates first and then meets the other PEs: the records are equal on
 * all, and the signature of the call tells when the arguments are not. Only
 * growth needs an answer from the others, since memory may be short on one of
 * them: then all vote before anything changes.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/heap.h"
#include "coll/coll.h"
#include "core/env.h"
#include "core/init.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/gpu.h"
#include "gpu/stage.h"
#include "heap/alloc.h"
#include "heap/device.h"
#include "heap/guard.h"
#include "heap/physical.h"
#include "heap/segment.h"
#include "race/race.h"
#include "stream/stream.h"

#include <gshmem/memory.h>

#include <errno.h>
#include <stdio.h>

enum { ALIGN_LEAST = sizeof(void *) };

/* The heap of one kind of memory. Its blocks are at base + the arena's offset. */
struct heap {
    struct gsh_alloc *arena;
    char *base;
    size_t window; /* bytes from base to the end of the window */
    size_t limit;  /* bytes the arena may grow to, guards not counted */
    size_t step;   /* growth is a multiple of it where the limit allows it */
    size_t guards; /* bytes of guards in it */
    bool checks;   /* blocks have guards */
    bool warned;   /* that it is full */
    /* Is there memory for `bytes` more here? Then extend() makes them usable when all PEs
     * have said so, or takes back what the question prepared. */
    bool (*has)(size_t committed, size_t bytes);
    int (*extend)(bool all, size_t committed, size_t bytes);
    void (*tell_free)(char *text, size_t bytes);
};

static struct heap host, device;

/* Room on top of what the user asked for, so that NVSHMEM_SYMMETRIC_SIZE can be
 * had as one block or as many small ones. */
static size_t with_slack(size_t bytes)
{
    return bytes + bytes / 8 + (1 << 20);
}

void gsh_heap_window(size_t *want, size_t *need)
{
    *need = gsh.heap_off + with_slack(gsh_env.SYMMETRIC_SIZE);
    *want = gsh_env.DISABLE_CUDA_VMM ? *need : gsh.heap_off + gsh_env.MAX_MEMORY_PER_GPU;
}

/* What has been touched of the host's windows is there; the rest, touched or not, must
 * still be free. */
static bool host_has(size_t committed, size_t bytes)
{
    size_t all = (committed + bytes) * (size_t)gsh_segment.n_here;
    size_t touched = gsh_segment_touched(&gsh_segment);

    return gsh_physical_has(all > touched ? all - touched : 0);
}

static int host_extend(bool all, size_t committed, size_t bytes)
{
    if (all)
        gsh.span = gsh.heap_off + committed + bytes;
    return 0;
}

static void host_free(char *text, size_t bytes)
{
    snprintf(text, bytes, "this machine has %zu MiB free for %d PEs", gsh_physical_free() >> 20,
             gsh_segment.n_here);
}

static bool device_has(size_t committed, size_t bytes)
{
    (void)committed;
    return !gsh_device_heap_make(bytes);
}

static int device_extend(bool all, size_t committed, size_t bytes)
{
    (void)committed, (void)bytes;
    if (all)
        return gsh_device_heap_map();
    gsh_device_heap_drop();
    return 0;
}

static void device_free(char *text, size_t bytes)
{
    size_t available = 0, all = 0;

    gsh_gpu_memory(&available, &all);
    snprintf(text, bytes, "the GPU has %zu of %zu MiB free", available >> 20, all >> 20);
}

/* What both kinds have in common; limit is for the whole heap, in bytes of the user. */
static int open_heap(struct heap *heap, size_t step)
{
    heap->arena = gsh_alloc_create();
    if (!heap->arena)
        return gsh_fail(-ENOMEM, "no memory for the records of the heap");
    heap->limit = with_slack(gsh_env.SYMMETRIC_SIZE);
    if (!gsh_env.DISABLE_CUDA_VMM && heap->limit < gsh_env.MAX_MEMORY_PER_GPU)
        heap->limit = gsh_env.MAX_MEMORY_PER_GPU;
    heap->limit = (heap->limit + step - 1) / step * step;
    heap->step = step;
    return 0;
}

int gsh_heap_open(void)
{
    size_t unit = GSH_ALLOC_UNIT;

    if (!gsh_env.CUMEM_GRANULARITY || gsh_env.CUMEM_GRANULARITY % unit)
        return gsh_fail(-EINVAL, "NVSHMEM_CUMEM_GRANULARITY is %zu, which is no multiple of %zu",
                        gsh_env.CUMEM_GRANULARITY, unit);
    host = (struct heap){ .base = gsh.base + gsh.heap_off,
                          .window = gsh.window - gsh.heap_off,
                          .checks = gsh_env.CHECK || gsh_env.ENABLE_ERROR_CHECKS,
                          .has = host_has,
                          .extend = host_extend,
                          .tell_free = host_free };
    gsh.span = gsh.heap_off;
    return open_heap(&host, gsh_env.CUMEM_GRANULARITY);
}

int gsh_heap_open_device(size_t reserved)
{
    size_t unit = gsh_gpu_granularity();

    device = (struct heap){ .base = gsh_device_heap.base + reserved,
                            .window = gsh_device_heap.window - reserved,
                            .has = device_has,
                            .extend = device_extend,
                            .tell_free = device_free };
    return open_heap(&device, (gsh_env.CUMEM_GRANULARITY + unit - 1) / unit * unit);
}

static void check_block(void *arg, size_t off, size_t bytes, const void *tag)
{
    const struct heap *heap = arg;

    gsh_guard_check(heap->base + off, bytes, tag);
}

static void close_heap(struct heap *heap)
{
    if (heap->arena && heap->checks) {
        gsh_alloc_each(heap->arena, check_block, heap);
        if (gsh.my_pe == 0)
            gsh_guard_leaks(heap->arena, heap->base);
    }
    gsh_alloc_destroy(heap->arena);
    heap->arena = NULL;
}

void gsh_heap_close(void)
{
    close_heap(&host);
}

void gsh_heap_close_device(void)
{
    close_heap(&device);
}

static void min_word(void *to, const void *const *from, int n, size_t nelems)
{
    for (size_t i = 0; i < nelems; i++) {
        uint64_t least = UINT64_MAX;

        for (int k = 0; k < n; k++)
            if (((const uint64_t *)from[k])[i] < least)
                least = ((const uint64_t *)from[k])[i];
        ((uint64_t *)to)[i] = least;
    }
}

/* Bytes by which the arena may still grow. */
static size_t room(const struct heap *heap, const struct gsh_alloc_stats *stats)
{
    size_t most = heap->limit + heap->guards;

    return (most < heap->window ? most : heap->window) - stats->committed;
}

/* All PEs grow by `bytes`, or none. */
static int grow(struct heap *heap, struct gsh_team *world, struct gsh_call call, size_t bytes)
{
    uint64_t *vote = gsh_inner()->agree;
    struct gsh_alloc_stats stats;
    int err, extended;

    gsh_alloc_stats(heap->arena, &stats);
    *vote = bytes <= room(heap, &stats) && heap->has(stats.committed, bytes);
    err = gsh_reduce(world, &call, vote, vote, 1, sizeof(*vote), min_word);
    extended = heap->extend(!err && *vote, stats.committed, bytes);
    if (extended)
        gsh_die("%s: the heap cannot grow as all PEs have agreed: %s", call.name, gsh_last_error());
    if (!err && !*vote)
        err = -ENOMEM;
    return err ? err : gsh_alloc_grow(heap->arena, bytes);
}

/* The bytes by which to grow for a shortage, in whole steps where the limit
 * allows it. */
static size_t growth(const struct heap *heap, size_t shortage)
{
    size_t step = heap->step;
    size_t whole = shortage > SIZE_MAX / 2 ? shortage : (shortage + step - 1) / step * step;
    struct gsh_alloc_stats stats;

    gsh_alloc_stats(heap->arena, &stats);
    if (whole > room(heap, &stats) && shortage <= room(heap, &stats))
        return room(heap, &stats);
    return whole;
}

/* The first time in a job a warning, since many programs do not look. */
static void *full(struct heap *heap, const char *call, size_t bytes)
{
    struct gsh_alloc_stats stats;
    char left[128];

    gsh_alloc_stats(heap->arena, &stats);
    heap->tell_free(left, sizeof(left));
    gsh_miss(-ENOMEM,
             "%s: no room for %zu bytes: %zu of %zu committed bytes are free (largest block %zu), "
             "the heap may grow to %zu, %s",
             call, bytes, stats.committed - stats.used, stats.committed, stats.largest,
             stats.committed + room(heap, &stats), left);
    gsh_log(gsh.my_pe || heap->warned ? GSH_INFO : GSH_WARN, GSH_HEAP, "%s", gsh_last_error());
    heap->warned = true;
    return NULL;
}

/* The block, its guards included, after growth if need be; collective when the
 * arena has to grow. NULL when the heap is full. */
static char *take(struct heap *heap, const char *name, struct gsh_team *world,
                  const struct gsh_call *call, size_t align, size_t bytes, const void *where)
{
    size_t front = heap->checks ? gsh_guard_front(align) : 0;
    size_t total = bytes + front + (heap->checks ? GSH_GUARD_BACK : 0);
    size_t shortage, off;

    if (total < bytes)
        return full(heap, name, bytes);
    heap->guards += total - bytes;
    shortage = gsh_alloc_shortage(heap->arena, align, total);
    if (shortage && grow(heap, world, *call, growth(heap, shortage))) {
        heap->guards -= total - bytes;
        return full(heap, name, bytes);
    }
    off = gsh_alloc_take(heap->arena, align, total, where);
    if (off == GSH_ALLOC_NONE)
        gsh_die("%s: no memory for the records of the heap", name);
    if (heap->checks)
        gsh_guard_set(heap->base + off, front, bytes);
    return heap->base + off + front;
}

static void *allocate(const char *name, enum gsh_coll_op op, size_t align, size_t bytes, bool zero,
                      const void *where)
{
    struct gsh_team *world = gsh_team_get(NVSHMEM_TEAM_WORLD);
    struct gsh_call call = {
        .op = (uint16_t)op, .bytes = bytes, .extra = align, .name = name, .where = where
    };
    struct heap *heap;
    char *at;

    if (!bytes)
        return NULL;
    gsh_quiet();
    gsh_gpu_stage(name);
    heap = device.arena ? &device : &host;
    at = take(heap, name, world, &call, align, bytes, where);
    if (!at)
        return NULL; /* the vote was the meeting */
    if (zero && heap == &host)
        memset(at, 0, bytes);
    else if (zero && gsh_gpu_set(at, 0, bytes))
        gsh_die("%s: %s", name, gsh_last_error());
    gsh_quiet();
    gsh_meet(world, &call);
    return at;
}

void *nvshmem_malloc(size_t size)
{
    if (!gsh_ready("nvshmem_malloc"))
        return NULL;
    return allocate("nvshmem_malloc", GSH_COLL_MALLOC, GSH_ALLOC_UNIT, size, false,
                    __builtin_return_address(0));
}

void *nvshmem_calloc(size_t count, size_t size)
{
    size_t bytes;

    if (!gsh_ready("nvshmem_calloc"))
        return NULL;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        gsh_fail(-EOVERFLOW, "nvshmem_calloc: %zu times %zu bytes is more than an address can hold",
                 count, size);
        return NULL;
    }
    return allocate("nvshmem_calloc", GSH_COLL_CALLOC, GSH_ALLOC_UNIT, bytes, true,
                    __builtin_return_address(0));
}

void *nvshmem_align(size_t alignment, size_t size)
{
    if (!gsh_ready("nvshmem_align"))
        return NULL;
    if (alignment < ALIGN_LEAST || alignment & (alignment - 1) || alignment > GSH_SEGMENT_ALIGN) {
        gsh_fail(-EINVAL, "nvshmem_align: alignment %zu is no power of two from %d to %u",
                 alignment, ALIGN_LEAST, GSH_SEGMENT_ALIGN);
        return NULL;
    }
    return allocate("nvshmem_align", GSH_COLL_ALIGN, alignment, size, false,
                    __builtin_return_address(0));
}

/* The heap that ptr is in; ends the job when it is in none. */
static struct heap *heap_of(const void *ptr)
{
    if ((size_t)((const char *)ptr - gsh.base) < gsh.span)
        return &host;
    if (!gsh_device_heap_has(ptr, 1))
        gsh_die("nvshmem_free: %p is not in the symmetric heap", ptr);
    return &device;
}

/* The offset at which the block of ptr begins; ends the job when none does. */
static size_t block_of(const struct heap *heap, const void *ptr)
{
    size_t at = (size_t)((const char *)ptr - heap->base);
    size_t start, bytes, front = 0;
    const void *tag;

    if (!gsh_alloc_find(heap->arena, at, &start, &bytes, &tag))
        gsh_die("nvshmem_free: %p (heap offset %zu) is not allocated; was it freed before?", ptr,
                at);
    if (heap->checks)
        front = gsh_guard_front_of(heap->base + start);
    if (at != start + front)
        gsh_die(
            "nvshmem_free: %p is %zu bytes inside a block of %zu bytes; free takes its start %p",
            ptr, at - start - front, bytes, (void *)(heap->base + start + front));
    return start;
}

size_t gsh_heap_bytes_of(const void *ptr)
{
    const struct heap *heap = heap_of(ptr);
    size_t start = block_of(heap, ptr), at, bytes;
    const void *tag;

    if (!gsh_alloc_find(heap->arena, start, &at, &bytes, &tag))
        return 0;
    return heap->checks ? bytes - gsh_guard_front_of(heap->base + at) - GSH_GUARD_BACK : bytes;
}

void nvshmem_free(void *ptr)
{
    struct gsh_call call = { .op = GSH_COLL_FREE,
                             .name = "nvshmem_free",
                             .where = __builtin_return_address(0) };
    size_t start, at, bytes;
    struct heap *heap;
    const void *tag;

    if (!ptr || !gsh_ready("nvshmem_free"))
        return;
    heap = heap_of(ptr);
    start = block_of(heap, ptr);
    call.extra = start;
    gsh_stream_drain();
    gsh_quiet();
    gsh_meet(gsh_team_get(NVSHMEM_TEAM_WORLD), &call);
    if (heap->checks && gsh_alloc_find(heap->arena, start, &at, &bytes, &tag)) {
        gsh_guard_check(heap->base + at, bytes, tag);
        heap->guards -= gsh_guard_front_of(heap->base + at) + GSH_GUARD_BACK;
    }
    if (gsh_race_on)
        gsh_race_shadow_clear(ptr, gsh_heap_bytes_of(ptr));
    gsh_alloc_give(heap->arena, start);
}

bool gsh_heap_block(const void *ptr, const char **start, size_t *bytes, const void **where)
{
    struct heap *heap = gsh_device_heap_has(ptr, 0) ? &device : &host;
    size_t at = (size_t)((const char *)ptr - heap->base), total, front;

    if (!heap->arena || at >= heap->window || !gsh_alloc_find(heap->arena, at, &at, &total, where))
        return false;
    front = heap->checks ? gsh_guard_front_of(heap->base + at) : 0;
    *start = heap->base + at + front;
    *bytes = heap->checks ? total - front - GSH_GUARD_BACK : total;
    return true;
}
