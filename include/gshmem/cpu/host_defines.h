/* host_defines.h - a name that programs include; see lang/keywords.h. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_HOST_DEFINES_H
#define GSHMEM_CPU_HOST_DEFINES_H

#include <gshmem/cpu/lang/keywords.h>

#endif /* GSHMEM_CPU_HOST_DEFINES_H */
