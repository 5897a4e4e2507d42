/* copy.h - put and get of the host when GPU memory may be on either side.
 *
 * Places in the heap of a GPU have the offsets from gsh.window on, so that one number tells
 * where a symmetric object is in whichever kind of memory.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_COPY_H
#define GSH_GPU_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gsh_amo_args;

/* The offset of [sym, sym + bytes) in a heap of the device: the GPU's, or the CPU device's,
 * which is in the window. False when it is in none. */
bool gsh_gpu_offset(const void *sym, size_t bytes, size_t *off);

/* What gsh_put_at() and gsh_get_at() are once the GPU stage is done. */
void gsh_gpu_put_at(int pe, size_t off, const void *src, size_t bytes);
void gsh_gpu_get_at(int pe, void *dst, size_t off, size_t bytes);

/* gsh_amo_at() on GPU memory. Ends the job when it fails. */
uint64_t gsh_gpu_amo_at(int pe, size_t off, const struct gsh_amo_args *args);

#endif /* GSH_GPU_COPY_H */
