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

/* The kinds of symmetric memory. */
enum nvshmemx_kind {
    NVSHMEMX_KIND_DEVICE, /* memory of the GPU, which kernels are fastest with */
    NVSHMEMX_KIND_HOST    /* memory of the host, for loads and stores of host and kernels */
};

/* As nvshmem_malloc(), in memory of this kind; that gives what NVSHMEM_HEAP_KIND says. All
 * PEs ask for the same kind. Both kinds are freed by nvshmem_free(), and are the same to all
 * calls: one may copy to the other. Where there is no GPU both are the host's memory. */
GSH_API void *nvshmemx_malloc_kind(size_t size, enum nvshmemx_kind kind);

/* As nvshmem_malloc(count * size), zeroed. */
GSH_API void *nvshmem_calloc(size_t count, size_t size);

/* As nvshmem_malloc(), at a multiple of `alignment`: a power of two that is a
 * multiple of sizeof(void *) and at most 64 MiB, else NULL. */
GSH_API void *nvshmem_align(size_t alignment, size_t size);

/* Begins with a barrier. NULL does nothing and does not synchronise. */
GSH_API void nvshmem_free(void *ptr);

/* Tells the library of memory of this PE that is the local operand of puts and gets:
 * [addr, addr + length). Kernels then reach host memory that is there, at the same address;
 * other memory works without as well. Local to this PE. Ranges may overlap, and be registered
 * several times. Returns 0, or non-zero with a text in nvshmemx_last_error(): for length 0, for
 * symmetric and for managed memory, and when the driver refuses. */
GSH_API int nvshmemx_buffer_register(void *addr, size_t length);

/* Undoes the latest registration that begins at `addr`; 0, or non-zero when there is none. The
 * memory may be freed afterwards, not before. unregister_all, and finalize, undo all. */
GSH_API int nvshmemx_buffer_unregister(void *addr);
GSH_API void nvshmemx_buffer_unregister_all(void);

/* Makes memory of the program symmetric: `size` bytes at buf_ptr, which are each PE's own.
 * Collective over all PEs, with equal sizes; flags is 0. Returns an alias of the buffer in the
 * symmetric heap, which is what remote operations take; NULL on all PEs, with a text in
 * nvshmemx_last_error(), when the buffer of one cannot be.
 * Host memory: whole pages of private memory, as from mmap or aligned_alloc. Nobody touches the
 * buffer during the call; later both addresses show the same bytes. A child of fork() shares
 * them. GPU memory: what cuMemCreate made with file descriptors as handles, from its start;
 * sizes are rounded up to its granularity. Parts of a buffer may be registered again, and
 * are counted. */
GSH_API void *nvshmemx_buffer_register_symmetric(void *buf_ptr, size_t size, int flags);

/* Undoes one registration: `mmap_ptr` is the alias. Collective over all PEs; begins with a
 * barrier. The buffer stays the program's, with its contents. Returns 0, or non-zero on all PEs
 * when one has no such registration. */
GSH_API int nvshmemx_buffer_unregister_symmetric(void *mmap_ptr, size_t size);

/* As nvshmem_malloc() and nvshmem_free(), in the heap of a team that
 * nvshmemx_team_create_simple() has made with one: collective over the team alone. The offset is
 * equal on its members. What is not freed goes with the team. A full heap gives NULL on all
 * members, and so does a team without a heap. */
GSH_API void *nvshmemx_team_malloc(nvshmem_team_t team, size_t size);
GSH_API void nvshmemx_team_free(nvshmem_team_t team, void *ptr);

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
