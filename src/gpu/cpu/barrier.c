/* barrier.c - where the threads of a block meet: __syncthreads, named barriers, and the
 * barrier of a grid, in which one thread of each block stands for it.
 *
 * The last one to arrive moves all that wait to the queue of those that can run, in one
 * step, and goes on itself.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/cpu/block.h"
#include "gpu/cpu/job.h"
#include "gpu/cpu/report.h"
#include "race/race.h"

/* Those that wait, and the running fiber, meet. */
static void tell_meeting(const struct block *block, const struct barrier *barrier)
{
    uint16_t ranks[GSH_CPU_MAX_THREADS];
    uint32_t n = 0;

    ranks[n++] = (uint16_t)gsh_cpu_fiber->rank;
    for (const struct fiber *fiber = barrier->waiting.head; fiber; fiber = fiber->next)
        ranks[n++] = (uint16_t)fiber->pub.rank;
    gsh_race_meet(ranks, n, barrier == &block->all || barrier == &block->grid);
}

void gsh_cpu_release(struct block *block, struct barrier *barrier)
{
    struct fibers *waiting = &barrier->waiting;
    uint32_t fibers = 0;

    if (__builtin_expect(block->job->race_grid != 0, 0))
        tell_meeting(block, barrier);
    barrier->last_arrived = barrier->arrived;
    barrier->last_yes = barrier->yes;
    if (waiting->head) {
        if (block->ready.head)
            block->ready.tail->next = waiting->head;
        else
            block->ready.head = waiting->head;
        block->ready.tail = waiting->tail;
        waiting->head = NULL;
        fibers = barrier->in_list;
    }
    barrier->leader = NULL;
    barrier->in_list = 0;
    barrier->arrived = 0;
    barrier->yes = 0;
    gsh_cpu_woken(block, fibers);
}

/* The running fiber waits in the barrier until somebody releases it. */
static void stay(struct block *block, struct barrier *barrier, const char *sync, const void *where)
{
    struct fiber *self = gsh_cpu_fiber_self();

    self->sync = sync;
    self->sync_where = where;
    self->lanes = 0;
    gsh_cpu_push(&barrier->waiting, self);
    barrier->in_list++;
    gsh_san_release(barrier);
    gsh_cpu_wait(block);
    gsh_san_acquire(barrier);
}

/* With GSHMEM_CHECK: all threads of the block come, from the same line. */
static void check_arrival(struct block *block, struct barrier *barrier, const char *sync,
                          const void *where)
{
    struct fiber *self = gsh_cpu_fiber_self();
    bool apart = block->live < block->threads;

    if (!apart && barrier->arrived && barrier->where != where &&
        (block->places[0] != barrier->where || block->places[1] != where)) {
        block->places[0] = barrier->where;
        block->places[1] = where;
        gsh_cpu_at_home(block, gsh_cpu_compare_places);
        apart = !block->same_place;
    }
    if (!apart)
        return;
    self->sync = sync;
    self->sync_where = where;
    self->lanes = 0;
    gsh_cpu_push(&barrier->waiting, self);
    gsh_cpu_at_home(block, gsh_cpu_report_apart);
}

bool gsh_cpu_arrive(struct block *block, struct barrier *barrier, const char *sync,
                    const void *where, bool predicate)
{
    struct fiber *self = gsh_cpu_fiber_self();

    if (__builtin_expect(block->check, 0))
        check_arrival(block, barrier, sync, where);
    block->stirs++;
    if (!barrier->arrived++)
        barrier->where = where;
    barrier->yes += predicate;
    if (barrier->arrived == block->live) {
        gsh_san_acquire(barrier);
        gsh_san_release(barrier);
        return true;
    }
    stay(block, barrier, sync, where);
    return barrier->leader == self;
}

/* All that live have arrived, as the last one has ended: the first one leads. */
static void lead(struct block *block, struct barrier *barrier)
{
    struct fiber *leader = barrier->waiting.head;

    barrier->waiting.head = leader->next;
    barrier->in_list--;
    barrier->leader = leader;
    gsh_cpu_ready(block, leader);
    gsh_cpu_woken(block, 1);
}

