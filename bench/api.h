/* api.h - the names by which the benchmarks call a library.
 *
 * They are written against nvshmem.h. With BENCH_SHMEM the same files compile
 * against an OpenSHMEM library's shmem.h, and with BENCH_MPI against MPI, so that
 * these can be measured in the same run; rows whose operation they lack are left out
 * of the list.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_API_H
#define BENCH_API_H

#include <stddef.h>
#include <stdint.h>

#if defined(BENCH_MPI)

#include "api_mpi.h"

#elif !defined(BENCH_SHMEM)

#include <nvshmem.h>
#define BENCH_ROOT_GETS_DATA 1
#define BENCH_SIGNALS 1
#define BENCH_WAITS 1

#else

#include <shmem.h>
#define NVSHMEM_CMP_EQ SHMEM_CMP_EQ
#define NVSHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define nvshmem_init shmem_init
#define nvshmem_finalize shmem_finalize
#define nvshmem_my_pe shmem_my_pe
#define nvshmem_n_pes shmem_n_pes
#define nvshmem_info_get_name shmem_info_get_name
#define nvshmem_malloc shmem_malloc
#define nvshmem_align shmem_align
#define nvshmem_free shmem_free
#define nvshmem_ptr shmem_ptr
#define nvshmem_putmem shmem_putmem
#define nvshmem_putmem_nbi shmem_putmem_nbi
#define nvshmem_getmem shmem_getmem
#define nvshmem_getmem_nbi shmem_getmem_nbi
#define nvshmem_long_p shmem_long_p
#define nvshmem_long_wait_until shmem_long_wait_until
#define nvshmem_long_atomic_fetch_add shmem_long_atomic_fetch_add
#define nvshmem_quiet shmem_quiet
#define nvshmem_barrier_all shmem_barrier_all
#define nvshmem_sync_all shmem_sync_all
#define BENCH_WAITS 1

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
#define NVSHMEM_TEAM_WORLD SHMEM_TEAM_WORLD
#define NVSHMEM_SIGNAL_SET SHMEM_SIGNAL_SET
#define nvshmem_putmem_signal shmem_putmem_signal
#define nvshmem_signal_wait_until shmem_signal_wait_until
#define nvshmem_broadcastmem shmem_broadcastmem
#define nvshmem_fcollectmem shmem_fcollectmem
#define nvshmem_alltoallmem shmem_alltoallmem
#define nvshmem_long_sum_reduce shmem_long_sum_reduce
#define BENCH_ROOT_GETS_DATA 1
#define BENCH_SIGNALS 1
#else
#include "api14.h"
#endif

#endif /* which library */

#if BENCH_SIGNALS
#define BENCH_IF_SIGNALS(row) row
#else
#define BENCH_IF_SIGNALS(row)
#endif
#if BENCH_WAITS
#define BENCH_IF_WAITS(row) row
#else
#define BENCH_IF_WAITS(row)
#endif

#endif /* BENCH_API_H */
