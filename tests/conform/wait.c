/* wait_until and test, for one word and for all, any and some of several, agree with the
 * comparison in C, for every type and comparison, with status arrays and empty sets. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

typedef long long value; /* of any type: converted as C does */

struct type {
    const char *name;
    void (*store)(void *vars, size_t i, value v);
    void (*send)(void *vars, size_t i, value v, int pe);
    int (*less)(value a, value b);
    int (*equal)(value a, value b);
    int (*test)(void *var, int cmp, value v);
    void (*wait)(void *var, int cmp, value v);
    int (*test_all)(void *vars, size_t n, const int *status, int cmp, value v);
    size_t (*test_any)(void *vars, size_t n, const int *status, int cmp, value v);
    size_t (*test_some)(void *vars, size_t n, size_t *at, const int *status, int cmp, value v);
    void (*wait_all)(void *vars, size_t n, const int *status, int cmp, value v);
    size_t (*wait_any)(void *vars, size_t n, const int *status, int cmp, value v);
    size_t (*wait_some)(void *vars, size_t n, size_t *at, const int *status, int cmp, value v);
    int (*test_all_v)(void *vars, size_t n, const int *status, int cmp, void *v);
    size_t (*test_any_v)(void *vars, size_t n, const int *status, int cmp, void *v);
    size_t (*test_some_v)(void *vars, size_t n, size_t *at, const int *status, int cmp, void *v);
    void (*wait_all_v)(void *vars, size_t n, const int *status, int cmp, void *v);
    size_t (*wait_any_v)(void *vars, size_t n, const int *status, int cmp, void *v);
    size_t (*wait_some_v)(void *vars, size_t n, size_t *at, const int *status, int cmp, void *v);
};

