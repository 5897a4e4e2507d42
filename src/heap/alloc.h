/* alloc.h - the allocator of the symmetric heap: offsets in, offsets out.
 *
 * It touches no heap memory: all records are here. It is deterministic: equal
 * sequences of calls give equal offsets on all PEs. One thread at a time may change it; others
 * may call gsh_alloc_find() meanwhile.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_ALLOC_H
#define GSH_HEAP_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#define GSH_ALLOC_UNIT 512 /* every offset and every block is a multiple of it */
#define GSH_ALLOC_NONE SIZE_MAX

struct gsh_alloc;

struct gsh_alloc_stats {
    size_t used;      /* bytes in blocks that are allocated */
    size_t committed; /* bytes the arena has now */
    size_t largest;   /* largest free block within it */
    size_t n_blocks;  /* allocated blocks */
};

/* An empty arena; NULL when out of memory. */
struct gsh_alloc *gsh_alloc_create(void);
void gsh_alloc_destroy(struct gsh_alloc *a);

/* Adds bytes (a multiple of the unit) at the end of the arena. */
int gsh_alloc_grow(struct gsh_alloc *a, size_t bytes);

/* From now on no block lies across a place where the arena has grown, the next one
 * included. */
void gsh_alloc_set_seams(struct gsh_alloc *a);

/* How many bytes the arena must grow by for this request to succeed; 0: none. */
size_t gsh_alloc_shortage(const struct gsh_alloc *a, size_t align, size_t bytes);

/* Offset of a block at a multiple of align (a power of two), GSH_ALLOC_NONE when
 * it does not fit. `tag` is kept with the block. bytes > 0. */
size_t gsh_alloc_take(struct gsh_alloc *a, size_t align, size_t bytes, const void *tag);

/* Frees the block at this offset; -EINVAL when no block begins there. */
int gsh_alloc_give(struct gsh_alloc *a, size_t off);

/* The block that contains off: its offset, requested bytes and tag; 0 when none. */
int gsh_alloc_find(struct gsh_alloc *a, size_t off, size_t *start, size_t *bytes, const void **tag);

void gsh_alloc_stats(const struct gsh_alloc *a, struct gsh_alloc_stats *stats);

/* Calls each(arg, off, bytes, tag) for every allocated block, in address order. */
void gsh_alloc_each(const struct gsh_alloc *a,
                    void (*each)(void *arg, size_t off, size_t bytes, const void *tag), void *arg);

#endif /* GSH_HEAP_ALLOC_H */
