/* grid.c - runs grids: a pool of operating-system threads, each of which runs one block
 * after the other.
 *
 * The blocks of a cooperative grid all begin at once. Other grids begin with a block for
 * each core; whenever a running block waits, or none has begun for a while, more begin,
 * until as many run as the device can hold: so that blocks may wait for each other, as
 * on a GPU, and grids that do not, however large, use few stacks. Threads of the pool
 * stay for later grids and end with the process.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/env.h"
#include "core/log.h"
#include "gpu/cpu/block.h"
#include "gpu/cpu/job.h"
#include "gpu/cpu/preempt.h"
#include "race/race.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct worker {
    struct block block;
    struct ticker ticker;
    pthread_cond_t wake;
    struct job *job;
    struct worker *next; /* idle ones */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker *idle;

static void run_blocks(struct worker *worker, struct job *job)
{
    uint64_t number;

    gsh_cpu_preempt_arm(&worker->ticker, job->threads > 1);
    while ((number = atomic_fetch_add(&job->next, 1)) < job->blocks) {
        gsh_cpu_block_run(&worker->block, job, number);
        atomic_fetch_add(&job->ended, 1);
    }
    gsh_cpu_preempt_arm(&worker->ticker, false);
}

static void *work(void *arg)
{
    struct worker *worker = arg;

    gsh_cpu_preempt_thread();
    gsh_cpu_fiber_home(&worker->block.home);
    gsh_cpu_block = &worker->block;
    pthread_mutex_lock(&lock);
    for (;;) {
        struct job *job = worker->job;

        if (!job) {
            pthread_cond_wait(&worker->wake, &lock);
            continue;
        }
        pthread_mutex_unlock(&lock);
        run_blocks(worker, job);
        pthread_mutex_lock(&lock);
        worker->job = NULL;
        worker->next = idle;
        idle = worker;
        if (--job->workers == 0)
            pthread_cond_signal(&job->done);
    }
    return NULL;
}

static struct worker *new_worker(void)
{
    struct worker *worker = aligned_alloc(_Alignof(struct worker), sizeof(*worker));
    pthread_attr_t attr;
    pthread_t thread;
    int err = ENOMEM;

    if (worker) {
        memset(worker, 0, sizeof(*worker));
        pthread_cond_init(&worker->wake, NULL);
        pthread_attr_init(&attr);
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        err = pthread_create(&thread, &attr, work, worker);
        pthread_attr_destroy(&attr);
    }
    if (!err)
        return worker;
    gsh_fail(-err, "cannot start a thread for a block: %s", strerror(err));
    free(worker);
    return NULL;
}

/* A worker with memory for a block of the job; under the lock. */
static int take_worker(const struct job *job, struct worker **taken)
{
    struct worker *worker = idle;
    int err;

    if (worker)
        idle = worker->next;
    else if (!(worker = new_worker()))
        return -EAGAIN;
    err = gsh_cpu_block_prepare(&worker->block, job->threads, job->grid->shared_bytes);
    if (err) {
        worker->next = idle;
        idle = worker;
        return err;
    }
    *taken = worker;
    return 0;
}

static void set_to_work(struct worker *worker, struct job *job)
{
    worker->job = job;
    job->workers++;
    pthread_cond_signal(&worker->wake);
}

static bool has_more(struct job *job)
{
    return atomic_load_explicit(&job->next, memory_order_relaxed) < job->blocks;
}

/* Sets up to `count` more workers to work; under the lock. Fewer are no failure. */
static void add_workers(struct job *job, uint32_t count)
{
    struct worker *worker;

    while (count-- > 0 && has_more(job) && job->workers < job->limit && !take_worker(job, &worker))
        set_to_work(worker, job);
}

void gsh_cpu_job_waits(struct job *job)
{
    if (!has_more(job) || pthread_mutex_trylock(&lock))
        return;
    add_workers(job, 1);
    pthread_mutex_unlock(&lock);
}

/* All or none of the first workers; under the lock. */
static int start(struct job *job, uint32_t count)
{
    struct worker *taken = NULL, *worker;
    int err = 0;

    for (uint32_t i = 0; i < count && !err; i++) {
        err = take_worker(job, &worker);
        if (!err) {
            worker->next = taken;
            taken = worker;
        }
    }
    while ((worker = taken)) {
        taken = worker->next;
        if (err) {
            worker->next = idle;
            idle = worker;
        } else {
            set_to_work(worker, job);
        }
    }
    return err;
}

/* Until all workers are done. When no block has begun for a while, those that run may be
 * waiting for one that does not. */
static void wait_for(struct job *job)
{
    enum { PATIENCE_NS = 20000000 };
    uint64_t seen = 0;

    while (job->workers) {
        struct timespec until;

        if (!has_more(job) || job->workers >= job->limit) {
            pthread_cond_wait(&job->done, &lock);
            continue;
        }
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += PATIENCE_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&job->done, &lock, &until) == ETIMEDOUT) {
            uint64_t now = atomic_load(&job->next);

            if (now == seen)
                add_workers(job, job->workers);
            seen = now;
        }
    }
}

