/* cuda_fp16.h - half and half2, for the CPU device; in host code, too. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_CUDA_FP16_H
#define GSHMEM_CPU_CUDA_FP16_H

#include <gshmem/cpu/lang/narrow.h>

#define GSH_N half
#define GSH_N2 half2
#define GSH_T __half
#define GSH_T2 __half2
#define GSH_RAW __half_raw
#define GSH_RAW2 __half2_raw
#define GSH_FORMAT gsh_lang::half_format
#include <gshmem/cpu/lang/narrow_type.h>

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#endif /* GSHMEM_CPU_CUDA_FP16_H */
