/* pshmem.h - the names for profilers: all of them come with shmem.h. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef PSHMEM_H
#define PSHMEM_H

#include <shmem.h>

#endif /* PSHMEM_H */
