/* pc.h - the instruction that a signal has interrupted. For files with _GNU_SOURCE. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_UTIL_PC_H
#define GSH_UTIL_PC_H

#include <stdint.h>
#include <ucontext.h>

/* `context` is the third argument of the signal's handler. */
static inline uintptr_t gsh_pc(const void *context)
{
    const ucontext_t *state = context;

#if defined(__x86_64__)
    return (uintptr_t)state->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)state->uc_mcontext.pc;
#else
#error "where does this processor's context have the program counter?"
#endif
}

#endif /* GSH_UTIL_PC_H */
