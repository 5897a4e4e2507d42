/* blocks.c - allocate, grow and free in step with the other PEs of a team. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/blocks.h"
#include "coll/kernels.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/gpu.h"
#include "heap/alloc.h"
#include "heap/device.h"
#include "heap/guard.h"
#include "race/race.h"
#include "stream/stream.h"

#include <errno.h>
#include <stdio.h>

int gsh_blocks_open(struct gsh_blocks *blocks)
{
    blocks->arena = gsh_alloc_create();
    return blocks->arena ? 0 : gsh_fail(-ENOMEM, "no memory for the records of the heap");
}

static void check_block(void *arg, size_t off, size_t bytes, const void *tag)
{
    const struct gsh_blocks *blocks = arg;

    gsh_guard_check(blocks->base + off, bytes, tag);
}

void gsh_blocks_close(struct gsh_blocks *blocks, bool leaks)
{
    if (blocks->arena && blocks->checks) {
        gsh_alloc_each(blocks->arena, check_block, blocks);
        if (leaks)
            gsh_guard_leaks(blocks->arena, blocks->base);
    }
    gsh_alloc_destroy(blocks->arena);
    blocks->arena = NULL;
}

/* Bytes by which the arena may still grow. */
static size_t room(const struct gsh_blocks *blocks, const struct gsh_alloc_stats *stats)
{
    size_t most = blocks->limit + blocks->guards;

    return (most < blocks->window ? most : blocks->window) - stats->committed;
}

/* All members grow by `bytes`, or none. */
static int grow(struct gsh_blocks *blocks, struct gsh_team *team, struct gsh_call call,
                size_t bytes)
{
    uint64_t *vote = gsh_inner()->agree;
    struct gsh_alloc_stats stats;
    int err, extended;

    gsh_alloc_stats(blocks->arena, &stats);
    *vote = bytes <= room(blocks, &stats) && blocks->from->has(stats.committed, bytes);
    err = gsh_reduce(team, &call, vote, vote, 1, sizeof(*vote), gsh_combine_min_uint64);
    extended = blocks->from->extend(!err && *vote, stats.committed, bytes);
    if (extended)
        gsh_die("%s: the heap cannot grow as all PEs have agreed: %s", call.name, gsh_last_error());
    if (!err && !*vote)
        err = -ENOMEM;
    return err ? err : gsh_alloc_grow(blocks->arena, bytes);
}

/* The bytes by which to grow for a shortage, in whole steps where the limit
 * allows it. */
static size_t growth(const struct gsh_blocks *blocks, size_t shortage)
{
    size_t step = blocks->step;
    size_t whole = shortage > SIZE_MAX / 2 ? shortage : (shortage + step - 1) / step * step;
    struct gsh_alloc_stats stats;

    gsh_alloc_stats(blocks->arena, &stats);
    if (whole > room(blocks, &stats) && shortage <= room(blocks, &stats))
        return room(blocks, &stats);
    return whole;
}

/* The first time in a job a warning, since many programs do not look. */
static void *full(struct gsh_blocks *blocks, const char *call, size_t bytes)
{
    struct gsh_alloc_stats stats;
    char left[128];

    gsh_alloc_stats(blocks->arena, &stats);
    blocks->from->tell_free(left, sizeof(left));
    gsh_miss(-ENOMEM,
             "%s: no room for %zu bytes of %s memory: %zu of %zu committed bytes are free (largest "
             "block %zu), "
             "the heap may grow to %zu, %s",
             call, bytes, blocks->kind, stats.committed - stats.used, stats.committed,
             stats.largest, stats.committed + room(blocks, &stats), left);
    gsh_log(gsh.my_pe || blocks->warned ? GSH_INFO : GSH_WARN, GSH_HEAP, "%s", gsh_last_error());
    blocks->warned = true;
    return NULL;
}

