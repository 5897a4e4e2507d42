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
#include "heap/alloc.h"
#include "heap/guard.h"
#include "heap/physical.h"
#include "heap/segment.h"

#include <gshmem/memory.h>

#include <errno.h>

enum { ALIGN_LEAST = sizeof(void *) };

static struct gsh_alloc *arena;
static size_t limit;  /* bytes the arena may grow to, guards not counted */
static size_t guards; /* bytes of guards in it */
static bool checks;
static bool warned; /* that the heap is full */

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

int gsh_heap_open(void)
{
    size_t unit = GSH_ALLOC_UNIT;

    if (!gsh_env.CUMEM_GRANULARITY || gsh_env.CUMEM_GRANULARITY % unit)
        return gsh_fail(-EINVAL, "NVSHMEM_CUMEM_GRANULARITY is %zu, which is no multiple of %zu",
                        gsh_env.CUMEM_GRANULARITY, unit);
    arena = gsh_alloc_create();
    if (!arena)
        return gsh_fail(-ENOMEM, "no memory for the records of the heap");
    limit = with_slack(gsh_env.SYMMETRIC_SIZE);
    if (!gsh_env.DISABLE_CUDA_VMM && limit < gsh_env.MAX_MEMORY_PER_GPU)
        limit = gsh_env.MAX_MEMORY_PER_GPU;
    limit = limit / unit * unit;
    guards = 0;
    warned = false;
    checks = gsh_env.CHECK || gsh_env.ENABLE_ERROR_CHECKS;
    gsh.span = gsh.heap_off;
    return 0;
}

static void check_block(void *arg, size_t off, size_t bytes, const void *tag)
{
    (void)arg;
    gsh_guard_check(gsh.base + gsh.heap_off + off, bytes, tag);
}

