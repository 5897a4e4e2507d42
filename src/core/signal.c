/* signal.c - data with a signal: shims over put and atomics. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/amo.h"
#include "core/half.h"
#include "core/log.h"

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

#define DEF(name, type, nbi) \
    void nvshmem_##name##_put_signal##nbi(type *dest, const type *source, size_t nelems, \
                                          uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) \
    { \
        put_signal("nvshmem_" #name "_put_signal" #nbi, dest, source, nelems * sizeof(type), \
                   sig_addr, signal, sig_op, pe); \
    }
GSH_RMA_TYPES(DEF, )
GSH_RMA_TYPES(DEF, _nbi)
#undef DEF

#define DEF(bits, nbi) \
    void nvshmem_put##bits##_signal##nbi(void *dest, const void *source, size_t nelems, \
                                         uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) \
    { \
        put_signal("nvshmem_put" #bits "_signal" #nbi, dest, source, bits / 8 * nelems, sig_addr, \
                   signal, sig_op, pe); \
    }
GSH_SIZES(DEF, )
GSH_SIZES(DEF, _nbi)
#undef DEF

#define DEF(nbi) \
    void nvshmem_putmem_signal##nbi(void *dest, const void *source, size_t bytes, \
                                    uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) \
    { \
        put_signal("nvshmem_putmem_signal" #nbi, dest, source, bytes, sig_addr, signal, sig_op, \
                   pe); \
    }
DEF()
DEF(_nbi)
#undef DEF

void nvshmemx_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    struct gsh_amo_args args = signal_args("nvshmemx_signal_op", signal, sig_op);
    size_t off = gsh_offset("nvshmemx_signal_op", sig_addr, sizeof(*sig_addr), pe);

    if (gsh_unlikely(!gsh.peers[pe].base))
        gsh_tr_amo_post(pe, off, &args);
    else
        apply(&gsh.peers[pe], off, &args);
}

uint64_t nvshmem_signal_fetch(uint64_t *sig_addr)
{
    return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}
