/* nvshmemx.h - the NVSHMEM extensions: all of them come with nvshmem.h but tiles, which
 * need C++17 kernels. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef NVSHMEMX_H
#define NVSHMEMX_H

#include <nvshmem.h>

#if defined(__CUDACC__) && __cplusplus >= 201703L
#if __has_include(<cuda/std/tuple>)
#include <gshmem/tile.h>
#endif
#endif

#endif /* NVSHMEMX_H */
