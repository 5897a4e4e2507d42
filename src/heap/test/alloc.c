/* The allocator gives blocks that do not overlap, at the lowest place that fits, equally for
 * equal calls, and gets all memory back. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/alloc.h"
#include "util/test/tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = GSH_ALLOC_UNIT, UNITS = 16384, LIVE = 200 };

static int wrong; /* details since the last fact */

#define CHECK(cond) ((cond) ? (void)0 : detail(__LINE__, #cond))

static void detail(int line, const char *cond)
{
    if (wrong++ < 5)
        printf("# line %d: not so: %s\n", line, cond);
}

static void fact(const char *name)
{
    tap_ok(!wrong, "%s", name);
    wrong = 0;
}

static unsigned draw(unsigned *state, unsigned limit)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % limit;
}

/* The model: a map of units, 0 free. */
struct model {
    unsigned short owner[UNITS];
    size_t units; /* committed */
    size_t off[LIVE + 1];
    size_t bytes[LIVE + 1];
};

static size_t model_place(const struct model *m, size_t align, size_t units)
{
    for (size_t at = 0; at + units <= m->units; at += align / UNIT) {
        size_t n = 0;

        while (n < units && !m->owner[at + n])
            n++;
        if (n == units)
            return at * UNIT;
    }
    return GSH_ALLOC_NONE;
}

static size_t model_shortage(const struct model *m, size_t align, size_t units)
{
    size_t tail = m->units;

    if (model_place(m, align, units) != GSH_ALLOC_NONE)
        return 0;
    while (tail && !m->owner[tail - 1])
        tail--;
    tail = (tail * UNIT + align - 1) / align * align;
    return tail + units * UNIT - m->units * UNIT;
}

static void model_set(struct model *m, int slot, int owner)
{
    size_t units = (m->bytes[slot] + UNIT - 1) / UNIT;

    for (size_t i = 0; i < units; i++) {
        CHECK(!m->owner[m->off[slot] / UNIT + i] == (owner != 0));
        m->owner[m->off[slot] / UNIT + i] = (unsigned short)owner;
    }
}

static void take_one(struct gsh_alloc *a, struct model *m, int slot, size_t align, size_t bytes)
{
    size_t units = (bytes + UNIT - 1) / UNIT;
    size_t short_of = model_shortage(m, align, units);
    size_t off;

    CHECK(gsh_alloc_shortage(a, align, bytes) == short_of);
    if (m->units + short_of / UNIT > UNITS)
        return;
    if (short_of) {
        if (short_of > UNIT) {
            CHECK(gsh_alloc_grow(a, short_of - UNIT) == 0);
            CHECK(gsh_alloc_take(a, align, bytes, NULL) == GSH_ALLOC_NONE);
            CHECK(gsh_alloc_shortage(a, align, bytes) == UNIT);
            short_of = UNIT;
            m->units = (m->units * UNIT + model_shortage(m, align, units) - UNIT) / UNIT;
        }
        CHECK(gsh_alloc_grow(a, short_of) == 0);
        m->units++;
    }
    off = gsh_alloc_take(a, align, bytes, &m->off[slot]);
    CHECK(off == model_place(m, align, units));
    CHECK(off % align == 0);
    if (off == GSH_ALLOC_NONE)
        return;
    m->off[slot] = off;
    m->bytes[slot] = bytes;
    model_set(m, slot, slot);
}

static void give_one(struct gsh_alloc *a, struct model *m, int slot)
{
    size_t start, bytes;
    const void *tag;

    CHECK(gsh_alloc_find(a, m->off[slot] + m->bytes[slot] - 1, &start, &bytes, &tag) == 1);
    CHECK(start == m->off[slot] && bytes == m->bytes[slot] && tag == &m->off[slot]);
    if (m->bytes[slot] > UNIT)
        CHECK(gsh_alloc_give(a, m->off[slot] + UNIT) == -EINVAL);
    CHECK(gsh_alloc_give(a, m->off[slot] + 1) == -EINVAL);
    CHECK(gsh_alloc_give(a, m->off[slot]) == 0);
    CHECK(gsh_alloc_give(a, m->off[slot]) == -EINVAL);
    CHECK(gsh_alloc_find(a, m->off[slot], &start, &bytes, &tag) == 0);
    model_set(m, slot, 0);
    m->bytes[slot] = 0;
}

