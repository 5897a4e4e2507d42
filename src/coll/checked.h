/* checked.h - the collectives with their arguments checked: what the public names of both
 * interfaces, and those of active sets, are shims over.
 *
 * They return 0 or NVSHMEMX_ERROR_*, after a line that names the call.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_COLL_CHECKED_H
#define GSH_COLL_CHECKED_H

#include "coll/coll.h"
#include "coll/kernels.h"

/* What a shim knows of its call. */
struct gsh_coll {
    const char *name;
    const void *where;     /* return address */
    struct gsh_team *team; /* NULL: none, which has been said */
    enum gsh_coll_op op;
    enum gsh_coll_type type;
    size_t size;   /* of an element */
    bool can_fail; /* the caller of the public call is told */
};

/* The team of a handle; NULL, with a line that names the call, when there is none. */
struct gsh_team *gsh_coll_team(const char *name, nvshmem_team_t handle);

/* With `all` what this PE has put is complete first. */
int gsh_coll_meet(const struct gsh_coll *c, bool all);

/* With root_too dest of the root is written as well. */
int gsh_coll_broadcast(const struct gsh_coll *c, void *dest, const void *source, size_t nelems,
                       int root, bool root_too);

/* op is FCOLLECT or ALLTOALL. */
int gsh_coll_exchange(const struct gsh_coll *c, void *dest, const void *source, size_t nelems);
int gsh_coll_collect(const struct gsh_coll *c, void *dest, const void *source, size_t nelems);
int gsh_coll_alltoalls(const struct gsh_coll *c, void *dest, const void *source, ptrdiff_t dst,
                       ptrdiff_t sst, size_t nelems);

/* op is REDUCE or REDUCESCATTER. */
int gsh_coll_reduction(const struct gsh_coll *c, enum gsh_reduction how, void *dest,
                       const void *source, size_t nelems, gsh_combine *combine);
int gsh_coll_scan(const struct gsh_coll *c, void *dest, const void *source, size_t nelems,
                  gsh_combine *combine, bool inclusive);

/* active.c: forgets the teams of active sets, with all teams. */
void gsh_active_close(void);

#endif /* GSH_COLL_CHECKED_H */
