/* cuda_runtime.h - CUDA's runtime for the CPU device: the calls, their typed forms for C++,
 * the language of kernels, and launches.
 *
 * Forms of earlier CUDA releases are overloads beside those of release 13, so that sources
 * of either compile.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_CUDA_RUNTIME_H
#define GSHMEM_CPU_CUDA_RUNTIME_H

#include <gshmem/cpu/cuda_runtime_api.h>

#ifdef __cplusplus
#include <gshmem/cpu/runtime/releases.h>
#include <gshmem/cpu/runtime/typed.h>
#include <gshmem/cpu/vector_functions.h>
#ifdef __CUDACC__
#include <gshmem/cpu/cuda_lang.h>
#endif
#include <gshmem/cpu/launch.h>
#endif

#endif /* GSHMEM_CPU_CUDA_RUNTIME_H */
