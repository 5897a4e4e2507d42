/* lock.h - distributed locks.
 *
 * OpenSHMEM 1.5, section 9.13. A lock is a symmetric long, 0 at first on all PEs, that
 * nothing else writes to. PEs get it in the order in which they ask.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_LOCK_H
#define GSHMEM_SHMEM_LOCK_H

#include <gshmem/shmem/base.h>

GSH_BEGIN_C

GSH_SHMEM(void, set_lock, long *lock)

/* Completes what this PE has put before. */
GSH_SHMEM(void, clear_lock, long *lock)

/* 0: this PE has the lock now; 1: another one has it. */
GSH_SHMEM(int, test_lock, long *lock)

GSH_END_C

#endif /* GSHMEM_SHMEM_LOCK_H */
