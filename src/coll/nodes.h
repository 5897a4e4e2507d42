/* nodes.h - collectives of teams that span nodes: within the node first, by load and store,
 * and then between nodes, where each message costs.
 *
 * For teams with team->nodes. The first member of a node leads it: it learns when all have
 * come, deals with the other leaders, and releases the others.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_COLL_NODES_H
#define GSH_COLL_NODES_H

#include "coll/coll.h"

/* One kind of gsh_sync(). */
void gsh_nodes_sync(struct gsh_team *team, const struct gsh_call *call);

/* To all members but the root; begun by the caller. */
void gsh_nodes_broadcast(struct gsh_team *team, const struct gsh_call *call, void *dest,
                         const void *source, size_t bytes, int root);

/* dest is in host memory. */
int gsh_nodes_fcollect(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                       size_t bytes);

/* At most GSH_TEAM_SMALL bytes, and what a slot holds. */
int gsh_nodes_reduce_small(struct gsh_team *team, struct gsh_call *call, void *dest,
                           const void *source, size_t nelems, size_t elem_bytes,
                           gsh_combine *combine);
int gsh_nodes_reduce(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                     size_t nelems, size_t elem_bytes, gsh_combine *combine);

#endif /* GSH_COLL_NODES_H */
