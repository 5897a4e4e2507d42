/* types.h - the one list of element types; every typed name of the interface
 * comes from here.
 *
 * SET(X, ...) expands X(name, type, ...) once a type. At least one extra
 * argument is always given (`_` when X has no use for it), so that one list
 * serves X macros that also need an operation, a scope, or both.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_TYPES_H
#define GSHMEM_TYPES_H

#include <gshmem/attr.h>
#include <gshmem/std.h>

/* The 16-bit floating types are CUDA's. Where cuda_fp16.h and cuda_bf16.h are
 * not included they stay incomplete: pointers to them can be passed. */
typedef struct __half gsh_half;
typedef struct __nv_bfloat16 gsh_bfloat16;

GSH_COMPLEX(float, gsh_complexf);
GSH_COMPLEX(double, gsh_complexd);

/* clang-format off */

/* Atoms: each type stands in exactly one of these rows. */
#define GSH_T_HALFS(X, ...)   X(bfloat16, gsh_bfloat16, __VA_ARGS__) X(half, gsh_half, __VA_ARGS__)
#define GSH_T_REALS(X, ...)   X(float, float, __VA_ARGS__) X(double, double, __VA_ARGS__)
#define GSH_T_CHARS(X, ...)   X(char, char, __VA_ARGS__) X(schar, signed char, __VA_ARGS__)
#define GSH_T_UCHAR(X, ...)   X(uchar, unsigned char, __VA_ARGS__)
#define GSH_T_SHORT(X, ...)   X(short, short, __VA_ARGS__)
#define GSH_T_USHORT(X, ...)  X(ushort, unsigned short, __VA_ARGS__)
#define GSH_T_INTS(X, ...)    X(int, int, __VA_ARGS__) X(long, long, __VA_ARGS__) \
                              X(longlong, long long, __VA_ARGS__)
#define GSH_T_UINTS(X, ...)   X(uint, unsigned int, __VA_ARGS__) \
                              X(ulong, unsigned long, __VA_ARGS__) \
                              X(ulonglong, unsigned long long, __VA_ARGS__)
#define GSH_T_FIX_LO(X, ...)  X(int8, int8_t, __VA_ARGS__) X(int16, int16_t, __VA_ARGS__) \
                              X(uint8, uint8_t, __VA_ARGS__) X(uint16, uint16_t, __VA_ARGS__)
#define GSH_T_FIX_HI(X, ...)  X(int32, int32_t, __VA_ARGS__) X(int64, int64_t, __VA_ARGS__) \
                              X(uint32, uint32_t, __VA_ARGS__) X(uint64, uint64_t, __VA_ARGS__)
#define GSH_T_SIZE(X, ...)    X(size, size_t, __VA_ARGS__)
#define GSH_T_PTRDIFF(X, ...) X(ptrdiff, ptrdiff_t, __VA_ARGS__)
#define GSH_T_LONGDOUBLE(X, ...) X(longdouble, long double, __VA_ARGS__)
#define GSH_T_COMPLEX(X, ...) X(complexf, gsh_complexf, __VA_ARGS__) \
                              X(complexd, gsh_complexd, __VA_ARGS__)

/* Sets of the interface, as unions of atoms. GSH_BOTH_: in NVSHMEM and in OpenSHMEM,
 * GSH_SHMEM_: in OpenSHMEM, the others: in NVSHMEM, or the same in both. */
#define GSH_AMO_BIT_TYPES(X, ...) GSH_T_UINTS(X, __VA_ARGS__) GSH_T_FIX_HI(X, __VA_ARGS__)
#define GSH_AMO_TYPES(X, ...)     GSH_AMO_BIT_TYPES(X, __VA_ARGS__) GSH_T_INTS(X, __VA_ARGS__) \
                                  GSH_T_SIZE(X, __VA_ARGS__) GSH_T_PTRDIFF(X, __VA_ARGS__)
#define GSH_AMO_EXT_TYPES(X, ...) GSH_AMO_TYPES(X, __VA_ARGS__) GSH_T_REALS(X, __VA_ARGS__)
#define GSH_WAIT_TYPES(X, ...)    GSH_T_SHORT(X, __VA_ARGS__) GSH_T_USHORT(X, __VA_ARGS__) \
                                  GSH_AMO_TYPES(X, __VA_ARGS__)
#define GSH_BOTH_RMA_TYPES(X, ...) \
                                  GSH_WAIT_TYPES(X, __VA_ARGS__) GSH_T_CHARS(X, __VA_ARGS__) \
                                  GSH_T_UCHAR(X, __VA_ARGS__) GSH_T_FIX_LO(X, __VA_ARGS__) \
                                  GSH_T_REALS(X, __VA_ARGS__)
#define GSH_RMA_TYPES(X, ...)     GSH_BOTH_RMA_TYPES(X, __VA_ARGS__) GSH_T_HALFS(X, __VA_ARGS__)
#define GSH_SHMEM_RMA_TYPES(X, ...) \
                                  GSH_BOTH_RMA_TYPES(X, __VA_ARGS__) \
                                  GSH_T_LONGDOUBLE(X, __VA_ARGS__)
#define GSH_COLL_TYPES(X, ...)    GSH_RMA_TYPES(X, __VA_ARGS__) GSH_T_LONGDOUBLE(X, __VA_ARGS__) \
                                  GSH_T_COMPLEX(X, __VA_ARGS__)
#define GSH_RED_BIT_TYPES(X, ...) GSH_T_UCHAR(X, __VA_ARGS__) GSH_T_USHORT(X, __VA_ARGS__) \
                                  GSH_T_UINTS(X, __VA_ARGS__) GSH_T_FIX_LO(X, __VA_ARGS__) \
                                  GSH_T_FIX_HI(X, __VA_ARGS__) GSH_T_SIZE(X, __VA_ARGS__)
