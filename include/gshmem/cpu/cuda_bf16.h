/* cuda_bf16.h - nv_bfloat16 and nv_bfloat162, for the CPU device; in host code, too. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_CUDA_BF16_H
#define GSHMEM_CPU_CUDA_BF16_H

#include <gshmem/cpu/lang/narrow.h>

#define GSH_N bfloat16
#define GSH_N2 bfloat162
#define GSH_T __nv_bfloat16
#define GSH_T2 __nv_bfloat162
#define GSH_RAW __nv_bfloat16_raw
#define GSH_RAW2 __nv_bfloat162_raw
#define GSH_FORMAT gsh_lang::bfloat16_format
#include <gshmem/cpu/lang/narrow_type.h>

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#endif /* GSHMEM_CPU_CUDA_BF16_H */
