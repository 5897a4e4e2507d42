/* wait.h - waiting for, and testing, words that other PEs write.
 *
 * OpenSHMEM 1.5, section 9.11 (point-to-point synchronization). Names are given
 * for int; TYPE is each of GSH_WAIT_TYPES. `ivar` is a symmetric object of this
 * PE, cmp one of NVSHMEM_CMP_*. What was put before the awaited value, with a
 * fence between, is visible on return. `status` (NULL: none) skips the elements
 * where it is not 0. The wait forms block; test forms return at once. Not
 * collective. With GSHMEM_TIMEOUT a wait that lasts too long ends the job and
 * says what it saw.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_WAIT_H
#define GSHMEM_WAIT_H

#include <gshmem/types.h>

GSH_BEGIN_C

/* One word: void nvshmem_int_wait_until(int *ivar, int cmp, int cmp_value)
 *           int nvshmem_int_test(int *ivar, int cmp, int cmp_value)
 * all: every element fulfils it (also when none is looked at).
 * any: index of one that does, SIZE_MAX when none (test) or none is looked at.
 * some: number of those that do, their indices in `indices`.
 * _vector: element i is compared with cmp_values[i]. */
#define GSH_DECL(name, type, a) \
    GSH_ANY void nvshmem_##name##_wait_until(type *ivar, int cmp, type cmp_value); \
    GSH_ANY void nvshmem_##name##_wait_until_all(type *ivars, size_t nelems, const int *status, \
                                                 int cmp, type cmp_value); \
    GSH_ANY size_t nvshmem_##name##_wait_until_any(type *ivars, size_t nelems, const int *status, \
                                                   int cmp, type cmp_value); \
    GSH_ANY size_t nvshmem_##name##_wait_until_some(type *ivars, size_t nelems, size_t *indices, \
                                                    const int *status, int cmp, type cmp_value);
GSH_WAIT_TYPES(GSH_DECL, _)
#undef GSH_DECL

#define GSH_DECL(name, type, a) \
    GSH_ANY void nvshmem_##name##_wait_until_all_vector( \
        type *ivars, size_t nelems, const int *status, int cmp, type *cmp_values); \
    GSH_ANY size_t nvshmem_##name##_wait_until_any_vector( \
        type *ivars, size_t nelems, const int *status, int cmp, type *cmp_values); \
    GSH_ANY size_t nvshmem_##name##_wait_until_some_vector(type *ivars, size_t nelems, \
                                                           size_t *indices, const int *status, \
                                                           int cmp, type *cmp_values);
GSH_WAIT_TYPES(GSH_DECL, _)
#undef GSH_DECL

#define GSH_DECL(name, type, a) \
    GSH_ANY int nvshmem_##name##_test(type *ivar, int cmp, type cmp_value); \
    GSH_ANY int nvshmem_##name##_test_all(type *ivars, size_t nelems, const int *status, int cmp, \
                                          type cmp_value); \
    GSH_ANY size_t nvshmem_##name##_test_any(type *ivars, size_t nelems, const int *status, \
                                             int cmp, type cmp_value); \
    GSH_ANY size_t nvshmem_##name##_test_some(type *ivars, size_t nelems, size_t *indices, \
                                              const int *status, int cmp, type cmp_value);
GSH_WAIT_TYPES(GSH_DECL, _)
#undef GSH_DECL

#define GSH_DECL(name, type, a) \
    GSH_ANY int nvshmem_##name##_test_all_vector(type *ivars, size_t nelems, const int *status, \
                                                 int cmp, type *cmp_values); \
    GSH_ANY size_t nvshmem_##name##_test_any_vector(type *ivars, size_t nelems, const int *status, \
                                                    int cmp, type *cmp_values); \
    GSH_ANY size_t nvshmem_##name##_test_some_vector(type *ivars, size_t nelems, size_t *indices, \
                                                     const int *status, int cmp, \
                                                     type *cmp_values);
GSH_WAIT_TYPES(GSH_DECL, _)
#undef GSH_DECL

GSH_END_C

#endif /* GSHMEM_WAIT_H */
