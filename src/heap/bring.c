/* bring.c - nvshmemx_buffer_register_symmetric() and its end. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/bring.h"
#include "coll/kernels.h"
#include "core/init.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/gpu.h"
#include "gpu/stage.h"
#include "heap/alloc.h"
#include "heap/blocks.h"
#include "heap/device.h"
#include "heap/heap.h"
#include "heap/view.h"
#include "stream/stream.h"

#include <gshmem/memory.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is registered; of one buffer on each PE. */
struct brought {
    char *buffer;
    char *alias;
    size_t bytes;
    uint64_t id; /* equal on all PEs */
    bool device;
    int count;
    struct brought *next;
};

static struct brought *all;
static uint64_t last_id;
static struct gsh_alloc *room; /* of the device windows, from gsh_device_heap.room on */

/* What a PE says before anything changes. The least of each word is agreed upon: all say the
 * same when that holds for a word and for its complement. */
struct vote {
    uint64_t good;
    uint64_t device, not_device;
    uint64_t id, not_id;
    uint64_t off, not_off;
};

enum { VOTE_WORDS = sizeof(struct vote) / sizeof(uint64_t) };

int gsh_bring_open_device(size_t off)
{
    size_t bytes = gsh_device_heap.window - off;

    gsh_device_heap.room = off;
    room = gsh_alloc_create();
    return room ? gsh_alloc_grow(room, bytes)
                : gsh_fail(-ENOMEM, "no memory for the records of the heap");
}

static void forget(struct brought *b)
{
    struct brought **next = &all;

    while (*next != b)
        next = &(*next)->next;
    *next = b->next;
    free(b);
}

/* Gives the buffer back to itself. */
static void take_out(struct brought *b)
{
    if (b->device)
        gsh_device_heap_remove((size_t)(b->alias - gsh_device_heap.base));
    else
        gsh_view_end(b->buffer, b->bytes);
}

void gsh_bring_close_device(void)
{
    gsh_alloc_destroy(room);
    room = NULL;
}

void gsh_bring_close(void)
{
    while (all) {
        take_out(all);
        forget(all);
    }
    last_id = 0;
}

bool gsh_bring_has(const void *at, size_t bytes)
{
    for (const struct brought *b = all; b; b = b->next) {
        size_t off = (size_t)((const char *)at - b->alias);

        if (b->device && off < b->bytes)
            return bytes <= b->bytes - off;
    }
    return false;
}

/* The record whose `bytes` from its buffer, or alias, on hold these. */
static struct brought *find(const char *at, size_t bytes, bool by_alias)
{
    for (struct brought *b = all; b; b = b->next) {
        size_t off = (size_t)(at - (by_alias ? b->alias : b->buffer));

        if (off < b->bytes && bytes <= b->bytes - off)
            return b;
    }
    return NULL;
}

bool gsh_bring_holds(const void *at)
{
    return find(at, 1, true) != NULL;
}

static bool overlaps(const char *at, size_t bytes)
{
    for (const struct brought *b = all; b; b = b->next)
        if (at < b->buffer + b->bytes && b->buffer < at + bytes)
            return true;
    return false;
}

static bool vote(struct gsh_call call, const struct vote *mine)
{
    uint64_t *least = gsh_inner()->agree;

    memcpy(least, mine, sizeof(*mine));
    return !gsh_reduce(gsh_team_get(NVSHMEM_TEAM_WORLD), &call, least, least, VOTE_WORDS,
                       sizeof(*least), gsh_combine_min_uint64) &&
           !memcmp(least, mine, sizeof(*mine)) && mine->good;
}

static struct vote vote_of(int err, bool device, uint64_t id, size_t off)
{
    return (struct vote){ !err, device, !device, id, ~id, off, ~(uint64_t)off };
}

/* A GPU's memory comes in whole units. */
static size_t in_units(size_t bytes)
{
    size_t unit = gsh_gpu_granularity();

    return (bytes + unit - 1) / unit * unit;
}

/* Can this buffer be symmetric, and of which kind? Of a GPU's the chunk is prepared. */
static int look(const char *call, char *at, size_t bytes, bool *device)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), off;
    enum gsh_gpu_kind kind = gsh.gpu == GSH_GPU_DONE ? gsh_gpu_kind_of(at) : GSH_GPU_UNKNOWN;

    *device = kind == GSH_GPU_DEVICE;
    if (gsh_heap_is_symmetric(at, bytes) || gsh_data_offset(at, 0, &off))
        return gsh_miss(-EINVAL, "%s: %zu bytes at %p are symmetric memory already", call, bytes,
                        (void *)at);
    if (overlaps(at, bytes))
        return gsh_miss(-EINVAL, "%s: %zu bytes at %p are partly registered, and partly not", call,
                        bytes, (void *)at);
    if (kind == GSH_GPU_DEVICE)
        return gsh_device_heap_bring(at, in_units(bytes));
    if (kind != GSH_GPU_UNKNOWN)
        return gsh_miss(-EINVAL,
                        "%s: %p is memory of the host that CUDA manages or has registered, which "
                        "keeps its pages; take it from mmap or aligned_alloc",
                        call, (void *)at);
    if ((uintptr_t)at % page || bytes % page)
        return gsh_miss(-EINVAL,
                        "%s: %zu bytes at %p are no whole pages of %zu bytes; take them from mmap "
                        "or aligned_alloc",
                        call, bytes, (void *)at, page);
    return gsh_view_check(call, at, bytes);
}

