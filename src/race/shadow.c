/* shadow.c - an access is compared with those that the cells of its bytes remember, and is
 * remembered itself.
 *
 * Most accesses need no lock: those that the same thread has made before at the same moment,
 * and reads that find nothing to report and no cell that is free or out of date. Of these, one
 * in four takes a cell from another read: which threads' reads are remembered is chance, as it
 * is when there are more of them than cells.
 *
 * An atomic read or update comes after the atomic writes whose result it sees, and so does
 * what is ordered after it. It stands for them from then on, and their cells go.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "race/shadow.h"

static const bool is_write[] = { [GSH_RACE_WRITE] = true,
                                 [GSH_RACE_ATOMIC_WRITE] = true,
                                 [GSH_RACE_PUT] = true,
                                 [GSH_RACE_POST] = true,
                                 [GSH_RACE_UPDATE] = true };
static const bool is_atomic[] = { [GSH_RACE_ATOMIC_READ] = true,
                                  [GSH_RACE_ATOMIC_WRITE] = true,
                                  [GSH_RACE_POST] = true,
                                  [GSH_RACE_WAIT] = true,
                                  [GSH_RACE_UPDATE] = true };

/* The cells of the granule that holds `at`; NULL: it is not watched. Tells whether it is
 * shared memory of the running block. */
static struct gsh_race_cell *cells_of(uintptr_t at, bool *is_shared)
{
    uintptr_t off = at - gsh_race.windows;
    struct gsh_race_cell *page;
    struct gsh_race_leaf *leaf;

    *is_shared = false;
    if (off < gsh_race.windows_bytes)
        return gsh_race.cells + off / GSH_RACE_GRANULE * GSH_RACE_CELLS;
    if (gsh_cpu_fiber && gsh_race_block) {
        for (int i = 0; i < 2; i++) {
            const struct gsh_race_strip *strip = &gsh_race_block->strips[i];

            off = at - strip->at;
            if (off < strip->bytes) {
                *is_shared = true;
                return strip->cells + off / GSH_RACE_GRANULE * GSH_RACE_CELLS;
            }
        }
    }
    leaf = gsh_race_leaf_of(at);
    if (!leaf)
        return NULL;
    page = atomic_load_explicit(gsh_race_page_of(leaf, at), memory_order_acquire);
    return page ? page + at % GSH_RACE_PAGE / GSH_RACE_GRANULE * GSH_RACE_CELLS : NULL;
}

static enum gsh_race_kind kind_of(uint64_t who)
{
    return (enum gsh_race_kind)(who & GSH_RACE_KIND_MASK);
}

static bool conflict(enum gsh_race_kind a, enum gsh_race_kind b)
{
    if (!is_write[a] && !is_write[b])
        return false;
    if (is_atomic[a] && is_atomic[b])
        return false;
    if (a == GSH_RACE_PUT || b == GSH_RACE_PUT) {
        enum gsh_race_kind other = a == GSH_RACE_PUT ? b : a;

        return other != GSH_RACE_WAIT && other != GSH_RACE_ATOMIC_READ;
    }
    return true;
}

/* A thread of the host's own, which serves no stream. */
static bool is_host(uint64_t key)
{
    return !gsh_race_key_grid(key) && gsh_race_key_thread(key) < GSH_RACE_FIRST_STREAM;
}

/* Known to all threads of the block. */
static bool is_past(const struct gsh_race_block *b, uint64_t key, uint32_t clock)
{
    if (gsh_race_block_of(key) == b->key && clock <= b->floor)
        return true;
    if (gsh_race_grid_of(key) == gsh_race_grid_of(b->key))
        return clock <= b->grid_floor;
    return gsh_race_pe_of(key) == gsh_race_pe_of(b->key) && gsh_race_key_grid(key) &&
           gsh_race_key_grid(key) <= b->ended;
}

/* Does what the cell tells come before what self does now, for its kind of access? */
static bool is_before(const struct gsh_race_actor *self, enum gsh_race_domain domain, uint64_t key,
                      uint32_t clock)
{
    const struct gsh_race_block *b = gsh_cpu_fiber ? gsh_race_block : NULL;
    uint64_t async;

    if (gsh_race_key_domain(key) == GSH_RACE_THREAD) {
        if (key == self->key || (b && is_past(b, key, clock)) ||
            (is_host(key) && is_host(self->key) &&
             gsh_race_pe_of(key) == gsh_race_pe_of(self->key)))
            return true;
        return gsh_race_know_has(self->know, key, clock);
    }
    async = gsh_race_in_domain(key, GSH_RACE_ASYNC);
    if (gsh_race_know_has(self->know, async, clock) ||
        (domain != GSH_RACE_THREAD && gsh_race_know_has(self->fenced, async, clock)))
        return true;
    return key != async && gsh_race_know_has(self->know, key, clock);
}

