/* state.h - keeps what kernels know of the job current: struct gsh_device_state.
 *
 * Opened when the windows and the paths to the other PEs are known, and before the
 * teams, which enter themselves. On the CPU device the windows of both kinds are parts of
 * the host's; other devices begin from what gsh_device_state_get() says of ranks and teams.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_STATE_H
#define GSH_GPU_STATE_H

#include "proxy/proxy.h"
#include "team/team.h"

#include <gshmem/impl/state.h>

int gsh_device_open(void);
void gsh_device_close(void);

/* Makes a team known to kernels under its handle, and unknown again. The words of its
 * block are all zero. */
int gsh_device_team_enter(const struct gsh_team *team);
void gsh_device_team_leave(nvshmem_team_t handle);

/* Fills table[n_pes] as `away` of struct gsh_device_window, from where at() has the own
 * address `base` at each PE (NULL: out of reach). True when no table is needed. */
bool gsh_device_find_away(const char *base, char *(*at)(const void *own, int pe), size_t stride,
                          int64_t *table);

/* Sets `near` of the windows from the rest. */
void gsh_device_find_near(struct gsh_device_state *state);

/* The alias of an address in the own window of the host; NULL when it has none here. */
char *gsh_device_host_at(const void *own, int pe);

/* Serves kernels on the CPU device. */
extern struct gsh_proxy gsh_device_proxy;

/* As it is now; n_pes is 0 while there is no job. */
const struct gsh_device_state *gsh_device_state_get(void);

#endif /* GSH_GPU_STATE_H */