static uint32_t cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 1 ? (uint32_t)n : 2;
}

static int run(struct job *job)
{
    uint32_t first = job->grid->cooperative ? job->limit : cores();
    pthread_condattr_t attr;
    int err;

    if (first > job->limit)
        first = job->limit;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&job->done, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_lock(&lock);
    err = start(job, first);
    if (!err)
        wait_for(job);
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&job->done);
    return err;
}

int gsh_cpu_resident_blocks(uint32_t threads, size_t shared_bytes)
{
    enum { MOST = 32 }; /* blocks of a multiprocessor */
    uint32_t rounded = (threads + GSH_CPU_WARP - 1) / GSH_CPU_WARP * GSH_CPU_WARP;
    size_t blocks = MOST;

    if (!threads || threads > GSH_CPU_MAX_THREADS || shared_bytes > GSH_CPU_SHARED_BYTES)
        return 0;
    if (GSH_CPU_SM_THREADS / rounded < blocks)
        blocks = GSH_CPU_SM_THREADS / rounded;
    if (shared_bytes && GSH_CPU_SHARED_BYTES / shared_bytes < blocks)
        blocks = GSH_CPU_SHARED_BYTES / shared_bytes;
    blocks *= GSH_CPU_SMS;
    if (blocks > GSH_CPU_RESIDENT_THREADS / rounded)
        blocks = GSH_CPU_RESIDENT_THREADS / rounded;
    return (int)blocks;
}

static bool fits(struct gsh_cpu_dim dim, uint32_t x, uint32_t y, uint32_t z)
{
    return dim.x && dim.y && dim.z && dim.x <= x && dim.y <= y && dim.z <= z;
}

static int look(const struct gsh_cpu_grid *grid, struct job *job)
{
    struct gsh_cpu_dim g = grid->grid, b = grid->block;
    int limit;

    if (!fits(b, GSH_CPU_MAX_THREADS, GSH_CPU_MAX_THREADS, 64) ||
        (uint64_t)b.x * b.y * b.z > GSH_CPU_MAX_THREADS)
        return gsh_fail(-EINVAL, "kernel %s: a block of (%u,%u,%u) threads; there can be 1 to %d",
                        grid->name, b.x, b.y, b.z, GSH_CPU_MAX_THREADS);
    if (!fits(g, INT32_MAX, UINT16_MAX, UINT16_MAX))
        return gsh_fail(-EINVAL, "kernel %s: no grid can have (%u,%u,%u) blocks", grid->name, g.x,
                        g.y, g.z);
    if (grid->shared_bytes > GSH_CPU_SHARED_BYTES)
        return gsh_fail(-EINVAL, "kernel %s: %zu bytes of shared memory, of which a block has %u",
                        grid->name, grid->shared_bytes, GSH_CPU_SHARED_BYTES);
    job->blocks = (uint64_t)g.x * g.y * g.z;
    job->threads = b.x * b.y * b.z;
    limit = gsh_cpu_resident_blocks(job->threads, grid->shared_bytes);
    if (grid->cooperative && job->blocks > (uint64_t)limit)
        return gsh_fail(
            -E2BIG,
            "kernel %s: a cooperative grid of %llu blocks, of which %d can run at once; "
            "launch fewer or smaller blocks",
            grid->name, (unsigned long long)job->blocks, limit);
    job->limit = job->blocks < (uint64_t)limit ? (uint32_t)job->blocks : (uint32_t)limit;
    return 0;
}

static int environment;

/* Kernels may run before there is a job. */
static void read_environment(void)
{
    enum { LEAST = 16 << 10 };

    if (!gsh_env.CPU_STACK)
        environment = gsh_env_read();
    if (!environment && (gsh_env.CPU_STACK < LEAST || gsh_env.CPU_STACK > INT32_MAX / 8))
        environment = gsh_fail(-EINVAL, "GSHMEM_CPU_STACK is %zu bytes; it can be 16K to 256M",
                               gsh_env.CPU_STACK);
}

int gsh_cpu_run(const struct gsh_cpu_grid *grid)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct job job = { .grid = grid };
    int err;

    pthread_once(&once, read_environment);
    err = environment;
    if (!err)
        err = look(grid, &job);
    if (err)
        return err;
    job.check = gsh_env.CHECK;
    gsh_log(GSH_TRACE, GSH_GPU, "kernel %s, grid (%u,%u,%u), block (%u,%u,%u), shared bytes %zu%s",
            grid->name, grid->grid.x, grid->grid.y, grid->grid.z, grid->block.x, grid->block.y,
            grid->block.z, grid->shared_bytes, grid->cooperative ? ", cooperative" : "");
    if (gsh_race_on)
        job.race_grid = gsh_race_grid_begin(grid, &job.race_base);
    err = run(&job);
    if (job.race_grid)
        gsh_race_grid_end(job.race_grid, job.race_base);
    return err;
}

uint64_t gsh_cpu_globaltimer(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
