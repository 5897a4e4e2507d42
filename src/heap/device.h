/* device.h - the symmetric heap's windows in GPU memory.
 *
 * As on the host, the windows of the PEs of this machine lie one behind the other in one
 * reservation of address space, so that a remote address is a multiple of the window away.
 * They are filled a chunk at a time, at the same offset for all: each PE makes its own
 * chunk and hands it to the others as a file descriptor (util/pass.h). The same way PEs can
 * map memory that the program made, each its own, at one offset.
 *
 * Where memory has no descriptors the windows are apart, and have all of their memory from
 * the beginning: see heap/fixed.h.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_DEVICE_H
#define GSH_HEAP_DEVICE_H

#include "heap/bring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gsh_device_heap {
    char *base;    /* own window; NULL: no device heap */
    size_t window; /* bytes of each window */
    size_t span;   /* bytes of each window that have memory, from its beginning */
    size_t room;   /* from here on buffers of the program are mapped: heap/bring.h */
    bool grows;    /* else all of it is there */
};

extern struct gsh_device_heap gsh_device_heap;

/* Collective over all PEs: windows of so many bytes. What this PE's GPU does not reach is not
 * mapped: topo/gpus.h. */
int gsh_device_heap_open(size_t window, bool grows);
void gsh_device_heap_close(void);

/* Makes own memory for the next `bytes` of the windows (a multiple of
 * gsh_gpu_granularity()): -ENOMEM when the GPU is full. Then all PEs map what all have
 * made, or all drop it. */
int gsh_device_heap_make(size_t bytes);
int gsh_device_heap_map(void);
void gsh_device_heap_drop(void);

/* The same for memory of the program at `at`, which comes to lie at offset `off` of the windows,
 * where nothing is. -ENOTSUP or -EINVAL, after gsh_miss(), when that cannot be. remove() takes
 * it out of the windows of this PE. */
int gsh_device_heap_bring(const void *at, size_t bytes);
int gsh_device_heap_place(size_t off);
void gsh_device_heap_remove(size_t off);

/* The alias of own window address `at` at a PE; NULL when this GPU does not reach it. */
char *gsh_device_heap_at(const void *at, int pe);

/* Is [at, at + bytes) in the own window, where there is memory? */
static inline bool gsh_device_heap_has(const void *at, size_t bytes)
{
    size_t off = (size_t)((const char *)at - gsh_device_heap.base);

    if (off < gsh_device_heap.span)
        return bytes <= gsh_device_heap.span - off;
    return off < gsh_device_heap.window && off >= gsh_device_heap.room && gsh_bring_has(at, bytes);
}

#endif /* GSH_HEAP_DEVICE_H */
