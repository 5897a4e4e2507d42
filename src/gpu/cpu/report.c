/* report.c - tells which threads of which block did what where, and ends the job. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "gpu/cpu/report.h"
#include "core/log.h"
#include "gpu/cpu/job.h"
#include "util/where.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { GROUPS = 12 };

/* Threads that wait in the same call. */
struct group {
    const char *sync;
    const void *where;
    uint32_t lanes;
    uint32_t threads;
    const struct fiber *first;
    char place[160];
};

struct groups {
    struct group all[GROUPS];
    uint32_t n;
    uint32_t others; /* threads that are in no group, as there are too many */
    bool waits[GSH_CPU_MAX_THREADS];
};

struct text {
    char *at;
    size_t room;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text->at, text->room, format, args);
    va_end(args);
    if (n > 0) {
        size_t step = (size_t)n < text->room ? (size_t)n : text->room - 1;

        text->at += step;
        text->room -= step;
    }
}

/* Several blocks may fail at once; the others keep still until the process ends. */
static void be_first(void)
{
    static atomic_flag spoken = ATOMIC_FLAG_INIT;

    while (atomic_flag_test_and_set(&spoken))
        pause();
}

static void add_block(struct text *text, const struct block *block)
{
    add(text, "kernel %s, block (%u,%u,%u)", block->job->grid->name, block->index.x, block->index.y,
        block->index.z);
}

static void add_thread(struct text *text, struct gsh_cpu_dim tid)
{
    add(text, "thread (%u,%u,%u)", tid.x, tid.y, tid.z);
}

static void join(struct fiber *fiber, void *arg)
{
    struct groups *groups = arg;
    struct group *group = groups->all;
    const struct group *end = group + groups->n;

    groups->waits[fiber->pub.rank] = true;
    while (group < end && (group->sync != fiber->sync || group->where != fiber->sync_where ||
                           group->lanes != fiber->lanes))
        group++;
    if (group == &groups->all[GROUPS]) {
        groups->others++;
        return;
    }
    if (group == end) {
        groups->n++;
        *group = (struct group){ fiber->sync, fiber->sync_where, fiber->lanes, 0, fiber, "" };
    }
    group->threads++;
}

static void join_barrier(const struct barrier *barrier, struct groups *groups)
{
    for (struct fiber *fiber = barrier->waiting.head; fiber; fiber = fiber->next)
        join(fiber, groups);
}

/* A barrier that a call of the device API waits in is told as that call. */
static void find_place(struct group *group)
{
    char place[128];
    const struct gsh_cpu_fiber *pub = &group->first->pub;

    if (!gsh_where(group->where, place, sizeof(place)) && pub->call && pub->where) {
        gsh_where(pub->where, place, sizeof(place));
        group->sync = pub->call;
    }
    snprintf(group->place, sizeof(group->place), "%s", place);
}

/* The compiler may have made several calls out of one: groups of the same line are one. */
static void merge(struct groups *groups)
{
    for (uint32_t i = 0; i < groups->n; i++) {
        struct group *to = &groups->all[i];

        find_place(to);
        for (uint32_t j = 0; j < i; j++) {
            struct group *other = &groups->all[j];

            if (strcmp(other->sync, to->sync) || strcmp(other->place, to->place) ||
                other->lanes != to->lanes)
                continue;
            other->threads += to->threads;
            to->threads = 0;
            break;
        }
    }
}

static void add_groups(struct text *text, const struct groups *groups)
{
    const char *between = ": ";

    for (uint32_t i = 0; i < groups->n; i++) {
        const struct group *group = &groups->all[i];

        if (!group->threads)
            continue;
        add(text, "%s%u wait%s in %s", between, group->threads, group->threads == 1 ? "s" : "",
            group->sync);
        if (group->lanes)
            add(text, " for lanes 0x%x", group->lanes);
        add(text, " at %s (", group->place);
        add_thread(text, group->first->pub.tid);
        add(text, ")");
        between = "; ";
    }
    if (groups->others)
        add(text, "; %u wait elsewhere", groups->others);
}

