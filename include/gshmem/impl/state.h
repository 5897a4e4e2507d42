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
#include <gshmem/std.h>

#define GSH_DEVICE_STATE_VERSION 5

/* One kind of symmetric memory. */
struct gsh_device_window {
    uint64_t base;   /* of the own window */
    uint64_t bytes;  /* of each window; 0: there is no memory of this kind */
    uint64_t stride; /* from a PE's window to that of the next PE */
    /* [n_pes]: bytes from the own window to a PE's; GSH_UNREACHABLE where loads and stores do
     * not get there. NULL: (pe - my_pe) * stride, for all. */
    const int64_t *away;
    uint64_t near; /* as bytes; 0 when there is `away`, or something to check in calls */
};

enum { GSH_WINDOW_DEVICE, GSH_WINDOW_HOST, GSH_WINDOWS };

/* Letters between the members of a team, see mail.cuh: most members, most bytes. */
enum { GSH_MAIL_MEMBERS = 8, GSH_MAIL_BYTES = 1024 };

/* A team as kernels see it. */
struct gsh_device_team {
    int32_t my;         /* own rank */
    int32_t n;          /* members */
    int32_t start;      /* PE of rank 0 */
    int32_t stride;     /* from one member's PE to the next; 0: see pes */
    const int32_t *pes; /* [n]: the members' PEs */
    /* Symmetric, [n] and [n]: the member of rank i writes words[i], see sync.cuh, and words[n + i],
     * what it tells of a call. */
    uint64_t *words;
    /* Of this PE only: [0] the count of phases that are over; [1] not 0 while a collective
     * runs (in check mode); [2] the number of the next exchange by mail, from 1; [3] blocks that
     * have come to the end of a launch of the library. */
    uint64_t *phase;
    /* Symmetric, [n][2][GSH_MAIL_BYTES / 4]: two letters from each member; NULL when not all
     * members reach one another. 16-byte aligned. */
    uint64_t *mail;
};

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

/* What kernels ask the host to do at PEs that they cannot reach: see proxy.cuh. */
enum gsh_ring_kind {
    GSH_RING_PUT,
    GSH_RING_P, /* what is put is `operand` */
    GSH_RING_GET,
    GSH_RING_AMO,
    GSH_RING_SIGNAL, /* like AMO, after all puts so far */
    GSH_RING_FENCE,
    GSH_RING_QUIET
};

struct gsh_device_command {
    uint32_t kind; /* enum gsh_ring_kind */
    int32_t pe;
    uint32_t op;      /* enum gsh_device_amo */
    uint32_t answers; /* not 0: the kernel waits for it */
    uint64_t sym;     /* address in the own window */
    uint64_t local;   /* address of the data, or result, for the host; 0: the slot's `data` */
    uint64_t bytes;
    uint64_t operand;
    uint64_t cond;
};

enum { GSH_RING_SLOTS = 512, GSH_RING_DATA = 304 };

struct gsh_device_slot {
    uint64_t ticket; /* of the command, from 1; 0: the slot is free, or will be */
    uint64_t done;   /* ticket of the last command that was answered */
    uint64_t old;    /* the answer to AMO */
    struct gsh_device_command command;
    uint64_t data[GSH_RING_DATA / sizeof(uint64_t)];
};

/* In memory of the host. */
struct gsh_device_ring {
    uint64_t over; /* as many commands are over, and their slots free */
    uint64_t apart[15];
    struct gsh_device_slot slots[GSH_RING_SLOTS];
};

/* Words of the ring that the kernels of this PE share, in memory of theirs. */
enum {
    GSH_RING_TICKETS, /* taken */
    GSH_RING_OVER,    /* ring->over as it was seen */
    GSH_RING_WORDS
};

struct gsh_device_state {
    uint32_t version; /* GSH_DEVICE_STATE_VERSION of the writer */
    uint32_t bytes;   /* sizeof of the writer's struct */
    int32_t my_pe;
    int32_t n_pes;
    struct gsh_device_window windows[GSH_WINDOWS];
    const struct gsh_device_team *const *teams; /* [n_teams], NULL where there is none */
    int32_t n_teams;
    int32_t check;         /* GSHMEM_CHECK */
    int32_t all_reach;     /* each PE loads from and stores to each other one: the same on all */
    uint32_t lanes;        /* all lanes of a warp, as a number that no compiler knows */
    const uint32_t *alert; /* not 0: the job must end, waits give up */
    uint64_t timeout_ns;   /* GSHMEM_TIMEOUT; 0: none */
    /* What teams[0] points to: the state is in constant memory, which is nearer. */
    struct gsh_device_team world;
    struct gsh_device_ring *ring; /* NULL: there is none */
    uint64_t *ring_words;         /* [GSH_RING_WORDS] */
};

#define GSH_UNREACHABLE INT64_MIN

GSH_OFFSET_ASSERT(struct gsh_device_state, windows, 16);
GSH_OFFSET_ASSERT(struct gsh_device_state, teams, 96);
GSH_STATIC_ASSERT(sizeof(struct gsh_device_state) == 200, "layout");
GSH_STATIC_ASSERT(sizeof(struct gsh_device_team) == 48, "layout");
GSH_STATIC_ASSERT(sizeof(struct gsh_device_slot) == 384, "layout");

#endif /* GSHMEM_IMPL_STATE_H */
