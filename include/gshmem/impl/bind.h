/* bind.h - how kernels of a program and the library find each other. Plain C.
 *
 * Each unit with kernels tells of itself before main(), see bind.cuh; the layout of
 * struct gsh_device_unit is therefore the same in all releases. Init refuses units whose
 * state is of another version; the library gives all others the state when it has it.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_BIND_H
#define GSHMEM_IMPL_BIND_H

#include <gshmem/attr.h>
#include <gshmem/impl/state.h>

GSH_BEGIN_C

struct gsh_device_unit {
    uint32_t version; /* GSH_DEVICE_STATE_VERSION of the unit */
    uint32_t bytes;   /* sizeof(struct gsh_device_state) there */
    /* Copies the state to where the unit's kernels read it, on the device that is current
     * in the calling thread. Returns 0 or the error of the program's CUDA runtime. NULL
     * for the CPU device, whose kernels read the library's own. */
    int (*upload)(const struct gsh_device_state *state);
    struct gsh_device_unit *next; /* the library's */
};

/* The unit must live until it is taken back. */
GSH_API void gsh_device_register(struct gsh_device_unit *unit);
GSH_API void gsh_device_unregister(struct gsh_device_unit *unit);

GSH_END_C

#endif /* GSHMEM_IMPL_BIND_H */
