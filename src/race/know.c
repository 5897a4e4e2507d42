/* know.c - sorted lists of moments, joined by merging. */
// SPDX-License-Identifier: BSD-3-Clause
#include "race/know.h"
#include "core/log.h"
#include "race/sync.h"

#include <stdlib.h>
#include <string.h>

struct gsh_race_know *gsh_race_know_use(struct gsh_race_know *know)
{
    if (know)
        atomic_fetch_add_explicit(&know->users, 1, memory_order_relaxed);
    return know;
}

/* What the copy says is true no longer, or not wanted. */
static void drop_copy(struct gsh_race_know *know)
{
    uint32_t copy = atomic_load_explicit(&know->copy, memory_order_relaxed);

    if (copy)
        gsh_race_sync_drop(copy);
    atomic_store_explicit(&know->copy, 0, memory_order_relaxed);
}

void gsh_race_know_drop(struct gsh_race_know *know)
{
    if (know && atomic_fetch_sub(&know->users, 1) == 1) {
        drop_copy(know);
        free(know);
    }
}

static struct gsh_race_know *make(uint32_t room)
{
    struct gsh_race_know *know = malloc(sizeof(*know) + room * sizeof(know->at[0]));

    if (!know)
        gsh_die("the race checker has no memory for %u moments", room);
    atomic_init(&know->users, 1);
    atomic_init(&know->copy, 0);
    know->n = 0;
    know->room = room;
    return know;
}

/* *know with room for `more` entries, used by nobody else, to be changed. */
static struct gsh_race_know *own(struct gsh_race_know **know, uint32_t more)
{
    struct gsh_race_know *old = *know, *fresh;
    uint32_t n = old ? old->n : 0;

    if (old && atomic_load(&old->users) == 1 && old->room - n >= more) {
        drop_copy(old);
        return old;
    }
    fresh = make(n + more + n / 2 + 4);
    if (old)
        memcpy(fresh->at, old->at, n * sizeof(old->at[0]));
    fresh->n = n;
    gsh_race_know_drop(old);
    *know = fresh;
    return fresh;
}

