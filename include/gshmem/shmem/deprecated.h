/* deprecated.h - what OpenSHMEM has replaced and still defines.
 *
 * OpenSHMEM 1.5, annex F. An active set is the PEs start, start + 2^logPE_stride, ..., PE_size of
 * them. pSync is a symmetric array of SHMEM_*_SYNC_SIZE words that hold SHMEM_SYNC_VALUE, and
 * still do on return; pWrk is not used. A broadcast leaves dest of the root as it is.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_DEPRECATED_H
#define GSHMEM_SHMEM_DEPRECATED_H

#include <gshmem/shmem/base.h>

GSH_BEGIN_C

/* Calls that do not begin with shmem_. */
#define GSH_OLD(result, name, ...) \
    GSH_API result name(__VA_ARGS__); \
    GSH_API result p##name(__VA_ARGS__);
GSH_OLD(void, start_pes, int npes)
GSH_OLD(int, _my_pe, void)
GSH_OLD(int, _num_pes, void)
GSH_OLD(void *, shmalloc, size_t size)
GSH_OLD(void, shfree, void *ptr)
GSH_OLD(void *, shrealloc, void *ptr, size_t size)
GSH_OLD(void *, shmemalign, size_t alignment, size_t size)
#undef GSH_OLD

/* Caches are coherent: these do nothing. */
GSH_SHMEM(void, set_cache_inv, void)
GSH_SHMEM(void, clear_cache_inv, void)
GSH_SHMEM(void, set_cache_line_inv, void *dest)
GSH_SHMEM(void, clear_cache_line_inv, void *dest)
GSH_SHMEM(void, udcflush, void)
GSH_SHMEM(void, udcflush_line, void *dest)

/* Now shmem_int_atomic_add and so on. */
#define GSH_DECL(name, type, a) \
    GSH_SHMEM(void, name##_add, type *dest, type value, int pe) \
    GSH_SHMEM(type, name##_cswap, type *dest, type cond, type value, int pe) \
    GSH_SHMEM(type, name##_fadd, type *dest, type value, int pe) \
    GSH_SHMEM(type, name##_finc, type *dest, int pe) \
    GSH_SHMEM(void, name##_inc, type *dest, int pe)
GSH_T_INTS(GSH_DECL, _)
#undef GSH_DECL

#define GSH_DECL(name, type, a) \
    GSH_SHMEM(type, name##_fetch, const type *source, int pe) \
    GSH_SHMEM(void, name##_set, type *dest, type value, int pe) \
    GSH_SHMEM(type, name##_swap, type *dest, type value, int pe)
GSH_T_INTS(GSH_DECL, _)
GSH_T_REALS(GSH_DECL, _)
#undef GSH_DECL

/* wait: until *ivar differs from cmp_value. */
GSH_SHMEM(void, wait, long *ivar, long cmp_value)
GSH_SHMEM(void, wait_until, long *ivar, int cmp, long cmp_value)
#define GSH_DECL(name, type, a) GSH_SHMEM(void, name##_wait, type *ivar, type cmp_value)
GSH_OLD_INT_TYPES(GSH_DECL, _)
#undef GSH_DECL

GSH_SHMEM(void, barrier, int PE_start, int logPE_stride, int PE_size, long *pSync)
GSH_SHMEM(void, sync, int PE_start, int logPE_stride, int PE_size, long *pSync)

#define GSH_DECL(bits) \
    GSH_SHMEM(void, broadcast##bits, void *dest, const void *source, size_t nelems, int PE_root, \
              int PE_start, int logPE_stride, int PE_size, long *pSync) \
    GSH_SHMEM(void, collect##bits, void *dest, const void *source, size_t nelems, int PE_start, \
              int logPE_stride, int PE_size, long *pSync) \
    GSH_SHMEM(void, fcollect##bits, void *dest, const void *source, size_t nelems, int PE_start, \
              int logPE_stride, int PE_size, long *pSync)
GSH_DECL(32)
GSH_DECL(64)
#undef GSH_DECL

#define GSH_DECL(bits) \
    GSH_SHMEM(void, alltoall##bits, void *dest, const void *source, size_t nelems, int PE_start, \
              int logPE_stride, int PE_size, long *pSync) \
    GSH_SHMEM(void, alltoalls##bits, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
              size_t nelems, int PE_start, int logPE_stride, int PE_size, long *pSync)
GSH_DECL(32)
GSH_DECL(64)
#undef GSH_DECL

/* void shmem_int_sum_to_all(int *dest, const int *source, int nreduce, int PE_start,
 *                           int logPE_stride, int PE_size, int *pWrk, long *pSync) */
#define GSH_DECL(name, type, op) \
    GSH_SHMEM(void, name##_##op##_to_all, type *dest, const type *source, int nreduce, \
              int PE_start, int logPE_stride, int PE_size, type *pWrk, long *pSync)
GSH_OLD_INT_TYPES(GSH_DECL, and)
GSH_OLD_INT_TYPES(GSH_DECL, or)
GSH_OLD_INT_TYPES(GSH_DECL, xor)
GSH_OLD_RED_TYPES(GSH_DECL, min)
GSH_OLD_RED_TYPES(GSH_DECL, max)
GSH_OLD_SUM_TYPES(GSH_DECL, sum)
GSH_OLD_SUM_TYPES(GSH_DECL, prod)
#undef GSH_DECL

GSH_END_C

/* The constants under their first names. */
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_GE SHMEM_CMP_GE
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_ALLTOALL_SYNC_SIZE SHMEM_ALLTOALL_SYNC_SIZE
#define _SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_ALLTOALLS_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE

#endif /* GSHMEM_SHMEM_DEPRECATED_H */
