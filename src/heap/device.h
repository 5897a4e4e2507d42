/* device.h - the symmetric heap's windows in GPU memory.
 *
 * As on the host, the windows of the PEs of this machine lie one behind the other in one
 * reservation of address space, so that a remote address is a multiple of the window away.
 * They are filled a chunk at a time, at the same offset for all: each PE makes its own
 * chunk and hands it to the others as a file descriptor (util/pass.h).
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_DEVICE_H
#define GSH_HEAP_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gsh_device_heap {
    char *base;    /* own window; NULL: no device heap */
    size_t window; /* bytes from one window to the next */
    size_t span;   /* bytes of each window that have memory */
};

extern struct gsh_device_heap gsh_device_heap;

/* Collective over all PEs. `window` bytes for each PE of this machine. */
int gsh_device_heap_open(size_t window);
void gsh_device_heap_close(void);

/* Makes own memory for the next `bytes` of the windows (a multiple of
 * gsh_gpu_granularity()): -ENOMEM when the GPU is full. Then all PEs map what all have
 * made, or all drop it. */
int gsh_device_heap_make(size_t bytes);
int gsh_device_heap_map(void);
void gsh_device_heap_drop(void);

/* The alias of own window address `at` at a PE; NULL when it has none here. */
char *gsh_device_heap_at(const void *at, int pe);

/* Is [at, at + bytes) in the own window, where there is memory? */
static inline bool gsh_device_heap_has(const void *at, size_t bytes)
{
    size_t off = (size_t)((const char *)at - gsh_device_heap.base);

    return off < gsh_device_heap.span && bytes <= gsh_device_heap.span - off;
}

#endif /* GSH_HEAP_DEVICE_H */
