/* types.h - numbers for the operations and element types of collectives. Plain C and C++:
 * the library's kernels know them as well. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_COLL_TYPES_H
#define GSH_COLL_TYPES_H

#include <gshmem/types.h>

/* The element types in messages: no type, then those of GSH_COLL_TYPES. */
enum gsh_coll_type {
    GSH_TYPE_mem,
#define ROW(name, type, a) GSH_TYPE_##name,
    GSH_COLL_TYPES(ROW, _)
#undef ROW
};

/* X(op): the operations of GSH_REDUCTIONS. */
#define GSH_REDUCTION_OPS(X) X(and) X(or) X(xor) X(min) X(max) X(sum) X(prod)

enum gsh_reduction {
#define ROW(op) GSH_RED_##op,
    GSH_REDUCTION_OPS(ROW)
#undef ROW
};

#endif /* GSH_COLL_TYPES_H */
