/* warp.c - lanes of a warp meet: __syncwarp, shuffles, votes, and who runs together.
 *
 * A meeting lies on the stack of the lane that comes first, which stays until the last
 * one has come; that one gives every lane its values. Several meetings of a warp may be
 * open at once, told apart by their masks.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/cpu/block.h"
#include "gpu/cpu/job.h"
#include "gpu/cpu/report.h"
#include "race/race.h"

#include <string.h>

struct meeting {
    struct meeting *next; /* of the warp */
    uint32_t mask;
    uint32_t arrived;
    uint64_t *values; /* NULL: a mere barrier */
};

enum { VALUES_BYTES = GSH_CPU_WARP * sizeof(uint64_t) };

static struct meeting *find(struct block *block, uint32_t warp, uint32_t mask, bool values)
{
    struct meeting *meeting = block->meetings[warp];

    while (meeting && (meeting->mask != mask || !meeting->values == values))
        meeting = meeting->next;
    return meeting;
}

static void open_meeting(struct block *block, uint32_t warp, struct meeting *meeting)
{
    if (meeting->values)
        memset(meeting->values, 0, VALUES_BYTES);
    meeting->next = block->meetings[warp];
    block->meetings[warp] = meeting;
}

static void tell_meeting(uint32_t warp, uint32_t lanes)
{
    uint16_t ranks[GSH_CPU_WARP];
    uint32_t n = 0;

    for (uint32_t left = lanes; left; left &= left - 1)
        ranks[n++] = (uint16_t)(warp * GSH_CPU_WARP + (uint32_t)__builtin_ctz(left));
    gsh_race_meet(ranks, n, false);
}

/* All have come: gives each what it wants and lets those that wait run. */
static void close_meeting(struct block *block, uint32_t warp, struct meeting *meeting)
{
    struct meeting **link = &block->meetings[warp];
    struct fiber *self = gsh_cpu_fiber_self();
    uint32_t woken = 0;

    while (*link != meeting)
        link = &(*link)->next;
    *link = meeting->next;
    if (__builtin_expect(block->job->race_grid != 0, 0))
        tell_meeting(warp, meeting->arrived);
    for (uint32_t left = meeting->arrived; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct fiber *fiber = block->by_rank[warp * GSH_CPU_WARP + lane];

        if (meeting->values && fiber->out != meeting->values)
            memcpy(fiber->out, meeting->values, VALUES_BYTES);
        fiber->lanes = meeting->arrived;
        if (fiber != self) {
            gsh_cpu_ready(block, fiber);
            woken++;
        }
    }
    gsh_cpu_woken(block, woken);
}

static uint32_t meet(struct block *block, const char *sync, const void *where, uint32_t mask,
                     uint64_t value, uint64_t *out)
{
    struct fiber *self = gsh_cpu_fiber_self();
    uint32_t warp = self->pub.rank / GSH_CPU_WARP;
    uint32_t lane = self->pub.rank % GSH_CPU_WARP;
    struct meeting mine = { .mask = mask, .values = out };
    struct meeting *meeting = find(block, warp, mask, out != NULL);

    if (!(mask >> lane & 1))
        gsh_cpu_trap("lane %u is not in its own mask 0x%x", lane, mask);
    if (!meeting) {
        meeting = &mine;
        open_meeting(block, warp, meeting);
    }
    meeting->arrived |= 1u << lane;
    if (out)
        meeting->values[lane] = value;
    self->out = out;
    self->sync = sync;
    self->sync_where = where;
    self->lanes = mask;
    gsh_san_release(&block->alive[warp]);
    if (meeting->arrived == (mask & block->alive[warp])) {
        gsh_san_acquire(&block->alive[warp]);
        close_meeting(block, warp, meeting);
        gsh_san_release(&block->alive[warp]);
    } else {
        gsh_cpu_wait(block);
        gsh_san_acquire(&block->alive[warp]);
    }
    return self->lanes;
}

/* With GSHMEM_CHECK: a lane that has ended cannot be named. */
static void check_mask(struct block *block, uint32_t mask)
{
    uint32_t warp = gsh_cpu_fiber->rank / GSH_CPU_WARP;
    uint32_t first = warp * GSH_CPU_WARP;
    uint32_t gone = mask & ~block->alive[warp];

    if (block->threads - first < GSH_CPU_WARP)
        gone &= (1u << (block->threads - first)) - 1;
    if (gone)
        gsh_cpu_trap("lanes 0x%x of the mask 0x%x have ended", gone, mask);
}

uint32_t gsh_cpu_exchange(uint32_t mask, uint64_t value, uint64_t out[GSH_CPU_WARP])
{
    struct block *block = gsh_cpu_enter_block("a warp operation");
    uint32_t lanes;

    if (block->check)
        check_mask(block, mask);
    lanes = meet(block, "a warp operation", __builtin_return_address(0), mask, value, out);
    gsh_cpu_leave_block(block);
    return lanes;
}

void gsh_cpu_syncwarp(uint32_t mask)
{
    struct block *block = gsh_cpu_enter_block("__syncwarp");

    if (block->check)
        check_mask(block, mask);
    meet(block, "__syncwarp", __builtin_return_address(0), mask, 0, NULL);
    gsh_cpu_leave_block(block);
}

/* The lane lets all others of its warp run up to where they wait, end or come to the same
 * call, and the first one that is back here counts for all. */
uint32_t gsh_cpu_activemask(void)
{
    struct block *block = gsh_cpu_enter_block("__activemask");
    struct fiber *self = gsh_cpu_fiber_self();
    uint32_t warp = self->pub.rank / GSH_CPU_WARP;
    struct fiber **lanes = &block->by_rank[warp * GSH_CPU_WARP];
    const void *where = __builtin_return_address(0);
    uint32_t mask = 0;

    self->gathers = where;
    block->stirs++;
    gsh_cpu_ready(block, self);
    gsh_cpu_resched(block);
    if (self->gathers) {
        for (uint32_t left = block->alive[warp]; left; left &= left - 1)
            if (lanes[__builtin_ctz(left)]->gathers == where)
                mask |= left & -left;
        for (uint32_t left = mask; left; left &= left - 1) {
            lanes[__builtin_ctz(left)]->gathers = NULL;
            lanes[__builtin_ctz(left)]->lanes = mask;
        }
    }
    gsh_cpu_leave_block(block);
    return self->lanes;
}

void gsh_cpu_warp_ended(struct block *block, uint32_t rank)
{
    uint32_t warp = rank / GSH_CPU_WARP;
    struct meeting *next;

    for (struct meeting *m = block->meetings[warp]; m; m = next) {
        next = m->next;
        if (block->check && m->mask >> rank % GSH_CPU_WARP & 1)
            gsh_cpu_at_home(block, gsh_cpu_report_apart);
        if (m->arrived == (m->mask & block->alive[warp])) {
            gsh_san_acquire(&block->alive[warp]);
            close_meeting(block, warp, m);
            gsh_san_release(&block->alive[warp]);
        }
    }
}

void gsh_cpu_warp_waiting(struct block *block, void (*each)(struct fiber *fiber, void *arg),
                          void *arg)
{
    for (uint32_t warp = 0; warp < GSH_CPU_WARPS; warp++)
        for (struct meeting *m = block->meetings[warp]; m; m = m->next)
            for (uint32_t left = m->arrived; left; left &= left - 1)
                each(block->by_rank[warp * GSH_CPU_WARP + (uint32_t)__builtin_ctz(left)], arg);
}
