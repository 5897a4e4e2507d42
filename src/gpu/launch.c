/* launch.c - the library's part of gshmem/launch.h, whose body is in the program. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/init.h"
#include "core/log.h"
#include "gpu/stage.h"

#include <gshmem/launch.h>

int gsh_launch_begin(const char *call)
{
    if (!gsh_ready(call))
        return NVSHMEMX_ERROR_INTERNAL;
    gsh_gpu_stage(call);
    return NVSHMEMX_SUCCESS;
}

int gsh_launch_fail(int status, const char *call, const char *why)
{
    return gsh_fail(status, "%s: %s", call, why);
}
