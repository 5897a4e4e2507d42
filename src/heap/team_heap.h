/* team_heap.h - the heaps of teams: parts of the symmetric heap.
 *
 * A part is a block of the symmetric heap that all PEs take together, so that the offsets of
 * what they allocate later are equal on all. Then the members of a team allocate in it without
 * the others; teams that have no member in common may use the same part. A PE leaves it with
 * its team, alone. The block is free when all have left, which they find out together in the
 * next allocation.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_TEAM_HEAP_H
#define GSH_HEAP_TEAM_HEAP_H

#include "heap/blocks.h"

struct gsh_team_heap;

/* Collective over all PEs: a part in which call->bytes can be had. NULL on all when the
 * symmetric heap is full. */
struct gsh_team_heap *gsh_team_heap_take(const struct gsh_call *call);
void gsh_team_heap_leave(struct gsh_team_heap *part);

/* Collective over all PEs: frees the parts that all have left. */
void gsh_team_heap_reclaim(const struct gsh_call *call);

/* The part that holds ptr, left or not; NULL. From any thread. */
const struct gsh_blocks *gsh_team_heap_at(const void *ptr);

/* Forgets the parts of a heap that is about to be closed. */
void gsh_team_heap_close_all(const struct gsh_blocks *heap);

#endif /* GSH_HEAP_TEAM_HEAP_H */
