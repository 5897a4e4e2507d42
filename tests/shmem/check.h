/* check.h - the checks of tests/conform, for programs that use OpenSHMEM. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_SHMEM_CHECK_H
#define GSH_TESTS_SHMEM_CHECK_H

#include "../conform/check.h"

#include <shmem.h>

#endif /* GSH_TESTS_SHMEM_CHECK_H */
