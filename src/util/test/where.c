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

static bool has_libdw(void)
{
    void *lib = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

    if (lib)
        dlclose(lib);
    return lib != NULL;
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
    return tap_end();
}