/* clang-format off */
#define WORDS_OF(name, type, a) \
    static void name##_store(void *p, size_t i, value v) { ((type *)p)[i] = (type)v; } \
    static void name##_send(void *p, size_t i, value v, int pe) \
    { nvshmem_##name##_p((type *)p + i, (type)v, pe); } \
    static int name##_less(value x, value y) { return (type)x < (type)y; } \
    static int name##_equal(value x, value y) { return (type)x == (type)y; } \
    static int name##_test(void *p, int cmp, value v) \
    { return nvshmem_##name##_test((type *)p, cmp, (type)v); } \
    static void name##_wait(void *p, int cmp, value v) \
    { nvshmem_##name##_wait_until((type *)p, cmp, (type)v); }
GSH_WAIT_TYPES(WORDS_OF, _)
#undef WORDS_OF

#define SETS_OF(name, type, a) \
    static int name##_test_all(void *p, size_t n, const int *s, int cmp, value v) \
    { return nvshmem_##name##_test_all((type *)p, n, s, cmp, (type)v); } \
    static size_t name##_test_any(void *p, size_t n, const int *s, int cmp, value v) \
    { return nvshmem_##name##_test_any((type *)p, n, s, cmp, (type)v); } \
    static size_t name##_test_some(void *p, size_t n, size_t *at, const int *s, int cmp, value v) \
    { return nvshmem_##name##_test_some((type *)p, n, at, s, cmp, (type)v); } \
    static void name##_wait_all(void *p, size_t n, const int *s, int cmp, value v) \
    { nvshmem_##name##_wait_until_all((type *)p, n, s, cmp, (type)v); } \
    static size_t name##_wait_any(void *p, size_t n, const int *s, int cmp, value v) \
    { return nvshmem_##name##_wait_until_any((type *)p, n, s, cmp, (type)v); } \
    static size_t name##_wait_some(void *p, size_t n, size_t *at, const int *s, int cmp, value v) \
    { return nvshmem_##name##_wait_until_some((type *)p, n, at, s, cmp, (type)v); }
GSH_WAIT_TYPES(SETS_OF, _)
#undef SETS_OF

#define VECTORS_OF(name, type, a) \
    static int name##_test_all_v(void *p, size_t n, const int *s, int cmp, void *v) \
    { return nvshmem_##name##_test_all_vector((type *)p, n, s, cmp, (type *)v); } \
    static size_t name##_test_any_v(void *p, size_t n, const int *s, int cmp, void *v) \
    { return nvshmem_##name##_test_any_vector((type *)p, n, s, cmp, (type *)v); } \
    static size_t name##_test_some_v(void *p, size_t n, size_t *i, const int *s, int c, void *v) \
    { return nvshmem_##name##_test_some_vector((type *)p, n, i, s, c, (type *)v); } \
    static void name##_wait_all_v(void *p, size_t n, const int *s, int cmp, void *v) \
    { nvshmem_##name##_wait_until_all_vector((type *)p, n, s, cmp, (type *)v); } \
    static size_t name##_wait_any_v(void *p, size_t n, const int *s, int cmp, void *v) \
    { return nvshmem_##name##_wait_until_any_vector((type *)p, n, s, cmp, (type *)v); } \
    static size_t name##_wait_some_v(void *p, size_t n, size_t *i, const int *s, int c, void *v) \
    { return nvshmem_##name##_wait_until_some_vector((type *)p, n, i, s, c, (type *)v); }
GSH_WAIT_TYPES(VECTORS_OF, _)
#undef VECTORS_OF

static const struct type types[] = {
#define ROW(name, type, a) { #name, name##_store, name##_send, name##_less, name##_equal, \
    name##_test, name##_wait, name##_test_all, name##_test_any, name##_test_some, \
    name##_wait_all, name##_wait_any, name##_wait_some, \
    name##_test_all_v, name##_test_any_v, name##_test_some_v, \
    name##_wait_all_v, name##_wait_any_v, name##_wait_some_v },
    GSH_WAIT_TYPES(ROW, _)
#undef ROW
};
/* clang-format on */

struct comparison {
    const char *name;
    int cmp;
};

static const struct comparison comparisons[] = {
#define ROW(name, number) { #name, NVSHMEM_CMP_##name },
    GSH_COMPARISONS(ROW)
#undef ROW
};

enum {
    TYPES = sizeof(types) / sizeof(types[0]),
    CMPS = sizeof(comparisons) / sizeof(comparisons[0]),
    N = 9,
};

static const value numbers[] = { -1, 0, 1, 5, -30000, 30000 };
enum { NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

static void *vars; /* symmetric: the words that are waited on */

static int holds(const struct type *t, value a, int cmp, value b)
{
    int less = t->less(a, b), equal = t->equal(a, b);

    switch (cmp) {
    case NVSHMEM_CMP_EQ:
        return equal;
    case NVSHMEM_CMP_NE:
        return !equal;
    case NVSHMEM_CMP_GT:
        return !less && !equal;
    case NVSHMEM_CMP_LE:
        return less || equal;
    case NVSHMEM_CMP_LT:
        return less;
    default:
        return !less;
    }
}

static void one_word(const struct type *t)
{
    for (int a = 0; a < NUMBERS; a++) {
        t->store(vars, 0, numbers[a]);
        for (int b = 0; b < NUMBERS; b++)
            for (int c = 0; c < CMPS; c++) {
                int expected = holds(t, numbers[a], comparisons[c].cmp, numbers[b]);

                CHECK((t->test(vars, comparisons[c].cmp, numbers[b]) != 0) == expected,
                      "%s: %lld %s %lld", t->name, numbers[a], comparisons[c].name, numbers[b]);
                if (expected)
                    t->wait(vars, comparisons[c].cmp, numbers[b]);
            }
    }
    fact("%s test and wait_until of one word agree with C", t->name);
}

/* A set of words as one call sees it; yes[i] when word i counts and fulfils. */
struct set {
    size_t n;
    const int *status;
    int cmp;
    int yes[N];
    size_t n_yes, n_looked;
};

static void check_any(const struct set *s, size_t got, const char *what)
{
    if (s->n_yes == 0)
        CHECK(got == SIZE_MAX, "%s: %zu of none", what, got);
    else
        CHECK(got < s->n && s->yes[got], "%s: %zu", what, got);
}

static void check_some(const struct set *s, size_t got, const size_t *at, const char *what)
{
    int seen[N] = { 0 };

    CHECK(got == s->n_yes, "%s: %zu of %zu", what, got, s->n_yes);
    for (size_t i = 0; i < got && got <= s->n; i++) {
        CHECK(at[i] < s->n && s->yes[at[i]] && !seen[at[i]], "%s: index %zu", what, at[i]);
        seen[at[i] < N ? at[i] : 0] = 1;
    }
}

/* All forms over one set, against one value and against equal values. */
static void check_set(const struct type *t, const struct set *s, value v)
{
    int all = s->n_yes == s->n_looked;
    uint64_t values[N];
    size_t at[N];

    for (int i = 0; i < N; i++)
        t->store(values, i, v);
    CHECK(!t->test_all(vars, s->n, s->status, s->cmp, v) == !all, "%s test_all", t->name);
    CHECK(!t->test_all_v(vars, s->n, s->status, s->cmp, values) == !all, "%s vector", t->name);
    check_any(s, t->test_any(vars, s->n, s->status, s->cmp, v), t->name);
    check_any(s, t->test_any_v(vars, s->n, s->status, s->cmp, values), t->name);
    check_some(s, t->test_some(vars, s->n, at, s->status, s->cmp, v), at, t->name);
    check_some(s, t->test_some_v(vars, s->n, at, s->status, s->cmp, values), at, t->name);
    if (all) {
        t->wait_all(vars, s->n, s->status, s->cmp, v);
        t->wait_all_v(vars, s->n, s->status, s->cmp, values);
    }
    if (s->n_yes == 0 && s->n_looked > 0)
        return;
    check_any(s, t->wait_any(vars, s->n, s->status, s->cmp, v), t->name);
    check_any(s, t->wait_any_v(vars, s->n, s->status, s->cmp, values), t->name);
    check_some(s, t->wait_some(vars, s->n, at, s->status, s->cmp, v), at, t->name);
    check_some(s, t->wait_some_v(vars, s->n, at, s->status, s->cmp, values), at, t->name);
}

static void sets(const struct type *t, unsigned seed)
{
    unsigned state = seed;

    for (int round = 0; round < 120; round++) {
        struct set s = { .n = draw(&state, N + 1), .cmp = comparisons[round % CMPS].cmp };
        value v = numbers[draw(&state, NUMBERS)];
        int status[N], kind = (int)draw(&state, 4), equal = draw(&state, 3) == 0;

        for (size_t i = 0; i < s.n; i++) {
            value x = equal ? v : numbers[draw(&state, NUMBERS)];

            status[i] = kind == 3 ? -1 : kind ? 0 : (int)draw(&state, 2) * 7;
            t->store(vars, i, x);
            s.yes[i] = (kind == 1 || !status[i]) && holds(t, x, s.cmp, v);
            s.n_yes += s.yes[i];
            s.n_looked += kind == 1 || !status[i];
        }
        s.status = kind == 1 ? NULL : status;
        check_set(t, &s, v);
    }
    fact("%s all, any and some, vectors too, agree with C, with and without status", t->name);
}

/* Element i of a vector has its own value. */
static void own_values(const struct type *t)
{
    uint64_t values[N];
    size_t at[N];

    for (int i = 0; i < N; i++) {
        t->store(vars, i, i * 3);
        t->store(values, i, i % 2 ? i * 3 : 77);
    }
    CHECK(t->test_some_v(vars, N, at, NULL, NVSHMEM_CMP_EQ, values) == N / 2, "%s some", t->name);
    CHECK(t->test_any_v(vars, N, NULL, NVSHMEM_CMP_EQ, values) % 2 == 1, "%s any", t->name);
    CHECK(!t->test_all_v(vars, N, NULL, NVSHMEM_CMP_EQ, values), "%s all", t->name);
    for (int i = 0; i < N; i += 2)
        t->store(vars, i, 77);
    CHECK(t->test_all_v(vars, N, NULL, NVSHMEM_CMP_EQ, values), "%s all", t->name);
    t->wait_all_v(vars, N, NULL, NVSHMEM_CMP_EQ, values);
    fact("%s vectors compare element i with value i", t->name);
}

/* Every PE sends its number to its element of every PE, in three waves. */
static void from_others(const struct type *t)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    int status[64] = { 0 };
    size_t at[64], left, got;

    for (int i = 0; i < n; i++)
        t->store(vars, i, 0);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++)
        t->send(vars, me, 1, pe);
    t->wait_all(vars, n, NULL, NVSHMEM_CMP_GE, 1);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++)
        t->send(vars, me, 2, pe);
    for (left = n; left > 0; left--) {
        got = t->wait_any(vars, n, status, NVSHMEM_CMP_GT, 1);
        CHECK(got < (size_t)n && !status[got], "%s: %zu once", t->name, got);
        status[got < (size_t)n ? got : 0] = 1;
    }
    CHECK(t->wait_any(vars, n, status, NVSHMEM_CMP_GT, 1) == SIZE_MAX, "%s: all done", t->name);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++)
        t->send(vars, me, 3, pe);
    memset(status, 0, sizeof(status));
    for (left = n; left > 0 && left <= (size_t)n; left -= got) {
        got = t->wait_some(vars, n, at, status, NVSHMEM_CMP_EQ, 3);
        CHECK(got >= 1 && got <= left, "%s: %zu of %zu left", t->name, got, left);
        for (size_t i = 0; i < got; i++)
            status[at[i]]++;
    }
    CHECK(t->wait_some(vars, n, at, status, NVSHMEM_CMP_EQ, 3) == 0, "%s: all done", t->name);
    for (int i = 0; i < n; i++)
        CHECK(status[i] == 1, "%s: element %d %d times", t->name, i, status[i]);
    nvshmem_barrier_all();
    fact("%s waits end when other PEs write, each element is told once", t->name);
}

/* A wait of each comparison ends when the next PE makes it true. */
static void each_comparison(const struct type *t)
{
    static const value before[] = { 1, 5, 5, 9, 5, 4 }, after[] = { 5, 6, 6, 5, 4, 5 };
    int next = (nvshmem_my_pe() + 1) % nvshmem_n_pes();

    for (int c = 0; c < CMPS; c++) {
        t->store(vars, 0, before[comparisons[c].cmp]);
        CHECK(!t->test(vars, comparisons[c].cmp, 5), "%s %s before", t->name, comparisons[c].name);
        nvshmem_barrier_all();
        t->send(vars, 0, after[comparisons[c].cmp], next);
        t->wait(vars, comparisons[c].cmp, 5);
        CHECK(t->test(vars, comparisons[c].cmp, 5), "%s %s after", t->name, comparisons[c].name);
        nvshmem_barrier_all();
    }
    fact("%s wait_until ends when another PE makes its comparison true", t->name);
}

int main(void)
{
    int status;

    nvshmem_init();
    vars = need(64 * sizeof(uint64_t));
    for (int i = 0; i < TYPES; i++) {
        one_word(&types[i]);
        sets(&types[i], mix(i, 1));
        own_values(&types[i]);
        from_others(&types[i]);
        each_comparison(&types[i]);
    }
    status = finish();
    nvshmem_finalize();
    return status;
}
