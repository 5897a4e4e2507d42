/* actor.c - who acts: threads of hosts and of kernels, how they begin and end, and what
 * they learn from each other when they meet. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/log.h"
#include "race/race.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Thread_local struct gsh_race_block *gsh_race_block __attribute__((tls_model("initial-exec")));

_Thread_local struct gsh_race_actor gsh_race_thread __attribute__((tls_model("initial-exec")));
static _Atomic uint32_t n_hosts, n_streams;
static _Atomic uint64_t n_grids;
static _Thread_local unsigned served; /* the number of the stream that the thread serves */

static void begin_host(uint32_t first, _Atomic uint32_t *count)
{
    gsh_race_thread = (struct gsh_race_actor){
        .key = gsh_race_key(gsh_race.pe, 0, 0, first + atomic_fetch_add(count, 1) % 1000),
        .clock = 1,
    };
    /* The rows of grids that have ended are empty. */
    for (int domain = GSH_RACE_THREAD; domain <= GSH_RACE_PAYLOAD; domain++)
        gsh_race_know_raise(&gsh_race_thread.know,
                            gsh_race_in_domain(gsh_race_key(gsh_race.pe, 0, 0, 0), domain), 0);
}

void gsh_race_begin_host(void)
{
    begin_host(1, &n_hosts);
}

void gsh_race_serve(unsigned stream, const char *work)
{
    static _Atomic unsigned n_works;
    struct gsh_race_work_name *name =
        &gsh_race.shared->works[gsh_race.pe][atomic_fetch_add(&n_works, 1) % GSH_RACE_WORK_NAMES];

    if (!gsh_race_thread.clock)
        begin_host(GSH_RACE_FIRST_STREAM, &n_streams);
    served = stream;
    name->key = gsh_race_thread.key;
    name->clock = gsh_race_thread.clock;
    name->stream = stream;
    snprintf(name->name, sizeof(name->name), "%s", work);
}

bool gsh_race_one_of_many(const struct gsh_race_actor *self)
{
    return self == &gsh_race_thread && gsh_race_key_thread(self->key) < GSH_RACE_FIRST_STREAM &&
           atomic_load_explicit(&n_hosts, memory_order_relaxed) > 1;
}

void gsh_race_tick(struct gsh_race_actor *self)
{
    if (++self->clock >= GSH_RACE_ALL)
        gsh_die("the race checker counts at most %u events of a thread", GSH_RACE_ALL);
}

static void forget_actor(struct gsh_race_actor *actor)
{
    gsh_race_know_drop(actor->know);
    gsh_race_know_drop(actor->fenced);
    gsh_race_know_drop(actor->release);
    gsh_race_know_drop(actor->pending);
}

static struct gsh_race_grid_name *name_of(uint64_t grid)
{
    return &gsh_race.shared->grids[gsh_race.pe][grid % GSH_RACE_GRID_NAMES];
}

uint64_t gsh_race_grid_begin(const struct gsh_cpu_grid *grid, struct gsh_race_know **base)
{
    struct gsh_race_actor *self = gsh_race_self();
    uint64_t number = atomic_fetch_add(&n_grids, 1) + 1;
    struct gsh_race_grid_name *name = name_of(number);

    snprintf(name->name, sizeof(name->name), "%s", grid->name);
    name->blocks = grid->grid;
    name->threads = grid->block;
    name->stream = served;
    name->async = 0;
    name->grid = gsh_race_key_grid(gsh_race_key(0, number, 0, 0));
    *base = gsh_race_know_use(self->know);
    gsh_race_know_raise(base, self->key, self->clock);
    gsh_race_tick(self);
    return number;
}

static uint64_t grid_place(uint64_t grid)
{
    /* No address is that high. */
    return UINT64_C(3) << 62 | gsh_race_key(gsh_race.pe, grid, 0, 0);
}

/* What is known of the grid's puts and gets. Entries of grids that have had none are made only
 * where they are for free; nobody asks for them. */
