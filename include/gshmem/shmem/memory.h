/* memory.h - the symmetric heap.
 *
 * OpenSHMEM 1.5, section 9.3. All are collective over all PEs with equal arguments. Size 0,
 * and a free of NULL, do nothing and do not synchronise.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_MEMORY_H
#define GSHMEM_SHMEM_MEMORY_H

#include <gshmem/shmem/base.h>

GSH_BEGIN_C

GSH_SHMEM(void *, malloc, size_t size)
GSH_SHMEM(void *, calloc, size_t count, size_t size)
GSH_SHMEM(void *, align, size_t alignment, size_t size)
GSH_SHMEM(void, free, void *ptr)

/* A block of this size with the contents of the old one as far as both go; the old one
 * is free then. NULL as ptr is malloc, size 0 is free. NULL when the heap is full, and
 * the old block stays. */
GSH_SHMEM(void *, realloc, void *ptr, size_t size)

/* hints: SHMEM_MALLOC_*, which change nothing here. */
GSH_SHMEM(void *, malloc_with_hints, size_t size, long hints)

GSH_END_C

#endif /* GSHMEM_SHMEM_MEMORY_H */
