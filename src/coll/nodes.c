/* nodes.c - see nodes.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/nodes.h"
#include "coll/schedule.h"
#include "coll/slots.h"
#include "core/amo.h"
#include "util/stream.h"

#define AT(team, field) ((team)->block_off + offsetof(struct gsh_team_block, field))

static bool leads(const struct gsh_team *team)
{
    return team->nodes->place[team->my] == 0;
}

static int leader_of(const struct gsh_team *team, int node)
{
    return gsh_nodes_rank(team->nodes, node, 0);
}

/* The PE that is member `place` of the own node. */
static int pe_here(const struct gsh_team *team, int place)
{
    return team->pes[gsh_nodes_rank(team->nodes, team->nodes->my, place)];
}

/* Where an offset of the window of a member of the own node is. */
static char *here(const struct gsh_team *team, int place, size_t off)
{
    return gsh.peers[pe_here(team, place)].base + off;
}

/* The leader returns when all of its node have come, the others at once. */
static void gather_here(struct gsh_team *team, const struct gsh_call *call)
{
    static const struct gsh_amo_args one = { .op = GSH_AMO_add, .bytes = 8, .operand = 1 };
    uint64_t others = (uint64_t)team->nodes->here - 1;
    int leader = pe_here(team, 0);

    if (!others)
        return;
    if (leads(team))
        gsh_flag_wait(team, call, &team->block->gathered.word, -1);
    if (leads(team) || (gsh_amo_at(leader, AT(team, count), &one) + 1) % others)
        return;
    gsh_call_compare(team, call, false);
    gsh_flag_set(leader, AT(team, gathered), gsh_call_word(call));
}

/* The others return when the leader has released them. */
static void release_here(struct gsh_team *team, const struct gsh_call *call)
{
    if (!leads(team)) {
        gsh_flag_wait(team, call, &team->block->released.word, leader_of(team, team->nodes->my));
        return;
    }
    for (int i = 1; i < team->nodes->here; i++)
        gsh_flag_set(pe_here(team, i), AT(team, released), gsh_call_word(call));
}

static void sync_leaders(struct gsh_team *team, const struct gsh_call *call)
{
    const struct gsh_nodes *nodes = team->nodes;

    for (int r = 0; r < gsh_rounds(nodes->n); r++) {
        int to = leader_of(team, gsh_round_to(nodes->my, r, nodes->n));

        gsh_flag_set(team->pes[to], AT(team, flags) + (size_t)r * sizeof(struct gsh_flag),
                     gsh_call_word(call));
        gsh_flag_wait(team, call, &team->block->flags[r].word,
                      leader_of(team, gsh_round_from(nodes->my, r, nodes->n)));
    }
}

void gsh_nodes_sync(struct gsh_team *team, const struct gsh_call *call)
{
    gather_here(team, call);
    if (leads(team))
        sync_leaders(team, call);
    release_here(team, call);
}

/* The members of each node meet, so that what they have read of each other may change. */
static void meet_here(struct gsh_team *team, struct gsh_call *call)
{
    gsh_call_begin(team, call);
    gather_here(team, call);
    release_here(team, call);
}

/* Along a tree of the nodes; the head of a node, the root or the leader, tells the rest. */
void gsh_nodes_broadcast(struct gsh_team *team, const struct gsh_call *call, void *dest,
                         const void *source, size_t bytes, int root)
{
    const struct gsh_nodes *nodes = team->nodes;
    int root_node = nodes->of[root], children[GSH_TREE_FAN], n;
    int head = nodes->my == root_node ? root : leader_of(team, nodes->my);
    const void *data = team->my == root ? source : dest;
    size_t off = gsh_offset_of(dest);

    if (team->my != root)
        gsh_flag_wait(team, call, &team->block->bcast.word, -1);
    if (team->my != head)
        return;
    n = gsh_tree_children(nodes->my, root_node, nodes->n, children);
    for (int i = 0; i < n; i++)
        gsh_flag_put(team->pes[leader_of(team, children[i])], off, data, bytes, AT(team, bcast),
                     gsh_call_word(call));
    for (int i = 0; i < nodes->here; i++)
        if (pe_here(team, i) != gsh.my_pe)
            gsh_flag_put(pe_here(team, i), off, data, bytes, AT(team, bcast), gsh_call_word(call));
}

