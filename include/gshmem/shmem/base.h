/* base.h - types and constants of OpenSHMEM, and how its calls are declared.
 *
 * OpenSHMEM 1.5, section 6 (library constants and handles). Each call has a
 * second name, pshmem_ for shmem_ (section 10, profiling interface); a
 * profiler defines the first and calls the second.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_BASE_H
#define GSHMEM_SHMEM_BASE_H

#include <gshmem/team.h>
#include <gshmem/types.h>
#include <gshmem/version.h>

#define GSH_SHMEM(result, name, ...) \
    GSH_API result shmem_##name(__VA_ARGS__); \
    GSH_API result pshmem_##name(__VA_ARGS__);

/* With and without a context. */
#define GSH_SHMEM_CTX(result, name, ...) \
    GSH_SHMEM(result, name, __VA_ARGS__) \
    GSH_SHMEM(result, ctx_##name, shmem_ctx_t ctx, __VA_ARGS__)

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 5
#define SHMEM_MAX_NAME_LEN 256
#define SHMEM_VENDOR_STRING "gshmem " GSHMEM_VERSION

enum {
    SHMEM_THREAD_SINGLE,
    SHMEM_THREAD_FUNNELED,
    SHMEM_THREAD_SERIALIZED,
    SHMEM_THREAD_MULTIPLE,
};

enum {
#define GSH_ROW(name, value) SHMEM_CMP_##name = value,
    GSH_COMPARISONS(GSH_ROW)
#undef GSH_ROW
};

#define SHMEM_SIGNAL_SET NVSHMEM_SIGNAL_SET
#define SHMEM_SIGNAL_ADD NVSHMEM_SIGNAL_ADD

/* Teams are those of gshmem/team.h. */
typedef nvshmem_team_t shmem_team_t;

typedef struct {
    int num_contexts;
} shmem_team_config_t;

#define SHMEM_TEAM_INVALID NVSHMEM_TEAM_INVALID
#define SHMEM_TEAM_WORLD NVSHMEM_TEAM_WORLD
#define SHMEM_TEAM_SHARED NVSHMEM_TEAM_SHARED
#define SHMEM_TEAM_NUM_CONTEXTS 1L

/* A context is an incomplete struct; these two are no addresses. */
typedef struct gsh_ctx *shmem_ctx_t;

typedef struct {
    size_t total_ops;
} shmem_ctx_session_config_t;

#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)
#define SHMEM_CTX_DEFAULT ((shmem_ctx_t)1)

#define SHMEM_CTX_SERIALIZED 1L
#define SHMEM_CTX_PRIVATE 2L
#define SHMEM_CTX_NOSTORE 4L

#define SHMEM_CTX_SESSION_TOTAL_OPS 1L
#define SHMEM_CTX_SESSION_BATCH 1L
#define SHMEM_CTX_SESSION_SAME_AMO 2L

#define SHMEM_MALLOC_ATOMICS_REMOTE 1L
#define SHMEM_MALLOC_SIGNAL_REMOTE 2L

/* Of the deprecated collectives: what a word of pSync holds before the first use, and how
 * many words pSync and pWrk have. */
#define SHMEM_SYNC_VALUE (-1L)
#define SHMEM_SYNC_SIZE 4
#define SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 1

#endif /* GSHMEM_SHMEM_BASE_H */
