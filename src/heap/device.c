/* device.c - reserve, fill and share the windows in GPU memory. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/device.h"
#include "core/env.h"
#include "core/log.h"
#include "core/state.h"
#include "gpu/gpu.h"
#include "heap/segment.h"
#include "util/pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory that is mapped here: own, or of another PE. */
struct piece {
    struct gsh_gpu_chunk chunk;
    char *at;
    struct piece *next;
};

struct gsh_device_heap gsh_device_heap;

static struct {
    char *space; /* of all windows */
    size_t bytes;
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

int gsh_device_heap_open(size_t window)
{
    size_t unit = gsh_gpu_granularity();
    int err;

    window = (window + unit - 1) / unit * unit;
    heap.bytes = window * (size_t)gsh_segment.n_here;
    err = gsh_gpu_reserve(heap.bytes, &heap.space);
    if (!err)
        err = open_sockets();
    if (err) {
        gsh_device_heap_close();
        return err;
    }
    gsh_device_heap =
        (struct gsh_device_heap){ .base = heap.space + window * (size_t)slot_of(gsh.my_pe),
                                  .window = window };
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
    if (heap.listener >= 0)
        close(heap.listener);
    free(heap.cookies);
    heap.space = NULL;
    heap.cookies = NULL;
    heap.listener = -1;
    gsh_device_heap = (struct gsh_device_heap){ 0 };
}

int gsh_device_heap_make(size_t bytes)
{
    return gsh_gpu_chunk_make(&heap.made, bytes, &heap.fd);
}

void gsh_device_heap_drop(void)
{
    if (heap.fd < 0)
        return;
    close(heap.fd);
    heap.fd = -1;
    gsh_gpu_chunk_drop(&heap.made, NULL);
}

/* Maps a chunk behind what the window of `slot` has. */
static int add(const struct gsh_gpu_chunk *chunk, int slot)
{
    struct piece *piece = malloc(sizeof(*piece));
    char *at = heap.space + gsh_device_heap.window * (size_t)slot + gsh_device_heap.span;
    int err = piece ? gsh_gpu_chunk_map(chunk, at)
                    : gsh_fail(-ENOMEM, "no memory for the records of the heap");

    if (err) {
        free(piece);
        return err;
    }
    *piece = (struct piece){ *chunk, at, heap.pieces };
    heap.pieces = piece;
    return 0;
}

static int failed(int err, const char *what)
{
    return gsh_fail(err, "cannot %s GPU memory: %s", what, gsh_pass_reason(err));
}

/* Maps the memory that the PE of `slot` sends through `from`. */
static int take(int from, int slot)
{
    int fd = gsh_pass_receive(from, limit_s());
    struct gsh_gpu_chunk chunk;
    int err;

    if (fd < 0)
        return failed(fd, "fetch");
    err = gsh_gpu_chunk_take(&chunk, heap.made.bytes, fd);
    close(fd);
    if (err)
        return err;
    err = add(&chunk, slot);
    if (err)
        gsh_gpu_chunk_drop(&chunk, NULL);
    return err;
}

/* All connect to all before any of them waits for another. */
int gsh_device_heap_map(void)
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
            err = take(from[i], i);
    free(from);
    if (!err)
        err = add(&heap.made, mine);
    if (err)
        return err;
    close(heap.fd);
    heap.fd = -1;
    gsh_device_heap.span += heap.made.bytes;
    return 0;
}

char *gsh_device_heap_at(const void *at, int pe)
{
    int slot = slot_of(pe);

    return slot < 0 ? NULL
                    : heap.space + gsh_device_heap.window * (size_t)slot +
                          ((const char *)at - gsh_device_heap.base);
}
