/* stage.h - the second stage of initialisation: the GPU.
 *
 * Programs may choose their device after init, so that it is done at init only where all PEs have
 * chosen one by then, and else by the first call that needs it (allocation, barrier_all, sync_all,
 * collective launch). It is done on all PEs or on none. A program counts as one that uses a GPU
 * when it has kernels with our headers, or has loaded the CUDA driver before init.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_STAGE_H
#define GSH_GPU_STAGE_H

#include "core/state.h"

#include <gshmem/impl/state.h>

/* This process would use a GPU, and can. */
bool gsh_gpu_wanted(void);

/* After init: opens the stage when all PEs want a GPU. */
void gsh_gpu_stage_open(bool all_want);
void gsh_gpu_stage_close(void);

/* What kernels on the GPU know of the job; NULL before the stage is done. */
const struct gsh_device_state *gsh_gpu_stage_state(void);

/* At init. Collective over all PEs; ends the job when it fails half-way. */
int gsh_gpu_stage_try(void);

void gsh_gpu_stage_slow(const char *call);

/* Collective over all PEs while the stage is open; ends the job when it fails half-way. */
static inline void gsh_gpu_stage(const char *call)
{
    if (__builtin_expect(gsh.gpu == GSH_GPU_OPEN, 0))
        gsh_gpu_stage_slow(call);
}

/* The job must end: kernels that wait give up. From any thread. */
void gsh_gpu_alert(void);

/* Makes a team known to kernels on the GPU, and unknown again. Its words there are those
 * of its block, the same on all members, and 0. */
int gsh_gpu_team_enter(int handle, int block, const struct gsh_device_team *team);
void gsh_gpu_team_leave(int handle);

#endif /* GSH_GPU_STAGE_H */
