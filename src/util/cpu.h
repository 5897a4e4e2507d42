/* cpu.h - what differs between processors, so that no other file asks. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_UTIL_CPU_H
#define GSH_UTIL_CPU_H

/* Tells the core that this is a polling loop. */
static inline void gsh_cpu_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

#endif /* GSH_UTIL_CPU_H */
