/* signal.c - data with a signal: shims over put and atomics. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/amo.h"
#include "core/half.h"
#include "core/log.h"
#include "core/names.h"

#include <gshmem/shmem/signal.h>
#include <gshmem/signal.h>

#define INLINE static inline __attribute__((always_inline))

static struct gsh_amo_args signal_args(const char *call, uint64_t signal, int sig_op)
{
    struct gsh_amo_args args = { .op = GSH_AMO_set, .bytes = 8, .operand = signal };

    if (sig_op == NVSHMEM_SIGNAL_ADD)
        args.op = GSH_AMO_add;
    else if (sig_op != NVSHMEM_SIGNAL_SET)
        gsh_die("%s: signal operation %d is neither NVSHMEM_SIGNAL_SET (%d) nor "
                "NVSHMEM_SIGNAL_ADD (%d)",
                call, sig_op, NVSHMEM_SIGNAL_SET, NVSHMEM_SIGNAL_ADD);
    return args;
}

/* SET is a store and not an exchange: the release orders it after the payload.
 * Pairs with the acquire of the waits. */
INLINE void apply(const struct gsh_peer *peer, size_t off, const struct gsh_amo_args *args)
{
    uint64_t *word = (uint64_t *)(void *)(peer->base + off);

    if (args->op == GSH_AMO_set)
        __atomic_store_n(word, args->operand, __ATOMIC_RELEASE);
    else
        __atomic_fetch_add(word, args->operand, __ATOMIC_RELEASE);
    gsh_ring(peer->bell);
}

INLINE void put_signal(const char *call, void *dest, const void *source, size_t bytes,
                       uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    struct gsh_amo_args args = signal_args(call, signal, sig_op);
    size_t off = gsh_offset(call, dest, bytes, pe);
    size_t sig_off = gsh_offset(call, sig_addr, sizeof(*sig_addr), pe);
    const struct gsh_peer *peer = &gsh.peers[pe];

    if (gsh_unlikely(!peer->base)) {
        gsh_tr_put_signal(pe, off, source, bytes, sig_off, &args);
        return;
    }
    memmove(peer->base + off, source, bytes);
    apply(peer, sig_off, &args);
}

INLINE void signal_op(const char *call, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    struct gsh_amo_args args = signal_args(call, signal, sig_op);
    size_t off = gsh_offset(call, sig_addr, sizeof(*sig_addr), pe);

    if (gsh_unlikely(!gsh.peers[pe].base))
        gsh_tr_amo_post(pe, off, &args);
    else
        apply(&gsh.peers[pe], off, &args);
}

#define DEF(name, type, F, nbi) \
    void F##_NAME(name##_put_signal##nbi)(F##_ARGS(type * dest, const type *source, size_t nelems, \
                                                   uint64_t *sig_addr, uint64_t signal, \
                                                   int sig_op, int pe)) \
    { \
        put_signal(F##_TEXT(name##_put_signal##nbi), dest, source, \
                   gsh_bytes(nelems, sizeof(type)), sig_addr, signal, sig_op, \
                   F##_PE(name##_put_signal##nbi, pe)); \
    } \
    F##_WEAK(name##_put_signal##nbi)
#define EACH(nbi) \
    GSH_RMA_TYPES(DEF, NV, nbi) \
    GSH_SHMEM_RMA_TYPES(DEF, OS, nbi) \
    GSH_SHMEM_RMA_TYPES(DEF, CTX, nbi)
EACH()
EACH(_nbi)
#undef DEF
#undef EACH

/* `size` is the number of a name such as put64, or mem. */
#define DEF(size, F, nbi, bytes) \
    void F##_NAME(put##size##_signal##nbi)(F##_ARGS(void *dest, const void *source, size_t nelems, \
                                                    uint64_t *sig_addr, uint64_t signal, \
                                                    int sig_op, int pe)) \
    { \
        put_signal(F##_TEXT(put##size##_signal##nbi), dest, source, bytes, sig_addr, signal, \
                   sig_op, F##_PE(put##size##_signal##nbi, pe)); \
    } \
    F##_WEAK(put##size##_signal##nbi)
#define SIZE(bits, F, nbi) DEF(bits, F, nbi, gsh_bytes(nelems, bits / 8))
#define EACH(F) \
    GSH_SIZES(SIZE, F, ) GSH_SIZES(SIZE, F, _nbi) DEF(mem, F, , nelems) DEF(mem, F, _nbi, nelems)
EACH(NV)
EACH(OS)
EACH(CTX)
#undef DEF
#undef SIZE
#undef EACH

void nvshmemx_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    signal_op("nvshmemx_signal_op", sig_addr, signal, sig_op, pe);
}

#define DEF(F, call, kind) \
    void F##_NAME(call)(F##_ARGS(uint64_t * sig_addr, uint64_t signal, int pe)) \
    { \
        signal_op(F##_TEXT(call), sig_addr, signal, NVSHMEM_SIGNAL_##kind, F##_PE(call, pe)); \
    } \
    F##_WEAK(call)
DEF(OS, signal_set, SET)
DEF(OS, signal_add, ADD)
DEF(CTX, signal_set, SET)
DEF(CTX, signal_add, ADD)
#undef DEF

uint64_t nvshmem_signal_fetch(uint64_t *sig_addr)
{
    return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}

uint64_t pshmem_signal_fetch(const uint64_t *sig_addr)
{
    return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}
OS_WEAK(signal_fetch)
