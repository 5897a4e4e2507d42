/* make.h - what team.c and make.c share: the table of teams and its blocks. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TEAM_MAKE_H
#define GSH_TEAM_MAKE_H

#include "team/team.h"

/* A team of these n PEs on this block; in no table yet. NULL without memory. */
struct gsh_team *gsh_team_create(const int *pes, int n, int block,
                                 const nvshmem_team_config_t *config);

/* Takes it out of the table, if it is there, and frees it; NULL is nothing. */
void gsh_team_drop(struct gsh_team *team);

/* Enters it at the first free handle from `handle` on; -ENOSPC when none is left. */
int gsh_team_enter(struct gsh_team *team, nvshmem_team_t handle);

/* Sets the bits, of GSH_AGREE_WORDS words, of the blocks that no team of this PE uses. */
void gsh_team_free_blocks(uint64_t *bits);

/* Teams that can live at once, predefined ones included. */
int gsh_team_most(void);

int gsh_team_block_of(const struct gsh_team *team);

#endif /* GSH_TEAM_MAKE_H */
