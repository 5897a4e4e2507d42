/* team.h - teams of PEs.
 *
 * OpenSHMEM 1.5, section 9.4. The calls that return int return 0 when they succeed, but the
 * queries -1 for an invalid team. config may be NULL when config_mask is 0.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_TEAM_H
#define GSHMEM_SHMEM_TEAM_H

#include <gshmem/shmem/base.h>

GSH_BEGIN_C

GSH_SHMEM(int, team_my_pe, shmem_team_t team)
GSH_SHMEM(int, team_n_pes, shmem_team_t team)
GSH_SHMEM(int, team_get_config, shmem_team_t team, long config_mask, shmem_team_config_t *config)
GSH_SHMEM(int, team_translate_pe, shmem_team_t src_team, int src_pe, shmem_team_t dest_team)

/* Collective over the parent. */
GSH_SHMEM(int, team_split_strided, shmem_team_t parent_team, int start, int stride, int size,
          const shmem_team_config_t *config, long config_mask, shmem_team_t *new_team)
GSH_SHMEM(int, team_split_2d, shmem_team_t parent_team, int xrange,
          const shmem_team_config_t *xaxis_config, long xaxis_mask, shmem_team_t *xaxis_team,
          const shmem_team_config_t *yaxis_config, long yaxis_mask, shmem_team_t *yaxis_team)

/* Collective over the team. */
GSH_SHMEM(void, team_destroy, shmem_team_t team)

GSH_END_C

#endif /* GSHMEM_SHMEM_TEAM_H */
