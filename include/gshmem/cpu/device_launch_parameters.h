/* device_launch_parameters.h - threadIdx and its kin, for the CPU device: the engine's
 * variables under CUDA's names. Constant to a kernel, as the engine sets them anew
 * whenever it goes on with another thread.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_DEVICE_LAUNCH_PARAMETERS_H
#define GSHMEM_CPU_DEVICE_LAUNCH_PARAMETERS_H

#include <gshmem/cpu/engine.h>
#include <gshmem/cpu/vector_types.h>

#define GSH_LANG_INDEX(T, name, symbol) \
    extern __thread const T name __asm__(symbol) \
        __attribute__((tls_model("initial-exec"), visibility("default")));
GSH_LANG_INDEX(uint3, threadIdx, "gsh_cpu_thread_idx")
GSH_LANG_INDEX(uint3, blockIdx, "gsh_cpu_block_idx")
GSH_LANG_INDEX(dim3, blockDim, "gsh_cpu_block_dim")
GSH_LANG_INDEX(dim3, gridDim, "gsh_cpu_grid_dim")
#undef GSH_LANG_INDEX

constexpr int warpSize = GSH_CPU_WARP;

#endif /* GSHMEM_CPU_DEVICE_LAUNCH_PARAMETERS_H */