static void end_async(struct gsh_race_know **know, uint64_t grid)
{
    uint64_t row = gsh_race_key(gsh_race.pe, 0, 0, 0),
             async = gsh_race_in_domain(row, GSH_RACE_ASYNC);
    uint32_t number = gsh_race_key_grid(gsh_race_key(0, grid, 0, 0)), known;
    uint32_t state = name_of(grid)->async, ended;

    if (state == GSH_RACE_SOME)
        gsh_race_know_cover(
            know, gsh_race_in_domain(gsh_race_key(gsh_race.pe, grid, 0, 0), GSH_RACE_ASYNC),
            GSH_RACE_ALL);
    known = gsh_race_know_ended(*know, async);
    if (!state && number == known + 1)
        gsh_race_know_end(know, async, number);
    ended = gsh_race_know_ended(*know, row);
    if (ended > GSH_RACE_AGE) {
        gsh_race_know_end(know, async, ended - GSH_RACE_AGE);
        gsh_race_know_end(know, gsh_race_in_domain(row, GSH_RACE_PAYLOAD), ended - GSH_RACE_AGE);
    }
}

void gsh_race_grid_end(uint64_t grid, struct gsh_race_know *base)
{
    struct gsh_race_actor *self = gsh_race_self();

    gsh_race_sync_acquire(grid_place(grid), &self->know);
    gsh_race_sync_forget(grid_place(grid));
    gsh_race_know_cover(&self->know, gsh_race_key(gsh_race.pe, grid, 0, 0), GSH_RACE_ALL);
    end_async(&self->know, grid);
    gsh_race_know_drop(base);
    gsh_race_tick(self);
}

/* Remembers where the thread-local variables of the program are, among which are the
 * __shared__ ones of kernels. */
static int find_variables(struct dl_phdr_info *module, size_t bytes, void *arg)
{
    struct gsh_race_strip *strip = arg;

    (void)bytes;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        if (module->dlpi_phdr[i].p_type == PT_TLS && module->dlpi_tls_data) {
            strip->at = (uintptr_t)module->dlpi_tls_data / GSH_RACE_GRANULE * GSH_RACE_GRANULE;
            strip->bytes =
                (uintptr_t)module->dlpi_tls_data + module->dlpi_phdr[i].p_memsz - strip->at;
        }
    }
    return 1; /* the first one is the program */
}

static void make_cells(struct gsh_race_strip *strip)
{
    size_t bytes = (strip->bytes + GSH_RACE_GRANULE - 1) * GSH_RACE_FACTOR;

    if (strip->room >= bytes)
        return;
    free(strip->cells);
    strip->cells = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!strip->cells)
        gsh_die("the race checker has no memory for %zu bytes of shared memory", strip->bytes);
    memset(strip->cells, 0, (bytes + 63) / 64 * 64);
    strip->room = bytes;
}

void gsh_race_block_begin(uint64_t grid, uint64_t block, uint32_t threads,
                          struct gsh_race_know *base, const void *shared, size_t shared_bytes)
{
    struct gsh_race_block *b = gsh_race_block;

    if (!b) {
        b = gsh_race_block = calloc(1, sizeof(*b));
        if (!b)
            gsh_die("the race checker has no memory for a block");
        dl_iterate_phdr(find_variables, &b->strips[0]);
        make_cells(&b->strips[0]);
    }
    b->key = gsh_race_key(gsh_race.pe, grid, block + 1, 0);
    b->floor = b->grid_floor = 0;
    b->ended = gsh_race_know_ended(base, b->key);
    b->threads = threads;
    b->strips[1].at = (uintptr_t)shared;
    b->strips[1].bytes = shared_bytes;
    make_cells(&b->strips[1]);
    for (uint32_t rank = 0; rank < threads; rank++)
        b->actors[rank] =
            (struct gsh_race_actor){ .key = b->key | (uint64_t)(rank + 1) << GSH_RACE_THREAD_BIT,
                                     .clock = 1,
                                     .know = gsh_race_know_use(base) };
}

static struct gsh_race_know **value_of(struct gsh_race_actor *actor, size_t value)
{
    return (struct gsh_race_know **)(void *)((char *)actor + value);
}