/* All PEs have said that theirs can be. */
static char *map_device(const char *call, size_t bytes)
{
    size_t off = gsh_alloc_take(room, gsh_gpu_granularity(), bytes, NULL);

    if (off == GSH_ALLOC_NONE) {
        gsh_device_heap_drop();
        gsh_miss(-ENOMEM, "%s: no address space for %zu bytes more in the device windows", call,
                 bytes);
        return NULL;
    }
    if (gsh_device_heap_place(gsh_device_heap.room + off))
        gsh_die("%s: %s", call, gsh_last_error());
    return gsh_device_heap.base + gsh_device_heap.room + off;
}

/* The block of a buffer of the host ends. */
static void give(struct gsh_call call, char *alias)
{
    call.op = GSH_COLL_UNREGISTER;
    gsh_blocks_give(gsh_heap_at(alias), gsh_team_get(NVSHMEM_TEAM_WORLD), &call, alias);
}

static char *map_host(const struct gsh_call *call, char *buffer, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct gsh_call taking = *call;
    char *alias = gsh_blocks_take(gsh_heap_now(&taking, GSH_HEAP_HOST),
                                  gsh_team_get(NVSHMEM_TEAM_WORLD), &taking, page, false);
    struct vote mine;
    int err;

    if (!alias)
        return NULL;
    err = gsh_view_begin(buffer, alias, bytes);
    mine = vote_of(err, false, 0, 0);
    if (vote(*call, &mine))
        return alias;
    if (!err)
        gsh_view_end(buffer, bytes);
    give(*call, alias);
    return NULL;
}

static void *add(const struct gsh_call *call, char *buffer, size_t bytes, bool device)
{
    struct brought *b = calloc(1, sizeof(*b));

    if (!b)
        gsh_die("%s: no memory for the records of the heap", call->name);
    *b = (struct brought){ .buffer = buffer,
                           .alias = device ? map_device(call->name, bytes)
                                           : map_host(call, buffer, bytes),
                           .bytes = bytes,
                           .id = ++last_id,
                           .device = device,
                           .count = 1,
                           .next = all };
    if (!b->alias) {
        free(b);
        return NULL;
    }
    all = b;
    return b->alias;
}

static void *refuse(const char *call, int err)
{
    if (!err)
        gsh_miss(-EINVAL,
                 "%s: the buffer of another PE cannot be registered, is of another kind, "
                 "or is registered otherwise",
                 call);
    gsh_log(GSH_INFO, GSH_HEAP, "%s", gsh_last_error());
    return NULL;
}

void *nvshmemx_buffer_register_symmetric(void *buf_ptr, size_t size, int flags)
{
    struct gsh_call call = { .op = GSH_COLL_REGISTER,
                             .bytes = size,
                             .name = __func__,
                             .where = __builtin_return_address(0) };
    struct brought *known;
    struct vote mine;
    bool device = false;
    size_t off;
    int err = 0;

    if (!gsh_ready(__func__))
        return NULL;
    gsh_gpu_stage(__func__);
    gsh_quiet();
    known = find(buf_ptr, size, false);
    off = known ? (size_t)((char *)buf_ptr - known->buffer) : 0;
    if (!buf_ptr || !size || flags)
        err =
            gsh_miss(-EINVAL, "%s: %zu bytes at %p with flags %d; flags are 0, and the rest is not",
                     __func__, size, buf_ptr, flags);
    else if (!known)
        err = look(__func__, buf_ptr, size, &device);
    mine = vote_of(err, device, known ? known->id : 0, off);
    if (!vote(call, &mine)) {
        gsh_device_heap_drop();
        return refuse(__func__, err);
    }
    if (known) {
        known->count++;
        return known->alias + off;
    }
    return add(&call, buf_ptr, device ? in_units(size) : size, device);
}

int nvshmemx_buffer_unregister_symmetric(void *mmap_ptr, size_t size)
{
    struct gsh_call call = { .op = GSH_COLL_UNREGISTER,
                             .bytes = size,
                             .name = __func__,
                             .where = __builtin_return_address(0) };
    struct brought *b;
    struct vote mine;
    int err = 0;

    if (!gsh_ready(__func__))
        return NVSHMEMX_ERROR_INTERNAL;
    gsh_stream_drain();
    gsh_quiet();
    b = find(mmap_ptr, size, true);
    if (!b)
        err = gsh_miss(-EINVAL, "%s: %zu bytes at %p are not what %s gave", __func__, size,
                       mmap_ptr, "nvshmemx_buffer_register_symmetric");
    mine = vote_of(err, b && b->device, b ? b->id : 0, 0);
    if (!vote(call, &mine))
        return refuse(__func__, err), NVSHMEMX_ERROR_INVALID_VALUE;
    if (--b->count)
        return NVSHMEMX_SUCCESS;
    take_out(b);
    if (b->device)
        gsh_alloc_give(room, (size_t)(b->alias - gsh_device_heap.base) - gsh_device_heap.room);
    else
        give(call, b->alias);
    forget(b);
    return NVSHMEMX_SUCCESS;
}
