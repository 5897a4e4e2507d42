/* sync.c - places at which knowledge is released and acquired: words of memory, and keys of
 * order that has no memory. A table that all PEs share, in which a bucket has a lock.
 *
 * Most of what threads release is what their whole block or grid knows, and a moment of
 * their own. So a place has the moments themselves, and refers to the rest, of which there
 * is one copy for all places where it is released. It is not changed: a place to which more
 * comes takes another one, or has one made for itself.
 *
 * Places and copies lie in an arena, in sizes of powers of two, and are named by their unit
 * in it. 0 is none. When half of it is used, blocks stand for their threads in what is added.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"
#include "race/race.h"
#include "util/cpu.h"

#include <sched.h>
#include <string.h>

enum { UNIT = 64 };

/* In the arena, followed by room for entries. */
struct item {
    uint64_t key;           /* of a place */
    uint32_t next;          /* of the bucket, or of those that are free */
    uint32_t copy;          /* of a place: what it refers to */
    _Atomic uint32_t users; /* of a copy */
    uint16_t size_class;
    uint16_t unused;
    uint32_t n, unused2;
    struct gsh_race_entry at[];
};

static void lock(_Atomic uint8_t *byte)
{
    for (int spins = 0; atomic_exchange_explicit(byte, 1, memory_order_acquire); spins++) {
        if (spins < 100)
            gsh_cpu_relax();
        else
            sched_yield();
    }
}

static void unlock(_Atomic uint8_t *byte)
{
    atomic_store_explicit(byte, 0, memory_order_release);
}

static struct item *item_at(uint32_t unit)
{
    return (struct item *)(void *)(gsh_race.arena + (size_t)unit * UNIT);
}

static struct gsh_race_list list_of(uint32_t unit)
{
    return (struct gsh_race_list){ item_at(unit)->at, item_at(unit)->n };
}

static uint32_t room_of(uint32_t unit)
{
    return (uint32_t)((((size_t)UNIT << item_at(unit)->size_class) - sizeof(struct item)) /
                      sizeof(struct gsh_race_entry));
}

/* An item with room for n entries. */
static uint32_t make(uint32_t n)
{
    struct gsh_race_shared *s = gsh_race.shared;
    uint32_t unit;
    uint16_t size_class = 0;

    while (((size_t)UNIT << size_class) < sizeof(struct item) + n * sizeof(struct gsh_race_entry))
        size_class++;
    lock(&s->arena_locks[size_class]);
    unit = s->arena_free[size_class];
    if (unit)
        s->arena_free[size_class] = item_at(unit)->next;
    unlock(&s->arena_locks[size_class]);
    if (!unit) {
        unit = atomic_fetch_add(&s->arena_used, 1u << size_class) + 1;
        if ((size_t)(unit + (1u << size_class)) * UNIT > GSH_RACE_ARENA)
            gsh_die("the race checker has used up the %zu MiB it has for words that order",
                    GSH_RACE_ARENA >> 20);
    }
    *item_at(unit) = (struct item){ .size_class = size_class };
    return unit;
}

static void give(uint32_t unit)
{
    struct gsh_race_shared *s = gsh_race.shared;
    struct item *item = item_at(unit);

    lock(&s->arena_locks[item->size_class]);
    item->next = s->arena_free[item->size_class];
    s->arena_free[item->size_class] = unit;
    unlock(&s->arena_locks[item->size_class]);
}

void gsh_race_sync_drop(uint32_t copy)
{
    if (atomic_fetch_sub(&item_at(copy)->users, 1) == 1)
        give(copy);
}

/* Too little is left to tell the threads of a block apart. */
static bool is_short(void)
{
    struct gsh_race_shared *s = gsh_race.shared;

    if ((size_t)atomic_load_explicit(&s->arena_used, memory_order_relaxed) * UNIT <
        GSH_RACE_ARENA / 2)
        return false;
    if (!atomic_exchange(&s->is_short, true))
        gsh_log(GSH_WARN, GSH_GPU,
                "the race checker has used half of the %zu MiB it has for words that order: from "
                "now on the threads of a block count as one there, and it finds fewer races",
                GSH_RACE_ARENA >> 20);
    return true;
}

