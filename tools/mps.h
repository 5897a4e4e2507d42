/* mps.h - a private MPS daemon for one job.
 *
 * CUDA's MPS lets the kernels of several processes run on one GPU at once. A keeper, a process of
 * its own, starts the daemon in a folder of its own, waits until this process closes its end of a
 * socket, or dies, and then ends the daemon and removes the folder.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TOOLS_MPS_H
#define GSH_TOOLS_MPS_H

#include <stddef.h>

/* Starts the daemon and sets the environment for n PEs to use it, each with its share of the
 * multiprocessors unless one is set. Non-zero, with the reason in why[]. To be called before this
 * process has children of its own. */
int gsh_mps_start(int n_pes, char *why, size_t bytes);

/* Comes back when the daemon has ended. Nothing when none was started. */
void gsh_mps_stop(void);

#endif /* GSH_TOOLS_MPS_H */
