/* amo.h - the untyped atomic operations on 4 and 8 byte words. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_AMO_H
#define GSH_CORE_AMO_H

#include "core/remote.h"

/* Adds the real number with the bits of `operand`; returns the bits that were there. */
#define GSH_AMO_FADD(word, real) \
    static inline word gsh_amo_fadd_##word(word *at, uint64_t operand) \
    { \
        word bits = (word)operand, old = __atomic_load_n(at, __ATOMIC_RELAXED), sum; \
        real a, b; \
        memcpy(&b, &bits, sizeof(b)); \
        do { \
            memcpy(&a, &old, sizeof(a)); \
            a += b; \
            memcpy(&sum, &a, sizeof(sum)); \
        } while ( \
            !__atomic_compare_exchange_n(at, &old, sum, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
        return old; \
    }
GSH_AMO_FADD(uint32_t, float)
GSH_AMO_FADD(uint64_t, double)
#undef GSH_AMO_FADD

/* One body for both widths; `op` and the width are constants at every call. Compare
 * and swap is strong. Sequentially consistent, as the peers' C atomics may be. */
#define GSH_AMO_BODY(word) \
    switch (op) { \
    case GSH_AMO_fetch: \
        return __atomic_load_n((const word *)at, __ATOMIC_SEQ_CST); \
    case GSH_AMO_set: \
        return __atomic_exchange_n((word *)at, (word)operand, __ATOMIC_SEQ_CST); \
    case GSH_AMO_add: \
        return __atomic_fetch_add((word *)at, (word)operand, __ATOMIC_SEQ_CST); \
    case GSH_AMO_and: \
        return __atomic_fetch_and((word *)at, (word)operand, __ATOMIC_SEQ_CST); \
    case GSH_AMO_or: \
        return __atomic_fetch_or((word *)at, (word)operand, __ATOMIC_SEQ_CST); \
    case GSH_AMO_xor: \
        return __atomic_fetch_xor((word *)at, (word)operand, __ATOMIC_SEQ_CST); \
    case GSH_AMO_fadd: \
        return gsh_amo_fadd_##word((word *)at, operand); \
    case GSH_AMO_cswap: \
        break; \
    } \
    word expected = (word)cond; \
    __atomic_compare_exchange_n((word *)at, &expected, (word)operand, 0, __ATOMIC_SEQ_CST, \
                                __ATOMIC_SEQ_CST); \
    return expected;

static inline uint32_t gsh_amo32(void *at, enum gsh_amo op, uint64_t operand, uint64_t cond)
{
    GSH_AMO_BODY(uint32_t)
}

static inline uint64_t gsh_amo64(void *at, enum gsh_amo op, uint64_t operand, uint64_t cond)
{
    GSH_AMO_BODY(uint64_t)
}
#undef GSH_AMO_BODY

/* The operation of `args` on a word of this process; returns what was there. */
static inline uint64_t gsh_amo_local(void *at, const struct gsh_amo_args *args)
{
    return args->bytes == 4 ? gsh_amo32(at, args->op, args->operand, args->cond)
                            : gsh_amo64(at, args->op, args->operand, args->cond);
}

/* On the word at this place of pe's window; returns what was there. */
static inline uint64_t gsh_amo_at(int pe, size_t off, const struct gsh_amo_args *args)
{
    const struct gsh_peer *peer = &gsh.peers[pe];
    uint64_t old;

    if (gsh_unlikely(off >= gsh.window))
        return gsh_gpu_amo_at(pe, off, args);
    if (gsh_unlikely(!peer->base))
        return gsh_tr_amo(pe, off, args);
    old = gsh_amo_local(peer->base + off, args);
    if (args->op != GSH_AMO_fetch)
        gsh_ring(peer->bell);
    return old;
}

/* The same without an answer: complete at quiet. */
static inline void gsh_amo_post_at(int pe, size_t off, const struct gsh_amo_args *args)
{
    if (gsh_unlikely(!gsh.peers[pe].base))
        gsh_tr_amo_post(pe, off, args);
    else if (gsh_unlikely(off >= gsh.window) && args->op == GSH_AMO_set)
        gsh_gpu_put_at(pe, off, &args->operand, args->bytes); /* needs no kernel */
    else
        gsh_amo_at(pe, off, args);
}

#endif /* GSH_CORE_AMO_H */
