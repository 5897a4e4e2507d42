/* bind.h - the units of the program that have kernels: see gshmem/impl/bind.h. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_BIND_H
#define GSH_GPU_BIND_H

#include <gshmem/impl/state.h>

#include <stdbool.h>

/* Some unit has kernels for a GPU. */
bool gsh_bind_any(void);

/* 0, or -EPROTO when a unit was compiled with headers of another version. */
int gsh_bind_check(void);

/* Gives the state to all units, on the device that is current in this thread. -EIO when
 * the program's runtime refuses. */
int gsh_bind_upload(const struct gsh_device_state *state);

#endif /* GSH_GPU_BIND_H */
