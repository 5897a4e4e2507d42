/* launch.c - the library's part of gshmem/launch.h, whose body is in the program. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/init.h"
#include "core/log.h"
#include "gpu/gpu.h"
#include "gpu/stage.h"
#include "topo/gpus.h"

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

/* In time slices each PE has all of the GPU. Under MPS the percentage limits a PE, but gives it no
 * multiprocessors of its own: on an H200 all PEs run on the same ones. */
int gsh_launch_blocks(int each, int multiprocessors)
{
    int blocks = each * gsh_gpu_share(multiprocessors);
    struct gsh_gpu_card card;

    if (gsh.gpu != GSH_GPU_DONE || gsh_gpu_describe(gsh_gpu_taken(), &card) || !card.mps)
        return blocks;
    blocks /= gsh_topo_sharers();
    return blocks || !each ? blocks : 1;
}