static void fill(uint32_t unit, struct gsh_race_list list)
{
    item_at(unit)->n = list.n;
    memcpy(item_at(unit)->at, list.at, list.n * sizeof(list.at[0]));
}

/* The copy of a value, which stays as long as the value does. */
static uint32_t copy_of(struct gsh_race_know *know)
{
    uint32_t copy = atomic_load_explicit(&know->copy, memory_order_acquire), none = 0;
    struct gsh_race_know *use;

    if (copy)
        return copy;
    use = is_short() ? gsh_race_know_by_block(know) : gsh_race_know_use(know);
    copy = make(use->n);
    fill(copy, gsh_race_know_list(use));
    gsh_race_know_drop(use);
    item_at(copy)->users = 1;
    if (atomic_compare_exchange_strong(&know->copy, &none, copy))
        return copy;
    give(copy);
    return none;
}

static void refer(struct item *place, struct gsh_race_know *know)
{
    uint32_t old = place->copy;

    place->copy = copy_of(know);
    atomic_fetch_add(&item_at(place->copy)->users, 1);
    if (old)
        gsh_race_sync_drop(old);
}

/* Drops the moments that what the place refers to covers. */
static void shorten(struct item *place)
{
    struct gsh_race_list list = list_of(place->copy);
    uint32_t to = 0;

    for (uint32_t i = 0; i < place->n; i++)
        if (!gsh_race_list_has(list, place->at[i].key, place->at[i].clock))
            place->at[to++] = place->at[i];
    place->n = to;
}

static void add_value(struct item *place, struct gsh_race_know *know)
{
    struct gsh_race_list new = gsh_race_know_list(know), old = { 0 };
    struct gsh_race_know *sum = NULL;

    if (place->copy)
        old = list_of(place->copy);
    if (!know || (place->copy && place->copy == know->copy) || gsh_race_list_covers(old, new))
        return;
    if (gsh_race_list_covers(new, old)) {
        refer(place, know);
    } else {
        gsh_race_know_join(&sum, old);
        gsh_race_know_join(&sum, new);
        refer(place, sum);
        gsh_race_know_drop(sum);
    }
    shorten(place);
}

/* Raises a moment of the place of the link. */
static void add_moment(uint32_t *link, struct gsh_race_entry e)
{
    struct item *place = item_at(*link);
    uint32_t i = 0;

    if (gsh_race_key_grid(e.key) && is_short())
        e.key = gsh_race_block_of(e.key);
    while (i < place->n && place->at[i].key < e.key)
        i++;
    if (i < place->n && place->at[i].key == e.key) {
        if (place->at[i].clock < e.clock)
            place->at[i].clock = e.clock;
        return;
    }
    if (place->n == room_of(*link)) {
        uint32_t old = *link;

        *link = make(place->n * 2);
        fill(*link, list_of(old));
        item_at(*link)->key = place->key;
        item_at(*link)->next = place->next;
        item_at(*link)->copy = place->copy;
        give(old);
        place = item_at(*link);
    }
    memmove(&place->at[i + 1], &place->at[i], (place->n - i) * sizeof(place->at[0]));
    place->at[i] = e;
    place->n++;
}

/* Places of a page of memory are in buckets that follow each other. */
static uint32_t bucket_of(uint64_t key)
{
    uint64_t page = key / GSH_RACE_PAGE * UINT64_C(0x9e3779b97f4a7c15) >> 32;

    return (uint32_t)(page + key % GSH_RACE_PAGE / 4) % GSH_RACE_BUCKETS;
}

/* The link that leads to the place, or the last one; under the lock. */
static uint32_t *find(uint32_t bucket, uint64_t key)
{
    uint32_t *link = &gsh_race.shared->buckets[bucket];

    while (*link && item_at(*link)->key != key)
        link = &item_at(*link)->next;
    return link;
}

