/* names_wait.cuh - waits and tests: names. */
// SPDX-License-Identifier: BSD-3-Clause

#define GSH_TYPE(name, type, a) \
    GSH_ANY_ROW(void, nvshmem_##name##_wait_until, (type * ivar, int cmp, type cmp_value), \
                (ivar, cmp, cmp_value), gsh_impl::wait_one(__func__, ivar, cmp, cmp_value)) \
    GSH_ANY_ROW(int, nvshmem_##name##_test, (type * ivar, int cmp, type cmp_value), \
                (ivar, cmp, cmp_value), return gsh_impl::test_one(__func__, ivar, cmp, cmp_value))
GSH_WAIT_TYPES(GSH_TYPE, _)
#undef GSH_TYPE

/* size_t nvshmem_int_wait_until_any(int *ivars, size_t nelems, const int *status, int cmp,
 *                                   int cmp_value)
 * size_t nvshmem_int_wait_until_any_vector(..., int *cmp_values); `some` with indices. */
#define GSH_MANY(ret, name, type, values, body) \
    GSH_ANY_ROW(ret, name, (type * ivars, size_t nelems, const int *status, int cmp, type values), \
                (ivars, nelems, status, cmp, cmp_values), \
                return gsh_impl::body( \
                    gsh_impl::many<type>(__func__, ivars, nelems, status, cmp, cmp_values)))
#define GSH_SOME(name, type, values, body) \
    GSH_ANY_ROW( \
        size_t, name, \
        (type * ivars, size_t nelems, size_t * indices, const int *status, int cmp, type values), \
        (ivars, nelems, indices, status, cmp, cmp_values), \
        return gsh_impl::body( \
            gsh_impl::many<type>(__func__, ivars, nelems, status, cmp, cmp_values), indices))
#define GSH_SET(name, type, values, suffix) \
    GSH_MANY(void, nvshmem_##name##_wait_until_all##suffix, type, values, wait_all) \
    GSH_MANY(size_t, nvshmem_##name##_wait_until_any##suffix, type, values, wait_any) \
    GSH_SOME(nvshmem_##name##_wait_until_some##suffix, type, values, wait_some) \
    GSH_MANY(int, nvshmem_##name##_test_all##suffix, type, values, test_all) \
    GSH_MANY(size_t, nvshmem_##name##_test_any##suffix, type, values, test_any) \
    GSH_SOME(nvshmem_##name##_test_some##suffix, type, values, test_some)
#define GSH_TYPE(name, type, a) \
    GSH_SET(name, type, cmp_values, ) \
    GSH_SET(name, type, *cmp_values, _vector)
GSH_WAIT_TYPES(GSH_TYPE, _)
#undef GSH_TYPE
#undef GSH_SET
#undef GSH_SOME
#undef GSH_MANY
