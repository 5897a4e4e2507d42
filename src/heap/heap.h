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

/* The heaps at gsh.heap_off and gsh.device_off, empty; gsh.span and gsh.device_span follow
 * their growth. */
int gsh_heap_open(void);

/* With GSHMEM_CHECK: reports damaged guard words and blocks that were not freed,
 * each with its call site. */
void gsh_heap_close(void);

/* The heap in GPU memory: `bytes` of the device window, behind the first `reserved` ones. From
 * then on it is where memory of the device comes from. */
int gsh_heap_open_device(size_t reserved, size_t bytes);
void gsh_heap_close_device(void);

/* Largest window the heap settings of the environment ask for, and the least. */
void gsh_heap_window(size_t *want, size_t *need);

/* What a heap that grows, or does not, may take of a device. */
size_t gsh_heap_most(bool grows);

/* Where in a window of this size the CPU device's heap begins. */
size_t gsh_heap_split(size_t window);

struct gsh_blocks;
struct gsh_call;

enum gsh_heap_kind {
    GSH_HEAP_DEFAULT, /* what NVSHMEM_HEAP_KIND says */
    GSH_HEAP_DEVICE,
    GSH_HEAP_HOST,
};

/* Collective over all PEs: the heap in which they allocate now. */
struct gsh_blocks *gsh_heap_now(struct gsh_call *call, enum gsh_heap_kind kind);

/* The heap that ptr is in, NULL; a team's is part of it. */
struct gsh_blocks *gsh_heap_at(const void *ptr);

/* Does some of it lie in the own windows? */
bool gsh_heap_is_symmetric(const void *ptr, size_t bytes);

/* What must be there for `bytes` to be had as one block or as many small ones. */
size_t gsh_heap_with_slack(size_t bytes);

/* The bytes that were asked for the block at ptr; ends the job when none begins there. */
size_t gsh_heap_bytes_of(const void *ptr);

/* The live block that holds ptr, as the user knows it, and where it was allocated. False
 * when there is none. Any thread may ask while others allocate. */
bool gsh_heap_block(const void *ptr, const char **start, size_t *bytes, const void **where);

#endif /* GSH_HEAP_HEAP_H */
