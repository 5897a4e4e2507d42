/* bits.h - CUDA's integer intrinsics, and the bits of floating-point numbers. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LANG_BITS_H
#define GSHMEM_CPU_LANG_BITS_H

#include <stdint.h>
#include <string.h>

namespace gsh_lang {

__extension__ typedef __int128 wide_int;
__extension__ typedef unsigned __int128 wide_uint;

template <class To, class From> To bit_cast(From from)
{
    To to;

    static_assert(sizeof(To) == sizeof(From), "the same bits");
    memcpy(&to, &from, sizeof(to));
    return to;
}

constexpr int low24(int x)
{
    return static_cast<int>(static_cast<unsigned>(x) << 8) >> 8;
}

} // namespace gsh_lang

/* Return value, name, parameters, value. */
#define GSH_LANG_BITS(T, name, params, value) \
    inline T name params \
    { \
        return static_cast<T>(value); \
    }

GSH_LANG_BITS(int, __popc, (unsigned x), __builtin_popcount(x))
GSH_LANG_BITS(int, __popcll, (unsigned long long x), __builtin_popcountll(x))
GSH_LANG_BITS(int, __clz, (int x), x ? __builtin_clz(static_cast<unsigned>(x)) : 32)
GSH_LANG_BITS(int, __clzll, (long long x),
              x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64)
GSH_LANG_BITS(int, __ffs, (int x), __builtin_ffs(x))
GSH_LANG_BITS(int, __ffsll, (long long x), __builtin_ffsll(x))

inline unsigned __brev(unsigned x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(x);
}

inline unsigned long long __brevll(unsigned long long x)
{
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
           __brev(static_cast<unsigned>(x >> 32));
}

/* Each result byte is picked from the 8 bytes y:x by 3 bits of the selector. */
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    uint64_t bytes = static_cast<uint64_t>(y) << 32 | x;
    unsigned result = 0;

    for (int i = 0; i < 4; i++)
        result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
}

/* The upper word of hi:lo shifted to the left, the lower one to the right; by the low five
 * bits of n, or (_lc, _rc) by at most 32. */
#define GSH_LANG_FUNNEL(name, shifted) \
    inline unsigned __funnelshift_##name(unsigned lo, unsigned hi, unsigned n) \
    { \
        uint64_t both = static_cast<uint64_t>(hi) << 32 | lo; \
        return static_cast<unsigned>(shifted); \
    }
GSH_LANG_FUNNEL(l, both << (n & 31) >> 32)
GSH_LANG_FUNNEL(lc, both << (n < 32 ? n : 32) >> 32)
GSH_LANG_FUNNEL(r, both >> (n & 31))
GSH_LANG_FUNNEL(rc, both >> (n < 32 ? n : 32))
#undef GSH_LANG_FUNNEL

GSH_LANG_BITS(int, __mul24, (int x, int y),
              static_cast<int64_t>(gsh_lang::low24(x)) * gsh_lang::low24(y))
GSH_LANG_BITS(unsigned, __umul24, (unsigned x, unsigned y), (x & 0xffffff) * (y & 0xffffff))
GSH_LANG_BITS(int, __mulhi, (int x, int y), static_cast<int64_t>(x) * y >> 32)
GSH_LANG_BITS(unsigned, __umulhi, (unsigned x, unsigned y), static_cast<uint64_t>(x) * y >> 32)
GSH_LANG_BITS(long long, __mul64hi, (long long x, long long y),
              static_cast<gsh_lang::wide_int>(x) * y >> 64)
GSH_LANG_BITS(unsigned long long, __umul64hi, (unsigned long long x, unsigned long long y),
              static_cast<gsh_lang::wide_uint>(x) * y >> 64)
GSH_LANG_BITS(unsigned, __sad, (int x, int y, unsigned z),
              (x < y ? static_cast<unsigned>(y) - static_cast<unsigned>(x)
                     : static_cast<unsigned>(x) - static_cast<unsigned>(y)) +
                  z)
GSH_LANG_BITS(unsigned, __usad, (unsigned x, unsigned y, unsigned z), (x < y ? y - x : x - y) + z)

/* The mean, rounded down, or (r) up. */
GSH_LANG_BITS(int, __hadd, (int x, int y), (static_cast<int64_t>(x) + y) >> 1)
GSH_LANG_BITS(int, __rhadd, (int x, int y), (static_cast<int64_t>(x) + y + 1) >> 1)
GSH_LANG_BITS(unsigned, __uhadd, (unsigned x, unsigned y), (static_cast<uint64_t>(x) + y) >> 1)
GSH_LANG_BITS(unsigned, __urhadd, (unsigned x, unsigned y), (static_cast<uint64_t>(x) + y + 1) >> 1)
#undef GSH_LANG_BITS

#define GSH_LANG_CAST(To, name, From) \
    inline To name(From x) \
    { \
        return gsh_lang::bit_cast<To>(x); \
    }
GSH_LANG_CAST(int, __float_as_int, float)
GSH_LANG_CAST(unsigned, __float_as_uint, float)
GSH_LANG_CAST(float, __int_as_float, int)
GSH_LANG_CAST(float, __uint_as_float, unsigned)
GSH_LANG_CAST(long long, __double_as_longlong, double)
GSH_LANG_CAST(double, __longlong_as_double, long long)
#undef GSH_LANG_CAST

inline int __double2hiint(double x)
{
    return static_cast<int>(__double_as_longlong(x) >> 32);
}

inline int __double2loint(double x)
{
    return static_cast<int>(__double_as_longlong(x));
}

inline double __hiloint2double(int hi, int lo)
{
    uint64_t bits = static_cast<uint64_t>(static_cast<unsigned>(hi)) << 32;

    return gsh_lang::bit_cast<double>(bits | static_cast<unsigned>(lo));
}

#endif /* GSHMEM_CPU_LANG_BITS_H */
