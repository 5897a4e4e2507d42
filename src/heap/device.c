/* device.c - reserve, fill and share the windows in GPU memory. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/device.h"
#include "core/env.h"
#include "core/log.h"
#include "core/state.h"
#include "gpu/gpu.h"
#include "heap/fixed.h"
#include "heap/segment.h"
#include "topo/gpus.h"
#include "util/pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory that is mapped here: own, or of another PE. */
struct piece {
    struct gsh_gpu_chunk chunk;
    char *at;
    size_t off; /* in its window */
    struct piece *next;
};

struct gsh_device_heap gsh_device_heap;

static struct {
    char *space; /* of all windows; NULL where each is apart */
    size_t bytes;
    char **windows;    /* [n_here]: the PEs' windows in this process; NULL: out of reach */
    uint64_t *cookies; /* [n_here]: the PEs' sockets */
    int listener;
    int fd; /* of own memory that is not mapped yet; -1: none */
    struct gsh_gpu_chunk made;
    struct piece *pieces;
} heap = { .listener = -1, .fd = -1 };

/* The place of a PE among those of this machine; -1. */
static int slot_of(int pe)
{
    for (int i = 0; i < gsh_segment.n_here; i++)
        if (gsh_segment.here[i] == pe)
            return i;
    return -1;
}

static int limit_s(void)
{
    return gsh_env.TIMEOUT > 0 ? gsh_env.TIMEOUT : 60;
}

/* Each PE of the machine listens, and all know where. */
static int open_sockets(void)
{
    uint64_t mine = gsh_pass_cookie();
    uint64_t *all = calloc((size_t)gsh.n_pes, sizeof(*all));
    int err = 0;

    heap.cookies = calloc((size_t)gsh_segment.n_here, sizeof(*heap.cookies));
    if (!all || !heap.cookies)
        err = gsh_fail(-ENOMEM, "no memory for the addresses of %d PEs", gsh.n_pes);
    if (!err) {
        heap.listener = gsh_pass_listen(mine, gsh_segment.n_here);
        if (heap.listener < 0)
            err = gsh_fail(heap.listener, "cannot listen to the PEs of this machine: %s",
                           gsh_pass_reason(heap.listener));
    }
    if (!err)
        err = gsh.boot.ops.allgather(&gsh.boot, &mine, all, sizeof(mine));
    for (int i = 0; i < gsh_segment.n_here && !err; i++)
        heap.cookies[i] = all[gsh_segment.here[i]];
    free(all);
    return err;
}

static int open_space(size_t window)
{
    int err;

    heap.bytes = window * (size_t)gsh_segment.n_here;
    err = gsh_gpu_reserve(heap.bytes, &heap.space);
    for (int i = 0; i < gsh_segment.n_here && !err; i++)
        if (gsh_way_reaches(gsh_topo_way(gsh.my_pe, gsh_segment.here[i])))
            heap.windows[i] = heap.space + window * (size_t)i;
    return err ? err : open_sockets();
}

int gsh_device_heap_open(size_t window, bool grows)
{
    size_t unit = gsh_gpu_granularity();
    int err;

    window = (window + unit - 1) / unit * unit;
    heap.windows = calloc((size_t)gsh_segment.n_here, sizeof(*heap.windows));
    if (!heap.windows)
        err = gsh_fail(-ENOMEM, "no memory for the windows of %d PEs", gsh_segment.n_here);
    else
        err = grows ? open_space(window) : gsh_fixed_open(window, heap.windows);
    if (err) {
        gsh_device_heap_close();
        return err;
    }
    gsh_device_heap = (struct gsh_device_heap){ .base = heap.windows[slot_of(gsh.my_pe)],
                                                .window = window,
                                                .grows = grows };
    return 0;
}

void gsh_device_heap_close(void)
{
    gsh_device_heap_drop();
    while (heap.pieces) {
        struct piece *piece = heap.pieces;

        heap.pieces = piece->next;
        gsh_gpu_chunk_drop(&piece->chunk, piece->at);
        free(piece);
    }
    if (heap.space)
        gsh_gpu_unreserve(heap.space, heap.bytes);
    else if (heap.windows)
        gsh_fixed_close(heap.windows, gsh_device_heap.base && gsh.n_init);
    if (heap.listener >= 0)
        close(heap.listener);
    free(heap.windows);
    free(heap.cookies);
    heap.space = NULL;
    heap.windows = NULL;
    heap.cookies = NULL;
    heap.listener = -1;
    gsh_device_heap = (struct gsh_device_heap){ 0 };
}

