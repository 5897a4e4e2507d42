/* state.h - what a PE knows about its job, and the memory it shares with the
 * others.
 *
 * Every PE has one window: [struct gsh_inner | teams | static data | symmetric heap | the CPU
 * device's heap], the last of them for memory that is asked for as the device's where there
 * is no GPU.
 * Windows have the same layout on all PEs, so that a place is an offset, and a remote
 * address is peers[pe].base + offset. Static data is mapped a second time, at the
 * addresses of the variables: see heap/data.h. `inner` holds the library's own symmetric
 * words; they are reached as the user's are: by load and store where base is set,
 * else through the transport.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_STATE_H
#define GSH_CORE_STATE_H

#include "boot/boot.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSH_LINE 64 /* bytes that two writers should not share */

#define GSH_AGREE_WORDS 64 /* of gsh_inner.agree; one bit a team */

/* Where a PE sleeps. A waiter counts itself among the sleepers, reads `rings`, looks
 * at its condition once more and sleeps on `rings`; who writes to the PE's memory
 * and sees a sleeper adds to `rings` and wakes it. Who waits for a flag of a
 * collective call is counted apart, so that puts do not wake it. See core/wait.h. */
struct gsh_bell {
    _Alignas(GSH_LINE) _Atomic uint32_t sleepers; /* for words that puts may write */
    _Atomic uint32_t flag_sleepers;               /* for what gsh_flag_set() writes */
    _Atomic uint32_t rings;
};

enum gsh_pe_state { GSH_PE_STARTING, GSH_PE_RUNNING, GSH_PE_FINALIZED, GSH_PE_LEFT, GSH_PE_GONE };

/* What a PE offers to the other members of a team that nvshmemx_team_init() is
 * making: see team/make.c. */
struct gsh_offer {
    _Alignas(GSH_LINE) uint64_t uniqueid;
    int32_t n;
    int32_t rank;
    _Atomic uint32_t stage; /* enum gsh_offer_stage; written last */
};

/* The start of each window. */
struct gsh_inner {
    struct gsh_bell bell;
    _Alignas(GSH_LINE) _Atomic uint32_t state; /* enum gsh_pe_state */
    uint32_t pid;
    _Atomic uint32_t life; /* the kernel marks it when the process dies: see watch.c */
    /* With GSHMEM_CHECK, see watch/stuck.c: is all that the PE runs waiting? */
    _Alignas(GSH_LINE) _Atomic uint64_t still;
    _Atomic uint32_t stuck;
    struct gsh_offer offer;
    /* Scratch for the library's own agreements over the world or a team. */
    _Alignas(GSH_LINE) uint64_t agree[GSH_AGREE_WORDS];
};

struct gsh_tr;

/* What this PE knows of another: where its window is and how it does. */
struct gsh_peer {
    char *base;             /* the peer's window, for loads and stores; NULL: none */
    struct gsh_bell *bell;  /* the peer's bell; NULL when not load/store reachable */
    struct gsh_tr *tr;      /* what carries bytes when base is NULL */
    _Atomic uint32_t state; /* enum gsh_pe_state, as the life line told it */
};

/* The second stage of initialisation: see gpu/stage.h. */
enum gsh_gpu_stage { GSH_GPU_NONE, GSH_GPU_OPEN, GSH_GPU_DONE };

struct gsh_state {
    char *base;  /* own window */
    size_t span; /* bytes of the window that are symmetric memory now; 0: no job */
    struct gsh_peer *peers;
    int my_pe;
    int n_pes;
    int spin;           /* polls before a waiter gives up its core */
    bool crowded;       /* more PEs than cores on this machine */
    _Atomic bool left;  /* a PE has left without finalize */
    _Atomic bool alert; /* the job must end: blocked calls report and end */
    bool remote;        /* some peer is reached through a transport */
    enum gsh_gpu_stage gpu;
    int n_init; /* inits not yet finalized */
    int thread_level;
    struct gsh_boot boot;
    size_t window;      /* bytes from one PE's window to the next */
    size_t teams_off;   /* offset of the team blocks, see team/team.h */
    size_t data_off;    /* offset of the static data */
    size_t heap_off;    /* offset of the user's heap */
    size_t device_off;  /* offset of the CPU device's heap */
    size_t device_span; /* bytes of it that are symmetric memory now */
};

extern struct gsh_state gsh;

static inline struct gsh_inner *gsh_inner(void)
{
    return (struct gsh_inner *)(void *)gsh.base;
}

/* The latest that is known of a PE: from its window, or from the life line. */
static inline enum gsh_pe_state gsh_pe_state(int pe)
{
    const struct gsh_peer *peer = &gsh.peers[pe];
    uint32_t told = atomic_load(&peer->state);
    uint32_t own = peer->base ? atomic_load(&((struct gsh_inner *)(void *)peer->base)->state) : 0;

    return (enum gsh_pe_state)(told > own ? told : own);
}

#endif /* GSH_CORE_STATE_H */
