/* report.c - what is said of a race: both accesses, the object, and what is missing. Each
 * pair of lines is reported once in a job. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/remote.h"
#include "gpu/cpu/block.h"
#include "heap/heap.h"
#include "heap/segment.h"
#include "race/race.h"
#include "util/where.h"

#include <stdio.h>
#include <string.h>

enum { CODE_BIT = 36, CODE_BITS = 27, LINE_BYTES = 400 };

struct race {
    const void *at;
    struct gsh_race_seen now, before;
    const char *call; /* that makes `now`; NULL: a plain access */
    bool is_shared;   /* memory of the block */
    bool is_issued;   /* `now` comes after the call of `before`, but not after its end */
};

/* Of the operating-system thread, for its own stack. */
static _Thread_local struct race found;

uint64_t gsh_race_code(const void *where)
{
    uintptr_t off = (uintptr_t)where - gsh_race.code;

    return where && off < gsh_race.code_bytes && off < 1u << CODE_BITS ? (uint64_t)off << CODE_BIT
                                                                       : 0;
}

const void *gsh_race_code_at(uint64_t what)
{
    uint64_t off = what >> CODE_BIT & ((1u << CODE_BITS) - 1);

    return off ? (const void *)(gsh_race.code + off) : NULL;
}

/* False when the two lines were reported before. */
static bool is_new(uint64_t a, uint64_t b)
{
    uint64_t one = a >> CODE_BIT & ((1u << CODE_BITS) - 1);
    uint64_t two = b >> CODE_BIT & ((1u << CODE_BITS) - 1);
    uint64_t pair = (one < two ? one << 32 | two : two << 32 | one) | UINT64_C(1) << 63;

    for (size_t i = 0; i < GSH_RACE_PAIRS; i++) {
        uint64_t have = 0;

        if (atomic_compare_exchange_strong(&gsh_race.shared->pairs[i], &have, pair))
            return true;
        if (have == pair)
            return false;
    }
    return false;
}

static const char *verb(uint64_t who)
{
    static const char *const verbs[] = {
        [GSH_RACE_READ] = "read",
        [GSH_RACE_WRITE] = "write",
        [GSH_RACE_ATOMIC_READ] = "atomic read",
        [GSH_RACE_ATOMIC_WRITE] = "atomic write",
        [GSH_RACE_PUT] = "write by a put",
        [GSH_RACE_POST] = "atomic operation or signal",
        [GSH_RACE_WAIT] = "wait",
        [GSH_RACE_UPDATE] = "atomic operation",
    };

    if (gsh_race_key_domain(who) != GSH_RACE_THREAD && (who & 7) == GSH_RACE_READ)
        return "read by a put or get that may still be at work";
    if (gsh_race_key_domain(who) != GSH_RACE_THREAD && (who & 7) == GSH_RACE_WRITE)
        return "write by a get that may still be at work";
    return verbs[who & 7];
}

/* Who made or began an access. */
static uint64_t thread_of(uint64_t who)
{
    return gsh_race_in_domain(who, GSH_RACE_THREAD) & ~UINT64_C(7);
}

/* What the thread that serves a stream did at that moment: the last that it had begun. */
static const struct gsh_race_work_name *work_of(uint64_t who, uint32_t clock)
{
    const struct gsh_race_work_name *works = gsh_race.shared->works[gsh_race_key_pe(who)];
    const struct gsh_race_work_name *last = NULL;

    for (int i = 0; i < GSH_RACE_WORK_NAMES; i++)
        if (works[i].key == thread_of(who) && works[i].clock <= clock &&
            (!last || works[i].clock >= last->clock))
            last = &works[i];
    return last;
}

static void describe_stream(unsigned stream, char *text, size_t bytes)
{
    size_t n = strlen(text);

    if (stream)
        snprintf(text + n, bytes - n, ", stream %u", stream);
}

static void describe_host(struct gsh_race_seen seen, char *text, size_t bytes)
{
    const struct gsh_race_work_name *work = work_of(seen.who, seen.what & GSH_RACE_ALL);

    if (gsh_race_key_thread(seen.who) < GSH_RACE_FIRST_STREAM) {
        snprintf(text, bytes, "host");
        return;
    }
    snprintf(text, bytes, "%s", work ? work->name : "what a stream did earlier");
    describe_stream(work ? work->stream : 0, text, bytes);
}

static void describe_thread(struct gsh_race_seen seen, char *text, size_t bytes)
{
    uint64_t who = seen.who;
    uint32_t grid = gsh_race_key_grid(who), rank = gsh_race_key_thread(who) - 1;
    uint32_t block = gsh_race_key_block(who) - 1;
    const struct gsh_race_grid_name *name =
        &gsh_race.shared->grids[gsh_race_key_pe(who)][grid % GSH_RACE_GRID_NAMES];

    if (!grid) {
        describe_host(seen, text, bytes);
    } else if (name->grid != grid) {
        snprintf(text, bytes, "an earlier kernel, block %u, thread %u", block, rank);
    } else {
        snprintf(text, bytes, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u)", name->name,
                 block % name->blocks.x, block / name->blocks.x % name->blocks.y,
                 block / name->blocks.x / name->blocks.y, rank % name->threads.x,
                 rank / name->threads.x % name->threads.y,
                 rank / name->threads.x / name->threads.y);
        describe_stream(name->stream, text, bytes);
    }
}