static void check_stats(const struct gsh_alloc *a, const struct model *m)
{
    struct gsh_alloc_stats stats;
    size_t used = 0, run = 0, largest = 0, blocks = 0;

    for (size_t i = 0; i < m->units; i++) {
        used += m->owner[i] != 0;
        run = m->owner[i] ? 0 : run + 1;
        largest = run > largest ? run : largest;
    }
    for (int i = 1; i <= LIVE; i++)
        blocks += m->bytes[i] != 0;
    gsh_alloc_stats(a, &stats);
    CHECK(stats.used == used * UNIT && stats.committed == m->units * UNIT);
    CHECK(stats.largest == largest * UNIT && stats.n_blocks == blocks);
}

static void model_run(unsigned seed)
{
    struct gsh_alloc *a = gsh_alloc_create();
    struct model *m = calloc(1, sizeof(*m));
    struct gsh_alloc_stats stats;
    unsigned state = seed;

    for (int step = 0; step < 4000; step++) {
        int slot = 1 + (int)draw(&state, LIVE);
        size_t align = (size_t)UNIT << draw(&state, draw(&state, 4) ? 2 : 13);

        if (m->bytes[slot])
            give_one(a, m, slot);
        else
            take_one(a, m, slot, align, 1 + draw(&state, draw(&state, 8) ? 4000 : 200000));
        if (step % 64 == 0)
            check_stats(a, m);
    }
    for (int i = 1; i <= LIVE; i++)
        if (m->bytes[i])
            give_one(a, m, i);
    gsh_alloc_stats(a, &stats);
    CHECK(stats.n_blocks == 0 && stats.used == 0 && stats.largest == stats.committed);
    CHECK(m->units > 1000);
    free(m);
    gsh_alloc_destroy(a);
}

static void alignments(void)
{
    for (size_t align = 512; align <= (size_t)1 << 21; align *= 2) {
        struct gsh_alloc *a = gsh_alloc_create();
        size_t off;

        CHECK(gsh_alloc_grow(a, (size_t)8 << 20) == 0);
        CHECK(gsh_alloc_take(a, 1, 1, NULL) == 0);
        off = gsh_alloc_take(a, align, 513, NULL);
        CHECK(off == align);
        CHECK(gsh_alloc_take(a, 512, 1, NULL) == (align == 512 ? (size_t)512 * 3 : 512));
        gsh_alloc_destroy(a);
    }
    fact("every alignment from 512 to 2^21 is kept and the gap before it is used");
}

