/* module.c - modules that the program loads by hand: their kernels learn of the job. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/init.h"
#include "core/log.h"
#include "gpu/gpu.h"
#include "gpu/stage.h"

#include <gshmem/launch.h>

#include <errno.h>

/* The state of a unit by the name that it has in arch_cuda.cuh. */
static const char symbol[] = "gsh_device_state_d";

static int status(const char *call, int err)
{
    if (err == -ENOENT)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE,
                        "%s: the module has no %s: its kernels do not include nvshmem.h, or it was "
                        "compiled with -rdc=true, where the name cannot be known",
                        call, symbol);
    return err ? NVSHMEMX_ERROR_INTERNAL : NVSHMEMX_SUCCESS;
}

static const struct gsh_device_state *state_for(const char *call)
{
    const struct gsh_device_state *state = gsh_ready(call) ? gsh_gpu_stage_state() : NULL;

    if (!state)
        gsh_fail(-ENODEV,
                 "%s: no GPU is in use yet; choose a device and allocate, or call "
                 "nvshmem_barrier_all, before",
                 call);
    return state;
}

int nvshmemx_cumodule_init(struct CUmod_st *module)
{
    const struct gsh_device_state *state = state_for(__func__);

    if (!state)
        return NVSHMEMX_ERROR_GPU_NOT_SELECTED;
    return status(__func__, gsh_gpu_module_set(module, symbol, state, sizeof(*state)));
}

int nvshmemx_culibrary_init(struct CUlib_st *library)
{
    const struct gsh_device_state *state = state_for(__func__);

    if (!state)
        return NVSHMEMX_ERROR_GPU_NOT_SELECTED;
    return status(__func__, gsh_gpu_library_set(library, symbol, state, sizeof(*state)));
}

/* Nothing is kept of a module. */
int nvshmemx_cumodule_finalize(struct CUmod_st *module)
{
    (void)module;
    return NVSHMEMX_SUCCESS;
}

int nvshmemx_culibrary_finalize(struct CUlib_st *library)
{
    (void)library;
    return NVSHMEMX_SUCCESS;
}
