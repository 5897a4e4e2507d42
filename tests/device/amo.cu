/* Every atomic operation of every type, called by all threads of all PEs on one word of PE 0,
 * loses none, returns what was there before, and leaves what the operation gives. */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

/* All add up at PE 0; the answers of fetch_inc are all different: their sum is known. */
#define ADDS(name, type, unused) \
    __global__ void adds_##name(area a) \
    { \
        type *word = (type *)a.dest; /* then a sum, and a count */ \
        long all = (long)nvshmem_n_pes() * BLOCK; \
        if (threadIdx.x < 8) \
            word[threadIdx.x] = 0; \
        nvshmemx_barrier_all_block(); \
        nvshmem_##name##_atomic_add(word, 3, 0); \
        if (nvshmem_##name##_atomic_fetch_add(word + 3, 2, 0) > (type)(2 * all - 2)) \
            atomicAdd(a.wrong, 1u); \
        INC(name, type) \
        nvshmemx_barrier_all_block(); \
        if (threadIdx.x == 0) { \
            expect(a, nvshmem_##name##_g(word, 0), (type)(3 * all)); \
            expect(a, nvshmem_##name##_g(word + 3, 0), (type)(2 * all)); \
            LEFT(name, type) \
        } \
        nvshmemx_barrier_all_block(); \
    }
#define INC(name, type) \
    nvshmem_##name##_atomic_inc(word + 2, 0); \
    nvshmem_##name##_atomic_add(word + 1, nvshmem_##name##_atomic_fetch_inc(word + 4, 0), 0);
#define LEFT(name, type) \
    expect(a, nvshmem_##name##_atomic_fetch(word + 2, 0), (type)all); \
    expect(a, nvshmem_##name##_atomic_fetch(word + 4, 0), (type)all); \
    expect(a, nvshmem_##name##_atomic_fetch(word + 1, 0), (type)(all * (all - 1) / 2));
GSH_AMO_TYPES(ADDS, _)
#undef INC
#undef LEFT
#define INC(name, type)
#define LEFT(name, type)
GSH_T_REALS(ADDS, _)

/* Sums that 16 bits hold; the neighbour in the same 32-bit word is left alone. */
#define HALF_ADDS(name, type, unused) \
    __global__ void adds_##name(area a) \
    { \
        type *word = (type *)a.dest, one = (type)1.0f; \
        long all = (long)nvshmem_n_pes() * 16; \
        if (threadIdx.x < 4) \
            word[threadIdx.x] = (type)(float)threadIdx.x; \
        nvshmemx_barrier_all_block(); \
        if (threadIdx.x < 16) { \
            nvshmem_##name##_atomic_add(word + 1, one, 0); \
            if ((float)nvshmem_##name##_atomic_fetch_add(word + 2, one, 0) > (float)(all + 1)) \
                atomicAdd(a.wrong, 1u); \
        } \
        nvshmemx_barrier_all_block(); \
        if (threadIdx.x < 4) \
            expect(a, nvshmem_##name##_g(word + threadIdx.x, 0), \
                   (type)(float)(threadIdx.x + (threadIdx.x % 3 ? all : 0))); \
        nvshmemx_barrier_all_block(); \
    }
GSH_T_HALFS(HALF_ADDS, _)

/* One thread on a word of the next PE. */
#define SETS(name, type, unused) \
    __global__ void sets_##name(area a) \
    { \
        type *word = (type *)a.source; \
        nvshmem_##name##_atomic_set(word, (type)7, next_pe()); \
        expect(a, nvshmem_##name##_atomic_fetch(word, next_pe()), (type)7); \
        expect(a, nvshmem_##name##_atomic_swap(word, (type)9, next_pe()), (type)7); \
        expect(a, nvshmem_##name##_atomic_fetch(word, next_pe()), (type)9); \
    }
GSH_AMO_EXT_TYPES(SETS, _)

#define SWAPS(name, type, unused) \
    __global__ void swaps_##name(area a) \
    { \
        type *word = (type *)a.source + 1; \
        nvshmem_##name##_atomic_set(word, 5, next_pe()); \
        expect(a, nvshmem_##name##_atomic_compare_swap(word, 4, 6, next_pe()), (type)5); \
        expect(a, nvshmem_##name##_atomic_compare_swap(word, 5, 6, next_pe()), (type)5); \
        expect(a, nvshmem_##name##_atomic_compare_swap(word, 6, (type)-1, next_pe()), (type)6); \
        if (nvshmem_##name##_atomic_fetch(word, next_pe()) != (type)-1) \
            atomicAdd(a.wrong, 1u); \
    }
GSH_AMO_TYPES(SWAPS, _)

/* 0xf0f0 with 0x0ff0, twice: the second time by the form with an answer. */
#define BITS(name, type, op, first, second) \
    nvshmem_##name##_atomic_set(word, (type)0xf0f0, next_pe()); \
    nvshmem_##name##_atomic_##op(word, (type)0x0ff0, next_pe()); \
    expect(a, nvshmem_##name##_atomic_fetch_##op(word, (type)0x00ff, next_pe()), (type)first); \
    expect(a, nvshmem_##name##_atomic_fetch(word, next_pe()), (type)second);
#define BIT_TYPE(name, type, unused) \
    __global__ void bits_##name(area a) \
    { \
        type *word = (type *)a.source + 2; \
        BITS(name, type, and, 0x00f0, 0x00f0) \
        BITS(name, type, or, 0xfff0, 0xffff) \
        BITS(name, type, xor, 0xff00, 0xffff) \
    }
GSH_AMO_BIT_TYPES(BIT_TYPE, _)

#define TRY(name, type, kernel, threads, ...) \
    kernel##_##name<<<1, threads>>>(a); \
    settle(a, #kernel " " #name);

int main(void)
{
    nvshmem_init();
    area a = make_area();

    GSH_AMO_TYPES(TRY, adds, BLOCK)
    fact("add, inc and their fetch forms lose nothing, for all integers");
    GSH_T_REALS(TRY, adds, BLOCK)
    fact("add and fetch_add lose nothing, for float and double");
    GSH_T_HALFS(TRY, adds, BLOCK)
    fact("add and fetch_add of half and bfloat16 lose nothing and leave the neighbours alone");
    GSH_AMO_EXT_TYPES(TRY, sets, 1)
    fact("set, fetch and swap give and leave what they should");
    GSH_AMO_TYPES(TRY, swaps, 1)
    fact("compare_swap swaps when equal, and only then");
    GSH_AMO_BIT_TYPES(TRY, bits, 1)
    fact("and, or and xor change the bits and give the old ones");
    return finish();
}
