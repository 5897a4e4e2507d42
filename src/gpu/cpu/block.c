/* block.c - runs a block: begins its threads, switches between them, and notices their
 * end. The rules are in block.h. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "gpu/cpu/block.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/cpu/job.h"
#include "gpu/cpu/report.h"
#include "race/race.h"
#include "util/cpu.h"
#include "watch/stuck.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Thread_local struct block *gsh_cpu_block __attribute__((tls_model("initial-exec")));

int gsh_cpu_block_prepare(struct block *block, uint32_t threads, size_t shared_bytes)
{
    size_t bytes = (shared_bytes + 127) / 128 * 128;

    if (bytes > block->shared_bytes) {
        void *shared = aligned_alloc(128, bytes);

        if (!shared)
            return gsh_fail(-ENOMEM, "no memory for %zu bytes of shared memory", bytes);
        free(block->shared);
        block->shared = shared;
        block->shared_bytes = bytes;
    }
    return gsh_cpu_slab_open(&block->slab, threads);
}

void gsh_cpu_push(struct fibers *list, struct fiber *fiber)
{
    fiber->next = NULL;
    if (list->head)
        list->tail->next = fiber;
    else
        list->head = fiber;
    list->tail = fiber;
}

void gsh_cpu_ready(struct block *block, struct fiber *fiber)
{
    gsh_cpu_push(&block->ready, fiber);
}

/* Makes the fiber the next thread of the block. */
static void become(struct block *block, struct fiber *fiber)
{
    struct gsh_cpu_dim *tid = &block->next_tid;

    fiber->gathers = NULL;
    fiber->pub = (struct gsh_cpu_fiber){ .rank = block->begun, .tid = *tid };
    block->by_rank[block->begun++] = fiber;
    if (++tid->x == block->dim.x) {
        tid->x = 0;
        if (++tid->y == block->dim.y) {
            tid->y = 0;
            tid->z++;
        }
    }
}

/* Takes who runs next; NULL: nobody can. */
static struct fiber *take(struct block *block)
{
    struct fiber *fiber = block->ready.head;

    if (__builtin_expect(block->begun < block->threads, 0)) {
        fiber = gsh_cpu_fiber_make(&block->slab, block->slots++);
        become(block, fiber);
    } else if (fiber) {
        block->ready.head = fiber->next;
    }
    return fiber;
}

void gsh_cpu_at_home(struct block *block, void (*call)(struct block *block))
{
    struct fiber *self = gsh_cpu_fiber_self();

    block->at_home = call;
    block->caller = self;
    gsh_san_release(&block->caller);
    gsh_cpu_fiber_switch(self, &block->home, false);
}

static void look_at_stack(struct block *block, const struct fiber *self)
{
    if (__builtin_expect(!gsh_cpu_fiber_sound(self), 0))
        gsh_cpu_at_home(block, gsh_cpu_report_stack);
}

void gsh_cpu_resched(struct block *block)
{
    struct fiber *self = gsh_cpu_fiber_self();
    struct fiber *next = take(block);

    look_at_stack(block, self);
    if (next != self)
        gsh_cpu_fiber_switch(self, next, false);
}

void gsh_cpu_wait(struct block *block)
{
    block->blocked++;
    block->stirs++;
    if (block->blocked == block->live)
        gsh_cpu_at_home(block, gsh_cpu_report_apart);
    gsh_cpu_resched(block);
}

void gsh_cpu_woken(struct block *block, uint32_t fibers)
{
    block->blocked -= fibers;
    block->yields = 0;
    block->idle = 0;
    block->stirs++;
}

/* What other nodes have sent may be what is waited for. */
static void receive(struct block *block)
{
    if (gsh_tr_progress())
        block->idle = 0;
}

/* All that can run of the block only waits: for other blocks, PEs, the host. */
static void idle(struct block *block)
{
    enum { SPINS = 64, YIELDS = 96, NAPS = 6 };

    if (gsh.remote)
        gsh_cpu_at_home(block, receive);

    uint32_t round = ++block->idle;

    block->yields = 0;
    if (block->check)
        gsh_stuck_poll(block->stirs);
    if (round < SPINS && block->live - block->blocked < SPINS / 4) {
        gsh_cpu_relax();
        return;
    }
    gsh_cpu_job_waits(block->job);
    if (round < SPINS + YIELDS) {
        sched_yield();
        return;
    }

    uint32_t nap = (round - SPINS - YIELDS) / 4;
    struct timespec time = { .tv_nsec = nap < NAPS ? 50000L << nap : 1000000L };

    if (time.tv_nsec > 1000000L)
        time.tv_nsec = 1000000L;
    nanosleep(&time, NULL);
}

