/* OpenSHMEM 1.5, section 9.11: wait_until and test, of one word and of all, any and some of many,
 * with one value or one for each, return when and what they should, for every type. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { MOST = 32 };

static int me, n_pes;
static char *cells; /* symmetric */

/* Each PE writes its place in all others; the arrays have one more, which is skipped. */
#define MANY(name, type, a) \
    static void name##_many(void) \
    { \
        type *w = (type *)(void *)cells, want[MOST]; \
        int status[MOST] = { 0 }; \
        size_t n = (size_t)n_pes, found[MOST], k; \
        memset(w, 0, MOST * sizeof(*w)); \
        for (int pe = 0; pe < n_pes; pe++) \
            want[pe] = (type)(pe + 1); \
        want[n] = 1; \
        status[n] = 1; \
        shmem_barrier_all(); \
        CHECK(!shmem_##name##_test(&w[0], SHMEM_CMP_GT, 0), #name " test"); \
        CHECK(!shmem_##name##_test_all(w, n, NULL, SHMEM_CMP_NE, 0), #name " test_all"); \
        CHECK(shmem_##name##_test_any(w, n, NULL, SHMEM_CMP_NE, 0) == SIZE_MAX, #name " any"); \
        CHECK(!shmem_##name##_test_some(w, n, found, NULL, SHMEM_CMP_NE, 0), #name " some"); \
        shmem_barrier_all(); \
        for (int pe = 0; pe < n_pes; pe++) \
            shmem_##name##_p(&w[me], (type)(me + 1), pe); \
        shmem_##name##_wait_until(&w[0], SHMEM_CMP_EQ, 1); \
        k = shmem_##name##_wait_until_any(w, n + 1, status, SHMEM_CMP_GE, 1); \
        CHECK(k < n, #name " wait_until_any: %zu", k); \
        k = shmem_##name##_wait_until_some(w, n + 1, found, status, SHMEM_CMP_GT, 0); \
        CHECK(k >= 1 && k <= n && found[0] < n, #name " wait_until_some: %zu", k); \
        shmem_##name##_wait_until_all(w, n + 1, status, SHMEM_CMP_NE, 0); \
        k = shmem_##name##_wait_until_any_vector(w, n + 1, status, SHMEM_CMP_EQ, want); \
        CHECK(k < n, #name " any_vector: %zu", k); \
        k = shmem_##name##_wait_until_some_vector(w, n + 1, found, status, SHMEM_CMP_EQ, want); \
        CHECK(k == n, #name " some_vector: %zu", k); \
        shmem_##name##_wait_until_all_vector(w, n + 1, status, SHMEM_CMP_LE, want); \
        CHECK(shmem_##name##_test_all_vector(w, n, NULL, SHMEM_CMP_EQ, want), #name); \
        CHECK(!shmem_##name##_test_all_vector(w, n, NULL, SHMEM_CMP_LT, want), #name); \
        CHECK(shmem_##name##_test_any_vector(w, n + 1, status, SHMEM_CMP_GE, want) < n, #name); \
        CHECK(shmem_##name##_test_some_vector(w, n + 1, found, status, SHMEM_CMP_GE, want) == n, \
              #name); \
        CHECK(shmem_##name##_wait_until_any(w, n, NULL, SHMEM_CMP_EQ, (type)n) == n - 1, #name); \
        CHECK(shmem_##name##_wait_until_any(w + n, 1, status + n, SHMEM_CMP_EQ, 5) == SIZE_MAX, \
              #name " nothing to wait for"); \
        shmem_barrier_all(); \
        fact(#name ": wait_until, test, and their all, any, some and vector forms"); \
    }
GSH_WAIT_TYPES(MANY, _)

static void order(void)
{
    static long data[8], flag; /* symmetric */
    int next = (me + 1) % n_pes, prev = (me + n_pes - 1) % n_pes;

    for (long round = 1; round <= 200; round++) {
        for (int i = 0; i < 8; i++)
            shmem_long_p(&data[i], round * 100 + me, next);
        shmem_fence();
        shmem_long_p(&flag, round, next);
        shmem_wait_until(&flag, SHMEM_CMP_GE, round);
        for (int i = 0; i < 8; i++)
            CHECK(data[i] == round * 100 + prev, "round %ld, word %d: %ld", round, i, data[i]);
        shmem_barrier_all();
    }
    fact("what was put before a fence is there when what comes after it is seen");
    for (long round = 1; round <= 200; round++) {
        long out = -round;

        shmem_long_put_nbi(data, &out, 1, next);
        shmem_quiet();
        CHECK(shmem_long_g(data, next) == -round, "round %ld", round);
        shmem_barrier_all();
    }
    fact("what was put before quiet is there after it");
}

int main(void)
{
    int status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    cells = need(MOST * 8);
#define CALL(name, type, a) name##_many();
    GSH_WAIT_TYPES(CALL, _)
    order();
    status = finish();
    shmem_finalize();
    return status;
}
