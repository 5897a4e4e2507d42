/* atomic.h - CUDA's atomic functions, at device, block and system scope, which are the
 * same here. Relaxed order, as on GPUs.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LANG_ATOMIC_H
#define GSHMEM_CPU_LANG_ATOMIC_H

#include <gshmem/cpu/order.h>

namespace gsh_lang {

/* *p = f(*p) in one step, for any type of 2, 4 or 8 bytes; the old value. */
template <class T, class F> T atomic_update(T *p, F f, int order = __ATOMIC_RELAXED)
{
    T old, next;

    __atomic_load(p, &old, GSH_LOADS);
    do
        next = f(old);
    while (!__atomic_compare_exchange(p, &old, &next, true, GSH_ORDER_OR(order, GSH_UPDATES),
                                      GSH_LOADS));
    return old;
}

template <class T> T atomic_cas(T *p, T expected, T value)
{
    __atomic_compare_exchange(p, &expected, &value, false, GSH_UPDATES, GSH_LOADS);
    return expected;
}

template <class T> T atomic_exchange(T *p, T value)
{
    T old;

    __atomic_exchange(p, &value, &old, GSH_UPDATES);
    return old;
}

} // namespace gsh_lang

/* The function and its forms for the other scopes; body is a return value made of p and
 * the parameters. */
#define GSH_LANG_ATOMIC_SCOPE(T, name, params, body) \
    inline T name params \
    { \
        return body; \
    }
#define GSH_LANG_ATOMIC(T, name, params, body) \
    GSH_LANG_ATOMIC_SCOPE(T, name, params, body) \
    GSH_LANG_ATOMIC_SCOPE(T, name##_block, params, body) \
    GSH_LANG_ATOMIC_SCOPE(T, name##_system, params, body)

/* Atomics whose builtin has a result of the same meaning for all integers. */
#define GSH_LANG_ATOMIC_INT(T) \
    GSH_LANG_ATOMIC(T, atomicAdd, (T * p, T v), __atomic_fetch_add(p, v, GSH_UPDATES)) \
    GSH_LANG_ATOMIC(T, atomicAnd, (T * p, T v), __atomic_fetch_and(p, v, GSH_UPDATES)) \
    GSH_LANG_ATOMIC(T, atomicOr, (T * p, T v), __atomic_fetch_or(p, v, GSH_UPDATES)) \
    GSH_LANG_ATOMIC(T, atomicXor, (T * p, T v), __atomic_fetch_xor(p, v, GSH_UPDATES)) \
    GSH_LANG_ATOMIC(T, atomicExch, (T * p, T v), gsh_lang::atomic_exchange(p, v)) \
    GSH_LANG_ATOMIC_CAS(T)
#define GSH_LANG_ATOMIC_CAS(T) \
    GSH_LANG_ATOMIC(T, atomicCAS, (T * p, T cond, T v), gsh_lang::atomic_cas(p, cond, v))
/* `next` is the new value made of `old` and v. */
#define GSH_LANG_ATOMIC_UPDATE(T, name, next) \
    GSH_LANG_ATOMIC(T, name, (T * p, T v), gsh_lang::atomic_update(p, [=](T old) { return next; }))
#define GSH_LANG_ATOMIC_ORDER(T) \
    GSH_LANG_ATOMIC_UPDATE(T, atomicMin, v < old ? v : old) \
    GSH_LANG_ATOMIC_UPDATE(T, atomicMax, v > old ? v : old)

GSH_LANG_ATOMIC_INT(int)
GSH_LANG_ATOMIC_INT(unsigned int)
GSH_LANG_ATOMIC_INT(unsigned long long)
GSH_LANG_ATOMIC_CAS(unsigned short)

GSH_LANG_ATOMIC_ORDER(int)
GSH_LANG_ATOMIC_ORDER(unsigned int)
GSH_LANG_ATOMIC_ORDER(long long)
GSH_LANG_ATOMIC_ORDER(unsigned long long)

GSH_LANG_ATOMIC(int, atomicSub, (int *p, int v), __atomic_fetch_sub(p, v, GSH_UPDATES))
GSH_LANG_ATOMIC(unsigned int, atomicSub, (unsigned int *p, unsigned int v),
                __atomic_fetch_sub(p, v, GSH_UPDATES))
GSH_LANG_ATOMIC(float, atomicExch, (float *p, float v), gsh_lang::atomic_exchange(p, v))
GSH_LANG_ATOMIC_UPDATE(unsigned int, atomicInc, old >= v ? 0 : old + 1)
GSH_LANG_ATOMIC_UPDATE(unsigned int, atomicDec, old == 0 || old > v ? v : old - 1)
GSH_LANG_ATOMIC_UPDATE(float, atomicAdd, old + v)
GSH_LANG_ATOMIC_UPDATE(double, atomicAdd, old + v)

#undef GSH_LANG_ATOMIC_INT
#undef GSH_LANG_ATOMIC_CAS
#undef GSH_LANG_ATOMIC_ORDER

#endif /* GSHMEM_CPU_LANG_ATOMIC_H */
