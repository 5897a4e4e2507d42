/* cuda_profiler_api.h - a name that programs include; see cuda_runtime_api.h. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_CUDA_PROFILER_API_H
#define GSHMEM_CPU_CUDA_PROFILER_API_H

#include <gshmem/cpu/cuda_runtime_api.h>

#endif /* GSHMEM_CPU_CUDA_PROFILER_API_H */
