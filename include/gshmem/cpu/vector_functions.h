/* vector_functions.h - make_int2() and its kin, for the CPU device. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_VECTOR_FUNCTIONS_H
#define GSHMEM_CPU_VECTOR_FUNCTIONS_H

#include <gshmem/cpu/vector_types.h>

/* clang-format off */
#define GSH_LANG_VECTOR(name, T, align2, align4) \
    constexpr name##1 make_##name##1(T x) { return name##1{ x }; } \
    constexpr name##2 make_##name##2(T x, T y) { return name##2{ x, y }; } \
    constexpr name##3 make_##name##3(T x, T y, T z) { return name##3{ x, y, z }; } \
    constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4{ x, y, z, w }; }
/* clang-format on */
GSH_LANG_VECTORS(GSH_LANG_VECTOR)
#undef GSH_LANG_VECTOR

#endif /* GSHMEM_CPU_VECTOR_FUNCTIONS_H */
