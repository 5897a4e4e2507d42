/* narrow.h - the bits of the two 16-bit floating-point formats; with narrow_type.h all of
 * cuda_fp16.h and cuda_bf16.h. Arithmetic is done in float or double and rounded once.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LANG_NARROW_H
#define GSHMEM_CPU_LANG_NARROW_H

#include <gshmem/cpu/cuda_lang.h>

namespace gsh_lang {

#define GSH_LANG_NARROW_NAN 0x7fff

/* 1 sign bit, 5 of exponent, 10 of fraction. */
struct half_format {
    static float widen(unsigned bits)
    {
        unsigned magnitude = bits & 0x7fff;
        uint32_t sign = (bits & 0x8000) << 16;

        if (magnitude < 0x400) { /* units of 2^-24 */
            float value = static_cast<float>(magnitude) * 5.9604644775390625e-8f;
            return bit_cast<float>(bit_cast<uint32_t>(value) | sign);
        }
        uint32_t exponent = magnitude < 0x7c00 ? 112u << 23 : 224u << 23;
        return bit_cast<float>(((magnitude << 13) + exponent) | sign);
    }

    static unsigned short narrow(float value, rounding direction)
    {
        uint32_t bits = bit_cast<uint32_t>(value);
        uint32_t wide = bits & 0x7fffffff;
        unsigned sign = bits >> 16 & 0x8000;
        unsigned magnitude, rest, unit;

        if (wide > 0x7f800000)
            return GSH_LANG_NARROW_NAN;
        if (wide == 0x7f800000)
            return static_cast<unsigned short>(sign | 0x7c00);
        if (wide >= 143u << 23) { /* 2^16: the largest finite number and a lot more */
            magnitude = 0x7bff;
            unit = 0x2000;
            rest = unit - 1;
        } else if (wide >= 113u << 23) {
            magnitude = (wide - (112u << 23)) >> 13;
            unit = 0x2000;
            rest = wide & (unit - 1);
        } else { /* below 2^-14: subnormal; below 2^-25 less than half of the smallest */
            unsigned shift = 126 - (wide >> 23);
            uint32_t fraction = (wide & 0x7fffff) | 0x800000;
            unit = 1u << (shift < 25 ? shift : 25);
            magnitude = fraction / unit;
            rest = shift < 26 ? fraction & (unit - 1) : wide != 0;
        }
        magnitude += round_up(magnitude, rest, unit / 2, sign != 0, direction);
        return static_cast<unsigned short>(sign | magnitude);
    }
};

/* The upper half of a float. */
struct bfloat16_format {
    static float widen(unsigned bits) { return bit_cast<float>(bits << 16); }

    static unsigned short narrow(float value, rounding direction)
    {
        uint32_t bits = bit_cast<uint32_t>(value);
        unsigned magnitude = bits >> 16 & 0x7fff;

        if (std::isnan(value))
            return GSH_LANG_NARROW_NAN;
        magnitude += round_up(magnitude, bits & 0xffff, 0x8000, bits >> 31, direction);
        return static_cast<unsigned short>((bits >> 16 & 0x8000) | magnitude);
    }
};

#undef GSH_LANG_NARROW_NAN

} // namespace gsh_lang

#define GSH_JOIN_EXPANDED(a, b, c) a##b##c
#define GSH_JOIN(a, b, c) GSH_JOIN_EXPANDED(a, b, c)

/* X(name in functions, type): what the types are converted from and to. */
#define GSH_NARROW_INTS(X) \
    X(short, short) \
    X(ushort, unsigned short) \
    X(int, int) X(uint, unsigned) X(ll, long long) X(ull, unsigned long long)

/* X(name, name for pairs, value made of the floats a and b) */
#define GSH_NARROW_BINARY(X) \
    X(__hadd, __hadd2, a + b) \
    X(__hsub, __hsub2, a - b) \
    X(__hmul, __hmul2, a *b) \
    X(__hadd_rn, __hadd2_rn, a + b) \
    X(__hsub_rn, __hsub2_rn, a - b) \
    X(__hmul_rn, __hmul2_rn, a *b) \
    X(__hadd_sat, __hadd2_sat, __saturatef(a + b)) \
    X(__hsub_sat, __hsub2_sat, __saturatef(a - b)) \
    X(__hmul_sat, __hmul2_sat, __saturatef(a *b)) \
    X(__hdiv, __h2div, a / b) \
    X(__hmax, __hmax2, fmaxf(a, b)) \
    X(__hmin, __hmin2, fminf(a, b)) \
    X(__hmax_nan, __hmax2_nan, std::isnan(a) ? a : std::isnan(b) ? b : fmaxf(a, b)) \
    X(__hmin_nan, __hmin2_nan, std::isnan(a) ? a : std::isnan(b) ? b : fminf(a, b))

/* X(name, name for pairs, value made of the float a) */
#define GSH_NARROW_UNARY(X) \
    X(__hneg, __hneg2, -a) \
    X(__habs, __habs2, fabsf(a)) \
    X(hsqrt, h2sqrt, sqrtf(a)) \
    X(hrsqrt, h2rsqrt, rsqrtf(a)) \
    X(hrcp, h2rcp, 1 / a) \
    X(hexp, h2exp, expf(a)) \
    X(hexp2, h2exp2, exp2f(a)) \
    X(hexp10, h2exp10, powf(10, a)) \
    X(hlog, h2log, logf(a)) \
    X(hlog2, h2log2, log2f(a)) \
    X(hlog10, h2log10, log10f(a)) \
    X(hsin, h2sin, sinf(a)) \
    X(hcos, h2cos, cosf(a)) \
    X(htanh, h2tanh, tanhf(a)) \
    X(hfloor, h2floor, floorf(a)) \
    X(hceil, h2ceil, ceilf(a)) \
    X(htrunc, h2trunc, truncf(a)) \
    X(hrint, h2rint, nearbyintf(a))

/* X(name less __h, comparison of the floats a and b); with u also true for NaNs. */
#define GSH_NARROW_COMPARE(X) \
    X(eq, a == b) \
    X(ne, a<b || a> b) \
    X(lt, a < b) \
    X(le, a <= b) \
    X(gt, a > b) \
    X(ge, a >= b) \
    X(equ, !(a < b || a > b)) \
    X(neu, a != b) \
    X(ltu, !(a >= b)) \
    X(leu, !(a > b)) \
    X(gtu, !(a <= b)) \
    X(geu, !(a < b))

#endif /* GSHMEM_CPU_LANG_NARROW_H */
