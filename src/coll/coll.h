/* coll.h - the collective operations on bytes; the typed names are shims.
 *
 * All run on any team and any mix of load/store and transport peers. Arguments
 * were checked by the shims (coll/api.c). They return 0 or a negative errno.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_COLL_COLL_H
#define GSH_COLL_COLL_H

#include "coll/types.h"
#include "team/team.h"

/* X(op, text): every collective call, as it is named in messages. */
/* clang-format off */
#define GSH_COLL_OPS(X) \
    X(NONE,          "nothing yet") \
    X(MALLOC,        "nvshmem_malloc") \
    X(MALLOC_KIND,   "nvshmemx_malloc_kind") \
    X(CALLOC,        "nvshmem_calloc") \
    X(ALIGN,         "nvshmem_align") \
    X(FREE,          "nvshmem_free") \
    X(REGISTER,      "nvshmemx_buffer_register_symmetric") \
    X(UNREGISTER,    "nvshmemx_buffer_unregister_symmetric") \
    X(TEAM_MALLOC,   "nvshmemx_team_malloc") \
    X(TEAM_FREE,     "nvshmemx_team_free") \
    X(BARRIER,       "nvshmem_barrier") \
    X(SYNC,          "nvshmem_team_sync") \
    X(BROADCAST,     "nvshmem_broadcast") \
    X(COLLECT,       "shmem_collect") \
    X(FCOLLECT,      "nvshmem_fcollect") \
    X(ALLTOALL,      "nvshmem_alltoall") \
    X(ALLTOALLS,     "shmem_alltoalls") \
    X(SCAN,          "shmem_scan") \
    X(REDUCE,        "nvshmem_reduce") \
    X(REDUCESCATTER, "nvshmem_reducescatter") \
    X(SPLIT,         "nvshmem_team_split_strided") \
    X(SPLIT_2D,      "nvshmem_team_split_2d") \
    X(TEAM_INIT,     "nvshmemx_team_init") \
    X(TEAM_CREATE,   "nvshmemx_team_create_simple") \
    X(DESTROY,       "nvshmem_team_destroy") \
    X(FINALIZE,      "nvshmem_finalize")
/* clang-format on */

enum gsh_coll_op {
#define ROW(op, text) GSH_COLL_##op,
    GSH_COLL_OPS(ROW)
#undef ROW
};

#define GSH_COLL_BLOCK ((size_t)16 << 10) /* bytes a reduction works on at a time */

/* Begins the team's next collective: numbers, signs and publishes the call. */
void gsh_call_begin(struct gsh_team *team, struct gsh_call *call);

/* For the race checker: what the members did that this one has waited for comes before. */
void gsh_call_met(const struct gsh_team *team, const struct gsh_call *call);

/* One line about a call: "nvshmem_malloc(64 bytes)". */
void gsh_call_text(const struct gsh_call *call, char *text, size_t bytes);

/* Ends the job: this call is not what the other members call; shows each one's. */
_Noreturn void gsh_call_mismatch(const struct gsh_team *team, const struct gsh_call *call);

enum { GSH_SIGN_BITS = 16 };

/* What a flag holds when this call has come. */
static inline uint64_t gsh_call_word(const struct gsh_call *call)
{
    return call->seq << GSH_SIGN_BITS | call->sign;
}

/* Waits until a flag of this PE holds this call or a later one. The member with rank
 * `writer` sets it: when it is further than this call it must have been in it; -1
 * does not look. */
void gsh_flag_wait(const struct gsh_team *team, const struct gsh_call *call,
                   const _Atomic uint64_t *flag, int writer);

/* Ends the job when a member that has come is in another call. Looks at those alone whose
 * memory is loaded from, unless at all. */
void gsh_call_compare(const struct gsh_team *team, const struct gsh_call *call, bool all);

/* All members have begun this call, which gsh_call_begin() has begun here. What
 * this PE put to a member before is visible to that member; for all of it to be
 * visible to all, gsh_quiet() comes before. */
int gsh_sync(struct gsh_team *team, const struct gsh_call *call);

/* Begins the call and meets. */
int gsh_meet(struct gsh_team *team, struct gsh_call *call);

/* These begin the call themselves. */
int gsh_broadcast(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                  size_t bytes, int root);
/* The same, but dest of the root stays as it is. */
int gsh_broadcast_others(struct gsh_team *team, struct gsh_call *call, void *dest,
                         const void *source, size_t bytes, int root);
int gsh_fcollect(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                 size_t bytes);
int gsh_alltoall(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                 size_t bytes);

/* fcollect of `bytes` that differ from member to member. */
int gsh_collect(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                size_t bytes);
/* Element i of a block of source is source[i * sst], of one of dest dest[i * dst]. */
int gsh_alltoalls(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                  ptrdiff_t dst, ptrdiff_t sst, size_t nelems, size_t elem_bytes);

/* to[i] = from[0][i] op from[1][i] ... over n sources; to may be one of them. */
typedef void gsh_combine(void *to, const void *const *from, int n, size_t nelems);

int gsh_reduce(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
               size_t nelems, size_t elem_bytes, gsh_combine *combine);
int gsh_reducescatter(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                      size_t nelems, size_t elem_bytes, gsh_combine *combine);

/* dest = the operands of the ranks before this one, combined, and with inclusive of this
 * one too; exclusive zeroes on rank 0. */
int gsh_scan(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
             size_t nelems, size_t elem_bytes, gsh_combine *combine, bool inclusive);

#endif /* GSH_COLL_COLL_H */