/* The first entry whose key is not less. */
static uint32_t find(struct gsh_race_list list, uint64_t key)
{
    uint32_t low = 0, high = list.n;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (list.at[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t clock_of(struct gsh_race_list list, uint64_t key)
{
    uint32_t i = find(list, key);

    return i < list.n && list.at[i].key == key ? list.at[i].clock : 0;
}

uint32_t gsh_race_know_ended(const struct gsh_race_know *know, uint64_t key)
{
    return clock_of(gsh_race_know_list(know), gsh_race_pe_of(key));
}

/* What is known of a block, whose entries begin at i or later. */
static bool has_of_block(struct gsh_race_list list, uint32_t i, uint64_t key, uint32_t clock)
{
    uint64_t block = gsh_race_block_of(key);

    if (list.at[i].key < block)
        i += find((struct gsh_race_list){ list.at + i, list.n - i }, block);
    if (i < list.n && list.at[i].key == block) {
        if (list.at[i].clock >= clock)
            return true;
        i++;
    }
    if (i == list.n || gsh_race_block_of(list.at[i].key) != block)
        return false;
    list = (struct gsh_race_list){ list.at + i, list.n - i };
    return clock_of(list, gsh_race_warp_of(key)) >= clock || clock_of(list, key) >= clock;
}

/* Most of what is asked for is in a grid that has ended, or is not known. */
bool gsh_race_list_has(struct gsh_race_list list, uint64_t key, uint32_t clock)
{
    uint64_t grid = gsh_race_grid_of(key);
    uint32_t i;

    if (!list.n)
        return false;
    if (!gsh_race_key_grid(key))
        return clock_of(list, key) >= clock;
    if (clock_of(list, gsh_race_pe_of(key)) >= gsh_race_key_grid(key))
        return true;
    i = find(list, grid);
    if (i == list.n || gsh_race_grid_of(list.at[i].key) != grid)
        return false;
    return (list.at[i].key == grid && list.at[i].clock >= clock) ||
           has_of_block(list, i, key, clock);
}

bool gsh_race_list_covers(struct gsh_race_list list, struct gsh_race_list others)
{
    uint32_t i = 0;

    for (uint32_t k = 0; k < others.n; k++) {
        const struct gsh_race_entry *e = &others.at[k];

        while (i < list.n && list.at[i].key < e->key)
            i++;
        if (i < list.n && list.at[i].key == e->key && list.at[i].clock >= e->clock)
            continue;
        if (!gsh_race_list_has(list, e->key, e->clock))
            return false;
    }
    return true;
}

/* The coarser entries before the one that is looked at, which may cover it. */
struct cover {
    uint64_t row, grid, block; /* their keys */
    uint32_t row_clock, grid_clock, block_clock;
};

static bool is_covered(const struct cover *c, struct gsh_race_entry e)
{
    uint32_t grid = gsh_race_key_grid(e.key);

    return grid && ((gsh_race_pe_of(e.key) == c->row && grid <= c->row_clock) ||
                    (gsh_race_grid_of(e.key) == c->grid && e.clock <= c->grid_clock) ||
                    (gsh_race_block_of(e.key) == c->block && e.clock <= c->block_clock));
}

/* Drops what coarser entries cover; the row of grids of a PE that have ended takes in those
 * that follow it. */
static void shorten(struct gsh_race_know *know)
{
    struct cover c = { UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 0, 0 };
    struct gsh_race_entry *row = NULL;
    uint32_t to = 0;

    for (uint32_t i = 0; i < know->n; i++) {
        struct gsh_race_entry e = know->at[i];
        uint32_t grid = gsh_race_key_grid(e.key);

        if (is_covered(&c, e))
            continue;
        if (grid && gsh_race_pe_of(e.key) == c.row && grid == c.row_clock + 1 &&
            e.clock == GSH_RACE_ALL && e.key == gsh_race_grid_of(e.key)) {
            row->clock = c.row_clock = grid;
            continue;
        }
        if (e.key == gsh_race_pe_of(e.key)) {
            row = &know->at[to];
            c.row = e.key;
            c.row_clock = e.clock;
        } else if (e.key == gsh_race_grid_of(e.key)) {
            c.grid = e.key;
            c.grid_clock = e.clock;
        } else if (e.key == gsh_race_block_of(e.key)) {
            c.block = e.key;
            c.block_clock = e.clock;
        }
        know->at[to++] = e;
    }
    know->n = to;
}

void gsh_race_know_raise(struct gsh_race_know **know, uint64_t key, uint32_t clock)
{
    struct gsh_race_list list = gsh_race_know_list(*know);
    uint32_t i = find(list, key);
    struct gsh_race_know *mine;

    if (i < list.n && list.at[i].key == key) {
        if (list.at[i].clock < clock)
            own(know, 0)->at[i].clock = clock;
        return;
    }
    mine = own(know, 1);
    memmove(&mine->at[i + 1], &mine->at[i], (mine->n - i) * sizeof(mine->at[0]));
    mine->at[i] = (struct gsh_race_entry){ .key = key, .clock = clock };
    mine->n++;
}

void gsh_race_know_join(struct gsh_race_know **know, struct gsh_race_list more)
{
    struct gsh_race_list old = gsh_race_know_list(*know);
    struct gsh_race_know *sum;
    uint32_t i = 0, k = 0;

    if (gsh_race_list_covers(old, more))
        return;
    sum = make(old.n + more.n + 2);
    while (i < old.n || k < more.n) {
        struct gsh_race_entry *e = &sum->at[sum->n++];

        if (k == more.n || (i < old.n && old.at[i].key < more.at[k].key)) {
            *e = old.at[i++];
        } else if (i == old.n || more.at[k].key < old.at[i].key) {
            *e = more.at[k++];
        } else {
            *e = old.at[i].clock < more.at[k].clock ? more.at[k] : old.at[i];
            i++;
            k++;
        }
    }
    shorten(sum);
    gsh_race_know_drop(*know);
    *know = sum;
}

void gsh_race_know_add(struct gsh_race_know **know, struct gsh_race_know *more)
{
    if (!more || *know == more)
        return;
    if (!gsh_race_list_covers(gsh_race_know_list(more), gsh_race_know_list(*know))) {
        gsh_race_know_join(know, gsh_race_know_list(more));
        return;
    }
    gsh_race_know_drop(*know);
    *know = gsh_race_know_use(more);
}

void gsh_race_know_complete(struct gsh_race_know **know, unsigned pe)
{
    struct gsh_race_list all = gsh_race_know_list(*know);
    struct gsh_race_know *done = make(all.n);

    for (uint32_t i = 0; i < all.n; i++) {
        struct gsh_race_entry e = all.at[i];

        if (gsh_race_key_domain(e.key) != GSH_RACE_THREAD || gsh_race_key_pe(e.key) != pe)
            continue;
        e.key = gsh_race_in_domain(e.key, GSH_RACE_ASYNC);
        done->at[done->n++] = e;
    }
    gsh_race_know_join(know, gsh_race_know_list(done));
    gsh_race_know_drop(done);
}

/* Drops the entries from one key to before another whose clocks are not later. */
static void drop(struct gsh_race_know *know, uint64_t first, uint64_t end, uint32_t clock)
{
    uint32_t from = find(gsh_race_know_list(know), first), to = from, i;

    for (i = from; i < know->n && know->at[i].key < end; i++)
        if (know->at[i].clock > clock)
            know->at[to++] = know->at[i];
    memmove(&know->at[to], &know->at[i], (know->n - i) * sizeof(know->at[0]));
    know->n -= i - to;
}

/* The key after all that lie in a block or grid. */
static uint64_t end_of(uint64_t key)
{
    return key +
           (UINT64_C(1) << (gsh_race_key_block(key) ? GSH_RACE_BLOCK_BIT : GSH_RACE_GRID_BIT));
}

void gsh_race_know_cover(struct gsh_race_know **know, uint64_t key, uint32_t clock)
{
    const uint64_t thread = UINT64_C(1) << GSH_RACE_THREAD_BIT;
    uint32_t number = gsh_race_key_thread(key);
    struct gsh_race_know *mine;

    gsh_race_know_raise(know, key, clock);
    mine = own(know, 0);
    if (number) {
        uint64_t first =
            gsh_race_block_of(key) + ((number - GSH_RACE_FIRST_WARP) * 32 + 1) * thread;

        drop(mine, first, first + 32 * thread, clock);
    } else {
        drop(mine, key + 1, end_of(key), clock);
    }
    shorten(mine);
}

void gsh_race_know_end(struct gsh_race_know **know, uint64_t key, uint32_t grid)
{
    if (gsh_race_know_ended(*know, key) >= grid)
        return;
    gsh_race_know_raise(know, gsh_race_pe_of(key), grid);
    shorten(own(know, 0));
}

void gsh_race_know_cut(struct gsh_race_know **know, uint64_t key)
{
    struct gsh_race_list list = gsh_race_know_list(*know);
    uint32_t i = find(list, key);

    if (i < list.n && list.at[i].key < end_of(key))
        drop(own(know, 0), key, end_of(key), UINT32_MAX);
}

struct gsh_race_know *gsh_race_know_by_block(const struct gsh_race_know *know)
{
    struct gsh_race_know *blocks = make(know->n);

    for (uint32_t i = 0; i < know->n; i++) {
        struct gsh_race_entry e = know->at[i],
                              *last = blocks->n ? &blocks->at[blocks->n - 1] : NULL;

        if (gsh_race_key_grid(e.key))
            e.key = gsh_race_block_of(e.key);
        if (!last || last->key != e.key)
            blocks->at[blocks->n++] = e;
        else if (last->clock < e.clock)
            last->clock = e.clock;
    }
    return blocks;
}
