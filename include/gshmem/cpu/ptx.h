/* ptx.h - what gshcu writes in place of asm statements of PTX: an instruction that was
 * ld.acquire.sys.u32 %0, [%1] is ld<unsigned int>(acquire, out, address). C++. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_PTX_H
#define GSHMEM_CPU_PTX_H

#include <gshmem/cpu/engine.h>
#include <gshmem/cpu/order.h>

#ifdef __cplusplus
namespace gsh_cuda {
namespace ptx {

/* The words of PTX; after the preprocessor there are no macros any more. */
enum order {
    relaxed = __ATOMIC_RELAXED,
    acquire = __ATOMIC_ACQUIRE,
    release = __ATOMIC_RELEASE,
    acq_rel = __ATOMIC_ACQ_REL,
    sc = __ATOMIC_SEQ_CST
};

inline unsigned lane()
{
    return ::gsh_cpu_fiber->rank % GSH_CPU_WARP;
}

inline unsigned warp()
{
    return ::gsh_cpu_fiber->rank / GSH_CPU_WARP;
}

inline unsigned sms()
{
    return GSH_CPU_SMS;
}

inline unsigned sm()
{
    const gsh_cpu_dim &b = ::gsh_cpu_block_idx, &g = ::gsh_cpu_grid_dim;
    return ((b.z * g.y + b.y) * g.x + b.x) % GSH_CPU_SMS;
}

inline void fence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

inline void bar(unsigned id, unsigned threads)
{
    ::gsh_cpu_barrier(id, threads);
}

inline void bar(unsigned id)
{
    const gsh_cpu_dim &d = ::gsh_cpu_block_dim;

    if (id == 0)
        ::gsh_cpu_syncthreads(GSH_CPU_NONE, 0);
    else
        ::gsh_cpu_barrier(id, d.x * d.y * d.z);
}

/* Registers hold addresses as pointers or as numbers. */
template <class T, class A> T *at(A address)
{
    return (T *)address;
}

template <class T, class Out, class A> void ld(int order, Out &out, A address)
{
    T value;
    __atomic_load(at<T>(address), &value, GSH_ORDER_OR(order, GSH_LOADS));
    out = static_cast<Out>(value);
}

template <class T, class A, class V> void st(int order, A address, V v)
{
    T value = static_cast<T>(v);
    __atomic_store(at<T>(address), &value, GSH_ORDER_OR(order, GSH_STORES));
}

template <class T, class Out, class A, class V> void atom_exch(int order, Out &out, A address, V v)
{
    T value = static_cast<T>(v), old;
    __atomic_exchange(at<T>(address), &value, &old, GSH_ORDER_OR(order, GSH_UPDATES));
    out = static_cast<Out>(old);
}

template <class T, class Out, class A, class C, class V>
void atom_cas(int order, Out &out, A address, C c, V v)
{
    T cond = static_cast<T>(c), value = static_cast<T>(v);
    (void)order; /* the builtin wants a constant for what a failure orders */
    __atomic_compare_exchange(at<T>(address), &cond, &value, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
    out = static_cast<Out>(cond);
}

#define GSH_PTX_OPERATION(name) \
    template <class T, class Out, class A, class V> \
    void atom_##name(int order, Out &out, A address, V v) \
    { \
        out = static_cast<Out>(__atomic_fetch_##name(at<T>(address), static_cast<T>(v), \
                                                     GSH_ORDER_OR(order, GSH_UPDATES))); \
    } \
    template <class T, class A, class V> void red_##name(int order, A address, V v) \
    { \
        __atomic_fetch_##name(at<T>(address), static_cast<T>(v), \
                              GSH_ORDER_OR(order, GSH_UPDATES)); \
    }
GSH_PTX_OPERATION(add)
GSH_PTX_OPERATION(and)
GSH_PTX_OPERATION(or)
GSH_PTX_OPERATION(xor)
#undef GSH_PTX_OPERATION

} // namespace ptx
} // namespace gsh_cuda
#endif

#endif /* GSHMEM_CPU_PTX_H */
