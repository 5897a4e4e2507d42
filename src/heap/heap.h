/* heap.h - the symmetric heap of this PE: malloc and free over all PEs.
 *
 * Every allocation is agreed upon: the PEs exchange call, size and alignment
 * before anything changes, so that a mismatch shows each PE's call, and a heap
 * that is full on one PE gives NULL on all.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_HEAP_H
#define GSH_HEAP_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* The heap at gsh.heap_off, empty; gsh.span follows its growth. */
int gsh_heap_open(void);

/* With GSHMEM_CHECK: reports damaged guard words and blocks that were not freed,
 * each with its call site. */
void gsh_heap_close(void);

/* The heap in GPU memory, behind the first `reserved` bytes of the device window. From then
 * on it is where nvshmem_malloc() allocates. */
int gsh_heap_open_device(size_t reserved);
void gsh_heap_close_device(void);

/* Largest window the heap settings of the environment ask for, and the least. */
void gsh_heap_window(size_t *want, size_t *need);

/* The bytes that were asked for the block at ptr; ends the job when none begins there. */
size_t gsh_heap_bytes_of(const void *ptr);

/* The live block that holds ptr, as the user knows it, and where it was allocated. False
 * when there is none. Any thread may ask while others allocate. */
bool gsh_heap_block(const void *ptr, const char **start, size_t *bytes, const void **where);

#endif /* GSH_HEAP_HEAP_H */
