/* names_amo.cuh - atomic memory operations: names. */
// SPDX-License-Identifier: BSD-3-Clause

/* Forms, by what they take: int nvshmem_int_atomic_fetch(const int *dest, int pe),
 * void nvshmem_int_atomic_set(int *dest, int value, int pe),
 * int nvshmem_int_atomic_swap(int *dest, int value, int pe). */
#define GSH_AMO_POST(name, type, call, op) \
    GSH_ANY_ROW(void, nvshmem_##name##_atomic_##call, (type * dest, type value, int pe), \
                (dest, value, pe), gsh_impl::post<gsh_impl::amo_##op>(__func__, dest, value, pe))
#define GSH_AMO_FETCH(name, type, call, op) \
    GSH_ANY_ROW(type, nvshmem_##name##_atomic_##call, (type * dest, type value, int pe), \
                (dest, value, pe), \
                return gsh_impl::amo<gsh_impl::amo_##op>(__func__, dest, value, value, pe))
#define GSH_AMO_BOTH(name, type, op) \
    GSH_AMO_POST(name, type, op, op) \
    GSH_AMO_FETCH(name, type, fetch_##op, op)

#define GSH_TYPE(name, type, a) \
    GSH_ANY_ROW(type, nvshmem_##name##_atomic_fetch, (const type *dest, int pe), (dest, pe), \
                return gsh_impl::amo<gsh_impl::amo_fetch, type>(__func__, dest, 0, 0, pe)) \
    GSH_AMO_POST(name, type, set, set) \
    GSH_AMO_FETCH(name, type, swap, swap)
GSH_AMO_EXT_TYPES(GSH_TYPE, _)
#undef GSH_TYPE

GSH_AMO_EXT_TYPES(GSH_AMO_BOTH, add)
GSH_AMO_BIT_TYPES(GSH_AMO_BOTH, and)
GSH_AMO_BIT_TYPES(GSH_AMO_BOTH, or)
GSH_AMO_BIT_TYPES(GSH_AMO_BOTH, xor)

#define GSH_TYPE(name, type, a) \
    GSH_ANY_ROW(void, nvshmem_##name##_atomic_inc, (type * dest, int pe), (dest, pe), \
                gsh_impl::post<gsh_impl::amo_add, type>(__func__, dest, 1, pe)) \
    GSH_ANY_ROW(type, nvshmem_##name##_atomic_fetch_inc, (type * dest, int pe), (dest, pe), \
                return gsh_impl::amo<gsh_impl::amo_add, type>(__func__, dest, 1, 1, pe)) \
    GSH_ANY_ROW(type, nvshmem_##name##_atomic_compare_swap, \
                (type * dest, type cond, type value, int pe), (dest, cond, value, pe), \
                return gsh_impl::amo<gsh_impl::amo_compare_swap>(__func__, dest, value, cond, pe))
GSH_AMO_TYPES(GSH_TYPE, _)
#undef GSH_TYPE

/* Our extension, of the device only. */
#define GSH_TYPE(name, type, a) \
    GSH_DEVICE_ROW(void, nvshmem_##name##_atomic_add, (type * dest, type value, int pe), \
                   (dest, value, pe), gsh_impl::half_add(__func__, dest, value, pe)) \
    GSH_DEVICE_ROW(type, nvshmem_##name##_atomic_fetch_add, (type * dest, type value, int pe), \
                   (dest, value, pe), return gsh_impl::half_add(__func__, dest, value, pe))
GSH_T_HALFS(GSH_TYPE, _)
#undef GSH_TYPE

#undef GSH_AMO_BOTH
#undef GSH_AMO_FETCH
#undef GSH_AMO_POST
