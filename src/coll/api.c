/* api.c - the public collectives: shims over checked.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/checked.h"
#include "core/half.h"
#include "core/names.h"
#include "core/remote.h"
#include "gpu/stage.h"

#include <gshmem/coll.h>
#include <gshmem/shmem/coll.h>

#define CALL(name, team, OP, type, size) CALL_OF(name, team, OP, type, size, true)
#define CALL_OF(name, team, OP, type, size, can_fail) \
    &(struct gsh_coll) \
    { \
        name, __builtin_return_address(0), gsh_coll_team(name, team), GSH_COLL_##OP, \
            GSH_TYPE_##type, size, can_fail \
    }

int nvshmem_barrier(nvshmem_team_t team)
{
    return gsh_coll_meet(CALL("nvshmem_barrier", team, BARRIER, mem, 1), true);
}

void nvshmem_fence(void)
{
    gsh_fence();
}

void nvshmem_quiet(void)
{
    gsh_quiet();
}

#define DEF(F) \
    void F##_NAME(barrier_all)(void) \
    { \
        gsh_gpu_stage(F##_TEXT(barrier_all)); \
        gsh_coll_meet(CALL_OF(F##_TEXT(barrier_all), NVSHMEM_TEAM_WORLD, BARRIER, mem, 1, false), \
                      true); \
    } \
    F##_WEAK(barrier_all) void F##_NAME(sync_all)(void) \
    { \
        gsh_gpu_stage(F##_TEXT(sync_all)); \
        gsh_coll_meet(CALL_OF(F##_TEXT(sync_all), NVSHMEM_TEAM_WORLD, SYNC, mem, 1, false), \
                      false); \
    } \
    F##_WEAK(sync_all) int F##_NAME(team_sync)(nvshmem_team_t team) \
    { \
        return gsh_coll_meet(CALL(F##_TEXT(team_sync), team, SYNC, mem, 1), false); \
    } \
    F##_WEAK(team_sync)
DEF(NV)
DEF(OS)
#undef DEF

/* The typed calls, `call` being name_broadcast and so on, and those on bytes. */
#define BROADCAST(F, call, name, type, size) \
    int F##_NAME(call)(nvshmem_team_t team, type * dest, const type *source, size_t nelems, \
                       int PE_root) \
    { \
        return gsh_coll_broadcast(CALL(F##_TEXT(call), team, BROADCAST, name, size), dest, source, \
                                  nelems, PE_root, true); \
    } \
    F##_WEAK(call)

#define MOVE(F, call, name, type, size, OP, function) \
    int F##_NAME(call)(nvshmem_team_t team, type * dest, const type *source, size_t nelems) \
    { \
        return function(CALL(F##_TEXT(call), team, OP, name, size), dest, source, nelems); \
    } \
    F##_WEAK(call)

#define ALLTOALLS(F, call, name, type, size) \
    int F##_NAME(call)(nvshmem_team_t team, type * dest, const type *source, ptrdiff_t dst, \
                       ptrdiff_t sst, size_t nelems) \
    { \
        return gsh_coll_alltoalls(CALL(F##_TEXT(call), team, ALLTOALLS, name, size), dest, source, \
                                  dst, sst, nelems); \
    } \
    F##_WEAK(call)

#define BOTH(name, type, F) \
    BROADCAST(F, name##_broadcast, name, type, sizeof(type)) \
    MOVE(F, name##_fcollect, name, type, sizeof(type), FCOLLECT, gsh_coll_exchange) \
    MOVE(F, name##_alltoall, name, type, sizeof(type), ALLTOALL, gsh_coll_exchange)
GSH_RMA_TYPES(BOTH, NV)
GSH_SHMEM_RMA_TYPES(BOTH, OS)

#define SHMEM(name, type, F) \
    MOVE(F, name##_collect, name, type, sizeof(type), COLLECT, gsh_coll_collect) \
    ALLTOALLS(F, name##_alltoalls, name, type, sizeof(type))
GSH_SHMEM_RMA_TYPES(SHMEM, OS)

#define BYTES(F) \
    BROADCAST(F, broadcastmem, mem, void, 1) \
    MOVE(F, fcollectmem, mem, void, 1, FCOLLECT, gsh_coll_exchange) \
    MOVE(F, alltoallmem, mem, void, 1, ALLTOALL, gsh_coll_exchange)
BYTES(NV)
BYTES(OS)
MOVE(OS, collectmem, mem, void, 1, COLLECT, gsh_coll_collect)
ALLTOALLS(OS, alltoallsmem, mem, void, 1)

#define DEF(name, type, op, F, call, CALL_OP) \
    int F##_NAME(name##_##op##_##call)(nvshmem_team_t team, type * dest, const type *source, \
                                       size_t nreduce) \
    { \
        return gsh_coll_reduction( \
            CALL(F##_TEXT(name##_##op##_##call), team, CALL_OP, name, sizeof(type)), GSH_RED_##op, \
            dest, source, nreduce, gsh_combine_##op##_##name); \
    } \
    F##_WEAK(name##_##op##_##call)
GSH_REDUCTIONS(DEF, NV, reduce, REDUCE)
GSH_REDUCTIONS(DEF, NV, reducescatter, REDUCESCATTER)
GSH_SHMEM_REDUCTIONS(DEF, OS, reduce, REDUCE)
#undef DEF

#define DEF(name, type, op, a) \
    int nvshmemx_##name##_##op##_reduce_team(nvshmem_team_t team, type *dest, const type *source, \
                                             size_t nreduce) \
    { \
        return gsh_coll_reduction( \
            CALL("nvshmemx_" #name "_" #op "_reduce_team", team, REDUCE, name, sizeof(type)), \
            GSH_RED_##op, dest, source, nreduce, gsh_combine_##op##_##name); \
    }
GSH_REDUCTIONS(DEF, _)
#undef DEF

#define DEF(name, type, call, inclusive) \
    int pshmem_##name##_sum_##call(nvshmem_team_t team, type *dest, const type *source, \
                                   size_t nelems) \
    { \
        return gsh_coll_scan(CALL(OS_TEXT(name##_sum_##call), team, SCAN, name, sizeof(type)), \
                             dest, source, nelems, gsh_combine_sum_##name, inclusive); \
    } \
    OS_WEAK(name##_sum_##call)
GSH_SHMEM_SUM_TYPES(DEF, inscan, true)
GSH_SHMEM_SUM_TYPES(DEF, exscan, false)
#undef DEF
