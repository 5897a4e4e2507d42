/* Every reduction and reducescatter, operation by type, gives on all PEs what C computes, also
 * in place, for counts from 0 to beyond 256 KiB; and sums of some MiB that are rounded have the
 * same bits on all PEs. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <limits.h>
#include <unistd.h>

/* Values are few significant bits, so that every type holds every result exactly. */
typedef long long value;

enum kind { SIGNED, UNSIGNED, REAL, HALF, BFLOAT };
enum op { OP_and, OP_or, OP_xor, OP_min, OP_max, OP_sum, OP_prod };

typedef int reduce_fn(nvshmem_team_t team, void *dest, const void *source, size_t n);

struct reduction {
    const char *type, *name;
    size_t size;
    enum kind kind;
    enum op op;
    reduce_fn *reduce, *reducescatter;
};

#define KIND(type) \
    _Generic((type *)0, \
        char *: CHAR_MIN < 0 ? SIGNED : UNSIGNED, \
        unsigned char *: UNSIGNED, unsigned short *: UNSIGNED, unsigned *: UNSIGNED, \
        unsigned long *: UNSIGNED, unsigned long long *: UNSIGNED, \
        float *: REAL, double *: REAL, \
        struct __half *: HALF, struct __nv_bfloat16 *: BFLOAT, default: SIGNED)