uint64_t gsh_race_place(const void *address)
{
    uintptr_t off = (uintptr_t)address - gsh_race.windows;

    if (off < gsh_race.windows_bytes)
        return off;
    return UINT64_C(1) << 63 | (uint64_t)gsh_race.pe << 48 |
           ((uintptr_t)address & (UINT64_MAX >> 16));
}

static _Atomic uint8_t *step_of(uint64_t place)
{
    return &gsh_race.shared->steps[place / 4 % GSH_RACE_STEPS];
}

void gsh_race_sync_lock(uint64_t place)
{
    lock(step_of(place));
}

void gsh_race_sync_unlock(uint64_t place)
{
    unlock(step_of(place));
}

void gsh_race_sync_release(uint64_t place, struct gsh_race_know *know, struct gsh_race_list more)
{
    uint32_t bucket = bucket_of(place);
    _Atomic uint8_t *byte = &gsh_race.shared->locks[bucket];
    uint32_t *link;

    if (!know && !more.n)
        return;
    lock(byte);
    link = find(bucket, place);
    if (!*link) {
        *link = make(0);
        item_at(*link)->key = place;
    }
    add_value(item_at(*link), know);
    for (uint32_t i = 0; i < more.n; i++)
        add_moment(link, more.at[i]);
    unlock(byte);
}

/* Moments are few, and often known. */
static void learn(struct gsh_race_know **know, struct gsh_race_list moments)
{
    if (moments.n > 4) {
        gsh_race_know_join(know, moments);
        return;
    }
    for (uint32_t i = 0; i < moments.n; i++)
        if (!gsh_race_know_has(*know, moments.at[i].key, moments.at[i].clock))
            gsh_race_know_raise(know, moments.at[i].key, moments.at[i].clock);
}

void gsh_race_sync_acquire(uint64_t place, struct gsh_race_know **know)
{
    uint32_t bucket = bucket_of(place);
    _Atomic uint8_t *byte = &gsh_race.shared->locks[bucket];
    uint32_t *link, copy;

    if (!*(volatile uint32_t *)&gsh_race.shared->buckets[bucket])
        return;
    lock(byte);
    link = find(bucket, place);
    if (*link) {
        copy = item_at(*link)->copy;
        if (copy && !(*know && (*know)->copy == copy))
            gsh_race_know_join(know, list_of(copy));
        learn(know, list_of(*link));
    }
    unlock(byte);
}

/* Of the bucket's places, under the lock. */
static void forget(uint32_t *link)
{
    uint32_t unit = *link;

    *link = item_at(unit)->next;
    if (item_at(unit)->copy)
        gsh_race_sync_drop(item_at(unit)->copy);
    give(unit);
}

void gsh_race_sync_forget(uint64_t place)
{
    uint32_t bucket = bucket_of(place);
    _Atomic uint8_t *byte = &gsh_race.shared->locks[bucket];
    uint32_t *link;

    lock(byte);
    link = find(bucket, place);
    if (*link)
        forget(link);
    unlock(byte);
}

void gsh_race_sync_forget_all(const void *at, size_t bytes)
{
    uint64_t key = gsh_race_place(at);
    bool is_large = bytes > GSH_RACE_BUCKETS * 4;
    uint32_t n = is_large ? GSH_RACE_BUCKETS : (uint32_t)bytes / 4 + 1;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t bucket = is_large ? i : bucket_of(key + i * 4);
        uint32_t *link = &gsh_race.shared->buckets[bucket];

        if (!*(volatile uint32_t *)link)
            continue;
        lock(&gsh_race.shared->locks[bucket]);
        while (*link) {
            if (item_at(*link)->key - key < bytes)
                forget(link);
            else
                link = &item_at(*link)->next;
        }
        unlock(&gsh_race.shared->locks[bucket]);
    }
}
