/* coll.h - ordering, barriers and collective operations.
 *
 * OpenSHMEM 1.5, sections 9.10 (collective routines) and 9.12 (memory ordering).
 * Names are given for float. Collectives are called by all PEs of the team with
 * matching arguments, one at a time on a team; dest and source are symmetric and
 * dest is ready to be written on all PEs. They return 0, or non-zero with a text
 * in nvshmemx_last_error(). On return dest is complete here and source may be
 * written again. A call that does not match those of the other PEs ends the job
 * and shows each PE's call.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_COLL_H
#define GSHMEM_COLL_H

#include <gshmem/types.h>

GSH_BEGIN_C

/* fence: puts, signals and atomics without an answer of this PE to one PE before it
 * arrive before those after it. quiet: all of them, and all _nbi operations, are complete and
 * visible. Not collective. */
GSH_ANY void nvshmem_fence(void);
GSH_ANY void nvshmem_quiet(void);

/* barrier = quiet and sync; sync completes nothing, it only meets. */
GSH_ANY int nvshmem_barrier(nvshmem_team_t team);
GSH_ANY void nvshmem_barrier_all(void);
GSH_ANY int nvshmem_team_sync(nvshmem_team_t team);
GSH_ANY void nvshmem_sync_all(void);
#define nvshmem_sync nvshmem_team_sync

/* broadcast: nelems elements from source of PE_root (rank in the team) to dest of
 *            every PE, the root's too.
 * fcollect:  nelems elements of each PE, in rank order, to dest of every PE.
 * alltoall:  elements [nelems * j, nelems * (j + 1)) of source to rank j, where
 *            they stand at nelems * (own rank).
 * int nvshmem_float_broadcast(nvshmem_team_t team, float *dest, const float *source,
 *                             size_t nelems, int PE_root) */
#define GSH_DECL(name, type, a) \
    GSH_ANY int nvshmem_##name##_alltoall(nvshmem_team_t team, type *dest, const type *source, \
                                          size_t nelems); \
    GSH_ANY int nvshmem_##name##_broadcast(nvshmem_team_t team, type *dest, const type *source, \
                                           size_t nelems, int PE_root); \
    GSH_ANY int nvshmem_##name##_fcollect(nvshmem_team_t team, type *dest, const type *source, \
                                          size_t nelems);
GSH_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

GSH_ANY int nvshmem_alltoallmem(nvshmem_team_t team, void *dest, const void *source, size_t bytes);
GSH_ANY int nvshmem_broadcastmem(nvshmem_team_t team, void *dest, const void *source, size_t bytes,
                                 int PE_root);
GSH_ANY int nvshmem_fcollectmem(nvshmem_team_t team, void *dest, const void *source, size_t bytes);

/* reduce:        dest[i] on every PE = source[i] of all PEs, combined. dest may be
 *                source.
 * reducescatter: rank r gets elements [nreduce * r, nreduce * (r + 1)) of that;
 *                source has nreduce * (team size) elements.
 * int nvshmem_float_sum_reduce(nvshmem_team_t team, float *dest, const float *source,
 *                              size_t nreduce) */
#define GSH_DECL(name, type, op, a) \
    GSH_ANY int nvshmem_##name##_##op##_reduce(nvshmem_team_t team, type *dest, \
                                               const type *source, size_t nreduce); \
    GSH_ANY int nvshmem_##name##_##op##_reducescatter(nvshmem_team_t team, type *dest, \
                                                      const type *source, size_t nreduce);
GSH_REDUCTIONS(GSH_DECL, _)
#undef GSH_DECL

/* int nvshmemx_float_sum_reduce_team(nvshmem_team_t team, float *dest, const float *source,
 *                                    size_t nreduce)
 * Another name of nvshmem_float_sum_reduce(). */
#define GSH_DECL(name, type, op, a) \
    GSH_ANY int nvshmemx_##name##_##op##_reduce_team(nvshmem_team_t team, type *dest, \
                                                     const type *source, size_t nreduce);
GSH_REDUCTIONS(GSH_DECL, _)
#undef GSH_DECL

GSH_END_C

#endif /* GSHMEM_COLL_H */