void gsh_heap_close(void)
{
    if (arena && checks) {
        gsh_alloc_each(arena, check_block, NULL);
        if (gsh.my_pe == 0)
            gsh_guard_leaks(arena, gsh.base + gsh.heap_off);
    }
    gsh_alloc_destroy(arena);
    arena = NULL;
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
static size_t room(const struct gsh_alloc_stats *stats)
{
    size_t most = limit + guards;
    size_t window = gsh.window - gsh.heap_off;

    return (most < window ? most : window) - stats->committed;
}

/* Is there memory for such an arena on every PE of this machine? What has been
 * touched is there; the rest of it, touched or not, must still be free. */
static bool is_backed(size_t committed)
{
    size_t all = committed * (size_t)gsh_segment.n_here;
    size_t touched = gsh_segment_touched(&gsh_segment);

    return gsh_physical_has(all > touched ? all - touched : 0);
}

/* All PEs grow by `bytes`, or none. */
static int grow(struct gsh_team *world, struct gsh_call call, size_t bytes)
{
    uint64_t *vote = gsh_inner()->agree;
    struct gsh_alloc_stats stats;
    int err;

    gsh_alloc_stats(arena, &stats);
    *vote = bytes <= room(&stats) && is_backed(stats.committed + bytes);
    err = gsh_reduce(world, &call, vote, vote, 1, sizeof(*vote), min_word);
    if (!err && !*vote)
        err = -ENOMEM;
    if (!err)
        err = gsh_alloc_grow(arena, bytes);
    if (!err)
        gsh.span = gsh.heap_off + stats.committed + bytes;
    return err;
}

/* The bytes by which to grow for a shortage, in whole steps where the limit
 * allows it. */
static size_t growth(size_t shortage)
{
    size_t step = gsh_env.CUMEM_GRANULARITY;
    size_t whole = shortage > SIZE_MAX / 2 ? shortage : (shortage + step - 1) / step * step;
    struct gsh_alloc_stats stats;

    gsh_alloc_stats(arena, &stats);
    if (whole > room(&stats) && shortage <= room(&stats))
        return room(&stats);
    return whole;
}

/* The first time in a job a warning, since many programs do not look. */
static void *full(const char *call, size_t bytes)
{
    struct gsh_alloc_stats stats;

    gsh_alloc_stats(arena, &stats);
    gsh_miss(-ENOMEM,
             "%s: no room for %zu bytes: %zu of %zu committed bytes are free (largest block %zu), "
             "the heap may grow to %zu, this machine has %zu MiB free for %d PEs",
             call, bytes, stats.committed - stats.used, stats.committed, stats.largest,
             stats.committed + room(&stats), gsh_physical_free() >> 20, gsh_segment.n_here);
    gsh_log(gsh.my_pe || warned ? GSH_INFO : GSH_WARN, GSH_HEAP, "%s", gsh_last_error());
    warned = true;
    return NULL;
}

/* The block, its guards included, after growth if need be; collective when the
 * arena has to grow. NULL when the heap is full. */
static char *take(const char *name, struct gsh_team *world, const struct gsh_call *call,
                  size_t align, size_t bytes, const void *where)
{
    size_t front = checks ? gsh_guard_front(align) : 0;
    size_t total = bytes + front + (checks ? GSH_GUARD_BACK : 0);
    size_t shortage, off;

    if (total < bytes)
        return full(name, bytes);
    guards += total - bytes;
    shortage = gsh_alloc_shortage(arena, align, total);
    if (shortage && grow(world, *call, growth(shortage))) {
        guards -= total - bytes;
        return full(name, bytes);
    }
    off = gsh_alloc_take(arena, align, total, where);
    if (off == GSH_ALLOC_NONE)
        gsh_die("%s: no memory for the records of the heap", name);
    if (checks)
        gsh_guard_set(gsh.base + gsh.heap_off + off, front, bytes);
    return gsh.base + gsh.heap_off + off + front;
}

static void *allocate(const char *name, enum gsh_coll_op op, size_t align, size_t bytes, bool zero,
                      const void *where)
{
    struct gsh_team *world = gsh_team_get(NVSHMEM_TEAM_WORLD);
    struct gsh_call call = {
        .op = (uint16_t)op, .bytes = bytes, .extra = align, .name = name, .where = where
    };
    char *at;

    if (!bytes)
        return NULL;
    gsh_quiet();
    at = take(name, world, &call, align, bytes, where);
    if (at && zero)
        memset(at, 0, bytes);
    if (!at)
        return NULL; /* the vote was the meeting */
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

/* The offset at which the block of ptr begins; ends the job when none does. */
static size_t block_of(const void *ptr)
{
    size_t at = (size_t)((const char *)ptr - gsh.base) - gsh.heap_off;
    size_t start, bytes, front = 0;
    const void *tag;

    if ((size_t)((const char *)ptr - gsh.base) >= gsh.span)
        gsh_die("nvshmem_free: %p is not in the symmetric heap", ptr);
    if (!gsh_alloc_find(arena, at, &start, &bytes, &tag))
        gsh_die("nvshmem_free: %p (heap offset %zu) is not allocated; was it freed before?", ptr,
                at);
    if (checks)
        front = gsh_guard_front_of(gsh.base + gsh.heap_off + start);
    if (at != start + front)
        gsh_die(
            "nvshmem_free: %p is %zu bytes inside a block of %zu bytes; free takes its start %p",
            ptr, at - start - front, bytes, (void *)(gsh.base + gsh.heap_off + start + front));
    return start;
}

size_t gsh_heap_bytes_of(const void *ptr)
{
    size_t start = block_of(ptr), at, bytes;
    const void *tag;

    if (!gsh_alloc_find(arena, start, &at, &bytes, &tag))
        return 0;
    return checks ? bytes - gsh_guard_front_of(gsh.base + gsh.heap_off + at) - GSH_GUARD_BACK
                  : bytes;
}

void nvshmem_free(void *ptr)
{
    struct gsh_call call = { .op = GSH_COLL_FREE,
                             .name = "nvshmem_free",
                             .where = __builtin_return_address(0) };
    size_t start, at, bytes;
    const void *tag;

    if (!ptr || !gsh_ready("nvshmem_free"))
        return;
    start = block_of(ptr);
    call.extra = start;
    gsh_quiet();
    gsh_meet(gsh_team_get(NVSHMEM_TEAM_WORLD), &call);
    if (checks && gsh_alloc_find(arena, start, &at, &bytes, &tag)) {
        gsh_guard_check(gsh.base + gsh.heap_off + at, bytes, tag);
        guards -= gsh_guard_front_of(gsh.base + gsh.heap_off + at) + GSH_GUARD_BACK;
    }
    gsh_alloc_give(arena, start);
}
