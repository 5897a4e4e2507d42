/* memory.h - loads and stores with a hint for caches, and what kind of memory an
 * address is of.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LANG_MEMORY_H
#define GSHMEM_CPU_LANG_MEMORY_H

#include <gshmem/cpu/engine.h>
#include <stddef.h>

namespace gsh_lang {

template <class T> struct same {
    using type = T;
};

} // namespace gsh_lang

/* Programs wait with these for what other threads write, so that the compiler must not
 * keep what it once loaded. */
#define GSH_LANG_LOAD(name) \
    template <class T> inline T name(const T *p) \
    { \
        __atomic_signal_fence(__ATOMIC_SEQ_CST); \
        T value = *p; \
        __atomic_signal_fence(__ATOMIC_SEQ_CST); \
        return value; \
    }
GSH_LANG_LOAD(__ldcg)
GSH_LANG_LOAD(__ldca)
GSH_LANG_LOAD(__ldcs)
GSH_LANG_LOAD(__ldlu)
GSH_LANG_LOAD(__ldcv)
#undef GSH_LANG_LOAD

/* What it loads is constant by contract. */
template <class T> inline T __ldg(const T *p)
{
    return *p;
}

#define GSH_LANG_STORE(name) \
    template <class T> inline void name(T *p, typename gsh_lang::same<T>::type value) \
    { \
        __atomic_signal_fence(__ATOMIC_SEQ_CST); \
        *p = value; \
        __atomic_signal_fence(__ATOMIC_SEQ_CST); \
    }
GSH_LANG_STORE(__stwb)
GSH_LANG_STORE(__stcg)
GSH_LANG_STORE(__stcs)
GSH_LANG_STORE(__stwt)
#undef GSH_LANG_STORE

#define GSH_LANG_IS(name, space) \
    inline unsigned name(const void *p) \
    { \
        return gsh_cpu_space(p) == space; \
    }
GSH_LANG_IS(__isGlobal, GSH_CPU_GLOBAL)
GSH_LANG_IS(__isShared, GSH_CPU_SHARED)
GSH_LANG_IS(__isLocal, GSH_CPU_LOCAL)
#undef GSH_LANG_IS

/* Constants lie among the program's other variables. */
inline unsigned __isConstant(const void *)
{
    return 0;
}

/* Addresses of a space are the generic ones. */
#define GSH_LANG_SPACE(space) \
    inline size_t __cvta_generic_to_##space(const void *p) \
    { \
        return reinterpret_cast<size_t>(p); \
    } \
    inline void *__cvta_##space##_to_generic(size_t address) \
    { \
        return reinterpret_cast<void *>(address); \
    }
GSH_LANG_SPACE(global)
GSH_LANG_SPACE(shared)
GSH_LANG_SPACE(constant)
GSH_LANG_SPACE(local)
#undef GSH_LANG_SPACE

#endif /* GSHMEM_CPU_LANG_MEMORY_H */