static void sizes_that_cannot_be(void)
{
    static const size_t sizes[] = { SIZE_MAX,       SIZE_MAX - 1, SIZE_MAX - 510,
                                    SIZE_MAX - 511, SIZE_MAX / 2, SIZE_MAX - 1024 };
    struct gsh_alloc *a = gsh_alloc_create();

    CHECK(gsh_alloc_grow(a, 4096) == 0);
    CHECK(gsh_alloc_take(a, 1, 512, NULL) == 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (int shift = 0; shift < 64; shift++) {
            size_t align = (size_t)1 << shift;

            CHECK(gsh_alloc_take(a, align, sizes[i], NULL) == GSH_ALLOC_NONE);
            CHECK(gsh_alloc_shortage(a, align, sizes[i]) > SIZE_MAX / 4);
            CHECK(align <= 4096 || gsh_alloc_take(a, align, 1, NULL) == GSH_ALLOC_NONE);
        }
    CHECK(gsh_alloc_shortage(a, 512, SIZE_MAX) == SIZE_MAX);
    CHECK(gsh_alloc_grow(a, SIZE_MAX / 512 * 512) == -EINVAL);
    CHECK(gsh_alloc_grow(a, 513) == -EINVAL);
    CHECK(gsh_alloc_take(a, 512, 3584, NULL) == 512);
    gsh_alloc_destroy(a);
    fact("sizes near SIZE_MAX do not fit, at any alignment, and harm nothing");
}

struct seen {
    size_t n;
    size_t last;
};

static void see(void *arg, size_t off, size_t bytes, const void *tag)
{
    struct seen *s = arg;

    CHECK(!s->n || off > s->last);
    CHECK(bytes == off / UNIT % 7 + 1 && tag == (const char *)s + off / UNIT % 7);
    s->last = off;
    s->n++;
}

static void in_order(void)
{
    struct gsh_alloc *a = gsh_alloc_create();
    struct seen s = { 0 };

    CHECK(gsh_alloc_grow(a, (size_t)100 * UNIT) == 0);
    for (size_t i = 0; i < 100; i++)
        CHECK(gsh_alloc_take(a, 1, i % 7 + 1, (const char *)&s + i % 7) == i * UNIT);
    for (size_t i = 0; i < 100; i += 3)
        CHECK(gsh_alloc_give(a, i * UNIT) == 0);
    gsh_alloc_each(a, see, &s);
    CHECK(s.n == 66);
    gsh_alloc_destroy(a);
    fact("the allocated blocks are told in address order with size and tag");
}

static void equal_calls(void)
{
    struct gsh_alloc *a[2] = { gsh_alloc_create(), gsh_alloc_create() };
    size_t off[2][500];

    for (int k = 0; k < 2; k++) {
        unsigned state = 77;

        memset(off[k], 0xff, sizeof(off[k]));
        CHECK(gsh_alloc_grow(a[k], (size_t)4 << 20) == 0);
        for (int i = 0; i < 20000; i++) {
            unsigned slot = draw(&state, 500);

            if (off[k][slot] != GSH_ALLOC_NONE)
                gsh_alloc_give(a[k], off[k][slot]);
            off[k][slot] =
                gsh_alloc_take(a[k], (size_t)512 << draw(&state, 4), 1 + draw(&state, 20000), NULL);
        }
    }
    CHECK(!memcmp(off[0], off[1], sizeof(off[0])));
    gsh_alloc_destroy(a[0]);
    gsh_alloc_destroy(a[1]);
    fact("two arenas with equal calls give equal offsets");
}

static void many_blocks(void)
{
    enum { MANY = 300000 };
    struct gsh_alloc *a = gsh_alloc_create();
    struct gsh_alloc_stats stats;

    CHECK(gsh_alloc_grow(a, (size_t)MANY * UNIT) == 0);
    for (size_t i = 0; i < MANY; i++)
        if (gsh_alloc_take(a, 1, 1, NULL) != i * UNIT)
            CHECK(!"in order");
    for (size_t i = 0; i < MANY; i += 2)
        CHECK(gsh_alloc_give(a, i * UNIT) == 0);
    for (size_t i = 1; i < MANY; i += 2)
        CHECK(gsh_alloc_give(a, i * UNIT) == 0);
    gsh_alloc_stats(a, &stats);
    CHECK(stats.largest == (size_t)MANY * UNIT);
    gsh_alloc_destroy(a);
    fact("300000 blocks come and go");
}

/* Memory that was added after seams were asked for is not joined with what was there. */
static void seams(void)
{
    struct gsh_alloc *a = gsh_alloc_create();
    size_t big, all;

    gsh_alloc_grow(a, 10 * UNIT);
    gsh_alloc_set_seams(a);
    CHECK(gsh_alloc_take(a, UNIT, 4 * UNIT, NULL) == 0);
    CHECK(gsh_alloc_shortage(a, UNIT, 8 * UNIT) == 8 * UNIT);
    gsh_alloc_grow(a, 8 * UNIT);
    CHECK(gsh_alloc_shortage(a, UNIT, 12 * UNIT) == 12 * UNIT);
    CHECK(gsh_alloc_take(a, UNIT, 12 * UNIT, NULL) == GSH_ALLOC_NONE);
    big = gsh_alloc_take(a, UNIT, 7 * UNIT, NULL);
    CHECK(big == 10 * UNIT);
    CHECK(gsh_alloc_take(a, UNIT, 6 * UNIT, NULL) == 4 * UNIT);
    CHECK(!gsh_alloc_give(a, big) && !gsh_alloc_give(a, 4 * UNIT) && !gsh_alloc_give(a, 0));
    CHECK(gsh_alloc_take(a, UNIT, 11 * UNIT, NULL) == GSH_ALLOC_NONE);
    all = gsh_alloc_take(a, UNIT, 10 * UNIT, NULL);
    CHECK(all == 0 && gsh_alloc_take(a, UNIT, 8 * UNIT, NULL) == 10 * UNIT);
    gsh_alloc_destroy(a);
    fact("no block lies across a seam, whatever was freed on both sides");
}

int main(void)
{
    for (unsigned seed = 1; seed <= 4; seed++)
        model_run(seed);
    fact("random calls do as a map of units does, growth included, and all coalesces");
    alignments();
    sizes_that_cannot_be();
    in_order();
    equal_calls();
    many_blocks();
    seams();
    gsh_alloc_destroy(NULL);
    return tap_end();
}
