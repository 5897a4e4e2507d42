/* half and bfloat16 convert, add, multiply, divide and fuse as if done exactly and rounded
 * once: every number and every point where rounding turns, in each direction; integers and
 * comparisons, NaNs and infinities, too. */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "util/test/tap.h"

#include <vector>

__extension__ typedef __float128 real;

/* The numbers of a format from its definition: all magnitudes in order. The
 * last is infinity, which has the value that a next finite number would have. */
struct numbers {
    std::vector<double> values;

    numbers(int bits, int lowest)
    {
        for (int exponent = 0; exponent < 1 << (15 - bits); exponent++)
            for (int fraction = 0; fraction < 1 << bits; fraction++)
                values.push_back(exponent ? ldexp((1 << bits) + fraction, lowest + exponent - 1)
                                          : ldexp(fraction, lowest));
        values.resize((((1u << (15 - bits)) - 1) << bits) + 1);
    }

    /* The bits for a value by searching the numbers. */
    unsigned round(real value, gsh_lang::rounding direction) const
    {
        bool negative = value < 0;
        real x = negative ? -value : value;
        size_t low = 0, high = values.size();

        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            (values[middle] <= x ? low : high) = middle;
        }
        if (values[low] != x && low + 1 < values.size()) {
            real below = x - values[low], above = values[low + 1] - x;
            bool away = direction == gsh_lang::upward     ? !negative
                        : direction == gsh_lang::downward ? negative
                        : direction == gsh_lang::to_zero
                            ? false
                            : below > above || (below == above && low % 2);
            low += away;
        }
        return static_cast<unsigned>(low) | (negative ? 0x8000u : 0);
    }
};

template <class T> struct facts;

