/* race.h - what the race checker of the CPU device is told: by the compiler's
 * instrumentation (libgshrace), the device headers, the CUDA runtime of the CPU device and
 * the library. How it works: src/race/race.h in the source tree.
 *
 * All but gsh_race_announce() are called only when gsh_race_on is set. Symmetric memory
 * is given by its address here, also when it is another PE's.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_RACE_H
#define GSHMEM_CPU_RACE_H

#include <gshmem/cpu/engine.h>
#include <stddef.h>
#include <stdint.h>

GSH_BEGIN_C

/* Not 0 from init to finalize with GSHMEM_CHECK=race. */
GSH_API extern int gsh_race_on;

/* The return address of the host's call that the device headers pass on, or that has given
 * the stream what it does now; NULL: none. */
GSH_CPU_VAR const void *gsh_race_host;

/* The program is instrumented: without that there is nothing to check. */
GSH_API void gsh_race_announce(void);

enum gsh_race_kind {
    GSH_RACE_READ,
    GSH_RACE_WRITE,
    GSH_RACE_ATOMIC_READ, /* volatile counts as atomic */
    GSH_RACE_ATOMIC_WRITE,
    GSH_RACE_PUT,    /* write by put or p */
    GSH_RACE_POST,   /* write by an atomic operation or signal of the API */
    GSH_RACE_WAIT,   /* read by a wait or test */
    GSH_RACE_UPDATE, /* atomic read and write in one, of CUDA, C++ or the API */
};

/* An access of the running thread to ordinary memory; `where` is in the program's code. */
GSH_API void gsh_race_access(const void *at, size_t bytes, enum gsh_race_kind kind,
                             const void *where);

/* A volatile read that the thread makes next. */
GSH_API void gsh_race_volatile_read(const void *at, size_t bytes, const void *where);

/* What an atomic access tells and what it does are one step among those to the word: only so
 * does an update learn of those that came before it, and of no others. The thread tells of
 * nothing else in between. */
GSH_API void gsh_race_step_begin(const void *word);
GSH_API void gsh_race_step_end(const void *word);

/* Atomic accesses and fences of C++ and CUDA; order as in __ATOMIC_*. Before a release,
 * after an acquire. */
GSH_API void gsh_race_atomic_release(const void *at, int order);
GSH_API void gsh_race_atomic_acquire(const void *at, int order);
GSH_API void gsh_race_atomic_fence(int order);

/* --- Calls of the API; by one thread of the group, before the bytes move. `where`: the
 * call, NULL in a kernel, where the fiber knows --- */

/* Does the call return when the source may be reused, or the data has come? */
enum gsh_race_form { GSH_RACE_BLOCKING, GSH_RACE_NBI };
GSH_API void gsh_race_put(const void *to, const void *source, size_t bytes, const void *where,
                          enum gsh_race_form form);
GSH_API void gsh_race_get(const void *dest, const void *from, size_t bytes, const void *where,
                          enum gsh_race_form form);
/* A put whose arrival the next gsh_race_post() of this thread tells. */
GSH_API void gsh_race_payload(const void *to, const void *source, size_t bytes, const void *where,
                              enum gsh_race_form form);
/* Atomic operations and signals; `fetches`: with an answer. The first begins a step, which the
 * second ends when the word is written. */
GSH_API void gsh_race_post(const void *to, size_t bytes, int fetches, const void *where);
GSH_API void gsh_race_posted(const void *to, int fetches);
/* A wait or test for the word has succeeded. */
GSH_API void gsh_race_observe(const void *word, size_t bytes, const void *where);
GSH_API void gsh_race_fence(void);
GSH_API void gsh_race_quiet(void);
/* A collective reads or writes memory of this PE. */
GSH_API void gsh_race_touch(const void *at, size_t bytes, int writes, const void *where);

/* --- Order that has no memory of its own --- */

/* What the thread did so far comes before what is done after an acquire of the same key;
 * addresses in symmetric memory are the same key on all PEs. */
GSH_API void gsh_race_release(const void *key);
GSH_API void gsh_race_acquire(const void *key);
/* Who acquires `to` also learns what was released at `from` so far. */
GSH_API void gsh_race_pass(const void *from, const void *to);
GSH_API void gsh_race_forget(const void *key);
/* The calling thread of the host serves a stream, whose number is 0 for the default one, and
 * does this in it now. */
GSH_API void gsh_race_serve(unsigned stream, const char *work);

/* Memory of the program that is watched, in whole pages, from now until it is released; `where`
 * is the call that allocated it, NULL for variables. */
enum { GSH_RACE_PAGE = 4096 };
GSH_API void gsh_race_watch(const void *at, size_t bytes, const void *where);
GSH_API void gsh_race_unwatch(const void *at, size_t bytes);

GSH_END_C

#endif /* GSHMEM_CPU_RACE_H */
