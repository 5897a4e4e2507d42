/* warp.h - shuffles, votes, matches and reductions of the threads of a warp. All are
 * made of one exchange, in which each lane of the mask learns what all of them gave.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LANG_WARP_H
#define GSHMEM_CPU_LANG_WARP_H

#include <gshmem/cpu/device_launch_parameters.h>
#include <gshmem/cpu/lang/call.h>
#include <string.h>

namespace gsh_lang {

inline int lane()
{
    return static_cast<int>(gsh_cpu_fiber->rank % GSH_CPU_WARP);
}

template <class T> uint64_t to_bits(const T &value)
{
    uint64_t bits = 0;

    static_assert(sizeof(T) <= sizeof(bits), "an exchange carries 8 bytes");
    memcpy(&bits, &value, sizeof(T));
    return bits;
}

/* What the lanes of a mask gave, 8 bytes an exchange. */
template <class T> struct exchange {
    static constexpr size_t words = (sizeof(T) + 7) / 8;
    uint64_t bits[words][GSH_CPU_WARP];
    uint32_t lanes; /* that took part */

    exchange(unsigned mask, const T &value)
    {
        uint64_t own[words] = {};

        memcpy(own, &value, sizeof(T));
        for (size_t i = 0; i < words; i++)
            lanes = gsh_cpu_exchange(mask, own[i], bits[i]);
    }

    T operator[](int lane) const
    {
        uint64_t given[words];
        T value;

        for (size_t i = 0; i < words; i++)
            given[i] = bits[i][lane];
        memcpy(static_cast<void *>(&value), given, sizeof(T));
        return value;
    }

    /* The lanes for which f(what it gave) holds. */
    template <class F> uint32_t where(F f) const
    {
        uint32_t found = 0;

        for (int i = 0; i < GSH_CPU_WARP; i++)
            if (lanes >> i & 1 && f((*this)[i]))
                found |= 1u << i;
        return found;
    }

    template <class F> T reduce(F f) const
    {
        int i = __builtin_ctz(lanes);
        T all = (*this)[i];

        while (++i < GSH_CPU_WARP)
            if (lanes >> i & 1)
                all = f(all, (*this)[i]);
        return all;
    }
};

/* The lane that each shuffle reads; a step out of the segment of `width` lanes reads the
 * own one, but xor may reach lower segments. */
inline int source_index(int index, int width)
{
    return (lane() & ~(width - 1)) | (index & (width - 1));
}

inline int source_up(unsigned delta, int width)
{
    return static_cast<unsigned>(lane() & (width - 1)) < delta ? lane()
                                                               : lane() - static_cast<int>(delta);
}

inline int source_down(unsigned delta, int width)
{
    return static_cast<unsigned>((width - 1) & ~lane()) < delta ? lane()
                                                                : lane() + static_cast<int>(delta);
}

inline int source_xor(int bits, int width)
{
    int source = lane() ^ bits;

    return source > (lane() | (width - 1)) ? lane() : source;
}

} // namespace gsh_lang

#define GSH_LANG_SHUFFLE(T, name, From, source) \
    GSH_LANG_CALL T name(unsigned mask, T value, From from, int width = warpSize) \
    { \
        GSH_LANG_ENTER(#name); \
        return gsh_lang::exchange<T>(mask, value)[gsh_lang::source(from, width) % GSH_CPU_WARP]; \
    }

/* All shuffles of a type; the 16-bit floating types come with their headers. */
#define GSH_LANG_SHUFFLES(T) \
    GSH_LANG_SHUFFLE(T, __shfl_sync, int, source_index) \
    GSH_LANG_SHUFFLE(T, __shfl_up_sync, unsigned, source_up) \
    GSH_LANG_SHUFFLE(T, __shfl_down_sync, unsigned, source_down) \
    GSH_LANG_SHUFFLE(T, __shfl_xor_sync, int, source_xor)

#define GSH_LANG_MATCHES(T) \
    GSH_LANG_CALL unsigned __match_any_sync(unsigned mask, T value) \
    { \
        GSH_LANG_ENTER("__match_any_sync"); \
        uint64_t own = gsh_lang::to_bits(value); \
        return gsh_lang::exchange<uint64_t>(mask, own).where( \
            [=](uint64_t other) { return other == own; }); \
    } \
    GSH_LANG_CALL unsigned __match_all_sync(unsigned mask, T value, int *all) \
    { \
        GSH_LANG_ENTER("__match_all_sync"); \
        uint64_t own = gsh_lang::to_bits(value); \
        gsh_lang::exchange<uint64_t> given(mask, own); \
        *all = given.where([=](uint64_t other) { return other != own; }) == 0; \
        return *all ? given.lanes : 0; \
    }

#define GSH_LANG_WARP_TYPES(X) \
    X(int) \
    X(unsigned int) X(long) X(unsigned long) X(long long) X(unsigned long long) X(float) X(double)
GSH_LANG_WARP_TYPES(GSH_LANG_SHUFFLES)
GSH_LANG_WARP_TYPES(GSH_LANG_MATCHES)
#undef GSH_LANG_MATCHES

#define GSH_LANG_VOTE(T, name, result) \
    GSH_LANG_CALL T name(unsigned mask, int predicate) \
    { \
        GSH_LANG_ENTER(#name); \
        gsh_lang::exchange<int> given(mask, predicate != 0); \
        unsigned yes = given.where([](int vote) { return vote != 0; }); \
        return result; \
    }
GSH_LANG_VOTE(unsigned, __ballot_sync, yes)
GSH_LANG_VOTE(int, __any_sync, yes != 0)
GSH_LANG_VOTE(int, __all_sync, yes == given.lanes)
#undef GSH_LANG_VOTE

#define GSH_LANG_REDUCE(T, op, result) \
    GSH_LANG_CALL T __reduce_##op##_sync(unsigned mask, T value) \
    { \
        GSH_LANG_ENTER("__reduce_" #op "_sync"); \
        return gsh_lang::exchange<T>(mask, value).reduce([](T a, T b) { return result; }); \
    }
GSH_LANG_REDUCE(unsigned, add, a + b)
GSH_LANG_REDUCE(unsigned, min, a < b ? a : b)
GSH_LANG_REDUCE(unsigned, max, a > b ? a : b)
GSH_LANG_REDUCE(unsigned, and, a &b)
GSH_LANG_REDUCE(unsigned, or, a | b)
GSH_LANG_REDUCE(unsigned, xor, a ^ b)
GSH_LANG_REDUCE(int, add, static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
GSH_LANG_REDUCE(int, min, a < b ? a : b)
GSH_LANG_REDUCE(int, max, a > b ? a : b)
#undef GSH_LANG_REDUCE

GSH_LANG_CALL unsigned __activemask()
{
    GSH_LANG_ENTER("__activemask");
    unsigned mask = gsh_cpu_activemask();
    GSH_LANG_LEAVE();
    return mask;
}

#endif /* GSHMEM_CPU_LANG_WARP_H */
