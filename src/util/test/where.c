/* An address of code is told as function, file and line, or as what less is known. */
// SPDX-License-Identifier: BSD-3-Clause
#include "util/where.h"
#include "util/test/tap.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

static const void *back;

__attribute__((noinline)) static void mark(void)
{
    back = __builtin_return_address(0);
}

__attribute__((noinline)) static int call_it(void)
{
    mark();
    return __LINE__ - 1;
}

/* As if it stood in one of our headers. */
/* clang-format off */
#line 7 "/somewhere/include/gshmem/impl/header.cuh"
static inline __attribute__((always_inline)) void header_inner(void)
{
    mark();
    __asm__ volatile("");
}
static inline __attribute__((always_inline)) void header_outer(void)
{
    header_inner();
}
__attribute__((noinline)) static void header_alone(void)
{
    header_inner();
}
#line 40 "where.c"
/* clang-format on */

__attribute__((noinline)) static int call_header(void)
{
    header_outer();
    return __LINE__ - 1;
}

static bool has_libdw(void)
{
    void *lib = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

    if (lib)
        dlclose(lib);
    return lib != NULL;
}

static void look_at_headers(void)
{
    char text[256], want[64];
    int line = call_header();
    bool found = gsh_where(back, text, sizeof(text));

    if (!has_libdw() || !strstr(text, " at ")) {
        tap_skip("a call inside of our headers is told as the user's line", "no libdw or no -g");
        return;
    }
    snprintf(want, sizeof(want), "call_header at where.c:%d", line);
    tap_ok(found && !strcmp(text, want), "a call inside of our headers is told as %s", want);
    header_alone();
    tap_ok(!gsh_where(back, text, sizeof(text)) && strstr(text, "header_alone at header.cuh:18"),
           "a call in our headers alone is told as such");
}

int main(void)
{
    char text[256], small[8], want[64];
    int line = call_it();

    snprintf(want, sizeof(want), "call_it at where.c:%d", line);
    gsh_where(back, text, sizeof(text));
    if (has_libdw() && strstr(text, " at "))
        tap_ok(!strcmp(text, want), "a return address is told as %s", want);
    else
        tap_skip("a return address is told as function at file:line", "no libdw or no -g");
    gsh_where(back, small, sizeof(small));
    tap_ok(strlen(small) == sizeof(small) - 1 && !strncmp(small, text, strlen(small)),
           "a short buffer takes the beginning of the text");
    gsh_where(NULL, text, sizeof(text));
    tap_ok(*text && !strstr(text, "nil"), "no address has a text");
    gsh_where((const void *)(uintptr_t)16, text, sizeof(text));
    tap_ok(*text != '\0', "an address of nothing has a text");
    look_at_headers();
    return tap_end();
}
