/* rma.h - put and get.
 *
 * OpenSHMEM 1.5, sections 9.6 and 9.7; ibput and ibget are 1.6. TYPE is each of
 * GSH_SHMEM_RMA_TYPES, BITS each of GSH_SIZES. The rules are those of gshmem/rma.h.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_RMA_H
#define GSHMEM_SHMEM_RMA_H

#include <gshmem/shmem/base.h>

GSH_BEGIN_C

/* void shmem_float_put(float *dest, const float *source, size_t nelems, int pe)
 * void shmem_float_p(float *dest, float value, int pe)
 * float shmem_float_g(const float *source, int pe) */
#define GSH_DECL(name, type, a) \
    GSH_SHMEM_CTX(void, name##_put, type *dest, const type *source, size_t nelems, int pe) \
    GSH_SHMEM_CTX(void, name##_get, type *dest, const type *source, size_t nelems, int pe) \
    GSH_SHMEM_CTX(void, name##_put_nbi, type *dest, const type *source, size_t nelems, int pe) \
    GSH_SHMEM_CTX(void, name##_get_nbi, type *dest, const type *source, size_t nelems, int pe) \
    GSH_SHMEM_CTX(void, name##_p, type *dest, type value, int pe) \
    GSH_SHMEM_CTX(type, name##_g, const type *source, int pe)
GSH_SHMEM_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

/* iput, iget: element i goes from source[i * sst] to dest[i * dst].
 * ibput, ibget: the bsize elements from source[i * sst] on go to dest[i * dst] on. */
#define GSH_DECL(name, type, dir) \
    GSH_SHMEM_CTX(void, name##_i##dir, type *dest, const type *source, ptrdiff_t dst, \
                  ptrdiff_t sst, size_t nelems, int pe) \
    GSH_SHMEM_CTX(void, name##_ib##dir, type *dest, const type *source, ptrdiff_t dst, \
                  ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)
GSH_SHMEM_RMA_TYPES(GSH_DECL, put)
GSH_SHMEM_RMA_TYPES(GSH_DECL, get)
#undef GSH_DECL

/* void shmem_put64(void *dest, const void *source, size_t nelems, int pe) */
#define GSH_DECL(bits, dir) \
    GSH_SHMEM_CTX(void, dir##bits, void *dest, const void *source, size_t nelems, int pe) \
    GSH_SHMEM_CTX(void, dir##bits##_nbi, void *dest, const void *source, size_t nelems, int pe) \
    GSH_SHMEM_CTX(void, i##dir##bits, void *dest, const void *source, ptrdiff_t dst, \
                  ptrdiff_t sst, size_t nelems, int pe) \
    GSH_SHMEM_CTX(void, ib##dir##bits, void *dest, const void *source, ptrdiff_t dst, \
                  ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)
GSH_SIZES(GSH_DECL, put)
GSH_SIZES(GSH_DECL, get)
#undef GSH_DECL

GSH_SHMEM_CTX(void, putmem, void *dest, const void *source, size_t nelems, int pe)
GSH_SHMEM_CTX(void, getmem, void *dest, const void *source, size_t nelems, int pe)
GSH_SHMEM_CTX(void, putmem_nbi, void *dest, const void *source, size_t nelems, int pe)
GSH_SHMEM_CTX(void, getmem_nbi, void *dest, const void *source, size_t nelems, int pe)

GSH_END_C

#endif /* GSHMEM_SHMEM_RMA_H */
