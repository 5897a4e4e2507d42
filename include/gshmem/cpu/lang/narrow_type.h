/* narrow_type.h - a 16-bit floating-point type of CUDA with its pair and its functions.
 * Included once for each of them, with these defined:
 *
 *     GSH_N, GSH_N2         their names in functions: half, half2
 *     GSH_T, GSH_T2         the types: __half, __half2
 *     GSH_RAW, GSH_RAW2     structs of the bits: __half_raw, __half2_raw
 *     GSH_FORMAT            widen() and narrow() of the bits
 */
// SPDX-License-Identifier: BSD-3-Clause

struct GSH_RAW {
    unsigned short x;
};

struct __align__(4) GSH_RAW2
{
    unsigned short x, y;
};

struct GSH_T {
    unsigned short __x;

    GSH_T() = default;
    constexpr GSH_T(const GSH_RAW &raw) : __x(raw.x) {}
    constexpr operator GSH_RAW() const { return GSH_RAW{ __x }; }

    /* Rounded once, whatever the number's width. */
    static GSH_T round(double value, gsh_lang::rounding direction = gsh_lang::to_nearest)
    {
        return round(gsh_lang::sticky_float(value), direction);
    }
    static GSH_T round(float value, gsh_lang::rounding direction = gsh_lang::to_nearest)
    {
        return GSH_RAW{ GSH_FORMAT::narrow(value, direction) };
    }
    float widen() const { return GSH_FORMAT::widen(__x); }

#define GSH_ROW(T, conversion) \
    GSH_T(T value) : __x(round(gsh_lang::sticky(value)).__x) \
    { \
    } \
    GSH_T &operator=(T value) \
    { \
        return *this = GSH_T(value); \
    } \
    operator T() const \
    { \
        return conversion; \
    }
    GSH_ROW(float, widen())
    GSH_ROW(short, gsh_lang::to_integer<short>(widen(), gsh_lang::to_zero))
    GSH_ROW(unsigned short, gsh_lang::to_integer<unsigned short>(widen(), gsh_lang::to_zero))
    GSH_ROW(int, gsh_lang::to_integer<int>(widen(), gsh_lang::to_zero))
    GSH_ROW(unsigned, gsh_lang::to_integer<unsigned>(widen(), gsh_lang::to_zero))
    GSH_ROW(long, gsh_lang::to_integer<long>(widen(), gsh_lang::to_zero))
    GSH_ROW(unsigned long, gsh_lang::to_integer<unsigned long>(widen(), gsh_lang::to_zero))
    GSH_ROW(long long, gsh_lang::to_integer<long long>(widen(), gsh_lang::to_zero))
    GSH_ROW(unsigned long long,
            gsh_lang::to_integer<unsigned long long>(widen(), gsh_lang::to_zero))
#undef GSH_ROW
    GSH_T(double value) : __x(round(value).__x)
    {
    }
    GSH_T &operator=(double value)
    {
        return *this = GSH_T(value);
    }
    operator char() const
    {
        return gsh_lang::to_integer<char>(widen(), gsh_lang::to_zero);
    }
    operator signed char() const
    {
        return gsh_lang::to_integer<signed char>(widen(), gsh_lang::to_zero);
    }
    operator unsigned char() const
    {
        return gsh_lang::to_integer<unsigned char>(widen(), gsh_lang::to_zero);
    }
    operator bool() const
    {
        return (__x & 0x7fff) != 0;
    }
};

struct __align__(4) GSH_T2
{
    GSH_T x, y;

    GSH_T2() = default;
    constexpr GSH_T2(const GSH_T &low, const GSH_T &high) : x(low), y(high)
    {
    }
    constexpr GSH_T2(const GSH_RAW2 &raw) : x(GSH_RAW{ raw.x }), y(GSH_RAW{ raw.y })
    {
    }
    constexpr operator GSH_RAW2() const
    {
        return GSH_RAW2{ x.__x, y.__x };
    }
};

    /* --- Arithmetic and comparisons --- */

#define GSH_ROW(name, name2, value) \
    inline GSH_T name(GSH_T x, GSH_T y) \
    { \
        float a = x.widen(), b = y.widen(); \
        return GSH_T::round(value); \
    } \
    inline GSH_T2 name2(GSH_T2 x, GSH_T2 y) \
    { \
        return GSH_T2(name(x.x, y.x), name(x.y, y.y)); \
    }
GSH_NARROW_BINARY(GSH_ROW)
#undef GSH_ROW

