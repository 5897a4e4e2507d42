/* sanitize.h - what AddressSanitizer and ThreadSanitizer must be told of fibers; nothing
 * without them. No other file of the engine asks for them.
 *
 * ThreadSanitizer: the engine's own files are not instrumented (src/CMakeLists.txt), for
 * they move data between the fibers of one thread by design. A switch of fibers orders
 * nothing, so that races between threads of a block are seen; barriers and warp
 * operations say with release and acquire what they order.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_CPU_SANITIZE_H
#define GSH_GPU_CPU_SANITIZE_H

#include <stddef.h>

#ifdef __has_feature
#define GSH_HAS(feature) __has_feature(feature)
#else
#define GSH_HAS(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || GSH_HAS(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define GSH_CPU_STACK_FACTOR 4 /* frames are that much larger */
#define GSH_CPU_OWN_FAULTS 0   /* the sanitizer reports them */
static inline void gsh_san_leave(void **fake, const void *bottom, size_t bytes)
{
    __sanitizer_start_switch_fiber(fake, bottom, bytes);
}
static inline void gsh_san_arrive(void *fake, const void **bottom, size_t *bytes)
{
    __sanitizer_finish_switch_fiber(fake, bottom, bytes);
}
/* Forgets the frames of functions that never returned. */
static inline void gsh_san_clean(const void *from, size_t bytes)
{
    __asan_unpoison_memory_region(from, bytes);
}
#else
#define GSH_CPU_STACK_FACTOR 1
#define GSH_CPU_OWN_FAULTS 1
static inline void gsh_san_leave(void **fake, const void *bottom, size_t bytes)
{
    (void)fake;
    (void)bottom;
    (void)bytes;
}
static inline void gsh_san_arrive(void *fake, const void **bottom, size_t *bytes)
{
    (void)fake;
    (void)bottom;
    (void)bytes;
}
static inline void gsh_san_clean(const void *from, size_t bytes)
{
    (void)from;
    (void)bytes;
}
#endif

#if defined(__SANITIZE_THREAD__) || GSH_HAS(thread_sanitizer) || defined(GSH_CPU_TSAN)
#include <sanitizer/tsan_interface.h>
/* It delivers signals at its own moments, where a fiber may not be left. */
#define GSH_CPU_PREEMPT 0
/* A thread of the kernel must be a thread to it: no fiber runs a second one. */
#define GSH_CPU_REUSE 0
/* It knows 8000 threads and fibers at most. */
#define GSH_CPU_RESIDENT_THREADS 4096
static inline void *gsh_san_current(void)
{
    return __tsan_get_current_fiber();
}
static inline void *gsh_san_create(void)
{
    return __tsan_create_fiber(0);
}
static inline void gsh_san_destroy(void *fiber)
{
    __tsan_destroy_fiber(fiber);
}
static inline void gsh_san_switch(void *fiber)
{
    __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync);
}
static inline void gsh_san_release(void *place)
{
    __tsan_release(place);
}
static inline void gsh_san_acquire(void *place)
{
    __tsan_acquire(place);
}
#else
#define GSH_CPU_PREEMPT 1
#define GSH_CPU_REUSE 1
#define GSH_CPU_RESIDENT_THREADS (GSH_CPU_SMS * GSH_CPU_SM_THREADS)
static inline void *gsh_san_current(void)
{
    return NULL;
}
static inline void *gsh_san_create(void)
{
    return NULL;
}
static inline void gsh_san_destroy(void *fiber)
{
    (void)fiber;
}
static inline void gsh_san_switch(void *fiber)
{
    (void)fiber;
}
static inline void gsh_san_release(void *place)
{
    (void)place;
}
static inline void gsh_san_acquire(void *place)
{
    (void)place;
}
#endif

#endif /* GSH_GPU_CPU_SANITIZE_H */
