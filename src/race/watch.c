/* watch.c - memory that is watched: its cells are made, forgotten and given back. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/log.h"
#include "race/shadow.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct gsh_race_leaf *_Atomic gsh_race_root[1 << GSH_RACE_ROOT_BITS];

static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        gsh_die("the race checker cannot map %zu MiB: %s", bytes >> 20, strerror(errno));
    madvise(at, bytes, MADV_DONTDUMP);
    return at;
}

static struct gsh_race_leaf *make_leaf(uintptr_t at)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    size_t i = at >> (GSH_RACE_PAGE_BITS + GSH_RACE_LEAF_BITS) & ((1u << GSH_RACE_ROOT_BITS) - 1);

    pthread_mutex_lock(&lock);
    if (!atomic_load(&gsh_race_root[i]))
        atomic_store(&gsh_race_root[i], map(sizeof(struct gsh_race_leaf)));
    pthread_mutex_unlock(&lock);
    return atomic_load(&gsh_race_root[i]);
}

static struct gsh_race_area *areas;
static pthread_mutex_t areas_lock = PTHREAD_MUTEX_INITIALIZER;

static void add_area(uintptr_t at, size_t bytes, const void *where)
{
    struct gsh_race_area *area = malloc(sizeof(*area));

    if (!area)
        gsh_die("the race checker has no memory for what is watched");
    pthread_mutex_lock(&areas_lock);
    *area = (struct gsh_race_area){ .at = at, .bytes = bytes, .where = where, .next = areas };
    areas = area;
    pthread_mutex_unlock(&areas_lock);
}

static void drop_area(uintptr_t at)
{
    struct gsh_race_area **place = &areas, *area;

    pthread_mutex_lock(&areas_lock);
    while (*place && (*place)->at != at)
        place = &(*place)->next;
    area = *place;
    if (area)
        *place = area->next;
    pthread_mutex_unlock(&areas_lock);
    free(area);
}

bool gsh_race_area(const void *at, struct gsh_race_area *area)
{
    const struct gsh_race_area *found;

    pthread_mutex_lock(&areas_lock);
    found = areas;
    while (found && (uintptr_t)at - found->at >= found->bytes)
        found = found->next;
    if (found)
        *area = *found;
    pthread_mutex_unlock(&areas_lock);
    return found;
}

void gsh_race_watch(const void *at, size_t bytes, const void *where)
{
    uintptr_t page = (uintptr_t)at / GSH_RACE_PAGE * GSH_RACE_PAGE;
    size_t n = ((uintptr_t)at + bytes - page + GSH_RACE_PAGE - 1) / GSH_RACE_PAGE;
    struct gsh_race_cell *cells = map(n * GSH_RACE_PAGE_CELLS * sizeof(*cells));

    add_area((uintptr_t)at, bytes, where);
    for (size_t i = 0; i < n; i++, page += GSH_RACE_PAGE) {
        struct gsh_race_leaf *leaf = gsh_race_leaf_of(page);

        atomic_store_explicit(gsh_race_page_of(leaf ? leaf : make_leaf(page), page),
                              cells + i * GSH_RACE_PAGE_CELLS, memory_order_release);
    }
}

void gsh_race_unwatch(const void *at, size_t bytes)
{
    uintptr_t page = (uintptr_t)at / GSH_RACE_PAGE * GSH_RACE_PAGE;
    size_t n = ((uintptr_t)at + bytes - page + GSH_RACE_PAGE - 1) / GSH_RACE_PAGE;

    drop_area((uintptr_t)at);
    for (size_t i = 0; i < n; i++, page += GSH_RACE_PAGE) {
        struct gsh_race_cell *cells =
            gsh_race_leaf_of(page)
                ? atomic_exchange(gsh_race_page_of(gsh_race_leaf_of(page), page), NULL)
                : NULL;

        if (cells)
            munmap(cells, GSH_RACE_PAGE_CELLS * sizeof(*cells));
    }
    gsh_race_sync_forget_all(at, bytes);
}

static void clear_some(uintptr_t first, uintptr_t end)
{
    for (uintptr_t g = first; g < end; g += GSH_RACE_GRANULE) {
        struct gsh_race_cell *cells =
            gsh_race.cells + (g - gsh_race.windows) / GSH_RACE_GRANULE * GSH_RACE_CELLS;

        for (int i = 0; i < GSH_RACE_CELLS; i++)
            if (gsh_race_look(&cells[i].who))
                gsh_race_set_cell(&cells[i], 0, 0);
    }
}

/* Cells that fill pages go with them, so that no memory is made only to be cleared. */
void gsh_race_shadow_clear(const void *at, size_t bytes)
{
    uintptr_t first = (uintptr_t)at, end = first + bytes;
    uintptr_t from = (first + GSH_RACE_PAGE - 1) / GSH_RACE_PAGE * GSH_RACE_PAGE;
    uintptr_t to = end / GSH_RACE_PAGE * GSH_RACE_PAGE;

    if (first - gsh_race.windows >= gsh_race.windows_bytes)
        return;
    gsh_race_sync_forget_all(at, bytes);
    if (from >= to) {
        clear_some(first, end);
        return;
    }
    clear_some(first, from);
    clear_some(to, end);
    if (madvise((char *)gsh_race.cells + (from - gsh_race.windows) * GSH_RACE_FACTOR,
                (to - from) * GSH_RACE_FACTOR, MADV_REMOVE))
        clear_some(from, to);
}

void gsh_race_shadow_close(void)
{
    while (areas)
        drop_area(areas->at);
    for (size_t i = 0; i < 1u << GSH_RACE_ROOT_BITS; i++) {
        struct gsh_race_leaf *leaf = atomic_exchange(&gsh_race_root[i], NULL);

        if (leaf)
            munmap(leaf, sizeof(*leaf));
    }
}