void gsh_cpu_barriers_ended(struct block *block)
{
    struct barrier *all = &block->all, *grid = &block->grid;

    if (block->check && (all->arrived || grid->arrived))
        gsh_cpu_at_home(block, gsh_cpu_report_apart);
    if (all->arrived && all->arrived == block->live)
        gsh_cpu_release(block, all);
    if (grid->arrived && grid->arrived == block->live && !grid->leader)
        lead(block, grid);
}

static int voted(const struct barrier *barrier, enum gsh_cpu_vote op)
{
    if (op == GSH_CPU_AND)
        return barrier->last_yes == barrier->last_arrived;
    if (op == GSH_CPU_OR)
        return barrier->last_yes != 0;
    return op == GSH_CPU_COUNT ? (int)barrier->last_yes : 0;
}

int gsh_cpu_syncthreads(enum gsh_cpu_vote op, int predicate)
{
    struct block *block = gsh_cpu_enter_block("__syncthreads");

    if (gsh_cpu_arrive(block, &block->all, "__syncthreads", __builtin_return_address(0),
                       predicate != 0))
        gsh_cpu_release(block, &block->all);
    gsh_cpu_leave_block(block);
    return voted(&block->all, op);
}

void gsh_cpu_barrier(unsigned id, unsigned threads)
{
    struct block *block = gsh_cpu_enter_block("bar.sync");
    const void *where = __builtin_return_address(0);
    struct barrier *barrier = &block->named[id % GSH_CPU_BARRIERS];

    if (id >= GSH_CPU_BARRIERS || threads == 0 || threads > block->threads)
        gsh_cpu_trap("bar.sync %u, %u: barriers are 0 to %d, in a block of %u threads", id, threads,
                     GSH_CPU_BARRIERS - 1, block->threads);
    if (!barrier->arrived++)
        barrier->expected = threads;
    if (barrier->expected != threads)
        gsh_cpu_trap("bar.sync %u waits for %u threads here and for %u elsewhere", id, threads,
                     barrier->expected);
    if (barrier->arrived == threads) {
        gsh_san_acquire(barrier);
        gsh_san_release(barrier);
        gsh_cpu_release(block, barrier);
    } else {
        stay(block, barrier, "a named barrier", where);
    }
    gsh_cpu_leave_block(block);
}

/* The last thread of the block waits for the other blocks, the rest for it. */
void gsh_cpu_syncgrid(void)
{
    struct block *block = gsh_cpu_enter_block("a grid barrier");
    struct job *job = block->job;

    if (!job->grid->cooperative)
        gsh_cpu_trap("the grid was not launched as a cooperative one");
    if (gsh_cpu_arrive(block, &block->grid, "a grid barrier", __builtin_return_address(0), false)) {
        uint32_t passed = atomic_load(&job->passed);

        gsh_san_acquire(&block->grid);
        gsh_san_release(&job->arrived);
        if (job->race_grid) {
            tell_meeting(block, &block->grid);
            gsh_race_grid_enter(job, passed);
        }
        if (atomic_fetch_add(&job->arrived, 1) + 1 == job->blocks) {
            atomic_store(&job->arrived, 0);
            atomic_fetch_add(&job->passed, 1);
        }
        while (atomic_load(&job->passed) == passed) {
            uint32_t ended = atomic_load(&job->ended);

            if (ended && atomic_load(&job->passed) == passed)
                gsh_cpu_trap("the block waits in a grid barrier, and %u blocks have ended", ended);
            gsh_cpu_pass(block);
        }
        gsh_san_acquire(&job->arrived);
        if (job->race_grid)
            gsh_race_grid_leave(job, passed);
        gsh_san_release(&block->grid);
        gsh_cpu_release(block, &block->grid);
    }
    gsh_cpu_leave_block(block);
}
