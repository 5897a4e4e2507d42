/* rma.c - put and get: each public name is a shim over remote.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/half.h"
#include "core/remote.h"

#include <gshmem/rma.h>

#define INLINE static inline __attribute__((always_inline))

INLINE void put(const char *call, void *dest, const void *source, size_t bytes, int pe)
{
    gsh_put_at(pe, gsh_offset(call, dest, bytes, pe), source, bytes);
}

INLINE void get(const char *call, void *dest, const void *source, size_t bytes, int pe)
{
    gsh_get_at(pe, dest, gsh_offset(call, source, bytes, pe), bytes);
}

/* The bytes that n elements of a strided operand span, from its first one. */
INLINE size_t span_of(size_t n, ptrdiff_t stride, size_t size)
{
    return n ? ((n - 1) * (size_t)stride + 1) * size : 0;
}

INLINE void iput(const char *call, char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst,
                 size_t n, size_t size, int pe)
{
    size_t off = gsh_offset(call, dest, span_of(n, dst, size), pe);

    for (size_t i = 0; i < n; i++)
        gsh_put_at(pe, off + i * (size_t)dst * size, source + (ptrdiff_t)i * sst * (ptrdiff_t)size,
                   size);
}

INLINE void iget(const char *call, char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst,
                 size_t n, size_t size, int pe)
{
    size_t off = gsh_offset(call, source, span_of(n, sst, size), pe);

    for (size_t i = 0; i < n; i++)
        gsh_get_at(pe, dest + (ptrdiff_t)i * dst * (ptrdiff_t)size, off + i * (size_t)sst * size,
                   size);
}

/* Blocking and non-blocking forms do the same here: a transport's put has taken
 * the source when it returns, and a get has arrived. */
#define DEF(name, type, nbi) \
    void nvshmem_##name##_put##nbi(type *dest, const type *source, size_t nelems, int pe) \
    { \
        put("nvshmem_" #name "_put" #nbi, dest, source, nelems * sizeof(type), pe); \
    }
GSH_RMA_TYPES(DEF, )
GSH_RMA_TYPES(DEF, _nbi)
#undef DEF

#define DEF(name, type, nbi) \
    void nvshmem_##name##_get##nbi(type *dest, const type *source, size_t nelems, int pe) \
    { \
        get("nvshmem_" #name "_get" #nbi, dest, source, nelems * sizeof(type), pe); \
    }
GSH_RMA_TYPES(DEF, )
GSH_RMA_TYPES(DEF, _nbi)
#undef DEF

#define DEF(name, type, a) \
    void nvshmem_##name##_p(type *dest, const type value, int pe) \
    { \
        put("nvshmem_" #name "_p", dest, &value, sizeof(value), pe); \
    }
GSH_RMA_TYPES(DEF, _)
#undef DEF

#define DEF(name, type, a) \
    type nvshmem_##name##_g(const type *src, int pe) \
    { \
        type value; \
        get("nvshmem_" #name "_g", &value, src, sizeof(value), pe); \
        return value; \
    }
GSH_RMA_TYPES(DEF, _)
#undef DEF

#define DEF(name, type, dir) \
    void nvshmem_##name##_##dir(type *dest, const type *source, ptrdiff_t dst, ptrdiff_t sst, \
                                size_t nelems, int pe) \
    { \
        dir("nvshmem_" #name "_" #dir, (char *)dest, (const char *)source, dst, sst, nelems, \
            sizeof(type), pe); \
    }
GSH_RMA_TYPES(DEF, iput)
GSH_RMA_TYPES(DEF, iget)
#undef DEF

#define DEF(bits, dir, nbi) \
    void nvshmem_##dir##bits##nbi(void *dest, const void *source, size_t nelems, int pe) \
    { \
        dir("nvshmem_" #dir #bits #nbi, dest, source, bits / 8 * nelems, pe); \
    }
GSH_SIZES(DEF, put, )
GSH_SIZES(DEF, put, _nbi)
GSH_SIZES(DEF, get, )
GSH_SIZES(DEF, get, _nbi)
#undef DEF

#define DEF(bits, dir) \
    void nvshmem_##dir##bits(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
                             size_t nelems, int pe) \
    { \
        dir("nvshmem_" #dir #bits, dest, source, dst, sst, nelems, bits / 8, pe); \
    }
GSH_SIZES(DEF, iput)
GSH_SIZES(DEF, iget)
#undef DEF

#define DEF(dir, nbi) \
    void nvshmem_##dir##mem##nbi(void *dest, const void *source, size_t bytes, int pe) \
    { \
        dir("nvshmem_" #dir "mem" #nbi, dest, source, bytes, pe); \
    }
DEF(put, )
DEF(put, _nbi)
DEF(get, )
DEF(get, _nbi)
#undef DEF
