/* cuda_lang.h - the language part of CUDA for the CPU device: words, built-in variables,
 * vectors, intrinsics. What programs see of CUDA's runtime is in cuda_runtime.h.
 *
 * Math, vectors, bits and atomics work in host code, too; what needs other threads of a
 * kernel ends the job there, with a message.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_CUDA_LANG_H
#define GSHMEM_CPU_CUDA_LANG_H

#include <gshmem/cpu/device_launch_parameters.h>
#include <gshmem/cpu/lang/atomic.h>
#include <gshmem/cpu/lang/bits.h>
#include <gshmem/cpu/lang/math.h>
#include <gshmem/cpu/lang/memory.h>
#include <gshmem/cpu/lang/sync.h>
#include <gshmem/cpu/lang/warp.h>
#include <gshmem/cpu/vector_functions.h>

#endif /* GSHMEM_CPU_CUDA_LANG_H */
