/* vector_types.h - CUDA's vectors of one to four elements and dim3, for the CPU device;
 * size and alignment are as on GPUs. C and C++.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_VECTOR_TYPES_H
#define GSHMEM_CPU_VECTOR_TYPES_H

#include <gshmem/cpu/lang/keywords.h>

/* X(name, element, alignment of name2, of name4) */
#define GSH_LANG_VECTORS(X) \
    X(char, signed char, 2, 4) \
    X(uchar, unsigned char, 2, 4) \
    X(short, short, 4, 8) \
    X(ushort, unsigned short, 4, 8) \
    X(int, int, 8, 16) \
    X(uint, unsigned int, 8, 16) \
    X(long, long, 16, 16) \
    X(ulong, unsigned long, 16, 16) \
    X(longlong, long long, 16, 16) \
    X(ulonglong, unsigned long long, 16, 16) \
    X(float, float, 8, 16) \
    X(double, double, 16, 16)

/* clang-format off */
#define GSH_LANG_VECTOR(name, T, align2, align4) \
    struct name##1 { T x; }; \
    struct __align__(align2) name##2 { T x, y; }; \
    struct name##3 { T x, y, z; }; \
    struct __align__(align4) name##4 { T x, y, z, w; }; \
    typedef struct name##1 name##1; \
    typedef struct name##2 name##2; \
    typedef struct name##3 name##3; \
    typedef struct name##4 name##4;
/* clang-format on */
GSH_LANG_VECTORS(GSH_LANG_VECTOR)
#undef GSH_LANG_VECTOR

struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{ x, y, z };
    }
#endif
};
typedef struct dim3 dim3;

#endif /* GSHMEM_CPU_VECTOR_TYPES_H */