int gsh_device_heap_make(size_t bytes)
{
    if (gsh_device_heap.grows)
        return gsh_gpu_chunk_make(&heap.made, bytes, &heap.fd);
    heap.made.bytes = bytes;
    return bytes <= gsh_device_heap.window - gsh_device_heap.span ? 0 : -ENOMEM;
}

int gsh_device_heap_bring(const void *at, size_t bytes)
{
    if (!gsh_device_heap.grows)
        return gsh_miss(-ENOTSUP, "the heap is of fixed size (NVSHMEM_DISABLE_CUDA_VMM, or a GPU "
                                  "without virtual memory management), and takes no other memory");
    return gsh_gpu_chunk_of(&heap.made, at, bytes, &heap.fd);
}

void gsh_device_heap_drop(void)
{
    if (heap.fd < 0)
        return;
    close(heap.fd);
    heap.fd = -1;
    gsh_gpu_chunk_drop(&heap.made, NULL);
}

/* Maps a chunk in the window of `slot`. */
static int add(const struct gsh_gpu_chunk *chunk, int slot, size_t off)
{
    struct piece *piece = malloc(sizeof(*piece));
    int err = piece ? gsh_gpu_chunk_map(chunk, heap.windows[slot] + off)
                    : gsh_fail(-ENOMEM, "no memory for the records of the heap");
    if (err) {
        free(piece);
        return err;
    }
    *piece = (struct piece){ *chunk, heap.windows[slot] + off, off, heap.pieces };
    heap.pieces = piece;
    return 0;
}

static int failed(int err, const char *what)
{
    return gsh_fail(err, "cannot %s GPU memory: %s", what, gsh_pass_reason(err));
}

/* Maps the memory that the PE of `slot` sends through `from`. */
static int take(int from, int slot, size_t off)
{
    int fd = gsh_pass_receive(from, limit_s());
    struct gsh_gpu_chunk chunk;
    int err;

    if (fd < 0)
        return failed(fd, "fetch");
    err = heap.windows[slot] ? gsh_gpu_chunk_take(&chunk, heap.made.bytes, fd) : 0;
    close(fd);
    if (err || !heap.windows[slot])
        return err;
    err = add(&chunk, slot, off);
    if (err)
        gsh_gpu_chunk_drop(&chunk, NULL);
    return err;
}

/* All connect to all before any of them waits for another. */
int gsh_device_heap_place(size_t off)
{
    int n = gsh_segment.n_here, mine = slot_of(gsh.my_pe), err = 0;
    int *from = malloc((size_t)n * sizeof(*from));

    if (!from)
        return gsh_fail(-ENOMEM, "no memory for the sockets of %d PEs", n);
    for (int i = 0; i < n; i++) {
        from[i] = i == mine ? -1 : gsh_pass_connect(heap.cookies[i]);
        if (i != mine && from[i] < 0 && !err)
            err = failed(from[i], "ask for");
    }
    for (int i = 1; i < n && !err; i++) {
        int sent = gsh_pass_serve(heap.listener, heap.fd, limit_s());

        if (sent)
            err = failed(sent, "hand over");
    }
    for (int i = 0; i < n && !err; i++)
        if (i != mine)
            err = take(from[i], i, off);
    free(from);
    if (!err)
        err = add(&heap.made, mine, off);
    if (err)
        return err;
    close(heap.fd);
    heap.fd = -1;
    return 0;
}

int gsh_device_heap_map(void)
{
    int err = gsh_device_heap.grows ? gsh_device_heap_place(gsh_device_heap.span) : 0;

    if (!err)
        gsh_device_heap.span += heap.made.bytes;
    return err;
}

void gsh_device_heap_remove(size_t off)
{
    struct piece **next = &heap.pieces;

    while (*next) {
        struct piece *piece = *next;

        if (piece->off != off) {
            next = &piece->next;
            continue;
        }
        *next = piece->next;
        gsh_gpu_chunk_drop(&piece->chunk, piece->at);
        free(piece);
    }
}

char *gsh_device_heap_at(const void *at, int pe)
{
    int slot = slot_of(pe);
    char *window = slot < 0 ? NULL : heap.windows[slot];

    return window ? window + ((const char *)at - gsh_device_heap.base) : NULL;
}