struct access {
    uint64_t who, what;
    uint64_t bytes; /* a bit each */
    enum gsh_race_kind kind;
    enum gsh_race_domain domain;
    bool is_shared;            /* memory of the running block */
    struct gsh_race_seen race; /* who != 0: found */
};

static struct gsh_race_seen read_cell(const struct gsh_race_cell *cell)
{
    return (struct gsh_race_seen){ .who = gsh_race_look(&cell->who),
                                   .what = gsh_race_look(&cell->what) & ~GSH_RACE_LOCK };
}

/* Shared memory of a block that has ended is somebody else's now. */
static bool is_stale(const struct access *a, uint64_t who)
{
    return a->is_shared && gsh_race_in_domain(gsh_race_block_of(who & ~GSH_RACE_KIND_MASK),
                                              GSH_RACE_THREAD) != gsh_race_block->key;
}

static bool overlaps(const struct access *a, uint64_t what)
{
    return what >> GSH_RACE_BYTES_BIT & a->bytes;
}

/* The result of an atomic write that another one reads: the order of the two is known. */
static bool is_seen(const struct access *a, struct gsh_race_seen seen)
{
    enum gsh_race_kind kind = kind_of(seen.who);

    return (a->kind == GSH_RACE_ATOMIC_READ || a->kind == GSH_RACE_UPDATE) && is_write[kind] &&
           is_atomic[kind] && !(seen.what >> GSH_RACE_BYTES_BIT & 0xff & ~a->bytes);
}

/* The same thread has been here at this moment, with no weaker access. */
static bool was_here(const struct gsh_race_cell *cells, const struct access *a)
{
    bool found = false;

    for (int i = 0; i < GSH_RACE_CELLS; i++) {
        struct gsh_race_seen seen = read_cell(&cells[i]);

        if (seen.who == a->who ||
            (a->kind == GSH_RACE_READ && seen.who == a->who - GSH_RACE_READ + GSH_RACE_WRITE))
            found |= !((seen.what ^ a->what) & GSH_RACE_CLOCK_MASK) &&
                     !(a->bytes & ~(seen.what >> GSH_RACE_BYTES_BIT));
        else if (is_seen(a, seen))
            return false;
    }
    return found;
}

/* Of all threads' accesses at all moments, one in four. */
static bool is_chosen(const struct gsh_race_actor *self, const struct gsh_race_cell *cells)
{
    uint64_t what = (self->key >> GSH_RACE_THREAD_BIT) + self->clock + (uintptr_t)cells / 64;

    return what * UINT64_C(0x9e3779b97f4a7c15) >> 62 == 0;
}

static bool is_known(const struct gsh_race_actor *self, const struct access *a,
                     struct gsh_race_seen seen)
{
    return is_before(self, a->domain, seen.who & ~GSH_RACE_KIND_MASK,
                     seen.what & GSH_RACE_CLOCK_MASK);
}

static bool may_race(const struct gsh_race_actor *self, const struct access *a,
                     struct gsh_race_seen write)
{
    return overlaps(a, write.what) && !is_known(self, a, write);
}

/* A read that this one may take the place of. Of the own grid, it is enough to look at what the
 * whole block knows: what a thread knows of single others does not last. */
static bool is_old(const struct gsh_race_actor *self, const struct access *a,
                   struct gsh_race_seen read)
{
    uint64_t key = read.who & ~GSH_RACE_KIND_MASK;

    if (gsh_race_grid_of(key) == gsh_race_grid_of(self->key) && gsh_race_key_grid(key))
        return key == self->key || is_past(gsh_race_block, key, read.what & GSH_RACE_CLOCK_MASK);
    return is_known(self, a, read);
}

/* A read of which there is nothing to say, and which does not take a cell. */
static bool passes(const struct gsh_race_actor *self, const struct gsh_race_cell *cells,
                   const struct access *a)
{
    for (int i = 0; i < GSH_RACE_CELLS; i++) {
        struct gsh_race_seen seen = read_cell(&cells[i]);
        bool writes = is_write[kind_of(seen.who)];

        if (!seen.who || is_stale(a, seen.who))
            return false;
        if (writes ? may_race(self, a, seen) : is_old(self, a, seen))
            return false;
    }
    return !is_chosen(self, cells);
}