/* Whether the block has made puts and gets, and all that it knows of is complete. */
static uint32_t async_of(const struct gsh_race_block *b, const struct gsh_race_know *know)
{
    uint32_t state = 0;

    for (uint32_t rank = 0; rank < b->threads; rank++) {
        const struct gsh_race_actor *a = &b->actors[rank];

        if (a->last_async)
            state |=
                gsh_race_know_has(know, gsh_race_in_domain(a->key, GSH_RACE_ASYNC), a->last_async)
                    ? GSH_RACE_SOME
                    : GSH_RACE_OPEN;
    }
    return state;
}

/* Who waits for the grid knows all of it: of its own threads nothing need be said, and of
 * others' only what was not known before the launch. */
void gsh_race_block_end(struct gsh_race_know *base)
{
    struct gsh_race_block *b = gsh_race_block;
    struct gsh_race_know *sum = NULL, *last = NULL;
    struct gsh_race_entry async = { .key = gsh_race_in_domain(b->key, GSH_RACE_ASYNC),
                                    .clock = GSH_RACE_ALL };
    uint32_t state;

    for (uint32_t rank = 0; rank < b->threads; rank++) {
        if (b->actors[rank].read.at)
            gsh_race_tell_read(&b->actors[rank]);
        if (b->actors[rank].know != last)
            gsh_race_know_add(&sum, b->actors[rank].know);
        last = b->actors[rank].know;
    }
    state = async_of(b, sum);
    if (state)
        atomic_fetch_or(&name_of(gsh_race_key_grid(b->key))->async, state);
    gsh_race_know_cut(&sum, gsh_race_grid_of(b->key));
    if (state == GSH_RACE_SOME)
        gsh_race_know_cut(&sum, async.key);
    if (state == GSH_RACE_SOME ||
        !gsh_race_list_covers(gsh_race_know_list(base), gsh_race_know_list(sum)))
        gsh_race_sync_release(grid_place(gsh_race_key_grid(b->key)), sum,
                              (struct gsh_race_list){ &async, state == GSH_RACE_SOME });
    gsh_race_know_drop(sum);
    for (uint32_t rank = 0; rank < b->threads; rank++)
        forget_actor(&b->actors[rank]);
}

/* The threads are all of their warp: returns its name, else 0. */
static uint64_t whole_warp(const struct gsh_race_block *b, const uint16_t *ranks, uint32_t n)
{
    uint32_t warp = ranks[0] / GSH_CPU_WARP, left = b->threads - warp * GSH_CPU_WARP;

    if (n != (left < GSH_CPU_WARP ? left : GSH_CPU_WARP))
        return 0;
    for (uint32_t i = 1; i < n; i++)
        if (ranks[i] / GSH_CPU_WARP != warp)
            return 0;
    return gsh_race_warp_of(b->actors[ranks[0]].key);
}

/* When no put or get of the threads is still on its way, one entry says so for all. */
static void cover_async(struct gsh_race_know **sum, const struct gsh_race_block *b,
                        const uint16_t *ranks, uint32_t n, uint64_t name, uint32_t clock)
{
    bool some = false;

    for (uint32_t i = 0; i < n; i++) {
        const struct gsh_race_actor *a = &b->actors[ranks[i]];

        some |= a->last_async != 0;
        if (a->last_async &&
            !gsh_race_know_has(*sum, gsh_race_in_domain(a->key, GSH_RACE_ASYNC), a->last_async))
            return;
    }
    if (some)
        gsh_race_know_cover(sum, gsh_race_in_domain(name, GSH_RACE_ASYNC), clock);
}

/* What the members have in one of their values, joined, becomes the value of each. */
static void share(struct gsh_race_block *b, const uint16_t *ranks, uint32_t n, size_t value)
{
    struct gsh_race_know *sum = NULL, *last = NULL;

    for (uint32_t i = 0; i < n; i++) {
        struct gsh_race_know *know = *value_of(&b->actors[ranks[i]], value);

        if (know != last)
            gsh_race_know_add(&sum, know);
        last = know;
    }
    for (uint32_t i = 0; i < n && sum; i++) {
        struct gsh_race_know **know = value_of(&b->actors[ranks[i]], value);

        gsh_race_know_drop(*know);
        *know = gsh_race_know_use(sum);
    }
    gsh_race_know_drop(sum);
}

