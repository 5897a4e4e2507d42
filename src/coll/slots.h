/* slots.h - reductions by messages: each sends its operands to those who combine them, into
 * slots of theirs, and nobody asks or meets before.
 *
 * It is done among partners: all members of the team, or, where it spans nodes, those in the
 * same place of each node, in the order of the nodes. A PE has a slot for each partner in each
 * of GSH_TEAM_SETS sets, which rounds use in turn. In a round each sends to each, be it nothing
 * but the flag.
 *
 * Who sends in round u has taken what all have sent in round u - 2; they sent that when they
 * had combined what came in round u - 4. So of four sets the next one is free at all partners.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_COLL_SLOTS_H
#define GSH_COLL_SLOTS_H

#include "coll/coll.h"

/* Each combines all of the operands, which fit in a slot; begun by the caller. dest may be
 * source. */
void gsh_slots_reduce_small(struct gsh_team *team, const struct gsh_call *call, void *dest,
                            const void *source, size_t nelems, size_t elem_bytes,
                            gsh_combine *combine);

/* Of any size, begun here. dest may be source. Other partners of the team may have more
 * elements: `most` is what any of them has. */
void gsh_slots_reduce(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                      size_t nelems, size_t most, size_t elem_bytes, gsh_combine *combine);

/* A member without partners begins what those that have some begin. */
void gsh_slots_skip(struct gsh_team *team, struct gsh_call *call, size_t most, size_t elem_bytes);

#endif /* GSH_COLL_SLOTS_H */
