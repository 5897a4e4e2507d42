/* OpenSHMEM 1.5, section 9.10: broadcast, collect, fcollect, alltoall, alltoalls, the reductions
 * and scans of every type give each PE of a team exactly what they should. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <complex.h>

enum { N = 7, ROOM = 16 * 16 * N * 3, BIG = 10000 };

static int me, n_pes;
static char *dest, *source; /* symmetric, ROOM each */
static char kept[ROOM] __attribute__((aligned(16)));

static void ready(void)
{
    fill(source, ROOM, mix(me, 5));
    memset(dest, 0, ROOM);
    shmem_barrier_all();
}

/* What `source` holds on a PE. */
static const char *of(int pe)
{
    fill(kept, ROOM, mix(pe, 5));
    return kept;
}

/* Each PE gives 1 + its number % 3 elements, and none when that is 3. */
static size_t share(int pe)
{
    return (size_t)(pe % 4 == 3 ? 0 : 1 + pe % 3);
}

static void check_collect(const char *name, size_t size)
{
    size_t at = 0;

    for (int pe = 0; pe < n_pes; pe++) {
        CHECK(!memcmp(dest + at, of(pe), share(pe) * size), "%s collect, PE %d", name, pe);
        at += share(pe) * size;
    }
    CHECK(differs_from(dest + at, 64, 0) == 64, "%s collect, behind", name);
}

static void check_fcollect(const char *name, size_t size)
{
    for (int pe = 0; pe < n_pes; pe++)
        CHECK(!memcmp(dest + (size_t)pe * N * size, of(pe), N * size), "%s fcollect", name);
}

/* alltoall is alltoalls with strides of 1. */
static void check_alltoalls(const char *name, size_t size, size_t dst, size_t sst)
{
    for (int pe = 0; pe < n_pes; pe++)
        for (size_t i = 0; i < N; i++)
            CHECK(!memcmp(dest + ((size_t)pe * N + i) * dst * size,
                          of(pe) + ((size_t)me * N + i) * sst * size, size),
                  "%s alltoall(s) %zu of PE %d", name, i, pe);
}

