/* memory.h - symmetric memory: the heap, and global and static variables.
 *
 * OpenSHMEM 1.5, section 9.3 (memory management routines).
 * An object of the heap has the same offset on every PE; its address need not be
 * equal. Allocation and free are collective over all PEs with equal arguments;
 * a call that does not match ends the job with each PE's call.
 *
 * Global and static variables are symmetric as well, initialised or not, of the
 * program and of the shared libraries that are linked with libgshmem.so and loaded
 * before initialisation; constants are not. They keep their values over init and
 * finalize, and a child of fork() has its own. They are private, and refused as
 * addresses, when the PEs run different programs, and in programs that are linked
 * with -static or built with ThreadSanitizer.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_MEMORY_H
#define GSHMEM_MEMORY_H

#include <gshmem/types.h>

GSH_BEGIN_C

/* `size` bytes at a multiple of 512; ends with a barrier. Size 0 gives NULL and
 * does not synchronise. A full heap gives NULL on all PEs, with the sizes in
 * nvshmemx_last_error(), and the program goes on. */
GSH_API void *nvshmem_malloc(size_t size);

/* As nvshmem_malloc(count * size), zeroed. */
GSH_API void *nvshmem_calloc(size_t count, size_t size);

/* As nvshmem_malloc(), at a multiple of `alignment`: a power of two that is a
 * multiple of sizeof(void *) and at most 64 MiB, else NULL. */
GSH_API void *nvshmem_align(size_t alignment, size_t size);

/* Begins with a barrier. NULL does nothing and does not synchronise. */
GSH_API void nvshmem_free(void *ptr);

/* The address at which this PE can load and store the object `ptr` of PE `pe`;
 * NULL when pe is out of range, ptr is not symmetric, or pe cannot be reached
 * this way. */
GSH_ANY void *nvshmem_ptr(const void *ptr, int pe);

/* 1 when nvshmem_ptr() gives an address, else 0. */
GSH_ANY int nvshmemx_ptr_accessible(const void *ptr, int pe);

/* An address that multicasts to the team's objects at `ptr`; NULL when the team
 * has none. */
GSH_ANY void *nvshmemx_mc_ptr(nvshmem_team_t team, const void *ptr);

GSH_END_C

#endif /* GSHMEM_MEMORY_H */
