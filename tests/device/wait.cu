/* The waits and tests of every type: each comparison, all, any and some, one value or a value
 * for each, elements left out by status, empty sets; any and some starve none. */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

#define FAIL_UNLESS(condition) \
    if (!(condition)) \
    atomicAdd(a.wrong, 1u)

enum { N = 12 };

/* With words of 0, 1, 2 against 1: what holds by comparison, a bit for each word. */
__device__ static const int holds_for[] = { 2, 5, 4, 3, 1, 6 };

#define COMPARES(name, type, unused) \
    __global__ void compares_##name(area a) \
    { \
        type *word = (type *)a.source, less = (type)-1; \
        for (int cmp = NVSHMEM_CMP_EQ; cmp <= NVSHMEM_CMP_GE; cmp++) \
            for (int v = 0; v < 3; v++) { \
                *word = (type)v; \
                FAIL_UNLESS(nvshmem_##name##_test(word, cmp, 1) == (holds_for[cmp] >> v & 1)); \
                if (holds_for[cmp] >> v & 1) \
                    nvshmem_##name##_wait_until(word, cmp, 1); \
            } \
        *word = less; /* the greatest, or below all that is not negative */ \
        FAIL_UNLESS(nvshmem_##name##_test(word, NVSHMEM_CMP_GT, 1) == (less > (type)1)); \
    }
GSH_WAIT_TYPES(COMPARES, _)

/* Elements 3, 5, 7 hold, 5 is left out by status. */
#define TESTS(name, type, unused) \
    __global__ void tests_##name(area a, int *status, size_t *found) \
    { \
        type *w = (type *)a.source, values[N]; \
        int seen = 0; \
        for (int i = 0; i < N; i++) { \
            w[i] = i == 3 || i == 5 || i == 7; \
            values[i] = (type)(i == 4 ? 0 : 1); /* 4 holds for its own value */ \
            status[i] = i == 5; \
        } \
        for (int k = 0; k < 200 && seen != 0x88; k++) \
            seen |= 1 << nvshmem_##name##_test_any(w, N, status, NVSHMEM_CMP_EQ, 1); \
        FAIL_UNLESS(seen == 0x88); \
        FAIL_UNLESS(nvshmem_##name##_test_some(w, N, found, status, NVSHMEM_CMP_EQ, 1) == 2); \
        FAIL_UNLESS(found[0] + found[1] == 10 && found[0] != found[1]); \
        FAIL_UNLESS(nvshmem_##name##_test_some(w, N, found, NULL, NVSHMEM_CMP_EQ, 1) == 3); \
        FAIL_UNLESS( \
            nvshmem_##name##_test_some_vector(w, N, found, status, NVSHMEM_CMP_EQ, values) == 3); \
        FAIL_UNLESS(nvshmem_##name##_test_any(w, 3, status, NVSHMEM_CMP_EQ, 1) == SIZE_MAX); \
        FAIL_UNLESS(nvshmem_##name##_test_any_vector(w, 5, status, NVSHMEM_CMP_NE, values) < 3); \
        FAIL_UNLESS(!nvshmem_##name##_test_all(w, N, status, NVSHMEM_CMP_EQ, 1)); \
        FAIL_UNLESS(nvshmem_##name##_test_all(w, 3, NULL, NVSHMEM_CMP_EQ, 0)); \
        FAIL_UNLESS(nvshmem_##name##_test_all_vector(w + 3, 2, NULL, NVSHMEM_CMP_EQ, values + 3)); \
        for (int i = 0; i < N; i++) \
            status[i] = 1; \
        FAIL_UNLESS(nvshmem_##name##_test_all(w, N, status, NVSHMEM_CMP_EQ, 2)); \
        FAIL_UNLESS(nvshmem_##name##_test_any(w, N, status, NVSHMEM_CMP_EQ, 1) == SIZE_MAX); \
        FAIL_UNLESS(nvshmem_##name##_test_some(w, N, found, status, NVSHMEM_CMP_EQ, 1) == 0); \
        FAIL_UNLESS(nvshmem_##name##_wait_until_any(w, N, status, NVSHMEM_CMP_EQ, 1) == SIZE_MAX); \
        FAIL_UNLESS(nvshmem_##name##_wait_until_any(w, 0, NULL, NVSHMEM_CMP_EQ, 1) == SIZE_MAX); \
        FAIL_UNLESS(nvshmem_##name##_wait_until_some(w, 0, found, NULL, NVSHMEM_CMP_EQ, 1) == 0); \
        nvshmem_##name##_wait_until_all(w, N, status, NVSHMEM_CMP_EQ, 2); \
        nvshmem_##name##_wait_until_all_vector(w, 0, NULL, NVSHMEM_CMP_EQ, values); \
    }
GSH_WAIT_TYPES(TESTS, _)

/* The last PE writes 1 to N to the words of this one, in turn, while it waits. */
#define WAITS(name, type, unused) \
    __global__ void waits_##name(area a, int *status, size_t *found) \
    { \
        type *w = (type *)a.dest; \
        if (threadIdx.x < N) \
            w[threadIdx.x] = 0, status[threadIdx.x] = 0; \
        nvshmemx_barrier_all_block(); \
        if (threadIdx.x == 32) \
            for (int i = 0; i < N; i++) \
                nvshmem_##name##_p(w + i, (type)(i + 1), next_pe()); \
        if (threadIdx.x == 0) { \
            type values[N]; \
            size_t n = 0; \
            for (int i = 0; i < N; i++) \
                values[i] = (type)(i + 1); \
            size_t i = nvshmem_##name##_wait_until_any(w, N, status, NVSHMEM_CMP_NE, 0); \
            FAIL_UNLESS(i < N && w[i] == (type)(i + 1)); \
            status[i] = 1; \
            i = nvshmem_##name##_wait_until_any_vector(w, N, status, NVSHMEM_CMP_EQ, values); \
            FAIL_UNLESS(i < N && !status[i]); \
            status[i] = 1; \
            while (n < N - 2) { \
                size_t k = \
                    n % 2 \
                        ? nvshmem_##name##_wait_until_some(w, N, found, status, NVSHMEM_CMP_NE, 0) \
                        : nvshmem_##name##_wait_until_some_vector(w, N, found, status, \
                                                                  NVSHMEM_CMP_GE, values); \
                FAIL_UNLESS(k > 0 && k <= N - 2 - n); \
                for (n += k; k > 0; k--) \
                    status[found[k - 1]] = 1; \
            } \
            nvshmem_##name##_wait_until_all(w, N, NULL, NVSHMEM_CMP_GT, 0); \
            nvshmem_##name##_wait_until_all_vector(w, N, NULL, NVSHMEM_CMP_EQ, values); \
        } \
        nvshmemx_barrier_all_block(); \
    }
GSH_WAIT_TYPES(WAITS, _)

#define TRY(name, type, kernel, threads, ...) \
    kernel##_##name<<<1, threads>>> __VA_ARGS__; \
    settle(a, #kernel " " #name);

int main(void)
{
    nvshmem_init();
    area a = make_area();
    int *status;
    size_t *found;

    cudaMalloc((void **)&status, N * sizeof(*status));
    cudaMalloc((void **)&found, N * sizeof(*found));
    GSH_WAIT_TYPES(TRY, compares, 1, (a))
    fact("every comparison of every type, by test and by wait_until");
    GSH_WAIT_TYPES(TRY, tests, 1, (a, status, found))
    fact("tests over many words: all, any, some, vectors, status, empty sets; any takes turns");
    GSH_WAIT_TYPES(TRY, waits, BLOCK, (a, status, found))
    fact("waits over many words end when another PE writes them");
    return finish();
}
