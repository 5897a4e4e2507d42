/* signal.h - the untyped signals, alone and behind data. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_SIGNAL_H
#define GSH_CORE_SIGNAL_H

#include "core/amo.h"
#include "core/log.h"

#include <gshmem/types.h>

static inline struct gsh_amo_args gsh_signal_args(const char *call, uint64_t signal, int sig_op)
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
static inline void gsh_signal_apply(const struct gsh_peer *peer, size_t off,
                                    const struct gsh_amo_args *args)
{
    uint64_t *word = (uint64_t *)(void *)(peer->base + off);

    if (args->op == GSH_AMO_set)
        __atomic_store_n(word, args->operand, __ATOMIC_RELEASE);
    else
        __atomic_fetch_add(word, args->operand, __ATOMIC_RELEASE);
    gsh_ring(peer->bell);
}

/* Inlined for the race checker, so that the return address is the user's. */
static inline __attribute__((always_inline)) void gsh_signal(const char *call, uint64_t *sig_addr,
                                                             uint64_t signal, int sig_op, int pe)
{
    struct gsh_amo_args args = gsh_signal_args(call, signal, sig_op);
    size_t off = gsh_offset(call, sig_addr, sizeof(*sig_addr), pe);
    const void *there = gsh.peers[pe].base + off;

    if (gsh_unlikely(gsh_race_on))
        gsh_race_post(there, sizeof(*sig_addr), 0, __builtin_return_address(0));
    if (gsh_unlikely(!gsh.peers[pe].base || off >= gsh.window))
        gsh_amo_post_at(pe, off, &args);
    else
        gsh_signal_apply(&gsh.peers[pe], off, &args);
    if (gsh_unlikely(gsh_race_on))
        gsh_race_posted(there, 0);
}

static inline __attribute__((always_inline)) void
gsh_put_signal(const char *call, void *dest, const void *source, size_t bytes, uint64_t *sig_addr,
               uint64_t signal, int sig_op, int pe)
{
    struct gsh_amo_args args = gsh_signal_args(call, signal, sig_op);
    size_t off = gsh_offset(call, dest, bytes, pe);
    size_t sig_off = gsh_offset(call, sig_addr, sizeof(*sig_addr), pe);
    const struct gsh_peer *peer = &gsh.peers[pe];

    if (gsh_unlikely(gsh_race_on))
        gsh_race_payload(peer->base + off, source, bytes, __builtin_return_address(0),
                         gsh_race_form_of(call));
    if (gsh_unlikely(gsh.gpu == GSH_GPU_DONE)) {
        gsh_put_at(pe, off, source, bytes);
        gsh_fence();
        gsh_amo_post_at(pe, sig_off, &args);
        return;
    }
    if (gsh_unlikely(!peer->base)) {
        gsh_tr_put_signal(pe, off, source, bytes, sig_off, &args);
        return;
    }
    memmove(peer->base + off, source, bytes);
    if (gsh_unlikely(gsh_race_on))
        gsh_race_post(peer->base + sig_off, sizeof(*sig_addr), 0, __builtin_return_address(0));
    gsh_signal_apply(peer, sig_off, &args);
    if (gsh_unlikely(gsh_race_on))
        gsh_race_posted(peer->base + sig_off, 0);
}

#endif /* GSH_CORE_SIGNAL_H */
