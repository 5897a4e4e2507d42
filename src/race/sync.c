/* sync.c - places at which knowledge is released and acquired: words of memory, and keys of
 * order that has no memory. A table that all PEs share; values lie in an arena, in sizes of
 * powers of two. A bucket has a lock.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"
#include "race/race.h"
#include "util/cpu.h"

#include <sched.h>
#include <string.h>

enum { UNIT = 64 };

/* In the arena, followed by room for entries. */
struct place {
    uint64_t key;
    uint32_t next; /* unit; 0: none */
    uint32_t n;
    uint32_t size_class;
    uint32_t unused;
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

static void lock_arena(void)
{
    while (atomic_exchange_explicit(&gsh_race.shared->arena_lock, 1, memory_order_acquire))
        sched_yield();
}

static void unlock_arena(void)
{
    atomic_store_explicit(&gsh_race.shared->arena_lock, 0, memory_order_release);
}

static struct place *place_at(uint32_t unit)
{
    return (struct place *)(void *)(gsh_race.arena + (size_t)unit * UNIT);
}

static uint32_t room_of(const struct place *place)
{
    return (uint32_t)((((size_t)UNIT << place->size_class) - sizeof(*place)) /
                      sizeof(place->at[0]));
}

/* The unit of a place with room for n entries. */
static uint32_t make(uint64_t key, uint32_t n)
{
    struct gsh_race_shared *s = gsh_race.shared;
    uint32_t size_class = 0, unit;

    while (((size_t)UNIT << size_class) < sizeof(struct place) + n * sizeof(struct gsh_race_entry))
        size_class++;
    lock_arena();
    unit = s->arena_free[size_class];
    if (unit) {
        s->arena_free[size_class] = place_at(unit)->next;
    } else {
        unit = s->arena_used ? s->arena_used : 1;
        s->arena_used = unit + (1u << size_class);
        if ((size_t)s->arena_used * UNIT > GSH_RACE_ARENA)
            gsh_die("the race checker has used up the %zu MiB it has for words that order",
                    GSH_RACE_ARENA >> 20);
    }
    unlock_arena();
    *place_at(unit) = (struct place){ .key = key, .size_class = size_class };
    return unit;
}

static void give(uint32_t unit)
{
    struct place *place = place_at(unit);

    lock_arena();
    place->next = gsh_race.shared->arena_free[place->size_class];
    gsh_race.shared->arena_free[place->size_class] = unit;
    unlock_arena();
}

static uint32_t bucket_of(uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 48) % GSH_RACE_BUCKETS;
}

/* The link that leads to the place, or the last one; under the lock. */
static uint32_t *find(uint32_t bucket, uint64_t key)
{
    uint32_t *link = &gsh_race.shared->buckets[bucket];

    while (*link && place_at(*link)->key != key)
        link = &place_at(*link)->next;
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

/* Puts the value into the place of the link, in another one when it is too large. */
static void write_place(uint32_t *link, uint64_t key, const struct gsh_race_know *value)
{
    if (!*link || room_of(place_at(*link)) < value->n) {
        uint32_t old = *link, next = old ? place_at(old)->next : 0;

        *link = make(key, value->n);
        place_at(*link)->next = next;
        if (old)
            give(old);
    }
    place_at(*link)->n = value->n;
    memcpy(place_at(*link)->at, value->at, value->n * sizeof(value->at[0]));
}

void gsh_race_sync_release(uint64_t place, const struct gsh_race_know *know)
{
    uint32_t bucket = bucket_of(place);
    _Atomic uint8_t *byte = &gsh_race.shared->locks[bucket];
    struct gsh_race_know *sum = NULL;
    uint32_t *link;

    if (!know)
        return;
    lock(byte);
    link = find(bucket, place);
    if (*link) {
        gsh_race_know_join(&sum, place_at(*link)->at, place_at(*link)->n);
        gsh_race_know_join(&sum, know->at, know->n);
        write_place(link, place, sum);
        gsh_race_know_drop(sum);
    } else {
        write_place(link, place, know);
    }
    unlock(byte);
}

void gsh_race_sync_acquire(uint64_t place, struct gsh_race_know **know)
{
    uint32_t bucket = bucket_of(place);
    _Atomic uint8_t *byte = &gsh_race.shared->locks[bucket];
    uint32_t *link;

    if (!*(volatile uint32_t *)&gsh_race.shared->buckets[bucket])
        return;
    lock(byte);
    link = find(bucket, place);
    if (*link)
        gsh_race_know_join(know, place_at(*link)->at, place_at(*link)->n);
    unlock(byte);
}

void gsh_race_sync_forget(uint64_t place)
{
    uint32_t bucket = bucket_of(place);
    _Atomic uint8_t *byte = &gsh_race.shared->locks[bucket];
    uint32_t *link, unit;

    lock(byte);
    link = find(bucket, place);
    unit = *link;
    if (unit) {
        *link = place_at(unit)->next;
        give(unit);
    }
    unlock(byte);
}
