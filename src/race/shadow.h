/* shadow.h - the cells that remember accesses: where they lie, and the words of one.
 *
 * Cells of symmetric memory lie in the file of the windows, those of shared memory of a block
 * with the block, those of other memory behind a table of pages (watch.c). The lock in the
 * first of the four cells of a granule guards all of them when they are written. They are
 * looked at without it first: one cell may then be half of another one, which leads to no
 * more than a look with the lock, or to an access that is not remembered.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_RACE_SHADOW_H
#define GSH_RACE_SHADOW_H

#include "race/race.h"
#include "util/cpu.h"

#include <sched.h>

#define GSH_RACE_LOCK (UINT64_C(1) << 63)
#define GSH_RACE_CLOCK_MASK ((UINT64_C(1) << 28) - 1)
#define GSH_RACE_KIND_MASK UINT64_C(7)
enum { GSH_RACE_BYTES_BIT = 28 };

/* Pages of watched memory, in two levels of 47-bit addresses. */
enum { GSH_RACE_PAGE_BITS = 12, GSH_RACE_LEAF_BITS = 18, GSH_RACE_ROOT_BITS = 17 };
enum { GSH_RACE_PAGE_CELLS = GSH_RACE_PAGE / GSH_RACE_GRANULE * GSH_RACE_CELLS };

struct gsh_race_leaf {
    struct gsh_race_cell *_Atomic pages[1 << GSH_RACE_LEAF_BITS];
};

extern struct gsh_race_leaf *_Atomic gsh_race_root[1 << GSH_RACE_ROOT_BITS];

static inline struct gsh_race_leaf *gsh_race_leaf_of(uintptr_t at)
{
    size_t i = at >> (GSH_RACE_PAGE_BITS + GSH_RACE_LEAF_BITS);

    return atomic_load_explicit(&gsh_race_root[i & ((1u << GSH_RACE_ROOT_BITS) - 1)],
                                memory_order_acquire);
}

static inline struct gsh_race_cell *_Atomic *gsh_race_page_of(struct gsh_race_leaf *leaf,
                                                              uintptr_t at)
{
    return &leaf->pages[at >> GSH_RACE_PAGE_BITS & ((1u << GSH_RACE_LEAF_BITS) - 1)];
}

static inline uint64_t gsh_race_look(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Others spin while an operating-system thread that holds the lock does not run. */
static inline void gsh_race_lock_cells(struct gsh_race_cell *cells)
{
    for (int spins = 0;
         __atomic_fetch_or(&cells[0].what, GSH_RACE_LOCK, __ATOMIC_ACQUIRE) & GSH_RACE_LOCK;
         spins++) {
        if (spins < 100)
            gsh_cpu_relax();
        else
            sched_yield();
    }
}

static inline void gsh_race_unlock_cells(struct gsh_race_cell *cells)
{
    __atomic_fetch_and(&cells[0].what, ~GSH_RACE_LOCK, __ATOMIC_RELEASE);
}

/* An empty cell has who 0. */
static inline void gsh_race_set_cell(struct gsh_race_cell *cell, uint64_t who, uint64_t what)
{
    uint64_t lock = gsh_race_look(&cell->what) & GSH_RACE_LOCK;

    __atomic_store_n(&cell->who, who, __ATOMIC_RELAXED);
    __atomic_store_n(&cell->what, (what & ~GSH_RACE_LOCK) | lock, __ATOMIC_RELAXED);
}

#endif /* GSH_RACE_SHADOW_H */