/* The offset of a block, after growth if need be: collective when the arena has to grow. */
static size_t find_room(struct gsh_blocks *blocks, struct gsh_team *team,
                        const struct gsh_call *call, size_t align, size_t total)
{
    size_t shortage = gsh_alloc_shortage(blocks->arena, align, total), off;

    if (shortage && grow(blocks, team, *call, growth(blocks, shortage)))
        return GSH_ALLOC_NONE;
    off = gsh_alloc_take(blocks->arena, align, total, call->where);
    if (off == GSH_ALLOC_NONE)
        gsh_die("%s: no memory for the records of the heap", call->name);
    return off;
}

/* The block, without its guards; NULL when the heap is full. */
static char *take(struct gsh_blocks *blocks, struct gsh_team *team, const struct gsh_call *call,
                  size_t align)
{
    size_t bytes = call->bytes, front = blocks->checks ? gsh_guard_front(align) : 0;
    size_t total = bytes + front + (blocks->checks ? GSH_GUARD_BACK : 0), off;

    if (total < bytes)
        return full(blocks, call->name, bytes);
    blocks->guards += total - bytes;
    off = find_room(blocks, team, call, align, total);
    if (off == GSH_ALLOC_NONE) {
        blocks->guards -= total - bytes;
        return full(blocks, call->name, bytes);
    }
    if (blocks->checks)
        gsh_guard_set(blocks->base + off, front, bytes);
    return blocks->base + off + front;
}

void *gsh_blocks_take(struct gsh_blocks *blocks, struct gsh_team *team, struct gsh_call *call,
                      size_t align, bool zero)
{
    char *at = take(blocks, team, call, align);

    if (!at)
        return NULL; /* the vote was the meeting */
    if (zero && !gsh_device_heap_has(at, 0))
        memset(at, 0, call->bytes);
    else if (zero && gsh_gpu_set(at, 0, call->bytes))
        gsh_die("%s: %s", call->name, gsh_last_error());
    gsh_quiet();
    gsh_meet(team, call);
    return at;
}

size_t gsh_blocks_start(const struct gsh_blocks *blocks, const char *call, const void *ptr)
{
    size_t at = (size_t)((const char *)ptr - blocks->base);
    size_t start, bytes, front = 0;
    const void *tag;

    if (!gsh_alloc_find(blocks->arena, at, &start, &bytes, &tag))
        gsh_die("%s: %p (heap offset %zu) is not allocated; was it freed before?", call, ptr, at);
    if (blocks->checks)
        front = gsh_guard_front_of(blocks->base + start);
    if (at != start + front)
        gsh_die("%s: %p is %zu bytes inside a block of %zu bytes; free takes its start %p", call,
                ptr, at - start - front, bytes, (void *)(blocks->base + start + front));
    return start;
}

bool gsh_blocks_find(const struct gsh_blocks *blocks, const void *ptr, const char **start,
                     size_t *bytes, const void **where)
{
    size_t at = (size_t)((const char *)ptr - blocks->base), total, front;

    if (!blocks->arena || at >= blocks->window ||
        !gsh_alloc_find(blocks->arena, at, &at, &total, where))
        return false;
    front = blocks->checks ? gsh_guard_front_of(blocks->base + at) : 0;
    *start = blocks->base + at + front;
    *bytes = blocks->checks ? total - front - GSH_GUARD_BACK : total;
    return true;
}

void gsh_blocks_drop(struct gsh_blocks *blocks, size_t start)
{
    size_t at, bytes;
    const void *tag;

    if (!gsh_alloc_find(blocks->arena, start, &at, &bytes, &tag))
        return;
    if (blocks->checks) {
        gsh_guard_check(blocks->base + at, bytes, tag);
        blocks->guards -= gsh_guard_front_of(blocks->base + at) + GSH_GUARD_BACK;
    }
    if (gsh_race_on)
        gsh_race_shadow_clear(blocks->base + at, bytes);
    gsh_alloc_give(blocks->arena, start);
}

void gsh_blocks_give(struct gsh_blocks *blocks, struct gsh_team *team, struct gsh_call *call,
                     void *ptr)
{
    size_t start = gsh_blocks_start(blocks, call->name, ptr);

    call->extra = start;
    gsh_stream_drain();
    gsh_quiet();
    gsh_meet(team, call);
    gsh_blocks_drop(blocks, start);
}
