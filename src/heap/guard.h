/* guard.h - words in front of and behind each block, with GSHMEM_CHECK, that tell
 * when somebody writes beyond it; and the list of what was not freed.
 *
 * Front, a power of two so that the alignment of the block holds: the number of
 * front bytes, then a pattern. Back: the pattern.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_GUARD_H
#define GSH_HEAP_GUARD_H

#include "heap/alloc.h"

#define GSH_GUARD_BACK 64

/* Bytes in front of a block with this alignment. */
size_t gsh_guard_front(size_t align);

/* Of a block that has guards; `start` is where its front begins. */
void gsh_guard_set(char *start, size_t front, size_t bytes);
size_t gsh_guard_front_of(const char *start);

/* Ends the job when a guard is damaged: which side, the first byte, and where the
 * block was allocated. `total` is the size of the block with its guards. */
void gsh_guard_check(const char *start, size_t total, const void *where);

/* Reports each block of the arena, whose offset 0 is at `heap`, that is still
 * allocated. */
void gsh_guard_leaks(const struct gsh_alloc *arena, char *heap);

#endif /* GSH_HEAP_GUARD_H */