#define GSH_ROW(name, name2, value) \
    inline GSH_T name(GSH_T x) \
    { \
        float a = x.widen(); \
        return GSH_T::round(value); \
    } \
    inline GSH_T2 name2(GSH_T2 x) \
    { \
        return GSH_T2(name(x.x), name(x.y)); \
    }
GSH_NARROW_UNARY(GSH_ROW)
#undef GSH_ROW

inline GSH_T __hfma(GSH_T a, GSH_T b, GSH_T c)
{
    return GSH_T::round(gsh_lang::sticky_fma(a.widen(), b.widen(), c.widen()));
}

inline GSH_T2 __hfma2(GSH_T2 a, GSH_T2 b, GSH_T2 c)
{
    return GSH_T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

/* For pairs: 1 or 0 for each, or (b) whether both are so. */
#define GSH_ROW(name, value) \
    inline bool __h##name(GSH_T x, GSH_T y) \
    { \
        float a = x.widen(), b = y.widen(); \
        return value; \
    } \
    inline GSH_T2 __h##name##2(GSH_T2 x, GSH_T2 y) \
    { \
        return GSH_T2(GSH_T(__h##name(x.x, y.x) ? 1 : 0), GSH_T(__h##name(x.y, y.y) ? 1 : 0)); \
    } \
    inline bool __hb##name##2(GSH_T2 x, GSH_T2 y) \
    { \
        return __h##name(x.x, y.x) && __h##name(x.y, y.y); \
    }
GSH_NARROW_COMPARE(GSH_ROW)
#undef GSH_ROW

#define GSH_ROW(op, name, name2) \
    inline GSH_T operator op(const GSH_T &a, const GSH_T &b) \
    { \
        return name(a, b); \
    } \
    inline GSH_T &operator op##=(GSH_T &a, const GSH_T &b) \
    { \
        return a = name(a, b); \
    } \
    inline GSH_T2 operator op(const GSH_T2 &a, const GSH_T2 &b) \
    { \
        return name2(a, b); \
    } \
    inline GSH_T2 &operator op##=(GSH_T2 &a, const GSH_T2 &b) \
    { \
        return a = name2(a, b); \
    }
GSH_ROW(+, __hadd, __hadd2)
GSH_ROW(-, __hsub, __hsub2)
GSH_ROW(*, __hmul, __hmul2)
GSH_ROW(/, __hdiv, __h2div)
#undef GSH_ROW

#define GSH_ROW(op, name) \
    inline bool operator op(const GSH_T &a, const GSH_T &b) \
    { \
        return __h##name(a, b); \
    } \
    inline bool operator op(const GSH_T2 &a, const GSH_T2 &b) \
    { \
        return __hb##name##2(a, b); \
    }
GSH_ROW(==, eq)
GSH_ROW(!=, neu)
GSH_ROW(<, lt)
GSH_ROW(<=, le)
GSH_ROW(>, gt)
GSH_ROW(>=, ge)
#undef GSH_ROW

/* The same for the type and its pair. */
#define GSH_ROW(T, add, sub, neg, one) \
    inline T operator+(const T &a) \
    { \
        return a; \
    } \
    inline T operator-(const T &a) \
    { \
        return neg(a); \
    } \
    inline T &operator++(T &a) \
    { \
        return a = add(a, one); \
    } \
    inline T &operator--(T &a) \
    { \
        return a = sub(a, one); \
    } \
    inline T operator++(T &a, int) \
    { \
        T old = a; \
        ++a; \
        return old; \
    } \
    inline T operator--(T &a, int) \
    { \
        T old = a; \
        --a; \
        return old; \
    }
GSH_ROW(GSH_T, __hadd, __hsub, __hneg, GSH_T(1))
GSH_ROW(GSH_T2, __hadd2, __hsub2, __hneg2, GSH_T2(GSH_T(1), GSH_T(1)))
#undef GSH_ROW

inline bool __hisnan(GSH_T a)
{
    return std::isnan(a.widen());
}

inline int __hisinf(GSH_T a)
{
    float value = a.widen();

    return std::isinf(value) ? (value < 0 ? -1 : 1) : 0;
}

inline GSH_T2 __hisnan2(GSH_T2 a)
{
    return __hneu2(a, a);
}

/* --- Conversions --- */

#define GSH_ROW(suffix, direction, unused) \
    inline GSH_T GSH_JOIN(__float2, GSH_N, _##suffix)(float x) \
    { \
        return GSH_T::round(x, direction); \
    }
GSH_LANG_ROUNDINGS(GSH_ROW, )
#undef GSH_ROW

#define GSH_ROW(suffix, direction, name, type) \
    inline GSH_T GSH_JOIN(__##name##2, GSH_N, _##suffix)(type x) \
    { \
        return GSH_T::round(gsh_lang::sticky(x), direction); \
    } \
    inline type GSH_JOIN(__, GSH_N, 2##name##_##suffix)(GSH_T x) \
    { \
        return gsh_lang::to_integer<type>(x.widen(), direction); \
    }
#define GSH_INT(name, type) GSH_LANG_ROUNDINGS(GSH_ROW, name, type)
GSH_NARROW_INTS(GSH_INT)
#undef GSH_INT
#undef GSH_ROW

#define GSH_ROW(T, prefix, n, suffix, params, value) \
    inline T GSH_JOIN(prefix, n, suffix) params \
    { \
        return value; \
    }
GSH_ROW(GSH_T, __float2, GSH_N, , (float x), GSH_T(x))
GSH_ROW(GSH_T, __double2, GSH_N, , (double x), GSH_T(x))
GSH_ROW(float, __, GSH_N, 2float, (GSH_T x), x.widen())
GSH_ROW(unsigned short, __, GSH_N, _as_ushort, (GSH_T x), x.__x)
GSH_ROW(short, __, GSH_N, _as_short, (GSH_T x), static_cast<short>(x.__x))
GSH_ROW(GSH_T, __ushort_as_, GSH_N, , (unsigned short x), (GSH_RAW{ x }))
GSH_ROW(GSH_T, __short_as_, GSH_N, , (short x), (GSH_RAW{ static_cast<unsigned short>(x) }))

/* --- Pairs --- */

GSH_ROW(GSH_T2, make_, GSH_N2, , (GSH_T x, GSH_T y), GSH_T2(x, y))
GSH_ROW(GSH_T2, __halves2, GSH_N2, , (GSH_T x, GSH_T y), GSH_T2(x, y))
GSH_ROW(GSH_T2, __floats2, GSH_N2, _rn, (float x, float y), GSH_T2(GSH_T(x), GSH_T(y)))
GSH_ROW(GSH_T2, __float2, GSH_N2, _rn, (float x), GSH_T2(GSH_T(x), GSH_T(x)))
GSH_ROW(GSH_T2, __float22, GSH_N2, _rn, (float2 v), GSH_T2(GSH_T(v.x), GSH_T(v.y)))
GSH_ROW(float2, __, GSH_N2, 2float2, (GSH_T2 v), make_float2(v.x.widen(), v.y.widen()))
GSH_ROW(GSH_T, __low2, GSH_N, , (GSH_T2 v), v.x)
GSH_ROW(GSH_T, __high2, GSH_N, , (GSH_T2 v), v.y)
GSH_ROW(GSH_T2, __low2, GSH_N2, , (GSH_T2 v), GSH_T2(v.x, v.x))
GSH_ROW(GSH_T2, __high2, GSH_N2, , (GSH_T2 v), GSH_T2(v.y, v.y))
GSH_ROW(GSH_T2, __lows2, GSH_N2, , (GSH_T2 v, GSH_T2 w), GSH_T2(v.x, w.x))
GSH_ROW(GSH_T2, __highs2, GSH_N2, , (GSH_T2 v, GSH_T2 w), GSH_T2(v.y, w.y))
#undef GSH_ROW

inline GSH_T2 GSH_JOIN(__, GSH_N, GSH_JOIN(2, GSH_N2, ))(GSH_T x)
{
    return GSH_T2(x, x);
}

inline float __low2float(GSH_T2 v)
{
    return v.x.widen();
}

inline float __high2float(GSH_T2 v)
{
    return v.y.widen();
}

inline GSH_T2 __lowhigh2highlow(GSH_T2 v)
{
    return GSH_T2(v.y, v.x);
}

/* --- Warps and memory --- */

GSH_LANG_SHUFFLES(GSH_T)
GSH_LANG_SHUFFLES(GSH_T2)
GSH_LANG_ATOMIC_UPDATE(GSH_T, atomicAdd, old + v)
GSH_LANG_ATOMIC_UPDATE(GSH_T2, atomicAdd, old + v)

#undef GSH_N
#undef GSH_N2
#undef GSH_T
#undef GSH_T2
#undef GSH_RAW
#undef GSH_RAW2
#undef GSH_FORMAT
