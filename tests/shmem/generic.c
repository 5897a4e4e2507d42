/* OpenSHMEM 1.5, the C11 interfaces of all sections: each type-generic name takes every type it
 * should, with a context where there may be one, and is the typed call of that type. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <complex.h>

enum { N = 4 };

/* clang-format off */
/* X(type): the types that C tells apart. */
#define WAITED(X) \
    X(short) X(int) X(long) X(long long) X(unsigned short) X(unsigned int) X(unsigned long) \
    X(unsigned long long)
#define ADDED(X) \
    X(int) X(long) X(long long) X(unsigned int) X(unsigned long) X(unsigned long long)
#define ALL(X) \
    WAITED(X) X(float) X(double) X(long double) X(char) X(signed char) X(unsigned char)
#define FIXED(X) \
    X(int8_t) X(int16_t) X(int32_t) X(int64_t) X(uint8_t) X(uint16_t) X(uint32_t) X(uint64_t) \
    X(size_t) X(ptrdiff_t)
/* clang-format on */

static int me, n_pes, next, prev;
static shmem_ctx_t ctx;
static char room[4096] __attribute__((aligned(16))); /* symmetric */
static uint64_t sig;                                 /* symmetric */

static void meet(void)
{
    shmem_quiet();
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
}

static void keep_order(void)
{
    shmem_fence();
    shmem_ctx_quiet(ctx);
}