static void describe(struct gsh_race_seen seen, const char *call, char *text, size_t bytes)
{
    char place[200] = "a place that is not known", thread[160];
    const void *where = gsh_race_code_at(seen.what);

    if (where)
        gsh_where(where, place, sizeof(place));
    describe_thread(seen, thread, sizeof(thread));
    snprintf(text, bytes, "PE %u: %s%s%s, %s; %s", gsh_race_key_pe(seen.who), verb(seen.who),
             call ? ", " : "", call ? call : "", place, thread);
}

static void describe_heap(size_t off, char *text, size_t bytes)
{
    const char *start;
    const void *where;
    char place[200];
    size_t size;

    if (!gsh_heap_block(gsh.base + off, &start, &size, &where)) {
        snprintf(text, bytes, "symmetric memory, offset %zu", off);
        return;
    }
    gsh_where(where, place, sizeof(place));
    snprintf(text, bytes, "byte %td of %zu of symmetric memory, allocated in %s",
             gsh.base + off - start, size, place);
}

/* Variables have no name here: where they lie is not where they are defined. */
static void describe_area(const struct race *r, char *text, size_t bytes)
{
    struct gsh_race_area area;
    char place[200];

    if (r->is_shared) {
        snprintf(text, bytes, "shared memory of a block at %p", r->at);
    } else if (gsh_race_area(r->at, &area) && area.where) {
        gsh_where(area.where, place, sizeof(place));
        snprintf(text, bytes, "byte %td of %zu of memory, allocated in %s",
                 (const char *)r->at - (const char *)area.at, area.bytes, place);
    } else {
        snprintf(text, bytes, "a variable at %p", r->at);
    }
}

static void describe_object(const struct race *r, char *text, size_t bytes)
{
    size_t off = (uintptr_t)r->at - gsh_race.windows;
    char object[300];

    if (off < gsh_race.windows_bytes) {
        describe_heap(off % gsh.window, object, sizeof(object));
        snprintf(text, bytes, "%s, at PE %d", object, gsh_segment.here[off / gsh.window]);
    } else {
        describe_area(r, text, bytes);
    }
}

/* What would put them in order. */
static const char *missing(const struct race *r)
{
    uint64_t a = thread_of(r->now.who), b = thread_of(r->before.who);

    if (r->is_issued)
        return "no nvshmem_quiet, or nvshmem_fence before the signal or flag, ends the put or get "
               "before the second access";
    if (gsh_race_key_pe(a) != gsh_race_key_pe(b))
        return "no barrier, and no signal or flag that is waited for, is between them";
    if (gsh_race_block_of(a) == gsh_race_block_of(b) && gsh_race_key_grid(a))
        return "no __syncthreads() or other barrier is between them";
    if (gsh_race_grid_of(a) == gsh_race_grid_of(b) && gsh_race_key_grid(a))
        return "nothing orders the two blocks: no grid barrier, no fence and atomic";
    return "nothing orders them: no stream, event or synchronisation";
}

static void print(const struct race *r)
{
    char now[LINE_BYTES], before[LINE_BYTES], object[LINE_BYTES];

    describe(r->now, r->call, now, sizeof(now));
    describe(r->before, NULL, before, sizeof(before));
    describe_object(r, object, sizeof(object));
    fprintf(stderr, "race: %s\n    %s\n    before: %s\n    %s\n", object, now, before, missing(r));
}

static void print_found(struct block *block)
{
    (void)block;
    print(&found);
}

void gsh_race_report(const void *at, struct gsh_race_seen now, struct gsh_race_seen before)
{
    const struct gsh_race_actor *self = gsh_race_self();
    struct block *block = gsh_cpu_block;
    int hold;

    if (!is_new(now.what, before.what))
        return;
    atomic_fetch_add(&gsh_race.shared->reports, 1);
    found = (struct race){
        .at = at,
        .now = now,
        .before = before,
        .call = gsh_cpu_fiber && gsh_cpu_fiber->muted ? gsh_cpu_fiber->call : NULL,
        .is_shared = gsh_cpu_space(at) == GSH_CPU_SHARED,
        .is_issued =
            gsh_race_key_domain(before.who) != GSH_RACE_THREAD &&
            (thread_of(before.who) == self->key ||
             gsh_race_know_has(self->know, thread_of(before.who), before.what & GSH_RACE_ALL)),
    };
    if (!gsh_cpu_fiber) {
        print(&found);
        return;
    }
    /* The stack of a thread of a kernel is small. */
    hold = block->hold;
    block->hold = 1;
    gsh_cpu_at_home(block, print_found);
    block->hold = hold;
}
