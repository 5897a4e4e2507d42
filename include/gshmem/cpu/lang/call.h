/* call.h - what every intrinsic does that may wait: it notes its name and place for
 * messages. Such functions are always inlined: the engine tells the calls of a program
 * apart by where they are, and messages name the line that the compiler put them into.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LANG_CALL_H
#define GSHMEM_CPU_LANG_CALL_H

#include <gshmem/cpu/engine.h>

#define GSH_LANG_CALL inline __attribute__((always_inline))

/* First in the body of a GSH_LANG_CALL. */
#define GSH_LANG_ENTER(name) gsh_lang::enter(name, gsh_lang::here())
/* After a call of the engine that could be the last thing in the user's function: it must
 * not become a jump, as it would then come from the caller of that function. */
#define GSH_LANG_LEAVE() __asm__ volatile("")

namespace gsh_lang {

/* The address of the code that this is inlined into. */
GSH_LANG_CALL const void *here()
{
    const void *pc;

#if defined(__x86_64__)
    __asm__ volatile("lea 0(%%rip), %0" : "=r"(pc));
#elif defined(__aarch64__)
    __asm__ volatile("adr %0, ." : "=r"(pc));
#endif
    return pc;
}

inline void enter(const char *call, const void *where)
{
    if (!gsh_cpu_fiber)
        gsh_cpu_trap("%s was called outside a kernel; only threads of kernels can call it", call);
    gsh_cpu_enter(call, where);
}

} // namespace gsh_lang

#endif /* GSHMEM_CPU_LANG_CALL_H */
