/* mpp/shmem.h - where old OpenSHMEM programs look for shmem.h (OpenSHMEM 1.5,
 * annex F: deprecated). */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_MPP_SHMEM_H
#define GSHMEM_MPP_SHMEM_H

#include <shmem.h>

#endif /* GSHMEM_MPP_SHMEM_H */