/* clang-format off */
#define CALLS(name, type, op, a) \
    static int name##_##op##_reduce(nvshmem_team_t t, void *d, const void *s, size_t n) \
    { return nvshmem_##name##_##op##_reduce(t, (type *)d, (const type *)s, n); } \
    static int name##_##op##_reducescatter(nvshmem_team_t t, void *d, const void *s, size_t n) \
    { return nvshmem_##name##_##op##_reducescatter(t, (type *)d, (const type *)s, n); }
GSH_REDUCTIONS(CALLS, _)
#undef CALLS

static const struct reduction reductions[] = {
#define ROW(name, type, op, a) { #name, #op, sizeof(type), KIND(type), OP_##op, \
    name##_##op##_reduce, name##_##op##_reducescatter },
    GSH_REDUCTIONS(ROW, _)
#undef ROW
};
/* clang-format on */

enum {
    REDUCTIONS = sizeof(reductions) / sizeof(reductions[0]),
    BIG = 300 << 10, /* bytes of the largest result */
    GUARD = 64,
    PERIOD = 1009, /* elements, after which the values come again */
    SENTINEL = 0xee,
};

static int me, n_pes;
static unsigned char *dest, *source; /* symmetric; source holds n_pes results */
static unsigned char mine[PERIOD * 8], expected[PERIOD * 8];

/* The 16 bits of a small whole number in a format with `mantissa` bits. */
static unsigned short small_float(value v, int mantissa, int bias)
{
    value m = v < 0 ? -v : v;
    int e = 0;

    if (m == 0)
        return 0;
    while (m >> (e + 1))
        e++;
    m = e <= mantissa ? m << (mantissa - e) : m >> (e - mantissa);
    return (unsigned short)((v < 0) << 15 | (e + bias) << mantissa | (m & ((1 << mantissa) - 1)));
}

static void encode(const struct reduction *r, value v, void *p)
{
    unsigned short bits;
    double d = (double)v;
    float f = (float)v;

    switch (r->kind) {
    case HALF:
    case BFLOAT:
        bits = r->kind == HALF ? small_float(v, 10, 15) : small_float(v, 7, 127);
        memcpy(p, &bits, sizeof(bits));
        break;
    case REAL:
        memcpy(p, r->size == 4 ? (void *)&f : (void *)&d, r->size);
        break;
    default: /* the low bytes come first on the machines that we know */
        memcpy(p, &v, r->size);
    }
}

/* What PE pe has at element i. The wide types get values that fill them. */
static value operand(const struct reduction *r, int pe, size_t i)
{
    int has_sign = r->kind != UNSIGNED;
    int room = r->kind == HALF || r->kind == BFLOAT ? 1 : (int)r->size * 8 - 7;
    int shift = (int)(i * 5 % room);
    unsigned x = mix((unsigned)i, pe + 31);

    switch (r->op) {
    case OP_prod:
        return pe < 6 && x % 3 == 0 ? 2 : has_sign && x % 7 == 0 ? -1 : 1;
    case OP_sum:
        return (value)((uint64_t)(x % 14) << shift) * (has_sign && x % 5 == 0 ? -1 : 1);
    default:
        return (value)((uint64_t)(x % 128) << shift) * (has_sign && x % 5 == 0 ? -1 : 1);
    }
}

static value combine(enum op op, value a, value b)
{
    switch (op) {
    case OP_and:
        return a & b;
    case OP_or:
        return a | b;
    case OP_xor:
        return a ^ b;
    case OP_min:
        return a < b ? a : b;
    case OP_max:
        return a > b ? a : b;
    case OP_sum:
        return a + b;
    default:
        return a * b;
    }
}

/* Bitwise operations: the signed types' bits have no sign to disturb. */
static value operand_of(const struct reduction *r, int pe, size_t i)
{
    value v = operand(r, pe, i);

    return r->op <= OP_xor ? (v < 0 ? -v : v) : v;
}

/* What this PE has, and what the reduction of all makes of it. */
static void make_tables(const struct reduction *r)
{
    for (size_t i = 0; i < PERIOD; i++) {
        value v = operand_of(r, 0, i);

        for (int pe = 1; pe < n_pes; pe++)
            v = combine(r->op, v, operand_of(r, pe, i));
        encode(r, operand_of(r, me, i), mine + i * r->size);
        encode(r, v, expected + i * r->size);
    }
}

/* Elements of `got`, which stand for [first, first + n), that are not as expected. */
static size_t count_wrong(const struct reduction *r, const unsigned char *got, size_t first,
                          size_t n)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += memcmp(got + i * r->size, expected + (first + i) % PERIOD * r->size, r->size) != 0;
    return wrong;
}

static void fill_source(const struct reduction *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(source + i * r->size, mine + i % PERIOD * r->size, r->size);
    nvshmem_sync_all();
}

static void check_reduce(const struct reduction *r, size_t n)
{
    size_t bytes = n * r->size, wrong;

    memset(dest, SENTINEL, bytes + GUARD);
    fill_source(r, n);
    CHECK(r->reduce(NVSHMEM_TEAM_WORLD, dest, source, n) == 0, "%s %s", r->type, r->name);
    wrong = count_wrong(r, dest, 0, n);
    CHECK(wrong == 0, "%s %s reduce of %zu: %zu wrong", r->type, r->name, n, wrong);
    CHECK(differs_from(dest + bytes, GUARD, SENTINEL) == GUARD, "%s behind dest", r->type);
    CHECK(r->reduce(NVSHMEM_TEAM_WORLD, source, source, n) == 0, "%s %s", r->type, r->name);
    wrong = count_wrong(r, source, 0, n);
    CHECK(wrong == 0, "%s %s in place of %zu: %zu wrong", r->type, r->name, n, wrong);
    nvshmem_sync_all();
}

static void check_reducescatter(const struct reduction *r, size_t n)
{
    size_t bytes = n * r->size, wrong;

    memset(dest, SENTINEL, bytes + GUARD);
    fill_source(r, n * n_pes);
    CHECK(r->reducescatter(NVSHMEM_TEAM_WORLD, dest, source, n) == 0, "%s %s", r->type, r->name);
    wrong = count_wrong(r, dest, n * me, n);
    CHECK(wrong == 0, "%s %s reducescatter of %zu: %zu wrong", r->type, r->name, n, wrong);
    CHECK(differs_from(dest + bytes, GUARD, SENTINEL) == GUARD, "%s behind dest", r->type);
    nvshmem_sync_all();
}

static void every_reduction(void)
{
    static const size_t counts[] = { 1, 3, 130 };

    for (int i = 0; i < REDUCTIONS; i++) {
        make_tables(&reductions[i]);
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            check_reduce(&reductions[i], counts[c]);
            check_reducescatter(&reductions[i], counts[c]);
        }
        fact("%s %s reduce, in place too, and reducescatter", reductions[i].type,
             reductions[i].name);
    }
}

