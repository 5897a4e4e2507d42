/* amo.h - atomic memory operations.
 *
 * OpenSHMEM 1.5, section 9.8. Names are given for int. `dest` is symmetric and
 * naturally aligned. Operations on one object are atomic with respect to each
 * other, whoever issues them, and to C atomics of the owner. Those that return a
 * value are complete on return; the others at nvshmem_quiet(). Not collective.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_AMO_H
#define GSHMEM_AMO_H

#include <gshmem/types.h>

GSH_BEGIN_C

/* int nvshmem_int_atomic_fetch(const int *dest, int pe) */
#define GSH_DECL(name, type, a) \
    GSH_ANY type nvshmem_##name##_atomic_fetch(const type *dest, int pe); \
    GSH_ANY void nvshmem_##name##_atomic_set(type *dest, type value, int pe); \
    GSH_ANY type nvshmem_##name##_atomic_swap(type *dest, type value, int pe);
GSH_AMO_EXT_TYPES(GSH_DECL, _)
#undef GSH_DECL

/* compare_swap stores value where *dest equals cond; returns what was there. */
#define GSH_DECL(name, type, a) \
    GSH_ANY void nvshmem_##name##_atomic_inc(type *dest, int pe); \
    GSH_ANY type nvshmem_##name##_atomic_fetch_inc(type *dest, int pe); \
    GSH_ANY void nvshmem_##name##_atomic_add(type *dest, type value, int pe); \
    GSH_ANY type nvshmem_##name##_atomic_fetch_add(type *dest, type value, int pe); \
    GSH_ANY type nvshmem_##name##_atomic_compare_swap(type *dest, type cond, type value, int pe);
GSH_AMO_TYPES(GSH_DECL, _)
#undef GSH_DECL

#define GSH_DECL(name, type, op) \
    GSH_ANY void nvshmem_##name##_atomic_##op(type *dest, type value, int pe); \
    GSH_ANY type nvshmem_##name##_atomic_fetch_##op(type *dest, type value, int pe);
GSH_AMO_BIT_TYPES(GSH_DECL, and)
GSH_AMO_BIT_TYPES(GSH_DECL, or)
GSH_AMO_BIT_TYPES(GSH_DECL, xor)
#undef GSH_DECL

/* Our extension: add and fetch_add of float and double. */
#define GSH_DECL(name, type, a) \
    GSH_ANY void nvshmem_##name##_atomic_add(type *dest, type value, int pe); \
    GSH_ANY type nvshmem_##name##_atomic_fetch_add(type *dest, type value, int pe);
GSH_T_REALS(GSH_DECL, _)
#undef GSH_DECL

GSH_END_C

#endif /* GSHMEM_AMO_H */