/* Each sends its part once to each node; then the members of a node copy from each other. */
int gsh_nodes_fcollect(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                       size_t bytes)
{
    const struct gsh_nodes *nodes = team->nodes;
    size_t off = gsh_offset_of(dest), mine = off + bytes * (size_t)team->my;
    int place = nodes->place[team->my];

    for (int i = 1; i < nodes->n; i++) {
        int node = (nodes->my + i) % nodes->n;
        int to = gsh_nodes_rank(nodes, node, place % gsh_nodes_members(nodes, node));

        gsh_put_at(team->pes[to], mine, source, bytes);
    }
    for (int i = 0; i < nodes->here; i++)
        gsh_put_at(pe_here(team, i), mine, source, bytes);
    gsh_deliver();
    gsh_meet(team, call);
    for (int rank = 0; rank < team->n; rank++) {
        int holder = nodes->place[rank] % nodes->here;
        size_t part = bytes * (size_t)rank;

        if (nodes->of[rank] != nodes->my && holder != place)
            gsh_copy((char *)dest + part, here(team, holder, off + part), bytes);
    }
    meet_here(team, call);
    return 0;
}

static void combine_here(struct gsh_team *team, void *to, size_t off, size_t nelems,
                         gsh_combine *combine)
{
    for (int i = 0; i < team->nodes->here; i++)
        team->from[i] = here(team, i, off);
    combine(to, team->from, team->nodes->here, nelems);
}

int gsh_nodes_reduce_small(struct gsh_team *team, struct gsh_call *call, void *dest,
                           const void *source, size_t nelems, size_t elem_bytes,
                           gsh_combine *combine)
{
    _Alignas(GSH_LINE) char partial[GSH_TEAM_SMALL];
    size_t off = gsh_offset_of(dest);

    gsh_call_begin(team, call);
    gather_here(team, call);
    if (leads(team)) {
        combine_here(team, partial, gsh_offset_of(source), nelems, combine);
        gsh_slots_reduce_small(team, call, dest, partial, nelems, elem_bytes, combine);
        for (int i = 1; i < team->nodes->here; i++)
            gsh_copy(here(team, i, off), dest, nelems * elem_bytes);
    }
    release_here(team, call);
    team->bcast_from = 0;
    return 0;
}

/* Each member of a node combines a part of the node's operands, in its own dest; those in the
 * same place of all nodes combine these; the members of a node copy from each other. Where
 * nodes are unequal, as many take part on each as the smallest has. In place, for a part of the
 * operands is read by one member alone. */
int gsh_nodes_reduce(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                     size_t nelems, size_t elem_bytes, gsh_combine *combine)
{
    const struct gsh_nodes *nodes = team->nodes;
    int place = nodes->place[team->my];
    size_t from = gsh_offset_of(source), to = gsh_offset_of(dest), first, n;
    size_t most = gsh_slice(nelems, GSH_LINE, 0, nodes->fewest, &first);

    meet_here(team, call);
    if (place < nodes->fewest) {
        char *part;

        n = gsh_slice(nelems, GSH_LINE, place, nodes->fewest, &first);
        part = gsh.base + to + first * elem_bytes;
        combine_here(team, part, from + first * elem_bytes, n, combine);
        gsh_slots_reduce(team, call, part, part, n, most, elem_bytes, combine);
    } else {
        gsh_slots_skip(team, call, most, elem_bytes);
    }
    meet_here(team, call);
    for (int i = 0; i < nodes->fewest; i++) {
        n = gsh_slice(nelems, GSH_LINE, i, nodes->fewest, &first);
        if (i != place && n)
            gsh_copy((char *)dest + first * elem_bytes, here(team, i, to + first * elem_bytes),
                     n * elem_bytes);
    }
    meet_here(team, call);
    team->bcast_from = 0;
    return 0;
}
