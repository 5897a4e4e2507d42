/* amo.c - the typed atomic operations: shims over amo.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/amo.h"
#include "core/names.h"

#include <gshmem/amo.h>
#include <gshmem/shmem/amo.h>
#include <gshmem/shmem/deprecated.h>

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t fetching(const char *call, const void *dest, int pe, struct gsh_amo_args args)
{
    size_t off = gsh_offset(call, dest, args.bytes, pe);
    const void *there = gsh.peers[pe].base + off;
    uint64_t old;

    if (gsh_unlikely(gsh_race_on) && args.op != GSH_AMO_fetch)
        gsh_race_post(there, args.bytes, 1, __builtin_return_address(0));
    old = gsh_amo_at(pe, off, &args);
    if (gsh_unlikely(gsh_race_on)) {
        if (args.op == GSH_AMO_fetch)
            gsh_race_observe(there, args.bytes, __builtin_return_address(0));
        else
            gsh_race_posted(there, 1);
    }
    return old;
}

INLINE void posting(const char *call, const void *dest, int pe, struct gsh_amo_args args)
{
    size_t off = gsh_offset(call, dest, args.bytes, pe);
    const void *there = gsh.peers[pe].base + off;

    if (gsh_unlikely(gsh_race_on))
        gsh_race_post(there, args.bytes, 0, __builtin_return_address(0));
    gsh_amo_post_at(pe, off, &args);
    if (gsh_unlikely(gsh_race_on))
        gsh_race_posted(there, 0);
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

/* The shapes of a shim: `kind` is the operation, `operand` the bits it takes, PARAMS what
 * the call has between dest and pe, with its comma. A value that was there is stored at
 * *fetch by the nbi forms, at once. */
#define NONE
#define VALUE(type) type value,
#define COND_VALUE(type) type cond, type value,

#define POST(F, call, name, type, params, ...) \
    void F##_NAME(call)(F##_ARGS(type * dest, params int pe)) \
    { \
        posting(F##_TEXT(call), dest, F##_PE(call, pe), ARGS(__VA_ARGS__)); \
    } \
    F##_WEAK(call)

#define FETCH(F, call, name, type, qualifier, params, ...) \
    type F##_NAME(call)(F##_ARGS(qualifier type * dest, params int pe)) \
    { \
        return value_##name(fetching(F##_TEXT(call), dest, F##_PE(call, pe), ARGS(__VA_ARGS__))); \
    } \
    F##_WEAK(call)

#define NBI(F, call, name, type, qualifier, params, ...) \
    void F##_NAME(call)(F##_ARGS(type * fetch, qualifier type * dest, params int pe)) \
    { \
        *fetch = \
            value_##name(fetching(F##_TEXT(call), dest, F##_PE(call, pe), ARGS(__VA_ARGS__))); \
    } \
    F##_WEAK(call)

/* X for each interface, and for those that have the nbi forms. */
#define EACH(TYPES, X, ...) \
    TYPES(X, NV, __VA_ARGS__) TYPES(X, OS, __VA_ARGS__) TYPES(X, CTX, __VA_ARGS__)
#define SHMEM(TYPES, X, ...) TYPES(X, OS, __VA_ARGS__) TYPES(X, CTX, __VA_ARGS__)

#define DEF(name, type, F, a) \
    FETCH(F, name##_atomic_fetch, name, type, const, NONE, fetch, type, 0, 0) \
    POST(F, name##_atomic_set, name, type, VALUE(type), set, type, bits_##name(value), 0) \
    FETCH(F, name##_atomic_swap, name, type, NONE, VALUE(type), set, type, bits_##name(value), 0)
EACH(GSH_AMO_EXT_TYPES, DEF, _)
#undef DEF

#define DEF(name, type, F, a) \
    NBI(F, name##_atomic_fetch_nbi, name, type, const, NONE, fetch, type, 0, 0) \
    NBI(F, name##_atomic_swap_nbi, name, type, NONE, VALUE(type), set, type, bits_##name(value), 0)
SHMEM(GSH_AMO_EXT_TYPES, DEF, _)
#undef DEF

#define DEF(name, type, F, a) \
    FETCH(F, name##_atomic_compare_swap, name, type, NONE, COND_VALUE(type), cswap, type, \
          bits_##name(value), bits_##name(cond)) \
    POST(F, name##_atomic_inc, name, type, NONE, add, type, 1, 0) \
    FETCH(F, name##_atomic_fetch_inc, name, type, NONE, NONE, add, type, 1, 0)
EACH(GSH_AMO_TYPES, DEF, _)
#undef DEF

#define DEF(name, type, F, a) \
    NBI(F, name##_atomic_compare_swap_nbi, name, type, NONE, COND_VALUE(type), cswap, type, \
        bits_##name(value), bits_##name(cond)) \
    NBI(F, name##_atomic_fetch_inc_nbi, name, type, NONE, NONE, add, type, 1, 0)
SHMEM(GSH_AMO_TYPES, DEF, _)
#undef DEF

#define DEF(name, type, F, op, kind) \
    POST(F, name##_atomic_##op, name, type, VALUE(type), kind, type, bits_##name(value), 0) \
    FETCH(F, name##_atomic_fetch_##op, name, type, NONE, VALUE(type), kind, type, \
          bits_##name(value), 0)
EACH(GSH_AMO_TYPES, DEF, add, add)
EACH(GSH_AMO_BIT_TYPES, DEF, and, and)
EACH(GSH_AMO_BIT_TYPES, DEF, or, or)
EACH(GSH_AMO_BIT_TYPES, DEF, xor, xor)
GSH_T_REALS(DEF, NV, add, fadd)
#undef DEF

#define DEF(name, type, F, op) \
    NBI(F, name##_atomic_fetch_##op##_nbi, name, type, NONE, VALUE(type), op, type, \
        bits_##name(value), 0)
SHMEM(GSH_AMO_TYPES, DEF, add)
SHMEM(GSH_AMO_BIT_TYPES, DEF, and)
SHMEM(GSH_AMO_BIT_TYPES, DEF, or)
SHMEM(GSH_AMO_BIT_TYPES, DEF, xor)
#undef DEF

/* The deprecated names. */
#define DEF(name, type, F) \
    POST(F, name##_add, name, type, VALUE(type), add, type, bits_##name(value), 0) \
    FETCH(F, name##_fadd, name, type, NONE, VALUE(type), add, type, bits_##name(value), 0) \
    POST(F, name##_inc, name, type, NONE, add, type, 1, 0) \
    FETCH(F, name##_finc, name, type, NONE, NONE, add, type, 1, 0) \
    FETCH(F, name##_cswap, name, type, NONE, COND_VALUE(type), cswap, type, bits_##name(value), \
          bits_##name(cond))
GSH_T_INTS(DEF, OS)
#undef DEF

#define DEF(name, type, F) \
    FETCH(F, name##_fetch, name, type, const, NONE, fetch, type, 0, 0) \
    POST(F, name##_set, name, type, VALUE(type), set, type, bits_##name(value), 0) \
    FETCH(F, name##_swap, name, type, NONE, VALUE(type), set, type, bits_##name(value), 0)
GSH_T_INTS(DEF, OS)
GSH_T_REALS(DEF, OS)
#undef DEF
