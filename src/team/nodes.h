/* nodes.h - the members of a team by the nodes that they are on. Those of one node load and
 * store each other's memory.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TEAM_NODES_H
#define GSH_TEAM_NODES_H

#include <stdbool.h>

struct gsh_nodes {
    int n;      /* nodes, in the order of their first members */
    int my;     /* own node */
    int here;   /* members of the own node */
    int fewest; /* members of any node */
    int *start; /* [n + 1]: the members of node k are ranks[start[k]] to ranks[start[k + 1] - 1] */
    int *ranks; /* [members], lowest first in each node: the first one leads */
    int *of;    /* [members]: the node of a rank */
    int *place; /* [members]: which member of its node a rank is */
};

/* Must be true for all PEs: each is loaded from and stored to by those of its host. */
int gsh_nodes_open(void);

/* The nodes of these PEs, of which this one is one. *made is NULL when there is nothing to be
 * gained: all are on one node, or each on one of its own. -ENOMEM. */
int gsh_nodes_create(const int *pes, int n, struct gsh_nodes **made);

static inline int gsh_nodes_members(const struct gsh_nodes *nodes, int node)
{
    return nodes->start[node + 1] - nodes->start[node];
}

/* The rank that is member `place` of a node. */
static inline int gsh_nodes_rank(const struct gsh_nodes *nodes, int node, int place)
{
    return nodes->ranks[nodes->start[node] + place];
}

#endif /* GSH_TEAM_NODES_H */
