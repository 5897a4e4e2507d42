/* wait.h - waiting for, and testing, words that other PEs write.
 *
 * OpenSHMEM 1.5, section 9.11. The rules are those of gshmem/wait.h. cmp is
 * SHMEM_CMP_*.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_WAIT_H
#define GSHMEM_SHMEM_WAIT_H

#include <gshmem/shmem/base.h>

GSH_BEGIN_C

#define GSH_DECL(name, type, a) \
    GSH_SHMEM(void, name##_wait_until, type *ivar, int cmp, type cmp_value) \
    GSH_SHMEM(int, name##_test, type *ivar, int cmp, type cmp_value)
GSH_WAIT_TYPES(GSH_DECL, _)
#undef GSH_DECL

/* void shmem_int_wait_until_all(int *ivars, size_t nelems, const int *status, int cmp,
 *                               int cmp_value)
 * _vector: element i is compared with cmp_values[i]. */
#define GSH_DECL_FORM(name, type, form, values) \
    GSH_SHMEM(void, name##_wait_until_all##form, type *ivars, size_t nelems, const int *status, \
              int cmp, values) \
    GSH_SHMEM(size_t, name##_wait_until_any##form, type *ivars, size_t nelems, const int *status, \
              int cmp, values) \
    GSH_SHMEM(size_t, name##_wait_until_some##form, type *ivars, size_t nelems, size_t *indices, \
              const int *status, int cmp, values)
#define GSH_DECL(name, type, a) \
    GSH_DECL_FORM(name, type, , type cmp_value) \
    GSH_DECL_FORM(name, type, _vector, const type *cmp_values)
GSH_WAIT_TYPES(GSH_DECL, _)
#undef GSH_DECL
#undef GSH_DECL_FORM

#define GSH_DECL_FORM(name, type, form, values) \
    GSH_SHMEM(int, name##_test_all##form, type *ivars, size_t nelems, const int *status, int cmp, \
              values) \
    GSH_SHMEM(size_t, name##_test_any##form, type *ivars, size_t nelems, const int *status, \
              int cmp, values) \
    GSH_SHMEM(size_t, name##_test_some##form, type *ivars, size_t nelems, size_t *indices, \
              const int *status, int cmp, values)
#define GSH_DECL(name, type, a) \
    GSH_DECL_FORM(name, type, , type cmp_value) \
    GSH_DECL_FORM(name, type, _vector, const type *cmp_values)
GSH_WAIT_TYPES(GSH_DECL, _)
#undef GSH_DECL
#undef GSH_DECL_FORM

GSH_END_C

#endif /* GSHMEM_SHMEM_WAIT_H */