#define MOVES(name, type, size, prefix, suffix) \
    static void name##_moves(void) \
    { \
        type *d = (type *)(void *)dest; \
        const type *s = (const type *)(const void *)source; \
        shmem_team_t world = SHMEM_TEAM_WORLD; \
        for (int root = 0; root < n_pes; root++) { \
            ready(); \
            CHECK(!shmem_##prefix##broadcast##suffix(world, d, s, N, root), "broadcast"); \
            CHECK(!memcmp(dest, of(root), N * size), #name " broadcast of %d", root); \
        } \
        ready(); \
        CHECK(!shmem_##prefix##collect##suffix(world, d, s, share(me)), "collect"); \
        check_collect(#name, size); \
        ready(); \
        CHECK(!shmem_##prefix##fcollect##suffix(world, d, s, N), "fcollect"); \
        check_fcollect(#name, size); \
        ready(); \
        CHECK(!shmem_##prefix##alltoall##suffix(world, d, s, N), "alltoall"); \
        check_alltoalls(#name, size, 1, 1); \
        ready(); \
        CHECK(!shmem_##prefix##alltoalls##suffix(world, d, s, 2, 3, N), "alltoalls"); \
        check_alltoalls(#name, size, 2, 3); \
        shmem_barrier_all(); \
        fact(#name ": broadcast, collect, fcollect, alltoall, alltoalls"); \
    }
#define TYPED(name, type, a) MOVES(name, type, sizeof(type), name##_, )
GSH_SHMEM_RMA_TYPES(TYPED, _)
MOVES(mem, void, 1, , mem)

/* Element i of PE pe; small, so that products are exact in every type. */
static int value(int pe, int i)
{
    return 1 + (pe + i) % 2;
}

#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((b) > (a) ? (b) : (a))
#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))

#define REDUCE(name, type, op, OP) \
    static void name##_##op(void) \
    { \
        type *d = (type *)(void *)dest, *s = (type *)(void *)source; \
        shmem_barrier_all(); \
        for (int i = 0; i < N; i++) \
            s[i] = (type)value(me, i); \
        CHECK(!shmem_##name##_##op##_reduce(SHMEM_TEAM_WORLD, d, s, N), "reduce"); \
        for (int i = 0; i < N; i++) { \
            type want = (type)value(0, i); \
            for (int pe = 1; pe < n_pes; pe++) \
                want = (type)OP(want, (type)value(pe, i)); \
            CHECK(d[i] == want, #name "_" #op "_reduce %d", i); \
        } \
        shmem_barrier_all(); \
        CHECK(!shmem_##name##_##op##_reduce(SHMEM_TEAM_WORLD, s, s, N), "reduce"); \
        CHECK(!memcmp(d, s, N * sizeof(type)) || sizeof(type) > 8, #name "_" #op " in place"); \
    }
GSH_RED_BIT_TYPES(REDUCE, and, AND)
GSH_RED_BIT_TYPES(REDUCE, or, OR)
GSH_RED_BIT_TYPES(REDUCE, xor, XOR)
GSH_SHMEM_RED_TYPES(REDUCE, min, MIN)
GSH_SHMEM_RED_TYPES(REDUCE, max, MAX)
GSH_SHMEM_SUM_TYPES(REDUCE, sum, SUM)
GSH_SHMEM_SUM_TYPES(REDUCE, prod, PROD)

#define SCAN(name, type, a) \
    static void name##_scan(void) \
    { \
        type *d = (type *)(void *)dest, *s = (type *)(void *)source; \
        shmem_barrier_all(); \
        for (int i = 0; i < N; i++) \
            s[i] = (type)value(me, i); \
        CHECK(!shmem_##name##_sum_inscan(SHMEM_TEAM_WORLD, d, s, N), "inscan"); \
        CHECK(!shmem_##name##_sum_exscan(SHMEM_TEAM_WORLD, d + N, s, N), "exscan"); \
        CHECK(!shmem_##name##_sum_exscan(SHMEM_TEAM_WORLD, s, s, N), "exscan in place"); \
        for (int i = 0; i < N; i++) { \
            type want = (type)0; \
            for (int pe = 0; pe < me; pe++) \
                want = (type)(want + (type)value(pe, i)); \
            CHECK(d[N + i] == want && s[i] == want, #name " exscan %d", i); \
            CHECK(d[i] == (type)(want + (type)value(me, i)), #name " inscan %d", i); \
        } \
    }
GSH_SHMEM_SUM_TYPES(SCAN, _)

static void arithmetic(void)
{
#define CALL(name, type, op) name##_##op();
    GSH_RED_BIT_TYPES(CALL, and)
    GSH_RED_BIT_TYPES(CALL, or)
    GSH_RED_BIT_TYPES(CALL, xor)
    fact("and, or and xor of all types");
    GSH_SHMEM_RED_TYPES(CALL, min)
    GSH_SHMEM_RED_TYPES(CALL, max)
    fact("min and max of all types");
    GSH_SHMEM_SUM_TYPES(CALL, sum)
    GSH_SHMEM_SUM_TYPES(CALL, prod)
    fact("sum and prod of all types, complex ones too");
    GSH_SHMEM_SUM_TYPES(CALL, scan)
    fact("inscan and exscan of all types");
}

/* More than fits into the blocks that the library works on. */
static void large(void)
{
    long *s = need(2 * BIG * sizeof(*s)), *d = s + BIG;
    long before = 0, all = 0;

    for (int pe = 0; pe < n_pes; pe++) {
        before += pe < me ? pe + 1 : 0;
        all += pe + 1;
    }
    for (long i = 0; i < BIG; i++)
        s[i] = i * (me + 1);
    CHECK(!shmem_long_sum_inscan(SHMEM_TEAM_WORLD, d, s, BIG), "inscan");
    for (long i = 0; i < BIG; i++)
        CHECK(d[i] == i * (before + me + 1), "inscan %ld", i);
    shmem_barrier_all();
    CHECK(!shmem_long_sum_reduce(SHMEM_TEAM_WORLD, d, s, BIG), "reduce");
    CHECK(!shmem_long_sum_exscan(SHMEM_TEAM_WORLD, s, s, BIG), "exscan");
    for (long i = 0; i < BIG; i++)
        CHECK(d[i] == i * all && s[i] == i * before, "reduce and exscan %ld", i);
    shmem_free(s);
    fact("%d elements are reduced and scanned, in place too", BIG);
}

/* In a team whose ranks run backwards, and many in a row with nothing between. */
static void in_team(void)
{
    shmem_team_t back;
    long *s = need(64 * sizeof(*s)), *d = s + 32;

    CHECK(!shmem_team_split_strided(SHMEM_TEAM_WORLD, n_pes - 1, -1, n_pes, NULL, 0, &back), "x");
    for (int i = 0; i < 100; i++) {
        s[0] = s[1] = me + i;
        CHECK(!shmem_long_collect(back, d, s, share(me) % 2), "collect");
        CHECK(!shmem_long_sum_exscan(back, s + 2, s, 1), "exscan");
        shmem_team_sync(back);
        for (int r = 0, k = 0; r < n_pes; r++) {
            if (share(n_pes - 1 - r) % 2 == 0)
                continue;
            CHECK(d[k] == n_pes - 1 - r + i, "round %d, rank %d: %ld", i, r, d[k]);
            k++;
        }
        shmem_team_sync(back);
    }
    shmem_team_destroy(back);
    CHECK(shmem_long_collect(SHMEM_TEAM_INVALID, d, s, 1), "no team");
    CHECK(shmem_long_alltoalls(SHMEM_TEAM_WORLD, d, s, 0, 1, 1), "stride 0");
    shmem_free(s);
    fact("collect and scan on a team of backward ranks, many times; wrong arguments are refused");
}

int main(void)
{
    int status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    dest = need(ROOM);
    source = need(ROOM);
#define CALL_MOVES(name, type, a) name##_moves();
    GSH_SHMEM_RMA_TYPES(CALL_MOVES, _)
    mem_moves();
    arithmetic();
    large();
    in_team();
    shmem_sync_all();
    status = finish();
    shmem_finalize();
    return status;
}
