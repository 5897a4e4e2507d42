/* launch.h - what the tests of the CPU device's engine launch kernels with. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_CPU_TEST_LAUNCH_H
#define GSH_GPU_CPU_TEST_LAUNCH_H

#include <gshmem/cpu/engine.h>

#define DIM(...) ((struct gsh_cpu_dim){ __VA_ARGS__ })

#define LAUNCH(run, args, grid, block) launch(#run, run, args, grid, block, 0)
#define LAUNCH_TOGETHER(run, args, grid, block) launch(#run, run, args, grid, block, 1)

enum { SHARED_BYTES = 4096 };

static inline int launch(const char *name, void (*run)(void *), void *args, struct gsh_cpu_dim grid,
                         struct gsh_cpu_dim block, int cooperative)
{
    struct gsh_cpu_grid all = { .name = name,
                                .run = run,
                                .args = args,
                                .grid = grid,
                                .block = block,
                                .shared_bytes = SHARED_BYTES,
                                .cooperative = cooperative };

    return gsh_cpu_run(&all);
}

/* The thread's rank in its block. */
static inline uint32_t rank(void)
{
    return gsh_cpu_fiber->rank;
}

static inline void sync_block(void)
{
    gsh_cpu_syncthreads(GSH_CPU_NONE, 0);
}

#endif /* GSH_GPU_CPU_TEST_LAUNCH_H */