/* Threads that wait in no list: they have ended, or still run. */
static void add_rest(struct text *text, const struct block *block, const struct groups *groups)
{
    static const char *const what[] = { "ended", "have not come" };
    uint32_t threads[2] = { 0 }, first[2] = { 0 };

    for (uint32_t i = block->threads; i-- > 0;) {
        bool alive = block->alive[i / GSH_CPU_WARP] >> i % GSH_CPU_WARP & 1;

        if (groups->waits[i])
            continue;
        threads[alive]++;
        first[alive] = i;
    }
    for (int i = 0; i < 2; i++) {
        struct gsh_cpu_dim dim = block->dim;
        struct gsh_cpu_dim tid = { first[i] % dim.x, first[i] / dim.x % dim.y,
                                   first[i] / dim.x / dim.y };

        if (!threads[i])
            continue;
        add(text, "; %u %s (", threads[i], what[i]);
        add_thread(text, tid);
        add(text, ")");
    }
}

_Noreturn void gsh_cpu_report_apart(struct block *block)
{
    static struct groups groups;
    char line[960];
    struct text text = { line, sizeof(line) };

    be_first();
    join_barrier(&block->all, &groups);
    join_barrier(&block->grid, &groups);
    for (int i = 0; i < GSH_CPU_BARRIERS; i++)
        join_barrier(&block->named[i], &groups);
    gsh_cpu_warp_waiting(block, join, &groups);
    merge(&groups);
    add_block(&text, block);
    add(&text, ": its threads can never meet");
    add_groups(&text, &groups);
    add_rest(&text, block, &groups);
    gsh_die("%s", line);
}

static void add_caller(struct text *text, const struct block *block)
{
    const struct gsh_cpu_fiber *pub = &block->caller->pub;
    char place[160];

    add_block(text, block);
    add(text, ", ");
    add_thread(text, pub->tid);
    gsh_where(pub->where ? pub->where : block->places[0], place, sizeof(place));
    add(text, ", %s%s%s: %s", pub->call && pub->where ? pub->call : "",
        pub->call && pub->where ? " in " : "in ", place, block->text);
}

_Noreturn void gsh_cpu_report_trap(struct block *block)
{
    char line[960];
    struct text text = { line, sizeof(line) };

    be_first();
    add_caller(&text, block);
    gsh_die("%s", line);
}

void gsh_cpu_report_wait(struct block *block)
{
    char line[960];
    struct text text = { line, sizeof(line) };

    add_caller(&text, block);
    gsh_log(GSH_ERROR, GSH_GPU, "%s", line);
}

_Noreturn void gsh_cpu_report_stack(struct block *block)
{
    const struct gsh_cpu_fiber *pub = &block->caller->pub;
    char line[960];
    struct text text = { line, sizeof(line) };

    be_first();
    add_block(&text, block);
    add(&text, ", ");
    add_thread(&text, pub->tid);
    if (pub->call)
        add(&text, ", after %s", pub->call);
    add(&text, ": the thread has used more than its stack of %zu bytes; raise GSHMEM_CPU_STACK",
        block->slab.stride);
    gsh_die("%s", line);
}

void gsh_cpu_compare_places(struct block *block)
{
    char a[256], b[256];

    gsh_where(block->places[0], a, sizeof(a));
    gsh_where(block->places[1], b, sizeof(b));
    block->same_place = !strcmp(a, b);
}

void gsh_cpu_trap(const char *format, ...)
{
    struct block *block = gsh_cpu_block;
    char text[sizeof(block->text)];
    va_list args;

    va_start(args, format);
    if (block && gsh_cpu_fiber) {
        block->hold = 1;
        vsnprintf(block->text, sizeof(block->text), format, args);
        block->places[0] = __builtin_return_address(0);
        gsh_cpu_at_home(block, gsh_cpu_report_trap);
    }
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    gsh_die("%s", text);
}
