/* assert.c - assert() of a thread of a kernel says which one it is; elsewhere it is the C
 * library's. Programs with kernels are linked with this library before the C library. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gshmem/cpu/engine.h>
#include <stdlib.h>

typedef void fail_function(const char *, const char *, unsigned, const char *);

/* The C library's name, which <assert.h> calls. */
_Noreturn GSH_API void __assert_fail(const char *condition, const char *file, unsigned line,
                                     const char *function);
_Noreturn GSH_API void __assert_fail(const char *condition, const char *file, unsigned line,
                                     const char *function)
{
    fail_function *fail;

    if (gsh_cpu_fiber) {
        gsh_cpu_fiber->where = __builtin_return_address(0);
        gsh_cpu_fiber->call = "assert";
        gsh_cpu_trap("%s:%u: assertion `%s' failed", file, line, condition);
    }
    *(void **)&fail = dlsym(RTLD_NEXT, "__assert_fail");
    fail(condition, file, line, function);
    abort();
}
