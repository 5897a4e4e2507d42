/* rma.h - put and get.
 *
 * OpenSHMEM 1.5, sections 9.6 and 9.7 (remote memory access routines). Names are
 * given for float; TYPE is each of GSH_RMA_TYPES, BITS each of GSH_SIZES.
 * `nelems` counts elements (put64: of 8 bytes), `bytes` bytes. The remote operand
 * (dest of a put, source of a get) is symmetric; the local one is any memory.
 *
 * A put returns when source may be written again; the data is at the target
 * after nvshmem_quiet(), and before what follows an nvshmem_fence() to the same
 * PE. A get returns when the data is here. The _nbi forms return at once and are
 * complete at nvshmem_quiet(). Not collective. A wrong PE or an address that is
 * not symmetric ends the job with one line.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_RMA_H
#define GSHMEM_RMA_H

#include <gshmem/types.h>

GSH_BEGIN_C

/* void nvshmem_float_put(float *dest, const float *source, size_t nelems, int pe)
 * float nvshmem_float_g(const float *src, int pe)
 * void nvshmem_float_p(float *dest, float value, int pe)
 * iput, iget: element i goes from source[i * sst] to dest[i * dst]. */
#define GSH_DECL(name, type, a) \
    GSH_ANY void nvshmem_##name##_put(type *dest, const type *source, size_t nelems, int pe); \
    GSH_ANY void nvshmem_##name##_get(type *dest, const type *source, size_t nelems, int pe); \
    GSH_ANY void nvshmem_##name##_put_nbi(type *dest, const type *source, size_t nelems, int pe); \
    GSH_ANY void nvshmem_##name##_get_nbi(type *dest, const type *source, size_t nelems, int pe);
GSH_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

#define GSH_DECL(name, type, a) \
    GSH_ANY void nvshmem_##name##_p(type *dest, const type value, int pe); \
    GSH_ANY type nvshmem_##name##_g(const type *src, int pe); \
    GSH_ANY void nvshmem_##name##_iput(type *dest, const type *source, ptrdiff_t dst, \
                                       ptrdiff_t sst, size_t nelems, int pe); \
    GSH_ANY void nvshmem_##name##_iget(type *dest, const type *source, ptrdiff_t dst, \
                                       ptrdiff_t sst, size_t nelems, int pe);
GSH_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

/* void nvshmem_put64(void *dest, const void *source, size_t nelems, int pe) */
#define GSH_DECL(bits, a) \
    GSH_ANY void nvshmem_put##bits(void *dest, const void *source, size_t nelems, int pe); \
    GSH_ANY void nvshmem_get##bits(void *dest, const void *source, size_t nelems, int pe); \
    GSH_ANY void nvshmem_put##bits##_nbi(void *dest, const void *source, size_t nelems, int pe); \
    GSH_ANY void nvshmem_get##bits##_nbi(void *dest, const void *source, size_t nelems, int pe); \
    GSH_ANY void nvshmem_iput##bits(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
                                    size_t nelems, int pe); \
    GSH_ANY void nvshmem_iget##bits(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
                                    size_t nelems, int pe);
GSH_SIZES(GSH_DECL, _)
#undef GSH_DECL

/* void nvshmemx_float_put_team(nvshmem_team_t team, float *dest, const float *source,
 *                              size_t nelems, int pe)
 * put and get with the rank of the other PE in a team of which this PE is a member. */
#define GSH_DECL(name, type, a) \
    GSH_ANY void nvshmemx_##name##_put_team(nvshmem_team_t team, type *dest, const type *source, \
                                            size_t nelems, int pe); \
    GSH_ANY void nvshmemx_##name##_get_team(nvshmem_team_t team, type *dest, const type *source, \
                                            size_t nelems, int pe);
GSH_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

GSH_ANY void nvshmem_putmem(void *dest, const void *source, size_t bytes, int pe);
GSH_ANY void nvshmem_getmem(void *dest, const void *source, size_t bytes, int pe);
GSH_ANY void nvshmem_putmem_nbi(void *dest, const void *source, size_t bytes, int pe);
GSH_ANY void nvshmem_getmem_nbi(void *dest, const void *source, size_t bytes, int pe);

GSH_END_C

#endif /* GSHMEM_RMA_H */
