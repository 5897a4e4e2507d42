/* Symmetric allocation follows its rules: sizes of 0, alignment, equal offsets on all
 * PEs, zeroed memory, and NULL with a text when a request cannot be met. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <stdint.h>

static char *base; /* the first object of the heap: offsets count from here */

/* All PEs must have `p` at the same distance from `base`. */
static int same_offset(const void *p)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), same = 1;
    int64_t *all = (int64_t *)need(n * sizeof(*all));
    int64_t mine = (const char *)p - base;

    for (int pe = 0; pe < n; pe++)
        nvshmem_int64_p(&all[me], mine, pe);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++)
        same &= all[pe] == mine;
    nvshmem_free(all);
    return same;
}

/* The aliases of two objects are as far apart as the objects. */
static void check_aliases(const char *p)
{
    for (int pe = 0; pe < nvshmem_n_pes(); pe++) {
        char *p_there = (char *)nvshmem_ptr(p, pe);
        char *base_there = (char *)nvshmem_ptr(base, pe);

        CHECK(!p_there == !base_there, "pe %d is reached or not", pe);
        CHECK(!p_there || p_there - base_there == p - base, "alias of pe %d", pe);
    }
}

static void zero_sizes(void)
{
    CHECK(nvshmem_malloc(0) == NULL, "malloc(0)");
    CHECK(nvshmem_calloc(0, 8) == NULL, "calloc(0, 8)");
    CHECK(nvshmem_calloc(8, 0) == NULL, "calloc(8, 0)");
    CHECK(nvshmem_align(64, 0) == NULL, "align(64, 0)");
    fact("size 0 gives NULL");
    if (nvshmem_my_pe() == 0)
        nvshmem_free(NULL);
    nvshmem_barrier_all();
    fact("free(NULL) does nothing and waits for nobody");
}

static void offsets(void)
{
    static const size_t sizes[] = { 1, 37, 511, 512, 513, 4096, 100001, 1 << 21, 3 << 20 };
    enum { N = sizeof(sizes) / sizeof(sizes[0]) };
    char *p[N];

    for (int i = 0; i < N; i++) {
        p[i] = (char *)nvshmem_malloc(sizes[i]);
        CHECK(p[i] && (uintptr_t)p[i] % 512 == 0, "%zu bytes at %p", sizes[i], (void *)p[i]);
        memset(p[i], i, sizes[i]);
        CHECK(same_offset(p[i]), "%zu bytes", sizes[i]);
        check_aliases(p[i]);
    }
    for (int i = 0; i < N; i++)
        CHECK(differs_from(p[i], sizes[i], (unsigned char)i) == sizes[i], "%zu bytes", sizes[i]);
    for (int i = 0; i < N; i++)
        nvshmem_free(p[i]);
    fact("malloc gives multiples of 512 at the same offset on all PEs, no two overlap");
}

static void alignments(void)
{
    static const size_t bad[] = { 0, 1, 2, 3, 4, 7, 12, 24, 4095, 4097, SIZE_MAX };
    static const size_t good[] = { 8, 16, 64, 512, 1024, 4096, 1 << 16, 1 << 21 };
    static const size_t sizes[] = { 1, 37, 5000 };

    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
            CHECK(nvshmem_align(bad[i], sizes[s]) == NULL, "align(%zu, %zu)", bad[i], sizes[s]);
        for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
            char *p = (char *)nvshmem_align(good[i], sizes[s]);

            CHECK(p && (uintptr_t)p % good[i] == 0, "align(%zu, %zu) gives %p", good[i], sizes[s],
                  (void *)p);
            CHECK(same_offset(p), "align(%zu, %zu)", good[i], sizes[s]);
            if (p)
                memset(p, 0x77, sizes[s]);
            nvshmem_free(p);
        }
    }
    fact("align: bad alignments give NULL, good ones aligned memory at the same offset");
}

static void zeroed(void)
{
    unsigned char *p;

    for (int i = 0; i < 3; i++) {
        p = (unsigned char *)nvshmem_malloc(70001);
        memset(p, 0xff, 70001);
        nvshmem_free(p);
        p = (unsigned char *)nvshmem_calloc(10000, 7);
        CHECK(p && differs_from(p, 70000, 0) == 70000, "round %d", i);
        nvshmem_free(p);
    }
    fact("calloc gives zeroes where other contents were before");
}

/* Every PE must get NULL, know why, and be able to go on. */
static void check_refused(void *p, const char *what)
{
    unsigned char *q;

    CHECK(p == NULL, "%s", what);
    CHECK(p || nvshmemx_last_error()[0], "%s has an error text", what);
    q = (unsigned char *)nvshmem_malloc(1000);
    CHECK(q != NULL && same_offset(q), "allocation after %s", what);
    nvshmem_free(q);
}

static void refusals(void)
{
    check_refused(nvshmem_malloc((size_t)1 << 50), "2^50 bytes");
    check_refused(nvshmem_malloc(SIZE_MAX), "SIZE_MAX bytes");
    check_refused(nvshmem_malloc(SIZE_MAX - 511), "SIZE_MAX - 511 bytes");
    check_refused(nvshmem_align(4096, SIZE_MAX - 4095), "align of nearly SIZE_MAX bytes");
    check_refused(nvshmem_align((size_t)1 << 62, 64), "an alignment of 2^62");
    check_refused(nvshmem_calloc((size_t)1 << 40, 1 << 10), "2^40 elements of 2^10");
    fact("what is too large gives NULL on all PEs, with a text, and the program goes on");
    check_refused(nvshmem_calloc(SIZE_MAX / 2, 3), "SIZE_MAX / 2 elements of 3");
    check_refused(nvshmem_calloc((size_t)1 << 32, (size_t)1 << 32), "2^32 elements of 2^32");
    check_refused(nvshmem_calloc(((size_t)1 << 62) + 1, 4), "2^62 + 1 elements of 4");
    fact("calloc refuses a product that does not fit in a size_t");
}

int main(void)
{
    int status;

    nvshmem_init();
    base = (char *)need(512);
    zero_sizes();
    offsets();
    alignments();
    zeroed();
    refusals();
    status = finish();
    nvshmem_finalize();
    return status;
}
