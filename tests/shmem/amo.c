/* OpenSHMEM 1.5, section 9.8: atomic operations of every type, fetching or not, nbi, with a
 * context or not, do what they say and lose nothing when all PEs do them at once. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { ROUNDS = 100 };

static int me, n_pes;
static shmem_ctx_t ctx;
static char cells[64] __attribute__((aligned(16))); /* symmetric */

/* Each PE works on its own cell of the next PE, so that every value is known. */
#define EXT(name, type, a) \
    static void name##_ext(int pe) \
    { \
        type *w = (type *)(void *)cells, got = 0; \
        shmem_##name##_atomic_set(w, 5, pe); \
        shmem_quiet(); \
        CHECK(shmem_##name##_atomic_fetch(w, pe) == 5, #name " set, fetch"); \
        CHECK(shmem_##name##_atomic_swap(w, 6, pe) == 5, #name " swap"); \
        shmem_ctx_##name##_atomic_set(ctx, w, 7, pe); \
        shmem_ctx_quiet(ctx); \
        CHECK(shmem_ctx_##name##_atomic_fetch(ctx, w, pe) == 7, #name " ctx set, fetch"); \
        CHECK(shmem_ctx_##name##_atomic_swap(ctx, w, 8, pe) == 7, #name " ctx swap"); \
        shmem_##name##_atomic_swap_nbi(&got, w, 9, pe); \
        shmem_quiet(); \
        CHECK(got == 8, #name " swap_nbi"); \
        shmem_ctx_##name##_atomic_fetch_nbi(ctx, &got, w, pe); \
        shmem_ctx_quiet(ctx); \
        CHECK(got == 9, #name " fetch_nbi"); \
    }
GSH_AMO_EXT_TYPES(EXT, _)

#define STD(name, type, a) \
    static void name##_std(int pe) \
    { \
        type *w = (type *)(void *)cells, got = 0; \
        shmem_##name##_atomic_set(w, 0, pe); \
        shmem_quiet(); \
        shmem_##name##_atomic_inc(w, pe); \
        shmem_##name##_atomic_add(w, (type)-3, pe); \
        shmem_ctx_##name##_atomic_inc(ctx, w, pe); \
        shmem_ctx_##name##_atomic_add(ctx, w, 4, pe); \
        shmem_ctx_quiet(ctx); \
        CHECK(shmem_##name##_atomic_fetch_inc(w, pe) == 3, #name " inc and add"); \
        CHECK(shmem_ctx_##name##_atomic_fetch_inc(ctx, w, pe) == 4, #name " fetch_inc"); \
        CHECK(shmem_##name##_atomic_fetch_add(w, 5, pe) == 5, #name " fetch_inc"); \
        CHECK(shmem_ctx_##name##_atomic_fetch_add(ctx, w, 1, pe) == 10, #name " fetch_add"); \
        CHECK(shmem_##name##_atomic_compare_swap(w, 10, 1, pe) == 11, #name " unlike"); \
        CHECK(shmem_##name##_atomic_compare_swap(w, 11, 12, pe) == 11, #name " like"); \
        CHECK(shmem_ctx_##name##_atomic_compare_swap(ctx, w, 12, 13, pe) == 12, #name " like"); \
        shmem_##name##_atomic_fetch_inc_nbi(&got, w, pe); \
        shmem_quiet(); \
        CHECK(got == 13, #name " fetch_inc_nbi"); \
        shmem_##name##_atomic_fetch_add_nbi(&got, w, 2, pe); \
        shmem_quiet(); \
        CHECK(got == 14, #name " fetch_add_nbi"); \
        shmem_ctx_##name##_atomic_compare_swap_nbi(ctx, &got, w, 16, 20, pe); \
        shmem_ctx_quiet(ctx); \
        CHECK(got == 16, #name " compare_swap_nbi"); \
    }
GSH_AMO_TYPES(STD, _)

#define BIT(name, type, a) \
    static void name##_bit(int pe) \
    { \
        type *w = (type *)(void *)cells, got = 0; \
        shmem_##name##_atomic_set(w, 0xff, pe); \
        shmem_quiet(); \
        shmem_##name##_atomic_and(w, 0x3c, pe); \
        shmem_fence(); \
        shmem_##name##_atomic_or(w, 0x100, pe); \
        shmem_fence(); \
        shmem_ctx_##name##_atomic_xor(ctx, w, 0x11, pe); \
        shmem_ctx_quiet(ctx); \
        CHECK(shmem_##name##_atomic_fetch_and(w, 0xff, pe) == 0x12d, #name " and, or, xor"); \
        CHECK(shmem_ctx_##name##_atomic_fetch_or(ctx, w, 0x80, pe) == 0x2d, #name " fetch_and"); \
        CHECK(shmem_##name##_atomic_fetch_xor(w, 0xf, pe) == 0xad, #name " fetch_or"); \
        shmem_##name##_atomic_fetch_and_nbi(&got, w, 0xf0, pe); \
        shmem_quiet(); \
        CHECK(got == 0xa2, #name " fetch_xor"); \
        shmem_ctx_##name##_atomic_fetch_or_nbi(ctx, &got, w, 1, pe); \
        shmem_ctx_quiet(ctx); \
        CHECK(got == 0xa0, #name " fetch_and_nbi"); \
        shmem_##name##_atomic_fetch_xor_nbi(&got, w, 3, pe); \
        shmem_quiet(); \
        CHECK(got == 0xa1, #name " fetch_or_nbi"); \
    }
GSH_AMO_BIT_TYPES(BIT, _)

static void values(void)
{
    int pe = (me + 1) % n_pes;

#define CALL(name, type, form) name##_##form(pe);
    GSH_AMO_EXT_TYPES(CALL, ext)
    fact("fetch, set and swap of all types");
    GSH_AMO_TYPES(CALL, std)
    fact("inc, add and compare_swap of all types");
    GSH_AMO_BIT_TYPES(CALL, bit)
    fact("and, or and xor of all types");
    shmem_barrier_all();
}

/* All PEs at once, the owner also with C's own atomics. */
static void together(void)
{
    static long total, swapped; /* symmetric */
    static unsigned bits;       /* symmetric */
    static float real;          /* symmetric */
    static double wide;         /* symmetric */

    for (int i = 0; i < ROUNDS; i++) {
        long seen = shmem_long_atomic_fetch(&swapped, 0);

        shmem_long_atomic_add(&total, 2, 0);
        if (!me)
            __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
        while (shmem_long_atomic_compare_swap(&swapped, seen, seen + 1, 0) != seen)
            seen = shmem_long_atomic_fetch(&swapped, 0);
        shmem_uint_atomic_xor(&bits, 1u << me % 32, 0);
        nvshmem_float_atomic_add(&real, 0.5f, 0);
        nvshmem_double_atomic_fetch_add(&wide, 0.25, 0);
    }
    shmem_barrier_all();
    if (!me) {
        CHECK(total == 2L * ROUNDS * n_pes + ROUNDS, "%ld", total);
        CHECK(swapped == (long)ROUNDS * n_pes, "%ld", swapped);
        CHECK(bits == 0, "%x", bits);
        CHECK(real == 0.5f * ROUNDS * (float)n_pes, "%g", (double)real);
        CHECK(wide == 0.25 * ROUNDS * n_pes, "%g", wide);
    }
    shmem_barrier_all();
    fact("nothing is lost when all PEs and the owner's C atomics meet on one word");
    CHECK(nvshmem_float_atomic_fetch_add(&real, 0, 0) == 0.5f * ROUNDS * (float)n_pes, "float");
    CHECK(nvshmem_double_atomic_fetch_add(&wide, 0, 0) == 0.25 * ROUNDS * n_pes, "double");
    fact("fetch_add of float and double returns what was there");
}

int main(void)
{
    int status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    shmem_ctx_create(0, &ctx);
    values();
    together();
    shmem_ctx_destroy(ctx);
    status = finish();
    shmem_finalize();
    return status;
}
