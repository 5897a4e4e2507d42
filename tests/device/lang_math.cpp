/* CUDA's integer intrinsics, conversions with a direction of rounding, min and max of mixed
 * types and vectors are the ones that CUDA describes, in host code. */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda_lang.h>

#include "util/test/tap.h"

#include <algorithm>
#include <fenv.h>
#include <memory>

using namespace std; // NOLINT: programs do so, and min and max must stay clear

static void test_vectors()
{
    constexpr float4 v = make_float4(1, 2, 3, 4);
    constexpr dim3 block = 5, plane(3, 2);
    uint3 three = plane;

    static_assert(sizeof(float3) == 12 && alignof(float4) == 16 && alignof(double2) == 16, "size");
    static_assert(alignof(char4) == 4 && alignof(uchar3) == 1 && alignof(short2) == 4, "size");
    static_assert(alignof(ulonglong4) == 16 && sizeof(int3) == 12 && alignof(uint2) == 8, "size");
    tap_ok(v.w == 4 && make_uchar2(1, 255).y == 255, "vectors have elements");
    tap_ok(block.x == 5 && block.y == 1 && block.z == 1 && three.y == 2 && dim3(three).z == 1,
           "dim3 is made of one to three numbers or a uint3");
}

static void test_bits()
{
    tap_ok(__popc(0xf0f0) == 8 && __popcll(~0ull) == 64, "popc counts ones");
    tap_ok(__clz(1) == 31 && __clz(0) == 32 && __clz(-1) == 0 && __clzll(0) == 64 &&
               __clzll(1ll << 40) == 23,
           "clz counts leading zeros, of 0 all");
    tap_ok(__ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 40) == 41, "ffs counts from 1");
    tap_ok(__brev(1) == 0x80000000 && __brev(0x12345678) == 0x1e6a2c48 && __brevll(2) == 1ull << 62,
           "brev turns the bits round");
    tap_ok(__byte_perm(0x33221100, 0x77665544, 0x7531) == 0x77553311 &&
               __byte_perm(0x33221100, 0x77665544, 0x0123) == 0x00112233,
           "byte_perm picks bytes");
    tap_ok(__funnelshift_l(0x80000001, 0x40000000, 1) == 0x80000001 &&
               __funnelshift_l(1, 2, 32) == 2 && __funnelshift_lc(1, 2, 40) == 1 &&
               __funnelshift_r(0x80000001, 1, 1) == 0xc0000000 && __funnelshift_rc(1, 2, 40) == 2,
           "funnel shifts shift two words");
    tap_ok(__mul24(-3, 5) == -15 && __mul24(0x1000002, 3) == 6 &&
               __umul24(0xffffff, 2) == 0x1fffffe,
           "mul24 multiplies 24 bits");
    tap_ok(__mulhi(-1, 2) == -1 && __umulhi(0x80000000, 4) == 2 && __mul64hi(-1, 1) == -1 &&
               __umul64hi(1ull << 63, 6) == 3,
           "mulhi is the upper half of the product");
    tap_ok(__sad(-3, 4, 10) == 17 && __sad(INT32_MIN, INT32_MAX, 0) == ~0u && __usad(3, 5, 1) == 3,
           "sad adds the difference");
    tap_ok(__hadd(-3, 0) == -2 && __rhadd(-3, 0) == -1 && __uhadd(~0u, ~0u) == ~0u &&
               __urhadd(~0u, 0) == 0x80000000,
           "hadd is the mean");
    tap_ok(__float_as_int(1.0f) == 0x3f800000 && __uint_as_float(0x40000000) == 2 &&
               __longlong_as_double(__double_as_longlong(-2.5)) == -2.5 &&
               __hiloint2double(__double2hiint(3.25), __double2loint(3.25)) == 3.25,
           "bits of floats go there and back");
}