void gsh_cpu_pass(struct block *block)
{
    struct fiber *self = gsh_cpu_fiber_self();

    if (!self->pub.polls++) {
        block->yields = 0;
        block->idle = 0;
        block->stirs++;
    }
    if (++block->yields >= block->live - block->blocked)
        idle(block);
    gsh_cpu_push(&block->ready, self);
    gsh_cpu_resched(block);
}

void gsh_cpu_yield(void)
{
    struct block *block = gsh_cpu_block;

    if (!block) {
        sched_yield();
        return;
    }
    block->hold = 1;
    block->stirs++; /* nobody knows what for */
    gsh_cpu_pass(block);
    block->hold = 0;
}

struct block *gsh_cpu_enter_block(const char *call)
{
    if (!gsh_cpu_block || !gsh_cpu_fiber)
        gsh_die("%s is called by no thread of a kernel", call);
    gsh_cpu_block->hold = 1;
    return gsh_cpu_block;
}

void *gsh_cpu_dynamic_shared(void)
{
    return gsh_cpu_block ? gsh_cpu_block->shared : NULL;
}

/* The thread has returned from the kernel. */
static void end_thread(struct block *block, struct fiber *self)
{
    uint32_t rank = self->pub.rank;
    uint32_t warp = rank / GSH_CPU_WARP;

    look_at_stack(block, self);
    block->alive[warp] &= ~(1u << rank % GSH_CPU_WARP);
    block->live--;
    gsh_cpu_woken(block, 0);
    if (block->meetings[warp])
        gsh_cpu_warp_ended(block, rank);
    gsh_cpu_barriers_ended(block);
    if (block->live && block->blocked == block->live)
        gsh_cpu_at_home(block, gsh_cpu_report_apart);
}

void gsh_cpu_fiber_main(struct fiber *self)
{
    struct block *block = gsh_cpu_block;
    const struct gsh_cpu_grid *grid = block->job->grid;

    for (;;) {
        gsh_san_acquire(&block->begun);
        block->hold = 0;
        grid->run(grid->args);
        block->hold = 1;
        gsh_san_release(&block->live);
        end_thread(block, self);
        if (!GSH_CPU_REUSE || block->begun == block->threads)
            break;
        /* The stack is free and warm: the next thread begins on it. */
        become(block, self);
        gsh_cpu_thread_idx = self->pub.tid;
    }
    gsh_cpu_fiber_switch(self, block->live ? take(block) : &block->home, true);
}

static void set_up(struct block *block, struct job *job, uint64_t number)
{
    const struct gsh_cpu_grid *grid = job->grid;
    uint32_t threads = job->threads;

    block->job = job;
    block->check = job->check;
    block->threads = threads;
    block->live = threads;
    block->begun = block->blocked = block->yields = block->idle = block->slots = 0;
    block->ready.head = NULL;
    block->next_tid = (struct gsh_cpu_dim){ 0, 0, 0 };
    block->dim = grid->block;
    block->index.x = (uint32_t)(number % grid->grid.x);
    block->index.y = (uint32_t)(number / grid->grid.x % grid->grid.y);
    block->index.z = (uint32_t)(number / grid->grid.x / grid->grid.y);
    for (uint32_t i = 0; i < GSH_CPU_WARPS; i++) {
        uint32_t first = i * GSH_CPU_WARP;

        block->alive[i] = threads >= first + GSH_CPU_WARP ? UINT32_MAX
                          : threads > first               ? (1u << (threads - first)) - 1
                                                          : 0;
    }
    gsh_cpu_block_idx = block->index;
    gsh_cpu_block_dim = grid->block;
    gsh_cpu_grid_dim = grid->grid;
}

void gsh_cpu_block_run(struct block *block, struct job *job, uint64_t number)
{
    set_up(block, job, number);
    if (job->race_grid)
        gsh_race_block_begin(job->race_grid, number, job->threads, job->race_base, block->shared,
                             block->shared_bytes);
    block->hold = 1;
    gsh_san_release(&block->begun);
    gsh_cpu_fiber_switch(&block->home, take(block), false);
    while (block->at_home) {
        void (*call)(struct block *) = block->at_home;

        block->at_home = NULL;
        gsh_san_acquire(&block->caller);
        call(block);
        gsh_cpu_fiber_switch(&block->home, block->caller, false);
    }
    gsh_san_acquire(&block->live);
    gsh_cpu_fiber = NULL;
    if (job->race_grid)
        gsh_race_block_end(job->race_base);
}
