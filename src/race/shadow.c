/* shadow.c - the cells that remember accesses, and the comparison of an access with them.
 *
 * Cells of symmetric memory lie in the file of the windows, those of other memory behind a
 * table of pages. The first cell's lock guards all four of a granule; an access that the
 * same thread has made before at the same moment is seen without it.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/log.h"
#include "race/race.h"
#include "util/cpu.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#define LOCK (UINT64_C(1) << 63)
#define CLOCK_MASK ((UINT64_C(1) << 28) - 1)
#define BYTES_BIT 28
#define KIND_MASK UINT64_C(7)

/* Pages of watched memory, in two levels of 47-bit addresses. */
enum { PAGE_BITS = 12, LEAF_BITS = 18, ROOT_BITS = 17 };
enum { PAGE_CELLS = GSH_RACE_PAGE / GSH_RACE_GRANULE * GSH_RACE_CELLS };
struct leaf {
    struct gsh_race_cell *_Atomic pages[1 << LEAF_BITS];
};
static struct leaf *_Atomic root[1 << ROOT_BITS];

static const bool is_write[] = { [GSH_RACE_WRITE] = true,
                                 [GSH_RACE_ATOMIC_WRITE] = true,
                                 [GSH_RACE_PUT] = true,
                                 [GSH_RACE_POST] = true };
static const bool is_atomic[] = { [GSH_RACE_ATOMIC_READ] = true,
                                  [GSH_RACE_ATOMIC_WRITE] = true,
                                  [GSH_RACE_POST] = true,
                                  [GSH_RACE_WAIT] = true };

static struct leaf *leaf_of(uintptr_t at)
{
    return atomic_load_explicit(&root[at >> (PAGE_BITS + LEAF_BITS) & ((1u << ROOT_BITS) - 1)],
                                memory_order_acquire);
}

static struct gsh_race_cell *_Atomic *page_of(struct leaf *leaf, uintptr_t at)
{
    return &leaf->pages[at >> PAGE_BITS & ((1u << LEAF_BITS) - 1)];
}

/* The cells of the granule that holds `at`; NULL: it is not watched. Tells whether it is
 * shared memory of the running block. */
static struct gsh_race_cell *cells_of(uintptr_t at, bool *is_shared)
{
    uintptr_t off = at - gsh_race.windows;
    struct gsh_race_cell *page;
    struct leaf *leaf;

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
    leaf = leaf_of(at);
    if (!leaf)
        return NULL;
    page = atomic_load_explicit(page_of(leaf, at), memory_order_acquire);
    return page ? page + at % GSH_RACE_PAGE / GSH_RACE_GRANULE * GSH_RACE_CELLS : NULL;
}

static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        gsh_die("the race checker cannot map %zu MiB: %s", bytes >> 20, strerror(errno));
    madvise(at, bytes, MADV_DONTDUMP);
    return at;
}

static struct leaf *make_leaf(uintptr_t at)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    size_t i = at >> (PAGE_BITS + LEAF_BITS) & ((1u << ROOT_BITS) - 1);

    pthread_mutex_lock(&lock);
    if (!atomic_load(&root[i]))
        atomic_store(&root[i], map(sizeof(struct leaf)));
    pthread_mutex_unlock(&lock);
    return atomic_load(&root[i]);
}

void gsh_race_watch(const void *at, size_t bytes)
{
    uintptr_t page = (uintptr_t)at / GSH_RACE_PAGE * GSH_RACE_PAGE;
    size_t n = ((uintptr_t)at + bytes - page + GSH_RACE_PAGE - 1) / GSH_RACE_PAGE;
    struct gsh_race_cell *cells = map(n * PAGE_CELLS * sizeof(*cells));

    for (size_t i = 0; i < n; i++, page += GSH_RACE_PAGE) {
        struct leaf *leaf = leaf_of(page);

        atomic_store_explicit(page_of(leaf ? leaf : make_leaf(page), page), cells + i * PAGE_CELLS,
                              memory_order_release);
    }
}

void gsh_race_unwatch(const void *at, size_t bytes)
{
    uintptr_t page = (uintptr_t)at / GSH_RACE_PAGE * GSH_RACE_PAGE;
    size_t n = ((uintptr_t)at + bytes - page + GSH_RACE_PAGE - 1) / GSH_RACE_PAGE;

    for (size_t i = 0; i < n; i++, page += GSH_RACE_PAGE) {
        struct gsh_race_cell *cells =
            leaf_of(page) ? atomic_exchange(page_of(leaf_of(page), page), NULL) : NULL;

        if (cells)
            munmap(cells, PAGE_CELLS * sizeof(*cells));
    }
}

