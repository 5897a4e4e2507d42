/* launch.c - the library's part of gshmem/launch.h, whose body is in the program. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/init.h"
#include "core/log.h"

#include <gshmem/launch.h>

int gsh_launch_begin(const char *call)
{
    return gsh_ready(call) ? NVSHMEMX_SUCCESS : NVSHMEMX_ERROR_INTERNAL;
}

int gsh_launch_fail(int status, const char *call, const char *why)
{
    return gsh_fail(status, "%s: %s", call, why);
}
