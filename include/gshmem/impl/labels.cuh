/* labels.cuh - CPU device: gives the names of host and device their own symbols. Comes
 * before the headers that declare them, see row.cuh. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_LABELS_CUH
#define GSHMEM_IMPL_LABELS_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gshmem/types.h>

#define GSH_ROWS_LABEL
#include <gshmem/impl/names.cuh>
#undef GSH_ROWS_LABEL

#endif /* GSHMEM_IMPL_LABELS_CUH */
