/* math.h - what CUDA has beyond the C library's math: min and max of mixed types,
 * conversions with a direction of rounding, arithmetic that is never contracted, and the
 * fast functions, which here are the exact ones.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LANG_MATH_H
#define GSHMEM_CPU_LANG_MATH_H

#include <gshmem/cpu/lang/bits.h>
#include <gshmem/cpu/lang/round.h>
#include <limits.h>
#include <math.h>

/* X(type of the result and the comparison, type, type) */
#define GSH_LANG_MIXES(X) \
    X(int, int, int) \
    X(unsigned, unsigned, unsigned) \
    X(unsigned, int, unsigned) \
    X(unsigned, unsigned, int) \
    X(long, long, long) \
    X(unsigned long, unsigned long, unsigned long) \
    X(unsigned long, long, unsigned long) \
    X(unsigned long, unsigned long, long) \
    X(long long, long long, long long) \
    X(unsigned long long, unsigned long long, unsigned long long) \
    X(unsigned long long, long long, unsigned long long) \
    X(unsigned long long, unsigned long long, long long)

#define GSH_LANG_MIN(T, A, B) \
    constexpr T min(A a, B b) \
    { \
        return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a); \
    } \
    constexpr T max(A a, B b) \
    { \
        return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a); \
    }
GSH_LANG_MIXES(GSH_LANG_MIN)
#undef GSH_LANG_MIN
#undef GSH_LANG_MIXES

/* A number beats a NaN. */
#define GSH_LANG_MIN(T, A, B) \
    inline T min(A a, B b) \
    { \
        return fmin(static_cast<T>(a), static_cast<T>(b)); \
    } \
    inline T max(A a, B b) \
    { \
        return fmax(static_cast<T>(a), static_cast<T>(b)); \
    }
GSH_LANG_MIN(float, float, float)
GSH_LANG_MIN(double, double, double)
GSH_LANG_MIN(double, float, double)
GSH_LANG_MIN(double, double, float)
#undef GSH_LANG_MIN

/* The same under names by type. */
constexpr unsigned umin(unsigned a, unsigned b)
{
    return min(a, b);
}

constexpr unsigned umax(unsigned a, unsigned b)
{
    return max(a, b);
}

/* X(suffix, direction) */
#define GSH_LANG_ROUNDINGS(X, ...) \
    X(rn, gsh_lang::to_nearest, __VA_ARGS__) \
    X(rz, gsh_lang::to_zero, __VA_ARGS__) \
    X(ru, gsh_lang::upward, __VA_ARGS__) \
    X(rd, gsh_lang::downward, __VA_ARGS__)

/* To integers: out of range gives the nearest one, a NaN 0. */
#define GSH_LANG_TO_INT(suffix, direction, name, To) \
    inline To __float2##name##_##suffix(float x) \
    { \
        return gsh_lang::to_integer<To>(x, direction); \
    } \
    inline To __double2##name##_##suffix(double x) \
    { \
        return gsh_lang::to_integer<To>(x, direction); \
    }
GSH_LANG_ROUNDINGS(GSH_LANG_TO_INT, int, int)
GSH_LANG_ROUNDINGS(GSH_LANG_TO_INT, uint, unsigned)
GSH_LANG_ROUNDINGS(GSH_LANG_TO_INT, ll, long long)
GSH_LANG_ROUNDINGS(GSH_LANG_TO_INT, ull, unsigned long long)
#undef GSH_LANG_TO_INT

#define GSH_LANG_TO_FLOAT(suffix, direction, name, From) \
    inline float __##name##2float_##suffix(From x) \
    { \
        return gsh_lang::to_float(gsh_lang::sticky(x), direction); \
    }
GSH_LANG_ROUNDINGS(GSH_LANG_TO_FLOAT, int, int)
GSH_LANG_ROUNDINGS(GSH_LANG_TO_FLOAT, uint, unsigned)
GSH_LANG_ROUNDINGS(GSH_LANG_TO_FLOAT, ll, long long)
GSH_LANG_ROUNDINGS(GSH_LANG_TO_FLOAT, ull, unsigned long long)
GSH_LANG_ROUNDINGS(GSH_LANG_TO_FLOAT, double, double)
#undef GSH_LANG_TO_FLOAT

#define GSH_LANG_TO_DOUBLE(name, From) \
    inline double __##name(From x) \
    { \
        return static_cast<double>(x); \
    }
GSH_LANG_TO_DOUBLE(int2double_rn, int)
GSH_LANG_TO_DOUBLE(uint2double_rn, unsigned)
GSH_LANG_TO_DOUBLE(ll2double_rn, long long)
GSH_LANG_TO_DOUBLE(ull2double_rn, unsigned long long)
#undef GSH_LANG_TO_DOUBLE

