/* know.h - what is known to have happened: for each name (key.h) the moment of its clock up
 * to which all of it has. A name that is not in it is covered by a coarser one, or by none.
 *
 * A value is shared by all who know the same, counts its users, and is never changed while
 * it has more than one. NULL knows nothing. Entries that a coarser one covers go when it
 * comes; a row of grids that have ended becomes one entry.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_RACE_KNOW_H
#define GSH_RACE_KNOW_H

#include "race/key.h"

#include <stdatomic.h>
#include <stdbool.h>

struct gsh_race_entry {
    uint64_t key;
    uint32_t clock;
    uint32_t unused;
};

/* Entries sorted by key, wherever they lie. */
struct gsh_race_list {
    const struct gsh_race_entry *at;
    uint32_t n;
};

struct gsh_race_know {
    _Atomic uint32_t users;
    uint32_t n, room;
    _Atomic uint32_t copy;      /* for all PEs (sync.c); 0: there is none */
    struct gsh_race_entry at[]; /* sorted by key */
};

struct gsh_race_know *gsh_race_know_use(struct gsh_race_know *know);
void gsh_race_know_drop(struct gsh_race_know *know);

static inline struct gsh_race_list gsh_race_know_list(const struct gsh_race_know *know)
{
    return know ? (struct gsh_race_list){ know->at, know->n } : (struct gsh_race_list){ 0 };
}

/* Changes *know, which becomes another one when others use it. */
void gsh_race_know_raise(struct gsh_race_know **know, uint64_t key, uint32_t clock);
void gsh_race_know_join(struct gsh_race_know **know, struct gsh_race_list more);
/* Adds all of `more`; cheap when one is the other or empty. */
void gsh_race_know_add(struct gsh_race_know **know, struct gsh_race_know *more);
/* All that is known of threads of the PE is known of their puts and gets, too. */
void gsh_race_know_complete(struct gsh_race_know **know, unsigned pe);
/* Raises the entry of a warp, block or grid, and drops what it covers. */
void gsh_race_know_cover(struct gsh_race_know **know, uint64_t key, uint32_t clock);
/* Raises the entry for the row of grids that have ended, up to a grid, and drops what it covers. */
void gsh_race_know_end(struct gsh_race_know **know, uint64_t key, uint32_t grid);
/* Drops what is known of a block or grid, and of all in it. */
void gsh_race_know_cut(struct gsh_race_know **know, uint64_t key);

/* A value in which blocks stand for their threads, up to the latest of their clocks. */
struct gsh_race_know *gsh_race_know_by_block(const struct gsh_race_know *know);

/* Has the moment of this name, in its domain, happened? */
bool gsh_race_list_has(struct gsh_race_list list, uint64_t key, uint32_t clock);
/* Have all of these? */
bool gsh_race_list_covers(struct gsh_race_list list, struct gsh_race_list others);

static inline bool gsh_race_know_has(const struct gsh_race_know *know, uint64_t key, uint32_t clock)
{
    return gsh_race_list_has(gsh_race_know_list(know), key, clock);
}

/* The grid up to which the PE of the key has ended all of them. */
uint32_t gsh_race_know_ended(const struct gsh_race_know *know, uint64_t key);

#endif /* GSH_RACE_KNOW_H */
