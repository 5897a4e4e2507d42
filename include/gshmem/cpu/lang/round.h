/* round.h - conversions that round once, in a given direction. A value that does not fit
 * into the step between is made *sticky* there: its last bit is set when bits were lost
 * (round to odd), so that the next step rounds as if it saw all of them.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LANG_ROUND_H
#define GSHMEM_CPU_LANG_ROUND_H

#include <gshmem/cpu/lang/bits.h>
#include <limits>
#include <math.h>

namespace gsh_lang {

enum rounding { to_nearest, to_zero, upward, downward };

/* What to add to the magnitude of which `rest` was cut off, `half` being half a unit. */
inline unsigned round_up(unsigned magnitude, unsigned rest, unsigned half, bool negative,
                         rounding direction)
{
    switch (direction) {
    case to_nearest:
        return rest > half || (rest == half && magnitude & 1);
    case upward:
        return rest && !negative;
    case downward:
        return rest && negative;
    default:
        return 0;
    }
}

/* value + error, |error| being less than a unit of value. */
inline double sticky(double value, double error)
{
    uint64_t bits = bit_cast<uint64_t>(value);

    if (bits & 1 || !(error < 0 || error > 0) || std::isinf(value))
        return value;
    if (value == 0)
        return error < 0 ? -std::numeric_limits<double>::denorm_min()
                         : std::numeric_limits<double>::denorm_min();
    return bit_cast<double>((error > 0) == (value > 0) ? bits + 1 : bits - 1);
}

inline double sticky(double value)
{
    return value;
}

inline double sticky(float value)
{
    return value;
}

inline double sticky(unsigned long long value)
{
    if (value >> 53 == 0)
        return static_cast<double>(value);
    return static_cast<double>(value >> 11 | ((value & 2047) != 0)) * 2048;
}

inline double sticky(long long value)
{
    unsigned long long magnitude = static_cast<unsigned long long>(value);

    return value < 0 ? -sticky(-magnitude) : sticky(magnitude);
}

inline double sticky(unsigned long value)
{
    return sticky(static_cast<unsigned long long>(value));
}

inline double sticky(long value)
{
    return sticky(static_cast<long long>(value));
}

inline double sticky(int value)
{
    return value;
}

inline double sticky(unsigned value)
{
    return value;
}

/* a * b + c for factors of at most 26 bits, whose product is exact. */
inline double sticky_fma(double a, double b, double c)
{
    double product = a * b;
    double sum = product + c;
    double part = sum - product;

    return sticky(sum, (product - (sum - part)) + (c - part));
}

inline float sticky_float(double value)
{
    float narrow = static_cast<float>(value);
    uint32_t bits = bit_cast<uint32_t>(narrow);

    if (narrow == value || std::isnan(value))
        return narrow;
    /* Towards zero: rounded up, also to infinity, it is a step too far. */
    if (fabs(static_cast<double>(narrow)) > fabs(value))
        bits--;
    return bit_cast<float>(bits | 1);
}

inline float to_float(double value, rounding direction)
{
    float narrow = static_cast<float>(value);

    if (direction == to_nearest || narrow == value || std::isnan(value))
        return narrow;
    bool smaller = narrow < value;
    bool want_smaller = direction == downward || (direction == to_zero && value > 0);
    if (smaller == want_smaller)
        return narrow;
    return nextafterf(narrow, want_smaller ? -HUGE_VALF : HUGE_VALF);
}

inline double to_whole(double value, rounding direction)
{
    switch (direction) {
    case to_nearest:
        return nearbyint(value);
    case upward:
        return ceil(value);
    case downward:
        return floor(value);
    default:
        return trunc(value);
    }
}

template <class T> T to_integer(double value, rounding direction)
{
    using limits = std::numeric_limits<T>;
    double whole = to_whole(value, direction);
    /* 2 to the number of value bits: the first that is too large. */
    double end = 2.0 * static_cast<double>(T(1) << (limits::digits - 1));

    if (std::isnan(whole))
        return 0;
    if (whole >= end)
        return limits::max();
    if (whole < static_cast<double>(limits::min()))
        return limits::min();
    return static_cast<T>(whole);
}

} // namespace gsh_lang

#endif /* GSHMEM_CPU_LANG_ROUND_H */
