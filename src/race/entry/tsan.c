/* tsan.c - what the compiler's instrumentation (-fsanitize=thread) calls in programs that
 * gshcc --race compiles: tells the race checker of the library, and makes the atomic
 * accesses. Part of the archive libgshrace, which takes the place of a sanitizer's library.
 *
 * The names are the compiler's. What the device headers do inside of a call of the API is
 * told by themselves; the thread is muted then.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "watching.h"

#define PLACE __builtin_return_address(0)

void __tsan_init(void);
void __tsan_init(void)
{
    gsh_race_announce();
}

#define NOTHING(name, params) \
    void name params; \
    void name params \
    { \
    }
/* clang-format off */
NOTHING(__tsan_func_entry, (void *caller __attribute__((unused))))
NOTHING(__tsan_func_exit, (void))
/* clang-format on */

/* An atomic access that writes, before and after it is made. */
static void before(const volatile void *at, size_t bytes, int order, enum gsh_race_kind kind,
                   const void *where)
{
    gsh_race_step_begin((const void *)at);
    gsh_race_access((const void *)at, bytes, kind, where);
    gsh_race_atomic_release((const void *)at, order);
}

static void after(const volatile void *at, int order)
{
    gsh_race_atomic_acquire((const void *)at, order);
    gsh_race_step_end((const void *)at);
}

/* void __tsan_write4(void *at) */
#define ACCESS(name, bytes, kind) \
    void name(void *at); \
    void name(void *at) \
    { \
        if (gsh_race_watching()) \
            gsh_race_access(at, bytes, kind, PLACE); \
    }
/* As atomics without an order of their own. The compiler makes the access afterwards. */
static void volatile_write(void *at, size_t bytes, const void *where)
{
    gsh_race_access(at, bytes, GSH_RACE_ATOMIC_WRITE, where);
    gsh_race_atomic_release(at, __ATOMIC_RELAXED);
}

#define VOLATILE(name, bytes, tell) \
    void name(void *at); \
    void name(void *at) \
    { \
        if (gsh_race_watching()) \
            tell(at, bytes, PLACE); \
    }
#define SIZE(bytes) \
    ACCESS(__tsan_read##bytes, bytes, GSH_RACE_READ) \
    ACCESS(__tsan_write##bytes, bytes, GSH_RACE_WRITE) \
    ACCESS(__tsan_unaligned_read##bytes, bytes, GSH_RACE_READ) \
    ACCESS(__tsan_unaligned_write##bytes, bytes, GSH_RACE_WRITE) \
    VOLATILE(__tsan_volatile_read##bytes, bytes, gsh_race_volatile_read) \
    VOLATILE(__tsan_volatile_write##bytes, bytes, volatile_write) \
    VOLATILE(__tsan_unaligned_volatile_read##bytes, bytes, gsh_race_volatile_read) \
    VOLATILE(__tsan_unaligned_volatile_write##bytes, bytes, volatile_write)
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)

#define BOTH(bytes) \
    ACCESS(__tsan_read_write##bytes, bytes, GSH_RACE_WRITE) \
    ACCESS(__tsan_unaligned_read_write##bytes, bytes, GSH_RACE_WRITE)
BOTH(1)
BOTH(2)
BOTH(4)
BOTH(8)
BOTH(16)

#define RANGE(name, kind) \
    void name(void *at, size_t bytes); \
    void name(void *at, size_t bytes) \
    { \
        if (bytes && gsh_race_watching()) \
            gsh_race_access(at, bytes, kind, PLACE); \
    }
RANGE(__tsan_read_range, GSH_RACE_READ)
RANGE(__tsan_write_range, GSH_RACE_WRITE)

/* Pointers to tables of virtual functions are written by constructors only. */
/* clang-format off */
NOTHING(__tsan_vptr_update, (void **at __attribute__((unused)), void *value __attribute__((unused))))
NOTHING(__tsan_vptr_read, (void **at __attribute__((unused))))
/* clang-format on */

/* uint32_t __tsan_atomic32_fetch_add(volatile uint32_t *at, uint32_t value, int order) */
#define UPDATE(bits, op, builtin) \
    uint##bits##_t __tsan_atomic##bits##_##op(volatile uint##bits##_t *at, uint##bits##_t value, \
                                              int order); \
    uint##bits##_t __tsan_atomic##bits##_##op(volatile uint##bits##_t *at, uint##bits##_t value, \
                                              int order) \
    { \
        bool watching = gsh_race_watching(); \
        uint##bits##_t old; \
\
        if (watching) \
            before(at, bits / 8, order, GSH_RACE_UPDATE, PLACE); \
        old = builtin(at, value, __ATOMIC_SEQ_CST); \
        if (watching) \
            after(at, order); \
        return old; \
    }

/* int __tsan_atomic32_compare_exchange_weak(volatile uint32_t *at, uint32_t *expected,
 *                                           uint32_t value, int order, int fail_order) */
#define EXCHANGE(bits, form) \
    int __tsan_atomic##bits##_compare_exchange_##form(volatile uint##bits##_t *at, \
                                                      uint##bits##_t *expected, \
                                                      uint##bits##_t value, int order, int fail); \
    int __tsan_atomic##bits##_compare_exchange_##form(volatile uint##bits##_t *at, \
                                                      uint##bits##_t *expected, \
                                                      uint##bits##_t value, int order, int fail) \
    { \
        bool watching = gsh_race_watching(); \
        int done; \
\
        if (watching) \
            before(at, bits / 8, order, GSH_RACE_UPDATE, PLACE); \
        done = __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST); \
        if (watching) \
            after(at, done ? order : fail); \
        return done; \
    }

#define ATOMIC(bits) \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order); \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order) \
    { \
        uint##bits##_t value = __atomic_load_n(at, __ATOMIC_SEQ_CST); \
\
        if (gsh_race_watching()) { \
            gsh_race_access((const void *)at, bits / 8, GSH_RACE_ATOMIC_READ, PLACE); \
            gsh_race_atomic_acquire((const void *)at, order); \
        } \
        return value; \
    } \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value, \
                                     int order); \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value, int order) \
    { \
        bool watching = gsh_race_watching(); \
\
        if (watching) \
            before(at, bits / 8, order, GSH_RACE_ATOMIC_WRITE, PLACE); \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST); \
        if (watching) \
            gsh_race_step_end((const void *)at); \
    } \
    UPDATE(bits, exchange, __atomic_exchange_n) \
    UPDATE(bits, fetch_add, __atomic_fetch_add) \
    UPDATE(bits, fetch_sub, __atomic_fetch_sub) \
    UPDATE(bits, fetch_and, __atomic_fetch_and) \
    UPDATE(bits, fetch_or, __atomic_fetch_or) \
    UPDATE(bits, fetch_xor, __atomic_fetch_xor) \
    UPDATE(bits, fetch_nand, __atomic_fetch_nand) \
    EXCHANGE(bits, strong) \
    EXCHANGE(bits, weak) \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val( \
        volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t value, int order, \
        int fail); \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val( \
        volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t value, int order, \
        int fail) \
    { \
        __tsan_atomic##bits##_compare_exchange_strong(at, &expected, value, order, fail); \
        return expected; \
    }
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (gsh_race_watching())
        gsh_race_atomic_fence(order);
}

/* clang-format off */
NOTHING(__tsan_atomic_signal_fence, (int order __attribute__((unused))))
/* clang-format on */
