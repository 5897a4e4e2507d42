/* kernels.h - one function for each operation and type that combines arrays. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_COLL_KERNELS_H
#define GSH_COLL_KERNELS_H

#include "coll/coll.h"

/* X(name, type, op, ...): the reductions of both interfaces, each once. */
#define GSH_ALL_REDUCTIONS(X, ...) \
    GSH_REDUCTIONS(X, __VA_ARGS__) \
    GSH_RED_MORE(X, min, __VA_ARGS__) \
    GSH_RED_MORE(X, max, __VA_ARGS__) \
    GSH_RED_MORE(X, sum, __VA_ARGS__) \
    GSH_RED_MORE(X, prod, __VA_ARGS__) \
    GSH_T_COMPLEX(X, sum, __VA_ARGS__) GSH_T_COMPLEX(X, prod, __VA_ARGS__)
#define GSH_RED_MORE(X, ...) GSH_T_PTRDIFF(X, __VA_ARGS__) GSH_T_LONGDOUBLE(X, __VA_ARGS__)

#define DECL(name, type, op, a) gsh_combine gsh_combine_##op##_##name;
GSH_ALL_REDUCTIONS(DECL, _)
#undef DECL

#endif /* GSH_COLL_KERNELS_H */
