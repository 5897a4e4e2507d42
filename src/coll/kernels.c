/* kernels.c - the bodies of the reductions, from the lists of operations and
 * types.
 *
 * A run of elements is combined in an array of its own before it is stored, so
 * that `to` may be any of the sources, and the loops have no aliases. The 16-bit
 * types are combined as float and rounded once.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/kernels.h"
#include "core/half.h"
#include "util/half.h"

enum { RUN = 256 }; /* elements */

/* Each type: what it is combined as, and the way there and back. */
#define SAME(name, type, a) \
    typedef type acc_##name; \
    static inline type load_##name(type v) \
    { \
        return v; \
    } \
    static inline type store_##name(type v) \
    { \
        return v; \
    }
GSH_RED_BIT_TYPES(SAME, _)
GSH_T_CHARS(SAME, _)
GSH_T_SHORT(SAME, _)
GSH_T_INTS(SAME, _)
GSH_T_REALS(SAME, _)
GSH_RED_MORE(SAME, _)
GSH_T_COMPLEX(SAME, _)
#undef SAME

#define WIDE(name, type, a) \
    typedef float acc_##name; \
    static inline float load_##name(type v) \
    { \
        return gsh_##name##_to_float(v.bits); \
    } \
    static inline type store_##name(float v) \
    { \
        return (type){ gsh_float_to_##name(v) }; \
    }
GSH_T_HALFS(WIDE, _)
#undef WIDE

#define ORDER(name, type, a) \
    static inline acc_##name op_min_##name(acc_##name x, acc_##name y) \
    { \
        return y < x ? y : x; \
    } \
    static inline acc_##name op_max_##name(acc_##name x, acc_##name y) \
    { \
        return y > x ? y : x; \
    }
GSH_RED_TYPES(ORDER, _)
GSH_RED_MORE(ORDER, _)
#undef ORDER

#define REAL(name, type, a) \
    static inline acc_##name op_sum_##name(acc_##name x, acc_##name y) \
    { \
        return x + y; \
    } \
    static inline acc_##name op_prod_##name(acc_##name x, acc_##name y) \
    { \
        return x * y; \
    }
GSH_T_REALS(REAL, _)
GSH_T_HALFS(REAL, _)
GSH_T_LONGDOUBLE(REAL, _)
GSH_T_COMPLEX(REAL, _)
#undef REAL

/* Through an unsigned type: overflow wraps. */
#define WHOLE(name, type, a) \
    static inline type op_sum_##name(type x, type y) \
    { \
        return (type)((unsigned long long)x + (unsigned long long)y); \
    } \
    static inline type op_prod_##name(type x, type y) \
    { \
        return (type)((unsigned long long)x * (unsigned long long)y); \
    }
GSH_RED_BIT_TYPES(WHOLE, _)
GSH_T_CHARS(WHOLE, _)
GSH_T_SHORT(WHOLE, _)
GSH_T_INTS(WHOLE, _)
GSH_T_PTRDIFF(WHOLE, _)
#undef WHOLE

#define BITWISE(name, type, a) \
    static inline type op_and_##name(type x, type y) \
    { \
        return x & y; \
    } \
    static inline type op_or_##name(type x, type y) \
    { \
        return x | y; \
    } \
    static inline type op_xor_##name(type x, type y) \
    { \
        return x ^ y; \
    }
GSH_RED_BIT_TYPES(BITWISE, _)
#undef BITWISE

#define COMBINE(name, type, op, a) \
    static void run_##op##_##name(type *to, const void *const *from, int n, size_t at, size_t m) \
    { \
        acc_##name acc[RUN]; \
        for (size_t i = 0; i < m; i++) \
            acc[i] = load_##name(((const type *)from[0])[at + i]); \
        for (int k = 1; k < n; k++) { \
            const type *next = (const type *)from[k] + at; \
            for (size_t i = 0; i < m; i++) \
                acc[i] = op_##op##_##name(acc[i], load_##name(next[i])); \
        } \
        for (size_t i = 0; i < m; i++) \
            to[at + i] = store_##name(acc[i]); \
    } \
    void gsh_combine_##op##_##name(void *to, const void *const *from, int n, size_t nelems) \
    { \
        for (size_t at = 0; at < nelems; at += RUN) \
            run_##op##_##name(to, from, n, at, nelems - at < RUN ? nelems - at : RUN); \
    }
GSH_ALL_REDUCTIONS(COMBINE, _)
#undef COMBINE
