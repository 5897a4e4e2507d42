/* buffer.c - ranges, and the pieces of host memory that are mapped for them.
 *
 * Pieces do not overlap. A new range makes pieces of the pages that have none, and counts
 * itself on all that it touches; all of those are whole within the range's pages or were there
 * before, so that none is made later under a range that has not counted itself on it.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/buffer.h"
#include "core/init.h"
#include "core/log.h"
#include "core/state.h"
#include "gpu/gpu.h"
#include "heap/heap.h"

#include <gshmem/memory.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct range {
    uintptr_t at;
    uintptr_t end;
    bool mapped; /* has counted itself on its pieces */
    struct range *next;
};

struct piece {
    uintptr_t at;
    uintptr_t end;
    int count; /* ranges */
    struct piece *next;
};

static struct range *ranges; /* the latest first */
static struct piece *pieces; /* by address */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uintptr_t page_of(uintptr_t at)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    return at / page * page;
}

static uintptr_t page_behind(uintptr_t at)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    return (at + page - 1) / page * page;
}

/* A piece with no range on it yet, in front of *next. */
static int make_piece(struct piece **next, uintptr_t at, uintptr_t end)
{
    struct piece *piece = malloc(sizeof(*piece));
    int err = piece ? gsh_gpu_pin((void *)at, end - at)
                    : gsh_miss(-ENOMEM, "no memory for the record of a buffer");

    if (err) {
        free(piece);
        return err;
    }
    *piece = (struct piece){ at, end, 0, *next };
    *next = piece;
    return 0;
}

/* Pieces for all pages from `at` to `end`. */
static int cover(uintptr_t at, uintptr_t end)
{
    struct piece **next = &pieces;

    while (at < end) {
        while (*next && (*next)->end <= at)
            next = &(*next)->next;
        if (!*next || (*next)->at > at) {
            uintptr_t to = *next && (*next)->at < end ? (*next)->at : end;
            int err = make_piece(next, at, to);

            if (err)
                return err;
        }
        at = (*next)->end;
    }
    return 0;
}

/* Counts a range on or off its pieces, and unmaps those on which none is left. */
static void count(const struct range *r, int by)
{
    uintptr_t at = page_of(r->at), end = page_behind(r->end);
    struct piece **next = &pieces;

    while (*next) {
        struct piece *piece = *next;

        if (piece->at < end && at < piece->end)
            piece->count += by;
        if (piece->count) {
            next = &piece->next;
            continue;
        }
        *next = piece->next;
        gsh_gpu_unpin((void *)piece->at);
        free(piece);
    }
}

/* Is it memory that kernels cannot reach unless we map it, or have done so? */
static bool is_plain(uintptr_t at)
{
    for (const struct piece *piece = pieces; piece; piece = piece->next)
        if (piece->at <= at && at < piece->end)
            return true;
    return gsh_gpu_kind_of((const void *)at) == GSH_GPU_UNKNOWN;
}

static int map(struct range *r)
{
    int err;

    if (gsh.gpu != GSH_GPU_DONE || !is_plain(r->at))
        return 0;
    err = cover(page_of(r->at), page_behind(r->end));
    r->mapped = !err;
    count(r, !err);
    return err;
}

static void unmap(struct range *r)
{
    if (r->mapped)
        count(r, -1);
    r->mapped = false;
}

static void drop_first(void)
{
    struct range *r = ranges;

    unmap(r);
    ranges = r->next;
    free(r);
}

void gsh_buffer_open_device(void)
{
    pthread_mutex_lock(&lock);
    for (struct range *r = ranges; r; r = r->next)
        if (map(r))
            gsh_log(GSH_WARN, GSH_HEAP, "kernels cannot reach the buffer registered at %p: %s",
                    (void *)r->at, gsh_last_error());
    pthread_mutex_unlock(&lock);
}

void gsh_buffer_close_device(void)
{
    pthread_mutex_lock(&lock);
    for (struct range *r = ranges; r; r = r->next)
        unmap(r);
    pthread_mutex_unlock(&lock);
}

void gsh_buffer_close(void)
{
    pthread_mutex_lock(&lock);
    while (ranges)
        drop_first();
    pthread_mutex_unlock(&lock);
}

static int add(uintptr_t at, uintptr_t end)
{
    struct range *r = malloc(sizeof(*r));
    int err;

    if (!r)
        return gsh_miss(-ENOMEM, "no memory for the record of a buffer");
    *r = (struct range){ at, end, false, ranges };
    err = map(r);
    if (err) {
        free(r);
        return err;
    }
    ranges = r;
    return 0;
}

int nvshmemx_buffer_register(void *addr, size_t length)
{
    uintptr_t at = (uintptr_t)addr, end = at + length;
    int err;

    if (!gsh_ready(__func__))
        return NVSHMEMX_ERROR_INTERNAL;
    if (!addr || end <= at)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE, "%s: %zu bytes at %p are no memory", __func__,
                        length, addr);
    if (gsh_heap_is_symmetric(addr, length))
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE,
                        "%s: %zu bytes at %p are symmetric memory, which is not registered",
                        __func__, length, addr);
    if (gsh.gpu == GSH_GPU_DONE && gsh_gpu_kind_of(addr) == GSH_GPU_MANAGED)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE,
                        "%s: %p is managed memory, which cannot be registered; take it from "
                        "cudaMalloc",
                        __func__, addr);
    pthread_mutex_lock(&lock);
    err = add(at, end);
    pthread_mutex_unlock(&lock);
    if (err)
        return gsh_fail(NVSHMEMX_ERROR_OUT_OF_MEMORY, "%s: %s", __func__, gsh_last_error());
    return NVSHMEMX_SUCCESS;
}

int nvshmemx_buffer_unregister(void *addr)
{
    struct range **next, *r;

    if (!gsh_ready(__func__))
        return NVSHMEMX_ERROR_INTERNAL;
    pthread_mutex_lock(&lock);
    for (next = &ranges; *next && (*next)->at != (uintptr_t)addr;)
        next = &(*next)->next;
    r = *next;
    if (r) {
        *next = r->next;
        unmap(r);
        free(r);
    }
    pthread_mutex_unlock(&lock);
    if (!r)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE, "%s: no registered buffer begins at %p",
                        __func__, addr);
    return NVSHMEMX_SUCCESS;
}

void nvshmemx_buffer_unregister_all(void)
{
    if (gsh_ready(__func__))
        gsh_buffer_close();
}
