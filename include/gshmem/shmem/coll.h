/* coll.h - collective operations of teams.
 *
 * OpenSHMEM 1.5, section 9.10 (collective routines); the scans are 1.6. Called by all PEs of
 * the team with matching arguments; dest and source are symmetric. They return 0, or non-zero
 * when the arguments cannot be.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_COLL_H
#define GSHMEM_SHMEM_COLL_H

#include <gshmem/shmem/base.h>

GSH_BEGIN_C

/* barrier = quiet and sync. */
GSH_SHMEM(void, barrier_all, void)
GSH_SHMEM(void, sync_all, void)
GSH_SHMEM(int, team_sync, shmem_team_t team)

/* collect:   as fcollect, where each PE has a number of elements of its own.
 * alltoalls: as alltoall; element i of a block of source is source[i * sst], and lies at
 *            dest[i * dst].
 * int shmem_float_broadcast(shmem_team_t team, float *dest, const float *source,
 *                           size_t nelems, int PE_root) */
#define GSH_DECL(name, type, a) \
    GSH_SHMEM(int, name##_broadcast, shmem_team_t team, type *dest, const type *source, \
              size_t nelems, int PE_root) \
    GSH_SHMEM(int, name##_collect, shmem_team_t team, type *dest, const type *source, \
              size_t nelems) \
    GSH_SHMEM(int, name##_fcollect, shmem_team_t team, type *dest, const type *source, \
              size_t nelems) \
    GSH_SHMEM(int, name##_alltoall, shmem_team_t team, type *dest, const type *source, \
              size_t nelems) \
    GSH_SHMEM(int, name##_alltoalls, shmem_team_t team, type *dest, const type *source, \
              ptrdiff_t dst, ptrdiff_t sst, size_t nelems)
GSH_SHMEM_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

GSH_SHMEM(int, broadcastmem, shmem_team_t team, void *dest, const void *source, size_t nelems,
          int PE_root)
GSH_SHMEM(int, collectmem, shmem_team_t team, void *dest, const void *source, size_t nelems)
GSH_SHMEM(int, fcollectmem, shmem_team_t team, void *dest, const void *source, size_t nelems)
GSH_SHMEM(int, alltoallmem, shmem_team_t team, void *dest, const void *source, size_t nelems)
GSH_SHMEM(int, alltoallsmem, shmem_team_t team, void *dest, const void *source, ptrdiff_t dst,
          ptrdiff_t sst, size_t nelems)

/* int shmem_float_sum_reduce(shmem_team_t team, float *dest, const float *source,
 *                            size_t nreduce) */
#define GSH_DECL(name, type, op, a) \
    GSH_SHMEM(int, name##_##op##_reduce, shmem_team_t team, type *dest, const type *source, \
              size_t nreduce)
GSH_SHMEM_REDUCTIONS(GSH_DECL, _)
#undef GSH_DECL

/* dest[i] = the sum of source[i] of all PEs up to this one, of inscan with it, of exscan
 * without it: 0 on the first. dest may be source. */
#define GSH_DECL(name, type, scan) \
    GSH_SHMEM(int, name##_sum_##scan, shmem_team_t team, type *dest, const type *source, \
              size_t nelems)
GSH_SHMEM_SUM_TYPES(GSH_DECL, inscan)
GSH_SHMEM_SUM_TYPES(GSH_DECL, exscan)
#undef GSH_DECL

GSH_END_C

#endif /* GSHMEM_SHMEM_COLL_H */
