/* amo.h - atomic memory operations.
 *
 * OpenSHMEM 1.5, section 9.8. The rules are those of gshmem/amo.h; the _nbi forms
 * have stored what was there at *fetch after quiet.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_AMO_H
#define GSHMEM_SHMEM_AMO_H

#include <gshmem/shmem/base.h>

GSH_BEGIN_C

/* int shmem_int_atomic_fetch(const int *source, int pe) */
#define GSH_DECL(name, type, a) \
    GSH_SHMEM_CTX(type, name##_atomic_fetch, const type *source, int pe) \
    GSH_SHMEM_CTX(void, name##_atomic_set, type *dest, type value, int pe) \
    GSH_SHMEM_CTX(type, name##_atomic_swap, type *dest, type value, int pe) \
    GSH_SHMEM_CTX(void, name##_atomic_fetch_nbi, type *fetch, const type *source, int pe) \
    GSH_SHMEM_CTX(void, name##_atomic_swap_nbi, type *fetch, type *dest, type value, int pe)
GSH_AMO_EXT_TYPES(GSH_DECL, _)
#undef GSH_DECL

#define GSH_DECL(name, type, a) \
    GSH_SHMEM_CTX(type, name##_atomic_compare_swap, type *dest, type cond, type value, int pe) \
    GSH_SHMEM_CTX(void, name##_atomic_inc, type *dest, int pe) \
    GSH_SHMEM_CTX(type, name##_atomic_fetch_inc, type *dest, int pe) \
    GSH_SHMEM_CTX(void, name##_atomic_compare_swap_nbi, type *fetch, type *dest, type cond, \
                  type value, int pe) \
    GSH_SHMEM_CTX(void, name##_atomic_fetch_inc_nbi, type *fetch, type *dest, int pe)
GSH_AMO_TYPES(GSH_DECL, _)
#undef GSH_DECL

#define GSH_DECL(name, type, op) \
    GSH_SHMEM_CTX(void, name##_atomic_##op, type *dest, type value, int pe) \
    GSH_SHMEM_CTX(type, name##_atomic_fetch_##op, type *dest, type value, int pe) \
    GSH_SHMEM_CTX(void, name##_atomic_fetch_##op##_nbi, type *fetch, type *dest, type value, int pe)
GSH_AMO_TYPES(GSH_DECL, add)
GSH_AMO_BIT_TYPES(GSH_DECL, and)
GSH_AMO_BIT_TYPES(GSH_DECL, or)
GSH_AMO_BIT_TYPES(GSH_DECL, xor)
#undef GSH_DECL

GSH_END_C

#endif /* GSHMEM_SHMEM_AMO_H */
