/* sync.h - the parts of a collective that its files share: waiting for a flag of
 * the same call, and what is told of members that do not come.
 *
 * A flag word is the number of a call and its signature. A number that is beyond the
 * own one means that the writer is ahead; the same number with another signature
 * means that the writer is in another call, which ends the job.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_COLL_SYNC_H
#define GSH_COLL_SYNC_H

#include "coll/coll.h"
#include "core/remote.h"

/* Numbers wrap, and a flag that nobody has set for 2^31 calls would look new. So
 * all flags are made new at every call whose number is a multiple of this. */
#define GSH_SYNC_REFRESH (1u << 20)

/* One call on one team, for who waits in it. */
struct gsh_meeting {
    struct gsh_team *team;
    const struct gsh_call *call;
    const char *name; /* of the public call */
    const void *where;
};

/* The offset of a word of the team's block. */
#define GSH_BLOCK_AT(team, field) ((team)->block_off + offsetof(struct gsh_team_block, field))

static inline uint64_t gsh_sync_word(const struct gsh_call *call)
{
    return (uint64_t)call->seq << 32 | call->sign;
}

/* How many calls a flag word is ahead of this call. */
static inline int32_t gsh_sync_ahead(uint64_t word, const struct gsh_call *call)
{
    return (int32_t)((uint32_t)(word >> 32) - call->seq);
}

/* The meeting of a call whose public name and place are in its record. */
struct gsh_meeting gsh_sync_meeting(struct gsh_team *team, const struct gsh_call *call);

/* gsh_call_begin() for calls that do not set all flags of the team. */
void gsh_sync_begin(struct gsh_team *team, struct gsh_call *call);

/* Waits until own `flag` has the word of this call or of a later one. */
void gsh_sync_await(const struct gsh_meeting *meeting, const _Atomic uint64_t *flag);

/* The same for slots, whose writer is never ahead: old words count for nothing. */
void gsh_sync_await_exact(const struct gsh_meeting *meeting, const _Atomic uint64_t *flag);

/* Counter teams: true when this PE is the last to come; it then owns the memory
 * of all members until it lets them go. Who is not last returns when it may go. */
bool gsh_sync_arrive(const struct gsh_meeting *meeting);
void gsh_sync_release(const struct gsh_meeting *meeting);

/* call.c: gsh_wait.describe for a struct gsh_meeting. */
bool gsh_call_describe(const struct gsh_wait *wait, char *text, size_t bytes);

/* True when each member has begun this call or has left the job for good. */
bool gsh_call_nobody_missing(const struct gsh_team *team, const struct gsh_call *call);

/* Counter teams: ends the job when a member that has come is in another call. */
void gsh_call_compare(const struct gsh_team *team, const struct gsh_call *call);

/* Ends the job with a table of what each member is in. */
_Noreturn void gsh_call_mismatch(const struct gsh_team *team, const struct gsh_call *call);

#endif /* GSH_COLL_SYNC_H */
