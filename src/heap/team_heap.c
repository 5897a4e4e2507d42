/* team_heap.c - take, use and leave the heaps of teams. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/team_heap.h"
#include "coll/kernels.h"
#include "core/init.h"
#include "core/log.h"
#include "core/remote.h"
#include "heap/alloc.h"
#include "heap/heap.h"
#include "stream/stream.h"

#include <gshmem/memory.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = GSH_AGREE_WORDS * 64 }; /* parts that can be agreed upon */

struct gsh_team_heap {
    struct gsh_blocks blocks;
    struct gsh_blocks *heap; /* that it is a block of */
    size_t start;            /* of the block */
    bool left;
    struct gsh_team_heap *next;
};

static struct gsh_team_heap *parts; /* newest first: the same list on all PEs */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */

static bool never(size_t committed, size_t bytes)
{
    (void)committed, (void)bytes;
    return false;
}

static int stay(bool all, size_t committed, size_t bytes)
{
    (void)all, (void)committed, (void)bytes;
    return 0;
}

static void tell_owner(char *text, size_t bytes)
{
    snprintf(text, bytes, "as it is the heap of a team, which was made with it");
}

static const struct gsh_backing nowhere = { never, stay, tell_owner };

static struct gsh_team_heap *create(struct gsh_blocks *heap, char *at, size_t bytes)
{
    struct gsh_team_heap *part = calloc(1, sizeof(*part));

    if (!part)
        return NULL;
    part->heap = heap;
    part->start = gsh_blocks_start(heap, "the heap of a team", at);
    part->blocks = (struct gsh_blocks){ .base = at,
                                        .window = bytes,
                                        .limit = bytes,
                                        .step = GSH_ALLOC_UNIT,
                                        .checks = heap->checks,
                                        .kind = heap->kind,
                                        .from = &nowhere };
    if (gsh_blocks_open(&part->blocks) || gsh_alloc_grow(part->blocks.arena, bytes)) {
        gsh_blocks_close(&part->blocks, false);
        free(part);
        return NULL;
    }
    return part;
}

static size_t count(void)
{
    size_t n = 0;

    for (const struct gsh_team_heap *part = parts; part; part = part->next)
        n++;
    return n;
}

struct gsh_team_heap *gsh_team_heap_take(const struct gsh_call *call)
{
    struct gsh_call taking = *call;
    struct gsh_blocks *heap;
    struct gsh_team_heap *part;
    char *at;

    taking.root = 0; /* the parents may have flags of their own */
    heap = gsh_heap_now(&taking, GSH_HEAP_DEFAULT);

    if (count() == MOST) {
        gsh_fail(-ENOSPC, "%s: %d teams with heaps are not destroyed yet on some PE", call->name,
                 MOST);
        return NULL;
    }
    taking.bytes = gsh_heap_with_slack(call->bytes) / GSH_ALLOC_UNIT * GSH_ALLOC_UNIT;
    at = gsh_blocks_take(heap, gsh_team_get(NVSHMEM_TEAM_WORLD), &taking, GSH_ALLOC_UNIT, false);
    if (!at)
        return NULL;
    part = create(heap, at, taking.bytes);
    if (!part)
        gsh_die("%s: no memory for the records of a heap", call->name);
    pthread_mutex_lock(&lock);
    part->next = parts;
    parts = part;
    pthread_mutex_unlock(&lock);
    return part;
}

void gsh_team_heap_leave(struct gsh_team_heap *part)
{
    gsh_stream_drain();
    gsh_blocks_close(&part->blocks, false);
    part->left = true;
}

/* Those with a bit set go. */
static void drop(const uint64_t *bits)
{
    struct gsh_team_heap **at = &parts;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; *at; i++) {
        struct gsh_team_heap *part = *at;

        if (!(bits[i / 64] >> i % 64 & 1)) {
            at = &part->next;
            continue;
        }
        *at = part->next;
        gsh_blocks_drop(part->heap, part->start);
        free(part);
    }
    pthread_mutex_unlock(&lock);
}

void gsh_team_heap_reclaim(const struct gsh_call *call)
{
    uint64_t *bits = gsh_inner()->agree;
    struct gsh_call asking = *call;
    size_t i = 0;

    if (!parts)
        return;
    memset(bits, 0, GSH_AGREE_WORDS * sizeof(*bits));
    for (const struct gsh_team_heap *part = parts; part; part = part->next, i++)
        bits[i / 64] |= (uint64_t)part->left << i % 64;
    if (!gsh_reduce(gsh_team_get(NVSHMEM_TEAM_WORLD), &asking, bits, bits, GSH_AGREE_WORDS,
                    sizeof(*bits), gsh_combine_and_uint64))
        drop(bits);
}

const struct gsh_blocks *gsh_team_heap_at(const void *ptr)
{
    const struct gsh_team_heap *part;

    pthread_mutex_lock(&lock);
    part = parts;
    while (part && (size_t)((const char *)ptr - part->blocks.base) >= part->blocks.window)
        part = part->next;
    pthread_mutex_unlock(&lock);
    return part ? &part->blocks : NULL;
}

void gsh_team_heap_close_all(const struct gsh_blocks *heap)
{
    uint64_t bits[GSH_AGREE_WORDS] = { 0 };
    size_t i = 0;

    for (struct gsh_team_heap *part = parts; part; part = part->next, i++) {
        if (part->heap != heap)
            continue;
        gsh_blocks_close(&part->blocks, false);
        bits[i / 64] |= UINT64_C(1) << i % 64;
    }
    drop(bits);
}

/* The team, when it has a heap. */
static struct gsh_team *team_of(const char *call, nvshmem_team_t handle)
{
    struct gsh_team *team = gsh_ready(call) ? gsh_team_get(handle) : NULL;

    if (team && team->heap)
        return team;
    gsh_fail(-EINVAL, "%s: %d is %s", call, handle,
             team ? "a team without a heap of its own; see nvshmemx_team_create_simple"
                  : "no team of this PE");
    return NULL;
}

void *nvshmemx_team_malloc(nvshmem_team_t handle, size_t size)
{
    struct gsh_call call = { .op = GSH_COLL_TEAM_MALLOC,
                             .bytes = size,
                             .name = "nvshmemx_team_malloc",
                             .where = __builtin_return_address(0) };
    struct gsh_team *team = team_of(call.name, handle);

    if (!team || !size)
        return NULL;
    gsh_quiet();
    return gsh_blocks_take(&team->heap->blocks, team, &call, GSH_ALLOC_UNIT, false);
}

void nvshmemx_team_free(nvshmem_team_t handle, void *ptr)
{
    struct gsh_call call = { .op = GSH_COLL_TEAM_FREE,
                             .name = "nvshmemx_team_free",
                             .where = __builtin_return_address(0) };
    struct gsh_team *team = ptr ? team_of(call.name, handle) : NULL;

    if (!team)
        return;
    if (gsh_team_heap_at(ptr) != &team->heap->blocks)
        gsh_die("%s: %p is not in the heap of team %d", call.name, ptr, handle);
    gsh_blocks_give(&team->heap->blocks, team, &call, ptr);
}
