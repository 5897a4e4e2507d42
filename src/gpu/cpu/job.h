/* job.h - a grid that runs: what its blocks share. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_CPU_JOB_H
#define GSH_GPU_CPU_JOB_H

#include <gshmem/cpu/engine.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct gsh_race_know;

struct job {
    const struct gsh_cpu_grid *grid;
    uint64_t blocks;
    uint32_t threads; /* of a block */
    uint32_t limit;   /* blocks that may run at once */
    uint32_t workers; /* under the pool's lock */
    bool check;
    uint64_t race_grid;              /* number, for the race checker; 0: nothing is checked */
    struct gsh_race_know *race_base; /* what comes before the launch */
    pthread_cond_t done;
    _Atomic uint64_t next; /* block to begin */
    /* The grid barrier: blocks that are in it, and how often it has been passed. */
    _Atomic uint32_t arrived;
    _Atomic uint32_t passed;
    _Atomic uint32_t ended;
};

/* A block of the job waits: lets one more begin when some have not. */
void gsh_cpu_job_waits(struct job *job);

#endif /* GSH_GPU_CPU_JOB_H */
