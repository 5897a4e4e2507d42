/* remote.c - threads of kernels reach PEs that they cannot load from and store to: by the
 * host's transports, in the thread's own name.
 *
 * The bodies of the device API have checked address and PE before. While a transport makes
 * the thread wait, its whole block does.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/amo.h"
#include "gpu/cpu/block.h"

#include <gshmem/impl/state.h>
#include <gshmem/types.h>

/* The device headers cannot include transport.h: both lists are in the same order. */
_Static_assert(
    (int)GSH_DEVICE_FETCH == (int)GSH_AMO_fetch && (int)GSH_DEVICE_SET == (int)GSH_AMO_set &&
        (int)GSH_DEVICE_ADD == (int)GSH_AMO_add && (int)GSH_DEVICE_AND == (int)GSH_AMO_and &&
        (int)GSH_DEVICE_OR == (int)GSH_AMO_or && (int)GSH_DEVICE_XOR == (int)GSH_AMO_xor &&
        (int)GSH_DEVICE_FADD == (int)GSH_AMO_fadd && (int)GSH_DEVICE_CSWAP == (int)GSH_AMO_cswap,
    "enum gsh_device_amo is enum gsh_amo");

void gsh_cpu_remote_put(void *sym, const void *src, size_t bytes, int pe)
{
    struct block *block = gsh_cpu_enter_block("a remote put");

    gsh_put_at(pe, gsh_offset_of(sym), src, bytes);
    gsh_cpu_leave_block(block);
}

void gsh_cpu_remote_get(void *dst, const void *sym, size_t bytes, int pe)
{
    struct block *block = gsh_cpu_enter_block("a remote get");

    gsh_get_at(pe, dst, gsh_offset_of(sym), bytes);
    gsh_cpu_leave_block(block);
}

uint64_t gsh_cpu_remote_amo(void *sym, size_t bytes, int op, uint64_t operand, uint64_t cond,
                            int pe)
{
    struct gsh_amo_args args = {
        .op = (enum gsh_amo)op, .bytes = bytes, .operand = operand, .cond = cond
    };
    struct block *block = gsh_cpu_enter_block("a remote atomic operation");
    uint64_t old = gsh_amo_at(pe, gsh_offset_of(sym), &args);

    gsh_cpu_leave_block(block);
    return old;
}

void gsh_cpu_remote_signal(uint64_t *sym, uint64_t signal, int op, int pe)
{
    struct gsh_amo_args args = { .op = op == NVSHMEM_SIGNAL_ADD ? GSH_AMO_add : GSH_AMO_set,
                                 .bytes = sizeof(*sym),
                                 .operand = signal };
    struct block *block = gsh_cpu_enter_block("a remote signal");

    gsh_fence();
    gsh_amo_post_at(pe, gsh_offset_of(sym), &args);
    gsh_cpu_leave_block(block);
}

void gsh_cpu_remote_fence(void)
{
    struct block *block = gsh_cpu_enter_block("a fence");

    gsh_fence();
    gsh_cpu_leave_block(block);
}

void gsh_cpu_remote_quiet(void)
{
    struct block *block = gsh_cpu_enter_block("quiet");

    gsh_quiet();
    gsh_cpu_leave_block(block);
}