#define GSH_BOTH_RED_TYPES(X, ...) \
                                  GSH_RED_BIT_TYPES(X, __VA_ARGS__) GSH_T_CHARS(X, __VA_ARGS__) \
                                  GSH_T_SHORT(X, __VA_ARGS__) GSH_T_INTS(X, __VA_ARGS__) \
                                  GSH_T_REALS(X, __VA_ARGS__)
#define GSH_RED_TYPES(X, ...)     GSH_BOTH_RED_TYPES(X, __VA_ARGS__) GSH_T_HALFS(X, __VA_ARGS__)
#define GSH_SHMEM_RED_TYPES(X, ...) \
                                  GSH_BOTH_RED_TYPES(X, __VA_ARGS__) \
                                  GSH_T_PTRDIFF(X, __VA_ARGS__) GSH_T_LONGDOUBLE(X, __VA_ARGS__)
#define GSH_SHMEM_SUM_TYPES(X, ...) \
                                  GSH_SHMEM_RED_TYPES(X, __VA_ARGS__) GSH_T_COMPLEX(X, __VA_ARGS__)

/* The deprecated calls of OpenSHMEM. */
#define GSH_OLD_INT_TYPES(X, ...) GSH_T_SHORT(X, __VA_ARGS__) GSH_T_INTS(X, __VA_ARGS__)
#define GSH_OLD_RED_TYPES(X, ...) GSH_OLD_INT_TYPES(X, __VA_ARGS__) GSH_T_REALS(X, __VA_ARGS__) \
                                  GSH_T_LONGDOUBLE(X, __VA_ARGS__)
#define GSH_OLD_SUM_TYPES(X, ...) GSH_OLD_RED_TYPES(X, __VA_ARGS__) GSH_T_COMPLEX(X, __VA_ARGS__)

/* X(name, type, op, ...): every reduction, operations times types. */
#define GSH_REDUCTIONS(X, ...) \
    GSH_RED_BIT_TYPES(X, and, __VA_ARGS__) GSH_RED_BIT_TYPES(X, or, __VA_ARGS__) \
    GSH_RED_BIT_TYPES(X, xor, __VA_ARGS__) \
    GSH_RED_TYPES(X, min, __VA_ARGS__) GSH_RED_TYPES(X, max, __VA_ARGS__) \
    GSH_RED_TYPES(X, sum, __VA_ARGS__) GSH_RED_TYPES(X, prod, __VA_ARGS__)

/* The same for OpenSHMEM. */
#define GSH_SHMEM_REDUCTIONS(X, ...) \
    GSH_RED_BIT_TYPES(X, and, __VA_ARGS__) GSH_RED_BIT_TYPES(X, or, __VA_ARGS__) \
    GSH_RED_BIT_TYPES(X, xor, __VA_ARGS__) \
    GSH_SHMEM_RED_TYPES(X, min, __VA_ARGS__) GSH_SHMEM_RED_TYPES(X, max, __VA_ARGS__) \
    GSH_SHMEM_SUM_TYPES(X, sum, __VA_ARGS__) GSH_SHMEM_SUM_TYPES(X, prod, __VA_ARGS__)

/* X(bits, ...): the sizes of put8 to put128. */
#define GSH_SIZES(X, ...) X(8, __VA_ARGS__) X(16, __VA_ARGS__) X(32, __VA_ARGS__) \
                          X(64, __VA_ARGS__) X(128, __VA_ARGS__)

/* X(name, value): the comparisons of wait and test. */
#define GSH_COMPARISONS(X) X(EQ, 0) X(NE, 1) X(GT, 2) X(LE, 3) X(LT, 4) X(GE, 5)

/* clang-format on */

/* A team of PEs: a small integer, valid on this PE only. */
typedef int32_t nvshmem_team_t;
typedef nvshmem_team_t nvshmemx_team_t;

/* Comparisons of the wait and test calls. */
typedef enum nvshmemi_cmp_type {
#define GSH_ROW(name, value) NVSHMEM_CMP_##name = value,
    GSH_COMPARISONS(GSH_ROW)
#undef GSH_ROW
        NVSHMEM_CMP_SENTINEL = 0x7fffffff
} nvshmemx_cmp_type_t;

/* What a signal does to the signal word. */
typedef enum {
    NVSHMEM_SIGNAL_SET = 9,
    NVSHMEM_SIGNAL_ADD = 10,
    NVSHMEM_SIGNAL_SENTINEL = 0x7fffffff
} nvshmemx_signal_op_t;

/* Return values of the calls that return int. */
enum nvshmemx_status {
    NVSHMEMX_SUCCESS = 0,
    NVSHMEMX_ERROR_INVALID_VALUE = 1,
    NVSHMEMX_ERROR_OUT_OF_MEMORY = 2,
    NVSHMEMX_ERROR_NOT_SUPPORTED = 3,
    NVSHMEMX_ERROR_SYMMETRY = 4,
    NVSHMEMX_ERROR_GPU_NOT_SELECTED = 5,
    NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED = 6,
    NVSHMEMX_ERROR_INTERNAL = 7,
    NVSHMEMX_ERROR_SENTINEL = 0x7fffffff
};

typedef enum {
    NVSHMEM_PE_INVALID = -1,
    NVSHMEMX_PE_ANY = 32768,
    NVSHMEMX_PE_ALL = 32768
} nvshmem_pe_index_t;

#endif /* GSHMEM_TYPES_H */
