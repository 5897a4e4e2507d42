/* fixed.h - device windows that are one piece of memory each, shared by CUDA IPC: for GPUs
 * and systems whose memory cannot be handed over as file descriptors. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_FIXED_H
#define GSH_HEAP_FIXED_H

#include <stdbool.h>
#include <stddef.h>

/* Collective over all PEs. windows[i], of the PEs of this machine: the PE's `bytes`, zeroed, in
 * this process; NULL where this GPU does not reach them. */
int gsh_fixed_open(size_t bytes, char **windows);

/* `all`: the others close as well, which is waited for. */
void gsh_fixed_close(char **windows, bool all);

#endif /* GSH_HEAP_FIXED_H */