#define FACTS(T, n, digits, lowest) \
    template <> struct facts<T> { \
        static const char *name() { return #n; } \
        static numbers all() { return numbers(digits, lowest); } \
        static unsigned bits(T x) { return __##n##_as_ushort(x); } \
        static T from(unsigned x) { return __ushort_as_##n(static_cast<unsigned short>(x)); } \
        static float widen(T x) { return __##n##2float(x); } \
        static T of_double(double x) { return __double2##n(x); } \
        static T of_ll(long long x) { return __ll2##n##_rn(x); } \
        static int to_int(T x) { return __##n##2int_rn(x); } \
        static T of_float(float x, int direction) \
        { \
            return direction == gsh_lang::to_nearest ? __float2##n##_rn(x) \
                   : direction == gsh_lang::to_zero  ? __float2##n##_rz(x) \
                   : direction == gsh_lang::upward   ? __float2##n##_ru(x) \
                                                     : __float2##n##_rd(x); \
        } \
    };
FACTS(__half, half, 10, -24)
FACTS(__nv_bfloat16, bfloat16, 7, -133)

template <class T> static void test_widening(const numbers &all)
{
    using f = facts<T>;
    unsigned wrong = 0;

    for (unsigned i = 0; i + 1 < all.values.size(); i++) {
        wrong += f::widen(f::from(i)) != all.values[i];
        wrong += f::widen(f::from(i | 0x8000)) != -all.values[i];
        wrong += !std::signbit(f::widen(f::from(i | 0x8000)));
    }
    unsigned inf = static_cast<unsigned>(all.values.size() - 1);
    tap_ok(!wrong, "%s: each finite number has its value as a float", f::name());
    tap_ok(f::widen(f::from(inf)) == INFINITY && f::widen(f::from(inf | 0x8000)) == -INFINITY,
           "%s: so have the infinities", f::name());
    for (unsigned i = inf + 1; i < 0x8000; i++)
        wrong += !std::isnan(f::widen(f::from(i))) ||
                 f::bits(f::of_float(f::widen(f::from(i)), 0)) != 0x7fff;
    tap_ok(!wrong, "%s: what is above infinity is a NaN, and goes back to one", f::name());
}

template <class T> static void test_rounding(const numbers &all)
{
    using f = facts<T>;
    unsigned wrong = 0, wrong_double = 0;

    for (unsigned i = 0; i + 1 < all.values.size(); i++) {
        double middle = (all.values[i] + all.values[i + 1]) / 2;
        double points[] = { all.values[i], middle, nextafter(middle, 0), nextafter(middle, 1e99) };
        for (double point : points) {
            for (int negative = 0; negative < 2; negative++) {
                double x = negative ? -point : point;
                float narrow = static_cast<float>(x),
                      near[] = { narrow, nextafterf(narrow, 0), nextafterf(narrow, INFINITY) };
                wrong_double +=
                    x != 0 && f::bits(f::of_double(x)) != all.round(x, gsh_lang::to_nearest);
                for (float y : near)
                    for (int d = 0; d < 4; d++)
                        wrong += y != 0 && std::isfinite(y) &&
                                 f::bits(f::of_float(y, d)) !=
                                     all.round(y, static_cast<gsh_lang::rounding>(d));
            }
        }
    }
    tap_ok(!wrong,
           "%s: floats beside each number and each tie are rounded right, in 4 ways (%u are not)",
           f::name(), wrong);
    tap_ok(!wrong_double, "%s: doubles are rounded once (%u are not)", f::name(), wrong_double);
    tap_ok(f::bits(f::of_float(-0.0f, 0)) == 0x8000 && f::bits(f::of_float(0.0f, 0)) == 0,
           "%s: zeros keep their sign", f::name());
    unsigned inf = static_cast<unsigned>(all.values.size() - 1);
    tap_ok(f::bits(f::of_float(INFINITY, 1)) == inf &&
               f::bits(f::of_double(-1e300)) == (inf | 0x8000) &&
               f::bits(f::of_float(HUGE_VALF, 3)) == inf,
           "%s: infinity stays, and what is too large becomes it", f::name());
}

static uint64_t seed = 1;

static unsigned draw()
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(seed >> 33);
}

/* A finite number, for bfloat16 with an exponent of at most 40. */
template <class T> static T draw_number()
{
    for (;;) {
        T x = facts<T>::from(draw() & 0xffff);
        float value = fabsf(facts<T>::widen(x));
        if (value < 1e12f && (value > 1e-12f || value == 0) && std::isfinite(value))
            return x;
    }
}

template <class T> static void test_arithmetic(const numbers &all)
{
    using f = facts<T>;
    unsigned wrong = 0, wrong_fma = 0, wrong_compare = 0, wrong_pair = 0;
    auto same = [&](T got, real exact) {
        return exact == 0 ? f::widen(got) == 0
                          : f::bits(got) == all.round(exact, gsh_lang::to_nearest);
    };

    for (int i = 0; i < 300000; i++) {
        T x = draw_number<T>(), y = draw_number<T>(), z = draw_number<T>();
        real a = f::widen(x), b = f::widen(y), c = f::widen(z);
        wrong += !same(x + y, a + b) + !same(x - y, a - b) + !same(x * y, a * b);
        wrong += b != 0 && !same(x / y, a / b);
        wrong_fma += !same(__hfma(x, y, z), a * b + c);
        /* Close to a tie, which c decides. */
        T tiny = f::of_double(ldexp(static_cast<int>(draw() % 7) - 3, -24));
        wrong_fma += !same(__hfma(x, y, tiny), a * b + static_cast<real>(f::widen(tiny)));
        wrong_compare += (x < y) != (a < b) || (x == y) != (a == b) || (x >= y) != (a >= b);
        auto pair = __hfma2({ x, y }, { y, z }, { z, x });
        wrong_pair += f::bits(pair.x) != f::bits(__hfma(x, y, z)) ||
                      f::bits(pair.y) != f::bits(__hfma(y, z, x));
    }
    tap_ok(!wrong, "%s: + - * / are rounded once (%u are not)", f::name(), wrong);
    tap_ok(!wrong_fma, "%s: a * b + c is rounded once (%u are not)", f::name(), wrong_fma);
    tap_ok(!wrong_compare, "%s: numbers compare by value", f::name());
    tap_ok(!wrong_pair, "%s: pairs calculate element by element", f::name());
}

template <class T> static void test_special(const numbers &all)
{
    using f = facts<T>;
    T nan = f::from(0x7fff), one = 1, two = 2.0f;

    tap_ok(!(nan == nan) && nan != nan && !__hne(nan, nan) && !(nan < one) && __hltu(nan, one),
           "%s: comparisons with a NaN are false, but != and the unordered ones", f::name());
    tap_ok(__hmax(nan, one) == one && __hisnan(__hmax_nan(nan, one)) && __hmin(two, one) == one,
           "%s: a number beats a NaN in __hmax, but not in __hmax_nan", f::name());
    tap_ok(__hisinf(-one / T(0)) == -1 && !__hisinf(one), "%s: 1 / 0 is infinite", f::name());
    tap_ok(hsqrt(T(4)) == two && hexp(T(0)) == one && hlog2(two) == one && __hneg(one) == T(-1),
           "%s: functions give what they should where it is exact", f::name());

    unsigned wrong = 0;
    const long long edges[] = { 0,
                                1,
                                -1,
                                2047,
                                2049,
                                65519,
                                65520,
                                -65521,
                                1ll << 53,
                                (1ll << 60) + (1ll << 52),
                                (1ll << 60) + (1ll << 52) + 1,
                                -((1ll << 60) + (1ll << 52) + 1),
                                INT64_MAX,
                                INT64_MIN };
    for (long long i : edges)
        wrong += i && f::bits(f::of_ll(i)) != all.round(i, gsh_lang::to_nearest);
    tap_ok(!wrong, "%s: integers of 64 bits are rounded once (%u are not)", f::name(), wrong);
    tap_ok(f::to_int(T(2.5f)) == 2 && f::to_int(T(3.5f)) == 4 && static_cast<int>(T(-2.5f)) == -2 &&
               f::to_int(nan) == 0,
           "%s: to an integer with the rounding asked for", f::name());

    T counter = one;
    counter++;
    counter += one;
    atomicAdd(&counter, two);
    tap_ok(counter == T(5), "%s: ++, += and atomicAdd add", f::name());
}

template <class T> static void test_format()
{
    numbers all = facts<T>::all();

    test_widening<T>(all);
    test_rounding<T>(all);
    test_arithmetic<T>(all);
    test_special<T>(all);
}

static void test_pairs()
{
    __half2 v = __floats2half2_rn(1, 2), w = __half2half2(3);
    __nv_bfloat162 b = __float22bfloat162_rn(make_float2(1, 2)), c = __bfloat162bfloat162(3);

    tap_ok(__low2float(v) == 1 && __high2float(v) == 2 && __half22float2(w).y == 3,
           "half2 has a low and a high element");
    tap_ok(__hbeq2(__highs2half2(v, w), __halves2half2(2, 3)) &&
               __hbeq2(__lowhigh2highlow(v), __floats2half2_rn(2, 1)) &&
               __hbeq2(__low2half2(v), make_half2(1, 1)),
           "half2 is taken apart and put together");
    tap_ok(__high2float(b + c) == 5 && __bfloat1622float2(b * c).x == 3, "bfloat162 likewise");
    tap_ok(__low2float(__hgt2(w, __half2half2(3))) == 0 && __high2float(__hge2(w, w)) == 1,
           "comparisons of pairs give 1 and 0");
    atomicAdd(&v, w);
    tap_ok(__hbeq2(v, __floats2half2_rn(4, 5)), "atomicAdd of a half2 adds both");
}

int main()
{
    test_format<__half>();
    test_format<__nv_bfloat16>();
    test_pairs();
    return tap_end();
}
