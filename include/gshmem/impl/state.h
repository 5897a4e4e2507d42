/* state.h - what kernels know of the job: written by the library, read by the device
 * headers. Plain C with a fixed layout, the same for host and device, C and C++.
 *
 * Kernels of a program and the library may be of different releases: whoever writes and
 * whoever reads must agree on GSH_DEVICE_STATE_VERSION, which is checked at init.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_STATE_H
#define GSHMEM_IMPL_STATE_H

#include <gshmem/attr.h>
#include <stddef.h>
#include <stdint.h>

#define GSH_DEVICE_STATE_VERSION 1

/* One kind of symmetric memory. The windows of the PEs that this PE can load from and
 * store to lie `stride` bytes apart, in the order of their slots. */
struct gsh_device_window {
    uint64_t base;   /* of the own window */
    uint64_t bytes;  /* of each window; 0: there is no memory of this kind */
    uint64_t stride; /* from one PE's window to the next slot's */
};

enum { GSH_WINDOW_DEVICE, GSH_WINDOW_HOST, GSH_WINDOWS };

/* A team as kernels see it. */
struct gsh_device_team {
    int32_t my;         /* own rank */
    int32_t n;          /* members */
    int32_t start;      /* PE of rank 0 */
    int32_t stride;     /* from one member's PE to the next; 0: see pes */
    const int32_t *pes; /* [n]: the members' PEs */
    /* Symmetric, [n]: the member of rank i writes words[i], see sync.cuh. */
    uint64_t *words;
    /* Of this PE only: the count of phases that are over; not 0 while a collective runs
     * (in check mode). */
    uint64_t *phase;
};

struct gsh_device_state {
    uint32_t version; /* GSH_DEVICE_STATE_VERSION of the writer */
    uint32_t bytes;   /* sizeof of the writer's struct */
    int32_t my_pe;
    int32_t n_pes;
    struct gsh_device_window windows[GSH_WINDOWS];
    /* [n_pes]: the slot of a PE among the windows less the own slot; GSH_UNREACHABLE when
     * it has none. NULL: it is pe - my_pe, for all. */
    const int32_t *slots;
    const struct gsh_device_team *const *teams; /* [n_teams], NULL where there is none */
    int32_t n_teams;
    int32_t check;         /* GSHMEM_CHECK */
    const uint32_t *alert; /* not 0: the job must end, waits give up */
    uint64_t timeout_ns;   /* GSHMEM_TIMEOUT; 0: none */
};

#define GSH_UNREACHABLE INT32_MIN

/* Atomic operations on PEs that kernels cannot reach themselves, on 4 or 8 bytes: in the
 * order of the transports' enum gsh_amo. SET returns what was there as well; FADD adds
 * floats or doubles. */
enum gsh_device_amo {
    GSH_DEVICE_FETCH,
    GSH_DEVICE_SET,
    GSH_DEVICE_ADD,
    GSH_DEVICE_AND,
    GSH_DEVICE_OR,
    GSH_DEVICE_XOR,
    GSH_DEVICE_FADD,
    GSH_DEVICE_CSWAP
};

GSH_STATIC_ASSERT(offsetof(struct gsh_device_state, windows) == 16, "layout");
GSH_STATIC_ASSERT(offsetof(struct gsh_device_state, slots) == 64, "layout");
GSH_STATIC_ASSERT(sizeof(struct gsh_device_state) == 104, "layout");
GSH_STATIC_ASSERT(sizeof(struct gsh_device_team) == 40, "layout");

#endif /* GSHMEM_IMPL_STATE_H */
