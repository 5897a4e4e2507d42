/* Every atomic operation of every type acts on its object alone, returns what was there, and
 * loses no update when all PEs contend. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

typedef long long value; /* of any type: converted as C does */

struct type {
    const char *name;
    size_t size;
    int bits, real; /* this row is for and, or, xor; the type has only fetch, set, swap */
    void (*set)(void *p, value v, int pe);
    value (*fetch)(const void *p, int pe);
    value (*swap)(void *p, value v, int pe);
    value (*cswap)(void *p, value cond, value v, int pe);
    void (*inc)(void *p, int pe);
    void (*add)(void *p, value v, int pe);
    value (*fetch_inc)(void *p, int pe);
    value (*fetch_add)(void *p, value v, int pe);
    value (*as)(value v); /* what is left of v in this type */
    void (*bit[3])(void *p, value v, int pe);
    value (*fetch_bit[3])(void *p, value v, int pe);
};

/* clang-format off */
#define EXTENDED(name, type, a) \
    static void name##_set(void *p, value v, int pe) \
    { nvshmem_##name##_atomic_set((type *)p, (type)v, pe); } \
    static value name##_fetch(const void *p, int pe) \
    { return (value)nvshmem_##name##_atomic_fetch((const type *)p, pe); } \
    static value name##_swap(void *p, value v, int pe) \
    { return (value)nvshmem_##name##_atomic_swap((type *)p, (type)v, pe); } \
    static value name##_as(value v) { return (value)(type)v; }
GSH_AMO_EXT_TYPES(EXTENDED, _)
#undef EXTENDED

#define STANDARD(name, type, a) \
    static value name##_cswap(void *p, value c, value v, int pe) \
    { return (value)nvshmem_##name##_atomic_compare_swap((type *)p, (type)c, (type)v, pe); } \
    static void name##_inc(void *p, int pe) { nvshmem_##name##_atomic_inc((type *)p, pe); } \
    static void name##_add(void *p, value v, int pe) \
    { nvshmem_##name##_atomic_add((type *)p, (type)v, pe); } \
    static value name##_fetch_inc(void *p, int pe) \
    { return (value)nvshmem_##name##_atomic_fetch_inc((type *)p, pe); } \
    static value name##_fetch_add(void *p, value v, int pe) \
    { return (value)nvshmem_##name##_atomic_fetch_add((type *)p, (type)v, pe); }
GSH_AMO_TYPES(STANDARD, _)
#undef STANDARD

#define BITWISE(name, type, op) \
    static void name##_##op(void *p, value v, int pe) \
    { nvshmem_##name##_atomic_##op((type *)p, (type)v, pe); } \
    static value name##_fetch_##op(void *p, value v, int pe) \
    { return (value)nvshmem_##name##_atomic_fetch_##op((type *)p, (type)v, pe); }
GSH_AMO_BIT_TYPES(BITWISE, and)
GSH_AMO_BIT_TYPES(BITWISE, or)
GSH_AMO_BIT_TYPES(BITWISE, xor)
#undef BITWISE

static const struct type types[] = {
#define EXTENDED(t, type) .name = #t, .size = sizeof(type), \
    .set = t##_set, .fetch = t##_fetch, .swap = t##_swap, .as = t##_as
#define ROW(name, type, a) { EXTENDED(name, type), .real = 1 },
    GSH_T_REALS(ROW, _)
#undef ROW
#define ROW(name, type, a) { EXTENDED(name, type), .cswap = name##_cswap, \
    .inc = name##_inc, .add = name##_add, .fetch_inc = name##_fetch_inc, \
    .fetch_add = name##_fetch_add },
    GSH_AMO_TYPES(ROW, _)
#undef ROW
#define ROW(name, type, a) { EXTENDED(name, type), .bits = 1, \
    .bit = { name##_and, name##_or, name##_xor }, \
    .fetch_bit = { name##_fetch_and, name##_fetch_or, name##_fetch_xor } },
    GSH_AMO_BIT_TYPES(ROW, _)
#undef ROW
#undef EXTENDED
};
/* clang-format on */

enum { TYPES = sizeof(types) / sizeof(types[0]), STRIDE = 24 };

static int me, n_pes;
static char *cells; /* symmetric: one a PE, with guards around the object */

static void *cell(int pe)
{
    return cells + pe * STRIDE + 8;
}

static void check_guards(const struct type *t)
{
    for (int pe = 0; pe < n_pes; pe++) {
        const char *p = (const char *)cell(pe);

        CHECK(differs_from(p - 8, 8, 0x55) == 8, "%s: before the object", t->name);
        CHECK(differs_from(p + t->size, 16 - t->size, 0x55) == 16 - t->size,
              "%s: behind the object", t->name);
    }
}

static void fresh_cells(void)
{
    nvshmem_barrier_all();
    memset(cells, 0x55, (size_t)n_pes * STRIDE);
    nvshmem_barrier_all();
}

/* Each PE has its own cell on each PE: what it finds there is what it did. */
static void old_values(const struct type *t, int pe)
{
    void *p = cell(me);

    t->set(p, 41, pe);
    nvshmem_quiet();
    CHECK(t->fetch(p, pe) == 41, "%s set, fetch", t->name);
    CHECK(t->swap(p, -7, pe) == 41, "%s swap", t->name);
    CHECK(t->fetch(p, pe) == t->as(-7), "%s after swap", t->name);
    if (t->real)
        return;
    CHECK(t->cswap(p, 5, 6, pe) == t->as(-7), "%s compare_swap of another value", t->name);
    CHECK(t->fetch(p, pe) == t->as(-7), "%s compare_swap leaves it", t->name);
    CHECK(t->cswap(p, -7, 6, pe) == t->as(-7), "%s compare_swap", t->name);
    CHECK(t->fetch_add(p, 10, pe) == 6, "%s fetch_add", t->name);
    CHECK(t->fetch_inc(p, pe) == 16, "%s fetch_inc", t->name);
    t->add(p, -20, pe);
    t->inc(p, pe);
    nvshmem_quiet();
    CHECK(t->fetch(p, pe) == t->as(-2), "%s add, inc", t->name);
    CHECK(t->fetch_add(p, 3, pe) == t->as(-2), "%s wraps or goes below 0", t->name);
    CHECK(t->fetch(p, pe) == 1, "%s after the sum", t->name);
}

static void old_bits(const struct type *t, int pe)
{
    void *p = cell(me);

    t->set(p, 0x0f0f, pe);
    nvshmem_quiet();
    CHECK(t->fetch_bit[0](p, 0x00ff, pe) == 0x0f0f, "%s fetch_and", t->name);
    CHECK(t->fetch_bit[1](p, 0x7000, pe) == 0x000f, "%s fetch_or", t->name);
    CHECK(t->fetch_bit[2](p, 0x1001, pe) == 0x700f, "%s fetch_xor", t->name);
    CHECK(t->fetch(p, pe) == 0x600e, "%s after xor", t->name);
    t->bit[0](p, 0x400c, pe);
    nvshmem_quiet();
    CHECK(t->fetch(p, pe) == 0x400c, "%s and", t->name);
    t->bit[1](p, 0x0003, pe);
    nvshmem_quiet();
    CHECK(t->fetch(p, pe) == 0x400f, "%s or", t->name);
    t->bit[2](p, -1, pe);
    nvshmem_quiet();
    CHECK(t->fetch(p, pe) == t->as(~0x400f), "%s xor", t->name);
}

/* All PEs add to one cell of each PE; `sum` of what they fetched shows that each
 * value was told once. */
static void contended_sums(const struct type *t)
{
    enum { EACH = 2000, POSTS = 60 };
    value total = (value)n_pes * EACH, sum = 0, all = 0;
    value *sums = (value *)need(n_pes * sizeof(*sums));

    t->set(cell(0), 0, me);
    nvshmem_barrier_all();
    for (int i = 0; i < EACH; i++)
        sum += i % 2 ? t->fetch_inc(cell(0), 0) : t->fetch_add(cell(0), 1, 0);
    for (int pe = 0; pe < n_pes; pe++)
        nvshmem_longlong_p(&sums[me], sum, pe);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n_pes; pe++)
        all += sums[pe];
    CHECK(t->fetch(cell(0), 0) == total, "%s sum", t->name);
    CHECK(all == total * (total - 1) / 2, "%s: each value is fetched once", t->name);
    nvshmem_barrier_all();
    for (int i = 0; i < POSTS; i++)
        for (int pe = 0; pe < n_pes; pe++)
            i % 2 ? t->inc(cell(0), pe) : t->add(cell(0), 3, pe);
    nvshmem_barrier_all();
    CHECK(t->fetch(cell(0), me) == (me ? 0 : total) + (value)n_pes * POSTS * 2, "%s inc and add",
          t->name);
    nvshmem_free(sums);
}

/* A counter that only compare_swap moves. */
static void contended_swaps(const struct type *t)
{
    enum { EACH = 1000 };

    t->set(cell(1 % n_pes), 0, me);
    nvshmem_barrier_all();
    for (int i = 0; i < EACH; i++) {
        value seen = t->fetch(cell(1 % n_pes), n_pes - 1), was;

        while ((was = t->cswap(cell(1 % n_pes), seen, seen + 1, n_pes - 1)) != seen)
            seen = was;
    }
    nvshmem_barrier_all();
    CHECK(t->fetch(cell(1 % n_pes), n_pes - 1) == (value)n_pes * EACH, "%s", t->name);
}

static void contended_bits(const struct type *t)
{
    value all = n_pes < 31 ? ((value)1 << n_pes) - 1 : 0x7fffffff, mine = (value)1 << me % 31;

    t->set(cell(0), 0, me);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n_pes; pe++)
        t->bit[1](cell(0), mine, pe);
    nvshmem_barrier_all();
    CHECK(t->fetch(cell(0), me) == t->as(all), "%s or", t->name);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n_pes; pe++)
        t->bit[0](cell(0), ~mine, pe);
    nvshmem_barrier_all();
    CHECK(t->fetch(cell(0), me) == 0, "%s and", t->name);
    nvshmem_barrier_all();
    for (int i = 0; i < 7; i++)
        for (int pe = 0; pe < n_pes; pe++)
            t->bit[2](cell(0), mine, pe);
    nvshmem_barrier_all();
    CHECK(n_pes > 31 || t->fetch(cell(0), me) == t->as(all), "%s xor", t->name);
}

/* The owner's own C atomics and the others' operations on the same word, in bursts
 * that all PEs begin together, so that they do meet. */
static void with_owner(void)
{
    enum { BURSTS = 12, EACH = 1500, POSTS = 20 };
    uint64_t *word = (uint64_t *)need(sizeof(*word));

    for (int burst = 0; burst < BURSTS; burst++) {
        nvshmem_barrier_all();
        for (int i = 0; i < EACH; i++) {
            if (me == 0)
                __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
            else if (i < POSTS)
                nvshmem_uint64_atomic_inc(word, 0);
            else
                nvshmem_uint64_atomic_fetch_add(word, 1, 0);
        }
    }
    nvshmem_barrier_all();
    CHECK(nvshmem_uint64_g(word, 0) == (uint64_t)n_pes * BURSTS * EACH, "sum");
    nvshmem_barrier_all();
    nvshmem_free(word);
    fact("atomics of the other PEs and C atomics of the owner add up");
}

static void reals(void)
{
    double *d = (double *)need(n_pes * sizeof(*d));
    float *f = (float *)need(n_pes * sizeof(*f));

    for (int pe = 0; pe < n_pes; pe++) {
        nvshmem_double_atomic_set(&d[me], 1e-300 * (me + 1), pe);
        nvshmem_float_atomic_set(&f[me], -0.375f, pe);
    }
    nvshmem_barrier_all();
    for (int pe = 0; pe < n_pes; pe++)
        CHECK(d[pe] == 1e-300 * (pe + 1) && f[pe] == -0.375f, "from pe %d", pe);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n_pes; pe++) {
        CHECK(nvshmem_double_atomic_fetch(&d[me], pe) == 1e-300 * (me + 1), "double fetch");
        CHECK(nvshmem_float_atomic_swap(&f[me], 1.5e30f, pe) == -0.375f, "float swap");
        CHECK(nvshmem_float_atomic_fetch(&f[me], pe) == 1.5e30f, "float fetch");
    }
    nvshmem_barrier_all();
    nvshmem_free(f);
    nvshmem_free(d);
    fact("float and double keep all of their bits through set, fetch and swap");
}

static void one_type(const struct type *t)
{
    fresh_cells();
    for (int pe = 0; pe < n_pes; pe++) {
        if (t->bits)
            old_bits(t, pe);
        else
            old_values(t, pe);
    }
    nvshmem_barrier_all();
    check_guards(t);
    fact("%s: each %soperation gives the old value and touches its object alone", t->name,
         t->bits ? "bitwise " : "");
    if (t->real)
        return;
    fresh_cells();
    if (t->bits) {
        contended_bits(t);
    } else {
        contended_sums(t);
        contended_swaps(t);
    }
    fact("%s: no %supdate is lost when all PEs contend", t->name, t->bits ? "bitwise " : "");
}

int main(void)
{
    int status;

    nvshmem_init();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    cells = (char *)need((size_t)(n_pes + 2) * STRIDE);
    for (int i = 0; i < TYPES; i++)
        one_type(&types[i]);
    with_owner();
    reals();
    status = finish();
    nvshmem_finalize();
    return status;
}
