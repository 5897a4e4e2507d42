/* make.h - what team.c and make.c share: the table of teams and its blocks. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TEAM_MAKE_H
#define GSH_TEAM_MAKE_H

#include "team/team.h"

/* A team of these n PEs on this block; in no table yet. NULL without memory. */
struct gsh_team *gsh_team_create(const int *pes, int n, int block,
                                 const nvshmem_team_config_t *config);

/* Zeroes what flags it has. No member uses the team before all have. */
void gsh_team_clear(const struct gsh_team *team);

/* Takes it out of the table, if it is there, and frees it; NULL is nothing. */
void gsh_team_drop(struct gsh_team *team);

/* Enters it at the first free handle from `handle` on; -ENOSPC when none is left. */
int gsh_team_enter(struct gsh_team *team, nvshmem_team_t handle);

/* Sets the bits, of GSH_AGREE_WORDS words, of the blocks that no team of this PE uses. */
void gsh_team_free_blocks(uint64_t *bits);

/* Teams that can live at once, predefined ones included. */
int gsh_team_most(void);

/* Makes the predefined teams that depend on GPUs anew: see topo/gpus.h. The caller sees to it
 * that no PE uses them before all have done so. */
int gsh_team_regroup(void);

/* One axis of a split: which ranks of the parent are with this PE. */
struct gsh_axis {
    const int *ranks; /* [n]: they, with this PE among them; NULL: start, start + stride, ... */
    int start;
    int stride;
    int n;
    nvshmem_team_config_t config;
    nvshmem_team_t *handle;
};

/* Splits the parent along n axes at once, at most 2; root, bytes and extra of the call hold its
 * arguments: see gsh_call_text(). */
int gsh_team_split(struct gsh_team *parent, struct gsh_call call, const struct gsh_axis *axes,
                   int n);

/* The ranks of the group that rank `my` is in when the n ranks are gone through in turn and each
 * that has no group yet begins one, of those behind it that have none either and are linked with
 * all of the group so far. So all PEs find the same groups. Returns how many; -ENOMEM. */
int gsh_team_group(const int *pes, int n, int my, bool (*linked)(int a, int b), int *ranks);

/* topology.c: made for nvshmemx_get_team_from_spec(), which keeps it. */
bool gsh_team_is_asked_for(nvshmem_team_t handle);
void gsh_team_forget_asked_for(void);

int gsh_team_block_of(const struct gsh_team *team);

#endif /* GSH_TEAM_MAKE_H */