/* One block for each type: `w` are words of the next PE, `a` and `b` are local. */
#define RMA(type) \
    { \
        type *w = (type *)(void *)room, a[N] = { 0 }, b[N] = { 1, 2, 3, (type)(me + 4) }; \
        meet(); \
        shmem_put(w, b, N, next); \
        shmem_put(ctx, w + 4, b, N, next); \
        shmem_put_nbi(w + 8, b, N, next); \
        shmem_put_nbi(ctx, w + 12, b, N, next); \
        shmem_p(w + 16, b[3], next); \
        shmem_p(ctx, w + 17, b[3], next); \
        shmem_iput(w + 20, b, 2, 1, N, next); \
        shmem_iput(ctx, w + 28, b, 2, 1, N, next); \
        shmem_ibput(w + 36, b, 3, 2, (size_t)2, (size_t)2, next); \
        shmem_ibput(ctx, w + 42, b, 3, 2, (size_t)2, (size_t)2, next); \
        meet(); \
        for (int i = 3; i < 16; i += 4) \
            CHECK(w[i - 1] == 3 && w[i] == (type)(prev + 4), #type " put at %d", i); \
        CHECK(w[16] == (type)(prev + 4) && w[17] == w[16], #type " p"); \
        CHECK(w[24] == 3 && w[32] == 3 && w[26] == w[16] && w[34] == w[16], #type " iput"); \
        CHECK(w[37] == 2 && w[40] == w[16] && w[43] == 2 && w[46] == w[16], #type " ibput"); \
        shmem_get(a, (const type *)w, N, next); \
        CHECK(a[3] == b[3], #type " get"); \
        shmem_get(ctx, a, w + 1, N - 1, next); \
        CHECK(a[2] == b[3], #type " ctx get"); \
        shmem_get_nbi(a, w + 2, 2, next); \
        shmem_get_nbi(ctx, a + 2, w + 2, 2, next); \
        shmem_quiet(); \
        CHECK(a[1] == b[3] && a[3] == b[3], #type " get_nbi"); \
        CHECK(shmem_g((const type *)w + 3, next) == b[3], #type " g"); \
        CHECK(shmem_g(ctx, w + 3, next) == b[3], #type " ctx g"); \
        shmem_iget(a, w, 1, 2, 2, next); \
        shmem_iget(ctx, a + 2, w, 1, 2, 2, next); \
        CHECK(a[1] == 3 && a[3] == 3, #type " iget"); \
        shmem_ibget(a, w, 2, 2, (size_t)2, (size_t)2, next); \
        CHECK(a[3] == b[3], #type " ibget"); \
        shmem_ibget(ctx, a, w, 2, 2, (size_t)1, (size_t)2, next); \
        meet(); \
        shmem_put_signal(w, b, N, &sig, 1, SHMEM_SIGNAL_ADD, next); \
        shmem_put_signal(ctx, w, b, N, &sig, 1, SHMEM_SIGNAL_ADD, next); \
        shmem_put_signal_nbi(w, b, N, &sig, 1, SHMEM_SIGNAL_ADD, next); \
        shmem_put_signal_nbi(ctx, w, b, N, &sig, 1, SHMEM_SIGNAL_ADD, next); \
        meet(); \
    }

static void rma(void)
{
    ALL(RMA)
    FIXED(RMA)
    CHECK(sig == 4 * 24, "%llu", (unsigned long long)sig);
    fact("put, get, p, g, iput, iget, ibput, ibget and put_signal take all types");
    meet();
    shmem_signal_set(&sig, 5, next);
    meet();
    shmem_signal_add(ctx, &sig, 5, next);
    meet();
    CHECK(sig == 10, "%llu", (unsigned long long)sig);
    meet();
    shmem_signal_set(ctx, &sig, 5, next);
    shmem_signal_add(&sig, 5, next);
    meet();
    fact("signal_set and signal_add take contexts");
}

#define EXT(type) \
    { \
        type *w = (type *)(void *)room, got = 0; \
        meet(); \
        shmem_atomic_set(w, 5, next); \
        shmem_quiet(); \
        CHECK(shmem_atomic_fetch((const type *)w, next) == 5, #type " fetch"); \
        shmem_atomic_set(ctx, w, 6, next); \
        shmem_ctx_quiet(ctx); \
        CHECK(shmem_atomic_fetch(ctx, w, next) == 6, #type " ctx fetch"); \
        CHECK(shmem_atomic_swap(w, 7, next) == 6, #type " swap"); \
        CHECK(shmem_atomic_swap(ctx, w, 8, next) == 7, #type " ctx swap"); \
        shmem_atomic_fetch_nbi(&got, w, next); \
        shmem_quiet(); \
        CHECK(got == 8, #type " fetch_nbi"); \
        shmem_atomic_swap_nbi(&got, w, 9, next); \
        shmem_atomic_swap_nbi(ctx, &got, w, 10, next); \
        shmem_atomic_fetch_nbi(ctx, &got, w, next); \
        shmem_ctx_quiet(ctx); \
        CHECK(got == 10, #type " nbi"); \
    }

#define STD(type) \
    { \
        type *w = (type *)(void *)room, got = 0; \
        meet(); \
        shmem_atomic_set(w, 0, next); \
        shmem_quiet(); \
        shmem_atomic_inc(w, next); \
        shmem_atomic_inc(ctx, w, next); \
        shmem_atomic_add(w, 2, next); \
        shmem_atomic_add(ctx, w, 3, next); \
        shmem_quiet(); \
        CHECK(shmem_atomic_fetch_inc(w, next) == 7, #type); \
        CHECK(shmem_atomic_fetch_inc(ctx, w, next) == 8, #type); \
        CHECK(shmem_atomic_fetch_add(w, 1, next) == 9, #type); \
        CHECK(shmem_atomic_fetch_add(ctx, w, 1, next) == 10, #type); \
        CHECK(shmem_atomic_compare_swap(w, 11, 12, next) == 11, #type); \
        CHECK(shmem_atomic_compare_swap(ctx, w, 12, 13, next) == 12, #type); \
        shmem_atomic_fetch_inc_nbi(&got, w, next); \
        shmem_atomic_fetch_inc_nbi(ctx, &got, w, next); \
        shmem_atomic_fetch_add_nbi(&got, w, 1, next); \
        shmem_atomic_fetch_add_nbi(ctx, &got, w, 1, next); \
        shmem_atomic_compare_swap_nbi(&got, w, 17, 18, next); \
        shmem_atomic_compare_swap_nbi(ctx, &got, w, 18, 19, next); \
        shmem_ctx_quiet(ctx); \
        CHECK(got == 18, #type " nbi"); \
    }

#define BIT(type) \
    { \
        type *w = (type *)(void *)room, got = 0; \
        meet(); \
        shmem_atomic_set(w, 0xff, next); \
        shmem_quiet(); \
        shmem_atomic_and(w, 0x3f, next); \
        shmem_atomic_and(ctx, w, 0x1f, next); \
        keep_order(); \
        shmem_atomic_or(w, 0x40, next); \
        shmem_atomic_or(ctx, w, 0x80, next); \
        keep_order(); \
        shmem_atomic_xor(w, 1, next); \
        shmem_atomic_xor(ctx, w, 2, next); \
        shmem_quiet(); \
        CHECK(shmem_atomic_fetch_and(w, 0xff, next) == 0xdc, #type); \
        CHECK(shmem_atomic_fetch_and(ctx, w, 0xff, next) == 0xdc, #type); \
        CHECK(shmem_atomic_fetch_or(w, 1, next) == 0xdc, #type); \
        CHECK(shmem_atomic_fetch_or(ctx, w, 2, next) == 0xdd, #type); \
        CHECK(shmem_atomic_fetch_xor(w, 1, next) == 0xdf, #type); \
        CHECK(shmem_atomic_fetch_xor(ctx, w, 2, next) == 0xde, #type); \
        shmem_atomic_fetch_and_nbi(&got, w, 0xfc, next); \
        shmem_atomic_fetch_and_nbi(ctx, &got, w, 0xf0, next); \
        shmem_atomic_fetch_or_nbi(&got, w, 1, next); \
        shmem_atomic_fetch_or_nbi(ctx, &got, w, 2, next); \
        shmem_atomic_fetch_xor_nbi(&got, w, 1, next); \
        shmem_atomic_fetch_xor_nbi(ctx, &got, w, 1, next); \
        shmem_ctx_quiet(ctx); \
        CHECK(got == 0xd2, #type " nbi: %x", (unsigned)got); \
    }

static void atomics(void)
{
    ADDED(EXT)
    EXT(float)
    EXT(double)
    ADDED(STD)
    BIT(unsigned int)
    BIT(unsigned long)
    BIT(unsigned long long)
    BIT(int32_t)
    BIT(int64_t)
    BIT(uint32_t)
    BIT(uint64_t)
    meet();
    fact("the atomic operations take their types, with and without context");
}

#define WAIT(type) \
    { \
        type *w = (type *)(void *)room, one[2] = { 1, 1 }; \
        size_t found[2]; \
        meet(); \
        w[0] = w[1] = 0; \
        CHECK(!shmem_test(w, SHMEM_CMP_NE, 0), #type); \
        meet(); \
        shmem_p(w, 1, next); \
        shmem_p(w + 1, 1, next); \
        shmem_wait_until(w, SHMEM_CMP_EQ, 1); \
        shmem_wait_until_all(w, 2, NULL, SHMEM_CMP_EQ, 1); \
        CHECK(shmem_wait_until_any(w, 2, NULL, SHMEM_CMP_EQ, 1) < 2, #type); \
        CHECK(shmem_wait_until_some(w, 2, found, NULL, SHMEM_CMP_EQ, 1) == 2, #type); \
        shmem_wait_until_all_vector(w, 2, NULL, SHMEM_CMP_EQ, one); \
        CHECK(shmem_wait_until_any_vector(w, 2, NULL, SHMEM_CMP_EQ, one) < 2, #type); \
        CHECK(shmem_wait_until_some_vector(w, 2, found, NULL, SHMEM_CMP_EQ, one) == 2, #type); \
        CHECK(shmem_test(w, SHMEM_CMP_EQ, 1) && shmem_test_all(w, 2, NULL, SHMEM_CMP_EQ, 1), \
              #type); \
        CHECK(shmem_test_any(w, 2, NULL, SHMEM_CMP_EQ, 1) < 2, #type); \
        CHECK(shmem_test_some(w, 2, found, NULL, SHMEM_CMP_EQ, 1) == 2, #type); \
        CHECK(shmem_test_all_vector(w, 2, NULL, SHMEM_CMP_EQ, one), #type); \
        CHECK(shmem_test_any_vector(w, 2, NULL, SHMEM_CMP_EQ, one) < 2, #type); \
        CHECK(shmem_test_some_vector(w, 2, found, NULL, SHMEM_CMP_EQ, one) == 2, #type); \
        meet(); \
    }

#define MOVE(type) \
    { \
        type *d = (type *)(void *)room, *s = d + 64; \
        shmem_team_t world = SHMEM_TEAM_WORLD; \
        for (int i = 0; i < 2 * n_pes; i++) \
            s[i] = (type)me; \
        meet(); \
        CHECK(!shmem_broadcast(world, d, s, 1, n_pes - 1) && d[0] == (type)(n_pes - 1), #type); \
        shmem_sync(world); \
        CHECK(!shmem_collect(world, d, s, 1) && d[me] == (type)me, #type); \
        shmem_sync(world); \
        CHECK(!shmem_fcollect(world, d, s, 1) && d[next] == (type)next, #type); \
        shmem_sync(world); \
        CHECK(!shmem_alltoall(world, d, s, 1) && d[prev] == (type)prev, #type); \
        shmem_sync(world); \
        CHECK(!shmem_alltoalls(world, d, s, 2, 1, 1) && d[2 * next] == (type)next, #type); \
        meet(); \
    }

#define REDUCE(type, op) \
    { \
        type *d = (type *)(void *)room, *s = d + 8; \
        s[0] = 1; \
        meet(); \
        CHECK(!shmem_##op(SHMEM_TEAM_WORLD, d, s, 1), #op " " #type); \
        CHECK(d[0] == (type)ones(n_pes, #op), #op " " #type); \
        meet(); \
    }
#define BITS(type) REDUCE(type, and_reduce) REDUCE(type, or_reduce) REDUCE(type, xor_reduce)
#define ORDERS(type) REDUCE(type, min_reduce) REDUCE(type, max_reduce)
#define SUMS(type) \
    REDUCE(type, sum_reduce) \
    REDUCE(type, prod_reduce) REDUCE(type, sum_inscan) REDUCE(type, sum_exscan)

/* What ones of n PEs combine to. */
static int ones(int n, const char *op)
{
    if (!strcmp(op, "xor_reduce"))
        return n % 2;
    if (!strcmp(op, "sum_reduce"))
        return n;
    if (!strcmp(op, "sum_inscan"))
        return me + 1;
    return strcmp(op, "sum_exscan") ? 1 : me;
}

static void moves(void)
{
    ALL(MOVE)
    FIXED(MOVE)
    fact("broadcast, collect, fcollect, alltoall and alltoalls take all types");
}

/* clang-format off */
static void reductions(void)
{
    BITS(unsigned char) BITS(unsigned short) BITS(unsigned int) BITS(unsigned long)
    BITS(unsigned long long) FIXED(BITS)
    ALL(ORDERS) FIXED(ORDERS)
    ALL(SUMS) FIXED(SUMS) SUMS(float complex) SUMS(double complex)
    fact("the reductions and scans take their types");
}
/* clang-format on */

static void nested(void)
{
    int *w = (int *)(void *)room;

    w[0] = me;
    w[1] = -1;
    meet();
    shmem_p(&w[1], shmem_g(&w[0], shmem_g(&w[0], next)), next);
    meet();
    CHECK(w[1] == me, "%d", w[1]);
    fact("generic names may stand within each other's arguments");
}

int main(void)
{
    int status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    next = (me + 1) % n_pes;
    prev = (me + n_pes - 1) % n_pes;
    shmem_ctx_create(0, &ctx);
    rma();
    atomics();
    WAITED(WAIT)
    fact("the waits and tests take their types");
    moves();
    reductions();
    nested();
    shmem_ctx_destroy(ctx);
    status = finish();
    shmem_finalize();
    return status;
}