/* How little is lost when the access takes the cell; larger is better. */
static int worth(const struct access *a, struct gsh_race_seen seen, bool before)
{
    bool covers = !((seen.what >> GSH_RACE_BYTES_BIT & 0xff) & ~a->bytes);

    if (is_seen(a, seen) ||
        (covers && before && (is_write[a->kind] || !is_write[kind_of(seen.who)])))
        return 4;
    if (!seen.who)
        return 3;
    if (before)
        return 2;
    return !is_write[kind_of(seen.who)];
}

/* Compares with all cells and takes one; with the lock. */
static void compare(struct gsh_race_actor *self, struct gsh_race_cell *cells, struct access *a)
{
    int best = -1, taken = 0;

    for (int i = 0; i < GSH_RACE_CELLS; i++) {
        struct gsh_race_seen seen = read_cell(&cells[i]);
        bool before;
        int value;

        if (seen.who && is_stale(a, seen.who))
            seen.who = 0;
        before = !seen.who || is_known(self, a, seen);
        if (!before && overlaps(a, seen.what) && conflict(kind_of(seen.who), a->kind)) {
            a->race = seen;
            before = true;
        }
        value = worth(a, seen, before);
        if (value == 4 && best == 4)
            gsh_race_set_cell(&cells[i], 0, 0);
        else if (value > best) {
            best = value;
            taken = i;
        }
    }
    if (best == 0)
        taken = (int)((self->clock + self->key / 8) % GSH_RACE_CELLS);
    gsh_race_set_cell(&cells[taken], a->who, a->what);
}

static void check_granule(struct gsh_race_actor *self, uintptr_t at, struct access *a)
{
    struct gsh_race_cell *cells = cells_of(at, &a->is_shared);

    if (!cells || was_here(cells, a) || (a->kind == GSH_RACE_READ && passes(self, cells, a)))
        return;
    gsh_race_lock_cells(cells);
    compare(self, cells, a);
    gsh_race_unlock_cells(cells);
    if (a->race.who) {
        uint64_t both = a->race.what >> GSH_RACE_BYTES_BIT & a->bytes;

        at = at / GSH_RACE_GRANULE * GSH_RACE_GRANULE + (unsigned)__builtin_ctzll(both);
        gsh_race_report((const void *)at, (struct gsh_race_seen){ a->who, a->what }, a->race);
        a->race.who = 0;
    }
}

void gsh_race_shadow_check(struct gsh_race_actor *self, enum gsh_race_domain domain, const void *at,
                           size_t bytes, enum gsh_race_kind kind, const void *where)
{
    uintptr_t first = (uintptr_t)at, end = first + bytes;
    uint64_t what = gsh_race_code(where) | self->clock;
    struct access a = { .who = gsh_race_in_domain(self->key, domain) | kind,
                        .kind = kind,
                        .domain = domain };

    for (uintptr_t g = first / GSH_RACE_GRANULE * GSH_RACE_GRANULE; g < end;
         g += GSH_RACE_GRANULE) {
        a.bytes = 0xff;
        if (g < first)
            a.bytes &= 0xffu << (first - g);
        if (end - g < GSH_RACE_GRANULE)
            a.bytes &= 0xffu >> (GSH_RACE_GRANULE - (end - g));
        a.bytes &= 0xff;
        a.what = what | a.bytes << GSH_RACE_BYTES_BIT;
        check_granule(self, g < first ? first : g, &a);
    }
}

static bool is_post(enum gsh_race_kind kind)
{
    return kind == GSH_RACE_PUT || (is_write[kind] && is_atomic[kind]);
}

void gsh_race_shadow_seen(const void *word, size_t bytes)
{
    uintptr_t first = (uintptr_t)word;
    bool is_shared;
    struct gsh_race_cell *cells = cells_of(first, &is_shared);
    uint64_t mask = (0xffu >> (GSH_RACE_GRANULE - bytes)) << first % GSH_RACE_GRANULE;

    if (!cells)
        return;
    gsh_race_lock_cells(cells);
    for (int i = 0; i < GSH_RACE_CELLS; i++)
        if (is_post(kind_of(cells[i].who)) && cells[i].what >> GSH_RACE_BYTES_BIT & mask)
            gsh_race_set_cell(&cells[i], 0, 0);
    gsh_race_unlock_cells(cells);
}
