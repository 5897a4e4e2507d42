/* OpenSHMEM 1.5, annex F (deprecated names): start_pes, _my_pe, shmalloc, shmem_int_add,
 * shmem_wait, the cache calls and the constants with an underscore still do what they did. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

static int me, n_pes, next;

static void names(void)
{
    int *p;

    CHECK(me == shmem_my_pe() && n_pes == shmem_n_pes(), "%d of %d", me, n_pes);
    start_pes(0);
    p = shmalloc(100);
    p = shrealloc(p, 1000);
    CHECK(p != NULL, "shrealloc");
    p[249] = me;
    shmem_barrier_all();
    CHECK(shmem_int_g(&p[249], next) == next, "shmalloc");
    shmem_barrier_all();
    shfree(p);
    p = shmemalign(1024, 8);
    CHECK((uintptr_t)p % 1024 == 0, "%p", (void *)p);
    shfree(p);
    fact("start_pes, _my_pe, _num_pes, shmalloc, shrealloc, shmemalign, shfree");
}

static void caches(void)
{
    static int line;

    shmem_set_cache_inv();
    shmem_set_cache_line_inv(&line);
    shmem_clear_cache_inv();
    shmem_clear_cache_line_inv(&line);
    shmem_udcflush();
    shmem_udcflush_line(&line);
    CHECK(_SHMEM_CMP_EQ == SHMEM_CMP_EQ && _SHMEM_CMP_NE == SHMEM_CMP_NE &&
              _SHMEM_CMP_GT == SHMEM_CMP_GT && _SHMEM_CMP_LE == SHMEM_CMP_LE &&
              _SHMEM_CMP_LT == SHMEM_CMP_LT && _SHMEM_CMP_GE == SHMEM_CMP_GE,
          "comparisons");
    CHECK(_SHMEM_SYNC_VALUE == SHMEM_SYNC_VALUE && _SHMEM_BARRIER_SYNC_SIZE > 0 &&
              _SHMEM_BCAST_SYNC_SIZE > 0 && _SHMEM_COLLECT_SYNC_SIZE > 0 &&
              _SHMEM_REDUCE_SYNC_SIZE > 0 && _SHMEM_ALLTOALL_SYNC_SIZE > 0 &&
              _SHMEM_ALLTOALLS_SYNC_SIZE > 0 && _SHMEM_REDUCE_MIN_WRKDATA_SIZE > 0,
          "sizes");
    fact("the cache calls and the constants with an underscore exist");
}

#define AMO(name, type) \
    static void name##_amo(void) \
    { \
        static type w; \
        shmem_##name##_set(&w, 3, next); \
        shmem_fence(); \
        shmem_##name##_add(&w, 4, next); \
        shmem_##name##_inc(&w, next); \
        shmem_quiet(); \
        CHECK(shmem_##name##_fadd(&w, 2, next) == 8, #name); \
        CHECK(shmem_##name##_finc(&w, next) == 10, #name); \
        CHECK(shmem_##name##_cswap(&w, 11, 20, next) == 11, #name); \
        CHECK(shmem_##name##_swap(&w, 21, next) == 20, #name); \
        CHECK(shmem_##name##_fetch(&w, next) == 21, #name); \
        shmem_add(&w, 1, next); \
        shmem_inc(&w, next); \
        shmem_quiet(); \
        CHECK(shmem_fadd(&w, 1, next) == 23 && shmem_finc(&w, next) == 24, #name); \
        CHECK(shmem_cswap(&w, 25, 1, next) == 25 && shmem_fetch(&w, next) == 1, #name); \
        shmem_set(&w, 2, next); \
        shmem_quiet(); \
        CHECK(shmem_swap(&w, 3, next) == 2, #name); \
    }
AMO(int, int)
AMO(long, long)
AMO(longlong, long long)

static void reals(void)
{
    static float f;
    static double d;

    shmem_float_set(&f, 1.5f, next);
    shmem_double_set(&d, 2.5, next);
    shmem_quiet();
    CHECK(shmem_float_swap(&f, 3, next) == 1.5f && shmem_float_fetch(&f, next) == 3, "float");
    CHECK(shmem_double_swap(&d, 4, next) == 2.5 && shmem_fetch(&d, next) == 4, "double");
}

static void waits(void)
{
    static short s;
    static int i;
    static long l, m;
    static long long ll;

    shmem_barrier_all();
    shmem_short_p(&s, 1, next);
    shmem_int_p(&i, 2, next);
    shmem_long_p(&l, 3, next);
    shmem_longlong_p(&ll, 4, next);
    shmem_long_p(&m, 5, next);
    shmem_short_wait(&s, 0);
    shmem_int_wait(&i, 0);
    shmem_long_wait(&l, 0);
    shmem_longlong_wait(&ll, 0);
    shmem_wait(&m, 0);
    (shmem_wait_until)(&m, SHMEM_CMP_EQ, 5);
    CHECK(s == 1 && i == 2 && l == 3 && ll == 4 && m == 5, "values");
    fact("shmem_wait and its typed forms wait for another value");
}

int main(void)
{
    int status;

    start_pes(0);
    me = _my_pe();
    n_pes = _num_pes();
    next = (me + 1) % n_pes;
    names();
    caches();
    int_amo();
    long_amo();
    longlong_amo();
    reals();
    fact("the old names of atomic operations, typed and generic");
    waits();
    status = finish();
    return status; /* without finalize, as start_pes allows */
}
