/* know.c - sorted lists of moments, joined by merging. */
// SPDX-License-Identifier: BSD-3-Clause
#include "race/know.h"
#include "core/log.h"

#include <stdlib.h>
#include <string.h>

struct gsh_race_know *gsh_race_know_use(struct gsh_race_know *know)
{
    if (know)
        atomic_fetch_add_explicit(&know->users, 1, memory_order_relaxed);
    return know;
}

void gsh_race_know_drop(struct gsh_race_know *know)
{
    if (know && atomic_fetch_sub(&know->users, 1) == 1)
        free(know);
}

static struct gsh_race_know *make(uint32_t room)
{
    struct gsh_race_know *know = malloc(sizeof(*know) + room * sizeof(know->at[0]));

    if (!know)
        gsh_die("the race checker has no memory for %u moments", room);
    atomic_init(&know->users, 1);
    know->n = 0;
    know->room = room;
    return know;
}

/* *know with room for `more` entries, used by nobody else. */
static struct gsh_race_know *own(struct gsh_race_know **know, uint32_t more)
{
    struct gsh_race_know *old = *know, *fresh;
    uint32_t n = old ? old->n : 0;

    if (old && atomic_load(&old->users) == 1 && old->room - n >= more)
        return old;
    fresh = make(n + more + n / 2 + 4);
    if (old)
        memcpy(fresh->at, old->at, n * sizeof(old->at[0]));
    fresh->n = n;
    gsh_race_know_drop(old);
    *know = fresh;
    return fresh;
}

/* The first entry whose key is not less. */
static uint32_t find(const struct gsh_race_know *know, uint64_t key)
{
    uint32_t low = 0, high = know->n;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (know->at[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t clock_of(const struct gsh_race_know *know, uint64_t key)
{
    uint32_t i = find(know, key);

    return i < know->n && know->at[i].key == key ? know->at[i].clock : 0;
}

bool gsh_race_know_has(const struct gsh_race_know *know, uint64_t key, uint32_t clock)
{
    uint64_t name = key, tried;

    if (!know)
        return false;
    if (clock_of(know, name) >= clock)
        return true;
    if (!gsh_race_key_grid(key))
        return false;
    tried = name;
    name = gsh_race_warp_of(key);
    if (name != tried && clock_of(know, name) >= clock)
        return true;
    return clock_of(know, gsh_race_block_of(key)) >= clock ||
           clock_of(know, gsh_race_grid_of(key)) >= clock ||
           clock_of(know, gsh_race_pe_of(key)) >= gsh_race_key_grid(key);
}

/* The entry for the row of grids of a PE that have ended takes in those that follow it. */
static void shorten(struct gsh_race_know *know)
{
    uint32_t to = 0;
    struct gsh_race_entry *row = NULL;

    for (uint32_t i = 0; i < know->n; i++) {
        struct gsh_race_entry e = know->at[i];
        uint32_t grid = gsh_race_key_grid(e.key);

        if (row && gsh_race_pe_of(e.key) != row->key)
            row = NULL;
        if (grid && row && grid <= row->clock)
            continue;
        if (grid && row && grid == row->clock + 1 && e.clock == GSH_RACE_ALL &&
            e.key == gsh_race_grid_of(e.key)) {
            row->clock = grid;
            continue;
        }
        know->at[to] = e;
        if (e.key == gsh_race_pe_of(e.key))
            row = &know->at[to];
        to++;
    }
    know->n = to;
}

void gsh_race_know_raise(struct gsh_race_know **know, uint64_t key, uint32_t clock)
{
    struct gsh_race_know *mine;
    uint32_t i = *know ? find(*know, key) : 0;

    if (*know && i < (*know)->n && (*know)->at[i].key == key) {
        if ((*know)->at[i].clock < clock)
            own(know, 0)->at[i].clock = clock;
        return;
    }
    mine = own(know, 1);
    memmove(&mine->at[i + 1], &mine->at[i], (mine->n - i) * sizeof(mine->at[0]));
    mine->at[i] = (struct gsh_race_entry){ .key = key, .clock = clock };
    mine->n++;
}

/* Is there something new in it? */
static bool adds(const struct gsh_race_know *know, const struct gsh_race_entry *more, uint32_t n)
{
    uint32_t i = 0;

    for (uint32_t k = 0; k < n; k++) {
        while (i < know->n && know->at[i].key < more[k].key)
            i++;
        if (i == know->n || know->at[i].key != more[k].key || know->at[i].clock < more[k].clock)
            return true;
    }
    return false;
}

void gsh_race_know_join(struct gsh_race_know **know, const struct gsh_race_entry *more, uint32_t n)
{
    struct gsh_race_know *old = *know, *sum;
    uint32_t i = 0, k = 0, n_old = old ? old->n : 0;

    if (!n || (old && !adds(old, more, n)))
        return;
    sum = make(n_old + n + 2);
    while (i < n_old || k < n) {
        struct gsh_race_entry *e = &sum->at[sum->n++];

        if (k == n || (i < n_old && old->at[i].key < more[k].key)) {
            *e = old->at[i++];
        } else if (i == n_old || more[k].key < old->at[i].key) {
            *e = more[k++];
        } else {
            *e = old->at[i].clock < more[k].clock ? more[k] : old->at[i];
            i++;
            k++;
        }
    }
    shorten(sum);
    gsh_race_know_drop(old);
    *know = sum;
}

void gsh_race_know_add(struct gsh_race_know **know, struct gsh_race_know *more)
{
    if (!more || *know == more)
        return;
    if (!*know)
        *know = gsh_race_know_use(more);
    else
        gsh_race_know_join(know, more->at, more->n);
}

void gsh_race_know_complete(struct gsh_race_know **know, unsigned pe)
{
    struct gsh_race_know *all = *know, *done;

    if (!all)
        return;
    done = make(all->n);
    for (uint32_t i = 0; i < all->n; i++) {
        struct gsh_race_entry e = all->at[i];

        if (gsh_race_key_domain(e.key) != GSH_RACE_THREAD || gsh_race_key_pe(e.key) != pe)
            continue;
        e.key = gsh_race_in_domain(e.key, GSH_RACE_ASYNC);
        done->at[done->n++] = e;
    }
    gsh_race_know_join(know, done->at, done->n);
    gsh_race_know_drop(done);
}

/* Drops the entries from one key to before another whose clocks are not later. */
static void drop(struct gsh_race_know *know, uint64_t first, uint64_t end, uint32_t clock)
{
    uint32_t from = find(know, first), to = from, i;

    for (i = from; i < know->n && know->at[i].key < end; i++)
        if (know->at[i].clock > clock)
            know->at[to++] = know->at[i];
    memmove(&know->at[to], &know->at[i], (know->n - i) * sizeof(know->at[0]));
    know->n -= i - to;
}

void gsh_race_know_cover(struct gsh_race_know **know, uint64_t key, uint32_t clock)
{
    const uint64_t one = 1, thread = one << GSH_RACE_THREAD_BIT;
    uint32_t number = gsh_race_key_thread(key);
    struct gsh_race_know *mine;

    gsh_race_know_raise(know, key, clock);
    mine = own(know, 0);
    if (number) {
        uint64_t first =
            gsh_race_block_of(key) + ((number - GSH_RACE_FIRST_WARP) * 32 + 1) * thread;

        drop(mine, first, first + 32 * thread, clock);
    } else {
        drop(mine, key + 1,
             key + (one << (gsh_race_key_block(key) ? GSH_RACE_BLOCK_BIT : GSH_RACE_GRID_BIT)),
             clock);
    }
    shorten(mine);
}
