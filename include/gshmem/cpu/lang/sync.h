/* sync.h - barriers of a block, fences, clocks and the end of a kernel by __trap(). */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LANG_SYNC_H
#define GSHMEM_CPU_LANG_SYNC_H

#include <gshmem/cpu/lang/call.h>
#include <time.h> /* clock() */

GSH_LANG_CALL void __syncthreads()
{
    GSH_LANG_ENTER("__syncthreads");
    gsh_cpu_syncthreads(GSH_CPU_NONE, 0);
    GSH_LANG_LEAVE();
}

#define GSH_LANG_VOTE(name, vote) \
    GSH_LANG_CALL int name(int predicate) \
    { \
        GSH_LANG_ENTER(#name); \
        int result = gsh_cpu_syncthreads(vote, predicate); \
        GSH_LANG_LEAVE(); \
        return result; \
    }
GSH_LANG_VOTE(__syncthreads_and, GSH_CPU_AND)
GSH_LANG_VOTE(__syncthreads_or, GSH_CPU_OR)
GSH_LANG_VOTE(__syncthreads_count, GSH_CPU_COUNT)
#undef GSH_LANG_VOTE

GSH_LANG_CALL void __syncwarp(unsigned mask = 0xffffffff)
{
    GSH_LANG_ENTER("__syncwarp");
    gsh_cpu_syncwarp(mask);
    GSH_LANG_LEAVE();
}

/* The threads of a block are on one core: only the compiler could reorder for them. */
inline void __threadfence_block()
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

inline void __threadfence_system()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Who sleeps waits for others, mostly; how long is up to them. */
GSH_LANG_CALL void __nanosleep(unsigned)
{
    GSH_LANG_ENTER("__nanosleep");
    gsh_cpu_yield();
    GSH_LANG_LEAVE();
}

[[noreturn]] GSH_LANG_CALL void __trap()
{
    GSH_LANG_ENTER("__trap");
    gsh_cpu_trap("the kernel called __trap()");
}

[[noreturn]] GSH_LANG_CALL void __brkpt()
{
    GSH_LANG_ENTER("__brkpt");
    gsh_cpu_trap("the kernel called __brkpt()");
}

/* clock() is the C library's. */
inline long long clock64()
{
    return static_cast<long long>(gsh_cpu_globaltimer());
}

#endif /* GSHMEM_CPU_LANG_SYNC_H */