static void test_to_integer()
{
    tap_ok(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.7f) == -2 && __float2int_ru(2.1f) == 3 &&
               __float2int_rd(-2.1f) == -3 && __double2ll_rn(3.5) == 4,
           "numbers are rounded to integers in 4 ways");
    tap_ok(__float2int_rz(1e20f) == INT32_MAX && __float2uint_rz(-1) == 0 &&
               __double2ll_rz(-1e30) == INT64_MIN && __double2ull_rz(1e30) == UINT64_MAX &&
               __float2ull_rn(18446744073709551616.0f) == UINT64_MAX && __float2int_rn(NAN) == 0,
           "out of range is the nearest integer, and NaN 0");
}

/* Rounds with the processor's own mode. */
template <class T> static float processor(T x, int mode)
{
    volatile T in = x;
    volatile float out;

    fesetround(mode);
    out = static_cast<float>(in);
    fesetround(FE_TONEAREST);
    return out;
}

static void test_to_float()
{
    unsigned wrong = 0;
    uint64_t seed = 1;

    for (int i = 0; i < 100000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        long long ll = static_cast<long long>(seed) >> i % 60;
        unsigned long long ull = seed >> i % 60;
        int word = static_cast<int>(seed >> 32);
        double x = ldexp(static_cast<double>(word), i % 300 - 180);
        wrong += __ll2float_rn(ll) != processor(ll, FE_TONEAREST);
        wrong += __ll2float_rz(ll) != processor(ll, FE_TOWARDZERO);
        wrong += __ll2float_ru(ll) != processor(ll, FE_UPWARD);
        wrong += __ull2float_rd(ull) != processor(ull, FE_DOWNWARD);
        wrong += __ull2float_rn(ull) != processor(ull, FE_TONEAREST);
        wrong += __int2float_rz(word) != processor(word, FE_TOWARDZERO);
        wrong += __double2float_rn(x) != processor(x, FE_TONEAREST);
        wrong += __double2float_ru(x) != processor(x, FE_UPWARD);
        wrong += __double2float_rd(x) != processor(x, FE_DOWNWARD);
        wrong += __double2float_rz(x) != processor(x, FE_TOWARDZERO);
    }
    tap_ok(!wrong, "to float is rounded as the processor does it (%u are not)", wrong);
    tap_ok(__double2float_rz(1e300) < INFINITY && __double2float_ru(1e300) == INFINITY &&
               __double2float_rd(-1e300) == -INFINITY,
           "what is too large ends at infinity or before it");
}

static void test_functions()
{
    static_assert(is_same<decltype(min(1, 2u)), unsigned>::value, "unsigned wins");
    static_assert(is_same<decltype(max(1.0f, 2.0)), double>::value, "double wins");
    static_assert(is_same<decltype(max(1ull, 2ll)), unsigned long long>::value, "unsigned wins");
    size_t a = 3, b = 4;

    tap_ok(min(a, b) == 3 && max(-1, 1) == 1 && min(-1, 1u) == 1 && max(1.5f, 2.5) == 2.5,
           "min and max of mixed types");
    tap_ok(min(NAN, 1.0f) == 1 && max(1.0, static_cast<double>(NAN)) == 1, "a number beats a NaN");
    tap_ok(__saturatef(2) == 1 && __saturatef(-1) == 0 && __saturatef(NAN) == 0 &&
               __saturatef(0.5f) == 0.5f,
           "saturatef ends at 0 and 1");
    tap_ok(rsqrtf(4) == 0.5f && rsqrt(16.0) == 0.25 && __frsqrt_rn(4) == 0.5f &&
               rnorm3df(2, 2, 1) > 0.33f,
           "reciprocal roots");
    tap_ok(__fmul_rn(3, 4) == 12 && __fmaf_rn(2, 3, 4) == 10 && __drcp_rn(4) == 0.25 &&
               __dsqrt_rn(9) == 3 && __fdividef(1, 4) == 0.25f && __powf(2, 3) == 8,
           "arithmetic under its CUDA names");
    cuda::std::tuple<int, float> pair(1, 2.0f);
    tap_ok(cuda::std::get<1>(pair) == 2, "cuda::std is std");
    tap_ok(*make_shared<int>(4) == 4, "the C++ library works with CUDA's words defined");
}

int main()
{
    test_vectors();
    test_bits();
    test_to_integer();
    test_to_float();
    test_functions();
    return tap_end();
}