/* Rounded on its own: the barrier keeps the compiler from fusing it with what follows. */
#define GSH_LANG_EXACT(T, name, params, value) \
    inline T name params \
    { \
        T result = value; \
        __asm__("" : "+m"(result)); \
        return result; \
    }
#define GSH_LANG_ARITHMETIC(T, t, fused) \
    GSH_LANG_EXACT(T, __##t##add_rn, (T x, T y), x + y) \
    GSH_LANG_EXACT(T, __##t##sub_rn, (T x, T y), x - y) \
    GSH_LANG_EXACT(T, __##t##mul_rn, (T x, T y), x *y) \
    GSH_LANG_EXACT(T, __##t##div_rn, (T x, T y), x / y) \
    GSH_LANG_EXACT(T, __##t##rcp_rn, (T x), 1 / x) \
    GSH_LANG_EXACT(T, __##t##sqrt_rn, (T x), ::sqrt(x)) \
    GSH_LANG_EXACT(T, fused, (T x, T y, T z), ::fma(x, y, z))
GSH_LANG_ARITHMETIC(float, f, __fmaf_rn)
GSH_LANG_ARITHMETIC(double, d, __fma_rn)
#undef GSH_LANG_ARITHMETIC
#undef GSH_LANG_EXACT

/* Functions of float; newer C libraries have some, so that those have C linkage. */
#define GSH_LANG_FLOAT(name, params, value) \
    inline float name params \
    { \
        return value; \
    }
#define GSH_LANG_C(T, name, params, value) \
    extern "C" inline T name params noexcept \
    { \
        return value; \
    }
GSH_LANG_C(float, rsqrtf, (float x), 1 / sqrtf(x))
GSH_LANG_C(double, rsqrt, (double x), 1 / sqrt(x))
GSH_LANG_C(float, sinpif, (float x), sinf(static_cast<float>(M_PI) * fmodf(x, 2)))
GSH_LANG_C(double, sinpi, (double x), sin(M_PI *fmod(x, 2)))
GSH_LANG_C(float, cospif, (float x), cosf(static_cast<float>(M_PI) * fmodf(x, 2)))
GSH_LANG_C(double, cospi, (double x), cos(M_PI *fmod(x, 2)))
GSH_LANG_FLOAT(rsqrt, (float x), rsqrtf(x))
GSH_LANG_FLOAT(rcbrtf, (float x), 1 / cbrtf(x))
GSH_LANG_FLOAT(norm3df, (float x, float y, float z), sqrtf(x *x + y * y + z * z))
GSH_LANG_FLOAT(rnorm3df, (float x, float y, float z), rsqrtf(x *x + y * y + z * z))
GSH_LANG_FLOAT(norm4df, (float x, float y, float z, float w), sqrtf(x *x + y * y + z * z + w * w))
GSH_LANG_FLOAT(rnorm4df, (float x, float y, float z, float w), rsqrtf(x *x + y * y + z * z + w * w))

GSH_LANG_FLOAT(__frsqrt_rn, (float x), static_cast<float>(1 / sqrt(static_cast<double>(x))))
GSH_LANG_FLOAT(__saturatef, (float x), x > 0 ? (x < 1 ? x : 1) : 0)
GSH_LANG_FLOAT(__fdividef, (float x, float y), x / y)
GSH_LANG_FLOAT(fdividef, (float x, float y), x / y)
GSH_LANG_FLOAT(__expf, (float x), expf(x))
GSH_LANG_FLOAT(__exp10f, (float x), powf(10, x))
GSH_LANG_FLOAT(__logf, (float x), logf(x))
GSH_LANG_FLOAT(__log2f, (float x), log2f(x))
GSH_LANG_FLOAT(__log10f, (float x), log10f(x))
GSH_LANG_FLOAT(__powf, (float x, float y), powf(x, y))
GSH_LANG_FLOAT(__sinf, (float x), sinf(x))
GSH_LANG_FLOAT(__cosf, (float x), cosf(x))
GSH_LANG_FLOAT(__tanf, (float x), tanf(x))
GSH_LANG_FLOAT(__tanhf, (float x), tanhf(x))
#undef GSH_LANG_FLOAT
#undef GSH_LANG_C

inline void __sincosf(float x, float *sine, float *cosine)
{
    *sine = sinf(x);
    *cosine = cosf(x);
}

#endif /* GSHMEM_CPU_LANG_MATH_H */
