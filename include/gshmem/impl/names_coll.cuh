/* names_coll.cuh - the public names of barriers, sync and collectives for kernels, for
 * names.cuh. In each list ROW, x, suffix and group are those of GSH_SCOPES. */
// SPDX-License-Identifier: BSD-3-Clause
#include <gshmem/types.h>

/* int nvshmemx_barrier_block(nvshmem_team_t team), void nvshmemx_barrier_all_block(void) */
#define GSH_TEAM_ROW(ROW, name, body, group) \
    ROW(int, name, (nvshmem_team_t team), (team), \
        return gsh_impl::body<gsh_impl::group>(#name, team))
#define GSH_WORLD_ROW(ROW, name, body, group) \
    ROW(void, name, (void), (), gsh_impl::body<gsh_impl::group>(#name, 0))
#define GSH_MEET_ROWS(ROW, x, suffix, group) \
    GSH_TEAM_ROW(ROW, nvshmem##x##_barrier##suffix, barrier, group) \
    GSH_TEAM_ROW(ROW, nvshmem##x##_team_sync##suffix, team_sync, group) \
    GSH_WORLD_ROW(ROW, nvshmem##x##_barrier_all##suffix, barrier, group) \
    GSH_WORLD_ROW(ROW, nvshmem##x##_sync_all##suffix, team_sync, group)

/* int nvshmemx_float_broadcast_block(nvshmem_team_t team, float *dest, const float *source,
 *                                    size_t nelems, int PE_root) */
#define GSH_MOVE_ROW(ROW, name, type, bytes, body, group) \
    ROW(int, name, (nvshmem_team_t team, type * dest, const type *source, size_t nelems), \
        (team, dest, source, nelems), \
        return gsh_impl::body<gsh_impl::group>(#name, team, dest, source, bytes))
#define GSH_ROOT_ROW(ROW, name, type, bytes, group) \
    ROW(int, name, \
        (nvshmem_team_t team, type * dest, const type *source, size_t nelems, int PE_root), \
        (team, dest, source, nelems, PE_root), \
        return gsh_impl::broadcast<gsh_impl::group>(#name, team, dest, source, bytes, PE_root))
#define GSH_MOVE_ROWS(name, type, ROW, x, suffix, group) \
    GSH_MOVE_ROW(ROW, nvshmem##x##_##name##_alltoall##suffix, type, nelems * sizeof(type), \
                 alltoall, group) \
    GSH_ROOT_ROW(ROW, nvshmem##x##_##name##_broadcast##suffix, type, nelems * sizeof(type), group) \
    GSH_MOVE_ROW(ROW, nvshmem##x##_##name##_fcollect##suffix, type, nelems * sizeof(type), \
                 fcollect, group)
#define GSH_MEM_ROWS(ROW, x, suffix, group) \
    GSH_MOVE_ROW(ROW, nvshmem##x##_alltoallmem##suffix, void, nelems, alltoall, group) \
    GSH_ROOT_ROW(ROW, nvshmem##x##_broadcastmem##suffix, void, nelems, group) \
    GSH_MOVE_ROW(ROW, nvshmem##x##_fcollectmem##suffix, void, nelems, fcollect, group)

/* int nvshmemx_float_sum_reduce_block(nvshmem_team_t team, float *dest, const float *source,
 *                                     size_t nreduce) */
#define GSH_REDUCE_ROW(ROW, name, type, body, op, group) \
    ROW(int, name, (nvshmem_team_t team, type * dest, const type *source, size_t nreduce), \
        (team, dest, source, nreduce), \
        return gsh_impl::body<gsh_impl::op, gsh_impl::group>(#name, team, dest, source, nreduce))
#define GSH_REDUCE_ROWS(name, type, op, ROW, x, suffix, group) \
    GSH_REDUCE_ROW(ROW, nvshmem##x##_##name##_##op##_reduce##suffix, type, reduce, op_##op, group) \
    GSH_REDUCE_ROW(ROW, nvshmem##x##_##name##_##op##_reducescatter##suffix, type, reducescatter, \
                   op_##op, group)

#define GSH_COLL_ROWS(ROW, x, suffix, group) \
    GSH_MEET_ROWS(ROW, x, suffix, group) \
    GSH_RMA_TYPES(GSH_MOVE_ROWS, ROW, x, suffix, group) \
    GSH_MEM_ROWS(ROW, x, suffix, group) \
    GSH_REDUCTIONS(GSH_REDUCE_ROWS, ROW, x, suffix, group)

GSH_SCOPES(GSH_COLL_ROWS)

/* int nvshmemx_float_sum_reduce_team(nvshmem_team_t team, float *dest, const float *source,
 *                                    size_t nreduce) */
#define GSH_TEAM_REDUCE_ROW(name, type, op, ROW, group) \
    GSH_REDUCE_ROW(ROW, nvshmemx_##name##_##op##_reduce_team, type, reduce, op_##op, group)
GSH_REDUCTIONS(GSH_TEAM_REDUCE_ROW, GSH_ANY_ROW, thread)
#undef GSH_TEAM_REDUCE_ROW

GSH_TEAM_ROW(GSH_DEVICE_ROW, nvshmemx_barrier_warpgroup, barrier, warpgroup)
GSH_REDUCE_ROW(GSH_DEVICE_ROW, nvshmemx_double2_maxloc_reduce_block, double2, reduce, op_maxloc,
               block)

#undef GSH_TEAM_ROW
#undef GSH_WORLD_ROW
#undef GSH_MEET_ROWS
#undef GSH_MOVE_ROW
#undef GSH_ROOT_ROW
#undef GSH_MOVE_ROWS
#undef GSH_MEM_ROWS
#undef GSH_REDUCE_ROW
#undef GSH_REDUCE_ROWS
#undef GSH_COLL_ROWS
