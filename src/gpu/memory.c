/* memory.c - see memory.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/memory.h"
#include "core/env.h"
#include "core/log.h"
#include "core/state.h"
#include "gpu/state.h"
#include "heap/bring.h"
#include "heap/buffer.h"
#include "heap/device.h"
#include "heap/heap.h"
#include "heap/pin.h"

#include <errno.h>
#include <stdlib.h>

static int64_t *away[GSH_WINDOWS]; /* in device memory, or NULL */

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* The heap grows when all PEs' memory can be handed over in pieces. */
static bool grows(const struct gsh_gpu_card *cards)
{
    bool all = !gsh_env.DISABLE_CUDA_VMM;

    for (int pe = 0; pe < gsh.n_pes; pe++)
        all &= cards[pe].exports;
    return all;
}

static size_t least_memory(const struct gsh_gpu_card *cards)
{
    uint64_t least = cards[0].memory;

    for (int pe = 1; pe < gsh.n_pes; pe++)
        least = cards[pe].memory < least ? cards[pe].memory : least;
    return (size_t)least;
}

/* The windows: [words | heap | room for memory that the program brings]. */
static int open_device(const struct gsh_gpu_card *cards, size_t words)
{
    size_t unit = gsh_gpu_granularity(), memory = round_up(least_memory(cards), unit);
    bool grow = grows(cards);
    size_t heap = round_up(gsh_heap_most(grow), unit), room = grow ? memory : 0;
    int err;

    words = round_up(words, unit);
    if (heap > memory)
        heap = memory;
    err = gsh_device_heap_open(words + heap + room, grow);
    if (!err)
        err = gsh_device_heap_make(words);
    if (!err)
        err = gsh_device_heap_map();
    if (!err)
        err = gsh_gpu_set(gsh_device_heap.base, 0, words);
    if (!err)
        err = gsh_heap_open_device(words, heap);
    return err ? err : gsh_bring_open_device(words + heap);
}

int gsh_gpu_memory_open(const struct gsh_gpu_card *cards, size_t words_bytes)
{
    int err = open_device(cards, words_bytes);

    return err ? err : gsh_pin_open();
}

void gsh_gpu_memory_close(void)
{
    gsh_buffer_close_device();
    gsh_pin_close();
    gsh_bring_close_device();
    gsh_heap_close_device();
    for (int k = 0; k < GSH_WINDOWS; k++) {
        gsh_gpu_give(away[k]);
        away[k] = NULL;
    }
    gsh_device_heap_close();
}

/* Makes the table of a window in device memory, when it needs one. */
static int find_away(int k, char *(*at)(const void *own, int pe), struct gsh_device_window *window)
{
    size_t bytes = (size_t)gsh.n_pes * sizeof(int64_t);
    int64_t *table = malloc(bytes);
    int err = 0;

    if (!table)
        return gsh_fail(-ENOMEM, "no memory for the places of %d PEs", gsh.n_pes);
    if (!gsh_device_find_away((const char *)(uintptr_t)window->base, at, window->stride, table)) {
        err = gsh_gpu_take(bytes, (void **)&away[k]);
        if (!err)
            err = gsh_gpu_copy(away[k], table, bytes);
        window->away = away[k];
    }
    free(table);
    return err;
}

int gsh_gpu_memory_describe(struct gsh_device_window windows[GSH_WINDOWS])
{
    int err;

    windows[GSH_WINDOW_DEVICE] =
        (struct gsh_device_window){ .base = (uintptr_t)gsh_device_heap.base,
                                    .bytes = gsh_device_heap.window,
                                    .stride = gsh_device_heap.window };
    windows[GSH_WINDOW_HOST] = (struct gsh_device_window){
        .base = (uintptr_t)gsh.base + gsh.heap_off,
        .bytes = gsh_pin_is_open() ? gsh.device_off - gsh.heap_off : 0,
        .stride = gsh.window,
    };
    err = find_away(GSH_WINDOW_DEVICE, gsh_device_heap_at, &windows[GSH_WINDOW_DEVICE]);
    return err ? err : find_away(GSH_WINDOW_HOST, gsh_device_host_at, &windows[GSH_WINDOW_HOST]);
}
