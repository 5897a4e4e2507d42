/* tap.h - what a unit test prints: one line a fact, the plan at the end.
 *
 *     tap_ok(x == 1, "a fact about x");
 *     ...
 *     return tap_end();
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_UTIL_TEST_TAP_H
#define GSH_UTIL_TEST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define TAP_SKIP_ALL 77

static int tap_count;
static int tap_failed;

/* Says whether a fact holds; returns `good`. */
static inline bool __attribute__((format(printf, 2, 3))) tap_ok(bool good, const char *fact, ...)
{
    va_list args;

    printf("%sok %d - ", good ? "" : "not ", ++tap_count);
    va_start(args, fact);
    vprintf(fact, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
    tap_failed += !good;
    return good;
}

/* A fact that cannot be looked at here. */
static inline void tap_skip(const char *fact, const char *why)
{
    printf("ok %d - %s # SKIP %s\n", ++tap_count, fact, why);
    fflush(stdout);
}

/* The plan; returns the exit code. */
static inline int tap_end(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed ? 1 : 0;
}

#endif /* GSH_UTIL_TEST_TAP_H */
