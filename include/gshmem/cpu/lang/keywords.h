/* keywords.h - the words that CUDA adds to C++, for the CPU device: kernels and device
 * functions are functions of the host, and shared memory belongs to the thread that
 * runs the block.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LANG_KEYWORDS_H
#define GSHMEM_CPU_LANG_KEYWORDS_H

#define __host__
#define __device__
#define __constant__
#define __managed__
#define __grid_constant__

/* Shared memory is not initialised. g++ would guard variables of class types against that
 * all the same, and the threads of a block would meet in the guard. */
#if defined(__GNUC__) && !defined(__clang__)
#define GSH_NOT_GUARDED __constinit
#else
#define GSH_NOT_GUARDED
#endif

/* gshcu reads on after the preprocessor, and needs to see these two. */
#ifdef GSHMEM_REWRITE
#define __global__ __gsh_global__
#define __shared__ __gsh_shared__ GSH_NOT_GUARDED
#else
#define __global__
#define __shared__ static thread_local GSH_NOT_GUARDED
#endif

/* Nothing, as the C++ library says __attribute__((__noinline__)). */
#define __noinline__
#define __forceinline__ __inline__ __attribute__((always_inline))

#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)

#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)

#endif /* GSHMEM_CPU_LANG_KEYWORDS_H */
