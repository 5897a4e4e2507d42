/* device_functions.h - a name that programs include; see cuda_lang.h. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_DEVICE_FUNCTIONS_H
#define GSHMEM_CPU_DEVICE_FUNCTIONS_H

#include <gshmem/cpu/cuda_lang.h>

#endif /* GSHMEM_CPU_DEVICE_FUNCTIONS_H */
