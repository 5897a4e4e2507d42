/* team.h - teams: ordered lists of PEs, and the symmetric words that each team
 * synchronises with.
 *
 * A team owns one block of every member's window, the same block number on all
 * members. Flags hold (number of the collective << 16 | signature of the call), so
 * that no flag is ever reset, a late or early partner is recognised, and a partner
 * in another call is found out. Numbers have 48 bits and do not wrap in the life
 * of a job.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TEAM_TEAM_H
#define GSH_TEAM_TEAM_H

#include "core/state.h"
#include "team/nodes.h"

#include <gshmem/team.h>

#define GSH_TEAM_FLAGS 16   /* rounds of the largest barrier, or members of a flat one */
#define GSH_TEAM_CALLS 8    /* calls of a member that can be looked up */
#define GSH_TEAM_SLOTS 8    /* members of the largest team that exchanges small data flat */
#define GSH_TEAM_SMALL 2048 /* bytes of a small contribution */
#define GSH_TEAM_SETS 4     /* of slots, see coll/slots.h */

/* Bytes that the slots of a set hold together, or a line each; and what one holds at most:
 * more is no faster between two nodes, 16 KiB is slower. */
#define GSH_TEAM_SET_BYTES ((size_t)128 << 10)
#define GSH_TEAM_SLOT_BYTES ((size_t)32 << 10)

/* A collective call, as the other members must see it to match. */
struct gsh_call {
    _Alignas(GSH_LINE) uint64_t seq; /* number of the call on its team */
    uint16_t sign;                   /* hash of all that follows up to `name` */
    uint16_t op;                     /* enum gsh_coll_op */
    uint16_t type;                   /* enum gsh_coll_type */
    int32_t root;                    /* of a broadcast; enum gsh_reduction of a reduction */
    uint64_t bytes;                  /* of a contribution */
    uint64_t extra;                  /* what else must be equal: alignment, offset, ... */
    const char *name;                /* the public call, for messages of this PE */
    const void *where;               /* its return address */
};

struct gsh_flag {
    _Alignas(GSH_LINE) _Atomic uint64_t word;
};

struct gsh_slot {
    _Alignas(GSH_LINE) _Atomic uint64_t word;
    _Atomic uint64_t result;  /* what was combined of the round's data has come */
    _Alignas(16) char data[]; /* a few words come with the flag's line */
};

/* The team's block in each member's window. A second one follows, for the collectives of
 * the host's streams, then the words of those in kernels: see gsh_team_words(); then the slots
 * of both. */
struct gsh_team_block {
    /* The owner's last calls, by number, for its peers to read when they find that it
     * is in another call, or further. */
    struct gsh_call calls[GSH_TEAM_CALLS];
    struct gsh_flag flags[GSH_TEAM_FLAGS]; /* written by one partner each */
    struct gsh_flag count;                 /* arrivals: on rank 0, or on the leader of a node */
    struct gsh_flag gathered;              /* all of the node have come: on the leader */
    struct gsh_flag released;              /* by the leader */
    struct gsh_flag bcast;                 /* a broadcast has come, or may be fetched */
    _Alignas(GSH_LINE) uint64_t share;     /* bytes that the owner gives to a collect */
};

/* How the members meet. */
enum gsh_sync_kind {
    GSH_SYNC_FLAT,    /* each sets a flag of each other: few PEs with a core each */
    GSH_SYNC_ROUNDS,  /* dissemination: many PEs */
    GSH_SYNC_COUNTER, /* the last to arrive releases all: PEs without a core each */
    GSH_SYNC_NODES,   /* those of a node, then the leaders of the nodes: several nodes */
};

struct gsh_team {
    int my;   /* own rank */
    int n;    /* members */
    int *pes; /* [n] their PEs */
    uint64_t seq;
    int bcast_from; /* whose broadcasts have come since all members last met; 0 nobody's */
    enum gsh_sync_kind sync_kind;
    struct gsh_nodes *nodes; /* NULL: see gsh_nodes_create() */
    bool direct;             /* every member can be loaded from and stored to */
    uint32_t rounds;         /* of messages through the slots so far */
    size_t slots_off;        /* offset of the slots */
    size_t slot_room;        /* bytes that a slot holds */
    const void **from;       /* [n]: scratch, where the operands of a reduction are */
    char *bounce;     /* [n * GSH_COLL_BLOCK]: operands fetched through a transport, or NULL */
    size_t block_off; /* offset of the team's block */
    struct gsh_team_block *block;
    nvshmem_team_t handle;
    nvshmem_team_config_t config;
    struct gsh_team_heap *heap; /* of its own; NULL: none */
    struct gsh_team *stream;    /* see gsh_team_stream(); NULL: not used yet */
};

int gsh_team_open(void); /* the predefined teams */
void gsh_team_close(void);

/* The team of a handle; NULL when there is none. */
struct gsh_team *gsh_team_get(nvshmem_team_t handle);

/* The PE of a rank; ends the job when there is no such team or rank. */
int gsh_team_pe(const char *call, nvshmem_team_t handle, int rank);

/* How many send to each other through slots. */
static inline int gsh_team_partners(const struct gsh_team *team)
{
    return team->nodes ? team->nodes->n : team->n;
}

/* The offset of the slot that a partner writes to in a round. */
static inline size_t gsh_team_slot(const struct gsh_team *team, uint32_t round, int partner)
{
    size_t n = (size_t)gsh_team_partners(team);

    return team->slots_off + (round % GSH_TEAM_SETS * n + (size_t)partner) *
                                 (sizeof(struct gsh_slot) + team->slot_room);
}

/* The same members with flags and a count of their own: collectives in streams of the CPU
 * device run beside those of the host. NULL without memory. */
struct gsh_team *gsh_team_stream(struct gsh_team *team);

/* Symmetric, all zero when the team is made: the words and letters of struct gsh_device_team,
 * and where the letters begin. */
uint64_t *gsh_team_words(const struct gsh_team *team);
size_t gsh_team_words_bytes(void);
size_t gsh_team_mail_off(void);

/* Bytes of one block with its words, and of all team blocks in a window. */
size_t gsh_team_block_bytes(void);
size_t gsh_team_bytes(void);

#endif /* GSH_TEAM_TEAM_H */