/* One reduction of each element size takes all counts. */
static void every_count(const struct reduction *r)
{
    static const size_t counts[] = { 0,  1,  2,   3,   5,   7,    8,    9,    15,   17,
                                     64, 65, 255, 256, 511, 1025, 2047, 4099, 8193, 20000 };

    make_tables(r);
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        check_reduce(r, counts[c]);
        check_reducescatter(r, counts[c]);
    }
    check_reduce(r, BIG / r->size);
    check_reduce(r, BIG / r->size - 1);
    check_reducescatter(r, BIG / r->size / 2 + 1);
    fact("%s %s of 0 to more than 256 KiB", r->type, r->name);
}

static void every_size(void)
{
    size_t done = 0; /* sizes that had their turn, as bits */

    for (int i = 0; i < REDUCTIONS; i++) {
        const struct reduction *r = &reductions[i];

        if (r->op != OP_sum || done & r->size)
            continue;
        done |= r->size;
        every_count(r);
    }
}

/* Its sums depend on the order. */
static double fraction(int pe, size_t i)
{
    return 1.0 / (1 + mix((unsigned)i, pe + 7) % 1000);
}

static size_t count_far(const double *got, size_t n)
{
    size_t far = 0;

    for (size_t i = 0; i < n; i++) {
        double sum = 0;

        for (int pe = 0; pe < n_pes; pe++)
            sum += fraction(pe, i);
        far += !(got[i] > sum * (1 - 1e-14) && got[i] < sum * (1 + 1e-14));
    }
    return far;
}

/* The second reduction follows at once, in place; a PE is late for the first. */
static void check_large(double *sums, double *mine_too, double *of_first, size_t n, int late)
{
    for (size_t i = 0; i < n; i++)
        mine_too[i] = fraction(me, i);
    memset(sums, SENTINEL, n * sizeof(*sums) + GUARD);
    nvshmem_sync_all();
    if (me == late)
        usleep(20 * 1000);
    nvshmem_double_sum_reduce(NVSHMEM_TEAM_WORLD, sums, mine_too, n);
    nvshmem_double_sum_reduce(NVSHMEM_TEAM_WORLD, mine_too, mine_too, n);
    CHECK(count_far(sums, n) == 0, "%zu of %zu sums are wrong", count_far(sums, n), n);
    CHECK(differs_from((unsigned char *)(sums + n), GUARD, SENTINEL) == GUARD, "behind dest");
    CHECK(!memcmp(sums, mine_too, n * sizeof(*sums)), "in place %zu sums differ", n);
    nvshmem_barrier_all();
    nvshmem_getmem(of_first, sums, n * sizeof(*sums), 0);
    CHECK(!memcmp(sums, of_first, n * sizeof(*sums)), "%zu sums differ from those of PE 0", n);
    nvshmem_barrier_all();
}

static void large(void)
{
    enum { MOST = (2 << 20) / sizeof(double) + 13 };
    static const size_t counts[] = { MOST, MOST / 3, 4097, MOST - 700, 1000, 200 };
    double *sums = need(MOST * sizeof(double) + GUARD);
    double *operands = need(MOST * sizeof(double)), *of_first = need(MOST * sizeof(double));

    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
        check_large(sums, operands, of_first, counts[c], (int)c % n_pes);
    fact("double sum of up to 2 MiB, one after the other, has the same bits on all PEs");
}

int main(void)
{
    int status;

    nvshmem_init();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    dest = (unsigned char *)need(BIG + GUARD);
    source = (unsigned char *)need((size_t)BIG * (n_pes + 1));
    every_reduction();
    every_size();
    large();
    status = finish();
    nvshmem_finalize();
    return status;
}
