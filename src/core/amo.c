/* amo.c - the typed atomic operations: shims over amo.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/amo.h"

#include <gshmem/amo.h>

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t fetching(const char *call, const void *dest, int pe, struct gsh_amo_args args)
{
    return gsh_amo_at(pe, gsh_offset(call, dest, args.bytes, pe), &args);
}

INLINE void posting(const char *call, const void *dest, int pe, struct gsh_amo_args args)
{
    gsh_amo_post_at(pe, gsh_offset(call, dest, args.bytes, pe), &args);
}

/* The bits of a value, and a value from its bits. */
#define DEF(name, type, a) \
    INLINE uint64_t bits_##name(type value) \
    { \
        uint64_t bits = 0; \
        memcpy(&bits, &value, sizeof(value)); \
        return bits; \
    } \
    INLINE type value_##name(uint64_t bits) \
    { \
        type value; \
        memcpy(&value, &bits, sizeof(value)); \
        return value; \
    }
GSH_AMO_EXT_TYPES(DEF, _)
#undef DEF

#define ARGS(kind, type, ...) ((struct gsh_amo_args){ GSH_AMO_##kind, sizeof(type), __VA_ARGS__ })

#define DEF(name, type, a) \
    type nvshmem_##name##_atomic_fetch(const type *dest, int pe) \
    { \
        return value_##name( \
            fetching("nvshmem_" #name "_atomic_fetch", dest, pe, ARGS(fetch, type, 0, 0))); \
    }
GSH_AMO_EXT_TYPES(DEF, _)
#undef DEF

#define DEF(name, type, a) \
    void nvshmem_##name##_atomic_set(type *dest, type value, int pe) \
    { \
        posting("nvshmem_" #name "_atomic_set", dest, pe, ARGS(set, type, bits_##name(value), 0)); \
    } \
    type nvshmem_##name##_atomic_swap(type *dest, type value, int pe) \
    { \
        return value_##name(fetching("nvshmem_" #name "_atomic_swap", dest, pe, \
                                     ARGS(set, type, bits_##name(value), 0))); \
    }
GSH_AMO_EXT_TYPES(DEF, _)
#undef DEF

#define DEF(name, type, a) \
    type nvshmem_##name##_atomic_compare_swap(type *dest, type cond, type value, int pe) \
    { \
        return value_##name(fetching("nvshmem_" #name "_atomic_compare_swap", dest, pe, \
                                     ARGS(cswap, type, bits_##name(value), bits_##name(cond)))); \
    }
GSH_AMO_TYPES(DEF, _)
#undef DEF

#define DEF(name, type, a) \
    void nvshmem_##name##_atomic_inc(type *dest, int pe) \
    { \
        posting("nvshmem_" #name "_atomic_inc", dest, pe, ARGS(add, type, 1, 0)); \
    } \
    type nvshmem_##name##_atomic_fetch_inc(type *dest, int pe) \
    { \
        return value_##name( \
            fetching("nvshmem_" #name "_atomic_fetch_inc", dest, pe, ARGS(add, type, 1, 0))); \
    }
GSH_AMO_TYPES(DEF, _)
#undef DEF

#define DEF(name, type, kind) \
    void nvshmem_##name##_atomic_##kind(type *dest, type value, int pe) \
    { \
        posting("nvshmem_" #name "_atomic_" #kind, dest, pe, \
                ARGS(kind, type, bits_##name(value), 0)); \
    } \
    type nvshmem_##name##_atomic_fetch_##kind(type *dest, type value, int pe) \
    { \
        return value_##name(fetching("nvshmem_" #name "_atomic_fetch_" #kind, dest, pe, \
                                     ARGS(kind, type, bits_##name(value), 0))); \
    }
GSH_AMO_TYPES(DEF, add)
GSH_AMO_BIT_TYPES(DEF, and)
GSH_AMO_BIT_TYPES(DEF, or)
GSH_AMO_BIT_TYPES(DEF, xor)
#undef DEF