static uint64_t look(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void lock_cells(struct gsh_race_cell *cells)
{
    while (__atomic_fetch_or(&cells[0].what, LOCK, __ATOMIC_ACQUIRE) & LOCK)
        gsh_cpu_relax();
}

static void unlock_cells(struct gsh_race_cell *cells)
{
    __atomic_fetch_and(&cells[0].what, ~LOCK, __ATOMIC_RELEASE);
}

/* An empty cell has who 0. */
static void set_cell(struct gsh_race_cell *cell, uint64_t who, uint64_t what)
{
    uint64_t lock = look(&cell->what) & LOCK;

    __atomic_store_n(&cell->who, who, __ATOMIC_RELAXED);
    __atomic_store_n(&cell->what, (what & ~LOCK) | lock, __ATOMIC_RELAXED);
}

static enum gsh_race_kind kind_of(uint64_t who)
{
    return (enum gsh_race_kind)(who & KIND_MASK);
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

/* Does what the cell tells come before what self does now, for its kind of access? */
static bool is_before(const struct gsh_race_actor *self, enum gsh_race_domain domain, uint64_t key,
                      uint32_t clock)
{
    uint64_t async = gsh_race_in_domain(key, GSH_RACE_ASYNC);

    if (gsh_race_key_domain(key) == GSH_RACE_THREAD) {
        if (key == self->key || (is_host(key) && is_host(self->key) &&
                                 gsh_race_pe_of(key) == gsh_race_pe_of(self->key)))
            return true;
        if (gsh_cpu_fiber && gsh_race_block && gsh_race_block_of(key) == gsh_race_block->key &&
            clock <= gsh_race_block->floor)
            return true;
        return gsh_race_know_has(self->know, key, clock);
    }
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
    struct gsh_race_seen race; /* who != 0: found */
};

/* The same thread has been here at this moment, with no weaker access. */
static bool was_here(const struct gsh_race_cell *cells, const struct access *a)
{
    for (int i = 0; i < GSH_RACE_CELLS; i++) {
        uint64_t what = look(&cells[i].what), who = look(&cells[i].who);

        if ((who == a->who ||
             (a->kind == GSH_RACE_READ && who == a->who - GSH_RACE_READ + GSH_RACE_WRITE)) &&
            !((what ^ a->what) & CLOCK_MASK) && !(a->bytes & ~(what >> BYTES_BIT)))
            return true;
    }
    return false;
}

/* How little is lost when the access takes the cell; larger is better. */
static int worth(const struct access *a, uint64_t who, uint64_t what, bool before)
{
    bool covers = !((what >> BYTES_BIT & 0xff) & ~a->bytes);

    if (covers && before && (is_write[a->kind] || !is_write[kind_of(who)]))
        return 4;
    if (!who)
        return 3;
    if (before)
        return 2;
    return !is_write[kind_of(who)];
}

/* Compares with all cells and takes one; with the lock. */
static void compare(struct gsh_race_actor *self, struct gsh_race_cell *cells, struct access *a,
                    bool is_shared)
{
    int best = -1, taken = 0;

    for (int i = 0; i < GSH_RACE_CELLS; i++) {
        uint64_t who = cells[i].who, what = cells[i].what & ~LOCK, key = who & ~KIND_MASK;
        bool before;
        int value;

        /* Shared memory of a block that has ended is somebody else's now. */
        if (is_shared && who &&
            gsh_race_in_domain(gsh_race_block_of(key), GSH_RACE_THREAD) != gsh_race_block->key)
            who = 0;
        before = !who || is_before(self, a->domain, key, what & CLOCK_MASK);
        if (!before && what >> BYTES_BIT & a->bytes && conflict(kind_of(who), a->kind)) {
            a->race = (struct gsh_race_seen){ who, what };
            before = true;
        }
        value = worth(a, who, what, before);
        if (value == 4 && best == 4)
            set_cell(&cells[i], 0, 0);
        else if (value > best) {
            best = value;
            taken = i;
        }
    }
    if (best == 0)
        taken = (int)((self->clock + self->key / 8) % GSH_RACE_CELLS);
    set_cell(&cells[taken], a->who, a->what);
}

static void check_granule(struct gsh_race_actor *self, uintptr_t at, struct access *a)
{
    bool is_shared;
    struct gsh_race_cell *cells = cells_of(at, &is_shared);

    if (!cells || was_here(cells, a))
        return;
    lock_cells(cells);
    compare(self, cells, a, is_shared);
    unlock_cells(cells);
    if (a->race.who) {
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
        a.what = what | a.bytes << BYTES_BIT;
        check_granule(self, g < first ? first : g, &a);
    }
}

void gsh_race_shadow_seen(const void *word, size_t bytes)
{
    uintptr_t first = (uintptr_t)word;
    bool is_shared;
    struct gsh_race_cell *cells = cells_of(first, &is_shared);
    uint64_t mask = (0xffu >> (GSH_RACE_GRANULE - bytes)) << first % GSH_RACE_GRANULE;

    if (!cells)
        return;
    lock_cells(cells);
    for (int i = 0; i < GSH_RACE_CELLS; i++)
        if ((kind_of(cells[i].who) == GSH_RACE_PUT || kind_of(cells[i].who) == GSH_RACE_POST) &&
            cells[i].what >> BYTES_BIT & mask)
            set_cell(&cells[i], 0, 0);
    unlock_cells(cells);
}

static void clear_some(uintptr_t first, uintptr_t end)
{
    for (uintptr_t g = first; g < end; g += GSH_RACE_GRANULE) {
        struct gsh_race_cell *cells =
            gsh_race.cells + (g - gsh_race.windows) / GSH_RACE_GRANULE * GSH_RACE_CELLS;

        for (int i = 0; i < GSH_RACE_CELLS; i++)
            if (look(&cells[i].who))
                set_cell(&cells[i], 0, 0);
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
    for (size_t i = 0; i < 1u << ROOT_BITS; i++) {
        struct leaf *leaf = atomic_exchange(&root[i], NULL);

        if (leaf)
            munmap(leaf, sizeof(*leaf));
    }
}
