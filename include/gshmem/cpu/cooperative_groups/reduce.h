/* reduce.h - reduce() over a tile or the coalesced threads of a warp. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_COOPERATIVE_GROUPS_REDUCE_H
#define GSHMEM_CPU_COOPERATIVE_GROUPS_REDUCE_H

#include <gshmem/cpu/cooperative_groups.h>

namespace cooperative_groups {

/* X(name, value made of a and b) */
#define GSH_LANG_OPS(X) \
    X(plus, a + b) \
    X(less, b < a ? b : a) \
    X(greater, a < b ? b : a) \
    X(bit_and, a &b) \
    X(bit_or, a | b) \
    X(bit_xor, a ^ b)
#define GSH_LANG_OP(name, value) \
    template <class T> struct name { \
        T operator()(T a, T b) const { return static_cast<T>(value); } \
    };
GSH_LANG_OPS(GSH_LANG_OP)
#undef GSH_LANG_OP
#undef GSH_LANG_OPS

template <class Group, class T, class F>
GSH_LANG_CALL T reduce(const Group &group, const T &value, F op)
{
    GSH_LANG_ENTER("cooperative_groups::reduce");
    return group.gsh_reduce(value, op);
}

} // namespace cooperative_groups

#endif /* GSHMEM_CPU_COOPERATIVE_GROUPS_REDUCE_H */