/* The latest moment of the members; threads that have ended count as having come. */
static uint32_t latest(const struct gsh_race_block *b, const uint16_t *ranks, uint32_t n,
                       bool all_live)
{
    uint32_t clock = 0;

    for (uint32_t i = 0; i < n; i++)
        if (b->actors[ranks[i]].clock > clock)
            clock = b->actors[ranks[i]].clock;
    for (uint32_t rank = 0; all_live && n < b->threads && rank < b->threads; rank++)
        if (b->actors[rank].clock > clock)
            clock = b->actors[rank].clock;
    return clock;
}

/* Says in *sum that all that the members did has happened. */
static void add_members(struct gsh_race_know **sum, const struct gsh_race_block *b,
                        const uint16_t *ranks, uint32_t n, bool all_live, uint32_t clock)
{
    uint64_t name = all_live ? b->key : whole_warp(b, ranks, n);

    if (name) {
        cover_async(sum, b, ranks, n, name, clock);
        gsh_race_know_cover(sum, name, clock);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        gsh_race_know_raise(sum, b->actors[ranks[i]].key, b->actors[ranks[i]].clock);
}

void gsh_race_meet(const uint16_t *ranks, uint32_t n, bool all_live)
{
    struct gsh_race_block *b = gsh_race_block;
    uint32_t clock;
    struct gsh_race_actor *first = &b->actors[ranks[0]];

    for (uint32_t i = 0; i < n; i++)
        if (b->actors[ranks[i]].read.at)
            gsh_race_tell_read(&b->actors[ranks[i]]);
    clock = latest(b, ranks, n, all_live);
    share(b, ranks, n, offsetof(struct gsh_race_actor, know));
    share(b, ranks, n, offsetof(struct gsh_race_actor, fenced));
    share(b, ranks, n, offsetof(struct gsh_race_actor, release));
    share(b, ranks, n, offsetof(struct gsh_race_actor, pending));
    add_members(&first->know, b, ranks, n, all_live, clock);
    if (all_live)
        b->floor = clock;
    for (uint32_t i = 0; i < n; i++) {
        struct gsh_race_actor *a = &b->actors[ranks[i]];

        if (i) {
            gsh_race_know_drop(a->know);
            a->know = gsh_race_know_use(first->know);
        }
        a->clock = clock;
        gsh_race_tick(a);
    }
}

/* Rounds take turns at two places: who is one round ahead must not be heard in this one. */
static uint64_t round_place(const void *grid, uint32_t round)
{
    return gsh_race_place((const char *)grid + round % 2);
}

void gsh_race_grid_enter(const void *grid, uint32_t round)
{
    struct gsh_race_actor *self = gsh_race_self();
    struct gsh_race_know *past = gsh_race_know_use(self->know);
    struct gsh_race_entry block = { .key = gsh_race_block->key, .clock = self->clock };

    gsh_race_know_cut(&past, block.key);
    gsh_race_sync_release(round_place(grid, round), past, (struct gsh_race_list){ &block, 1 });
    gsh_race_know_drop(past);
}

/* Clocks of all blocks go on from the latest of them, so that one entry is enough. */
void gsh_race_grid_leave(const void *grid, uint32_t round)
{
    struct gsh_race_actor *self = gsh_race_self();
    uint64_t name = gsh_race_grid_of(self->key);
    uint32_t clock = self->clock;

    gsh_race_sync_acquire(round_place(grid, round), &self->know);
    for (uint32_t i = 0; i < self->know->n; i++)
        if (gsh_race_grid_of(self->know->at[i].key) == name && self->know->at[i].clock > clock)
            clock = self->know->at[i].clock;
    gsh_race_know_cover(&self->know, name, clock);
    gsh_race_block->grid_floor = clock;
    self->clock = clock;
    gsh_race_tick(self);
}
