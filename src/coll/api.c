/* api.c - the public collectives: check the arguments, describe the call, go. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/coll.h"
#include "coll/kernels.h"
#include "core/half.h"
#include "core/init.h"
#include "core/log.h"
#include "core/remote.h"

#include <gshmem/coll.h>

#include <errno.h>

#define HERE __builtin_return_address(0)

/* The team of a handle; NULL, with a line that names the call, when there is none. */
static struct gsh_team *team_of(const char *name, nvshmem_team_t handle)
{
    struct gsh_team *team = gsh_ready(name) ? gsh_team_get(handle) : NULL;

    if (!team)
        gsh_fail(-EINVAL, "%s: %d is no team of this PE", name, handle);
    return team;
}

/* nelems * each * size, or an error when no memory is that large. */
static int product(const char *name, size_t nelems, size_t each, size_t size, size_t *bytes)
{
    if (!__builtin_mul_overflow(nelems, each, bytes) &&
        !__builtin_mul_overflow(*bytes, size, bytes))
        return 0;
    return gsh_fail(-EOVERFLOW,
                    "%s: %zu elements of %zu bytes for each of %zu PEs are more than "
                    "an address can hold",
                    name, nelems, size, each);
}

static int result(int err)
{
    return err ? NVSHMEMX_ERROR_INTERNAL : NVSHMEMX_SUCCESS;
}

static int meet(const char *name, nvshmem_team_t handle, enum gsh_coll_op op, const void *where)
{
    struct gsh_team *team = team_of(name, handle);
    struct gsh_call call = { .op = (uint16_t)op, .name = name, .where = where };

    if (!team)
        return NVSHMEMX_ERROR_INVALID_VALUE;
    return result(gsh_meet(team, &call));
}

int nvshmem_barrier(nvshmem_team_t team)
{
    gsh_quiet();
    return meet("nvshmem_barrier", team, GSH_COLL_BARRIER, HERE);
}

void nvshmem_barrier_all(void)
{
    gsh_quiet();
    meet("nvshmem_barrier_all", NVSHMEM_TEAM_WORLD, GSH_COLL_BARRIER, HERE);
}

int nvshmem_team_sync(nvshmem_team_t team)
{
    return meet("nvshmem_team_sync", team, GSH_COLL_SYNC, HERE);
}

void nvshmem_sync_all(void)
{
    meet("nvshmem_sync_all", NVSHMEM_TEAM_WORLD, GSH_COLL_SYNC, HERE);
}

void nvshmem_fence(void)
{
    gsh_fence();
}

void nvshmem_quiet(void)
{
    gsh_quiet();
}

/* What the movers and reductions have in common before they start: the operands
 * are symmetric, dest_bytes and source_bytes long. */
static void check_operands(const char *name, const void *dest, size_t dest_bytes,
                           const void *source, size_t source_bytes)
{
    gsh_offset(name, dest, dest_bytes, gsh.my_pe);
    gsh_offset(name, source, source_bytes, gsh.my_pe);
}

static int broadcast(const char *name, enum gsh_coll_type type, nvshmem_team_t handle, void *dest,
                     const void *source, size_t nelems, size_t size, int root, const void *where)
{
    struct gsh_team *team = team_of(name, handle);
    struct gsh_call call = {
        .op = GSH_COLL_BROADCAST, .type = (uint16_t)type, .root = root, .name = name, .where = where
    };
    size_t bytes;

    if (!team || product(name, nelems, 1, size, &bytes))
        return NVSHMEMX_ERROR_INVALID_VALUE;
    if (root < 0 || root >= team->n)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE, "%s: root %d is no rank of a team of %d PEs",
                        name, root, team->n);
    if (!bytes)
        return NVSHMEMX_SUCCESS;
    check_operands(name, dest, bytes, source, bytes);
    call.bytes = bytes;
    return result(gsh_broadcast(team, &call, dest, source, bytes, root));
}

/* fcollect and alltoall: source and dest hold a different number of blocks. */
static int exchange(const char *name, enum gsh_coll_op op, enum gsh_coll_type type,
                    nvshmem_team_t handle, void *dest, const void *source, size_t nelems,
                    size_t size, const void *where)
{
    struct gsh_team *team = team_of(name, handle);
    struct gsh_call call = {
        .op = (uint16_t)op, .type = (uint16_t)type, .name = name, .where = where
    };
    size_t all;

    if (!team || product(name, nelems, (size_t)team->n, size, &all))
        return NVSHMEMX_ERROR_INVALID_VALUE;
    if (!all)
        return NVSHMEMX_SUCCESS;
    call.bytes = nelems * size;
    check_operands(name, dest, all, source, op == GSH_COLL_ALLTOALL ? all : call.bytes);
    return result((op == GSH_COLL_ALLTOALL ? gsh_alltoall : gsh_fcollect)(team, &call, dest, source,
                                                                          call.bytes));
}

static int reduction(const char *name, enum gsh_coll_op op, enum gsh_reduction how,
                     enum gsh_coll_type type, nvshmem_team_t handle, void *dest, const void *source,
                     size_t nelems, size_t size, gsh_combine *combine, const void *where)
{
    struct gsh_team *team = team_of(name, handle);
    struct gsh_call call = { .op = (uint16_t)op,
                             .type = (uint16_t)type,
                             .root = (int32_t)how,
                             .name = name,
                             .where = where };
    bool scatter = op == GSH_COLL_REDUCESCATTER;
    size_t all;

    if (!team || product(name, nelems, scatter ? (size_t)team->n : 1, size, &all))
        return NVSHMEMX_ERROR_INVALID_VALUE;
    if (!nelems)
        return NVSHMEMX_SUCCESS;
    call.bytes = nelems * size;
    check_operands(name, dest, call.bytes, source, all);
    return result((scatter ? gsh_reducescatter : gsh_reduce)(team, &call, dest, source, nelems,
                                                             size, combine));
}

#define DEF(name, type, a) \
    int nvshmem_##name##_broadcast(nvshmem_team_t team, type *dest, const type *source, \
                                   size_t nelems, int PE_root) \
    { \
        return broadcast("nvshmem_" #name "_broadcast", GSH_TYPE_##name, team, dest, source, \
                         nelems, sizeof(type), PE_root, HERE); \
    }
GSH_RMA_TYPES(DEF, _)
#undef DEF

#define DEF(name, type, call, CALL) \
    int nvshmem_##name##_##call(nvshmem_team_t team, type *dest, const type *source, \
                                size_t nelems) \
    { \
        return exchange("nvshmem_" #name "_" #call, GSH_COLL_##CALL, GSH_TYPE_##name, team, dest, \
                        source, nelems, sizeof(type), HERE); \
    }
GSH_RMA_TYPES(DEF, fcollect, FCOLLECT)
GSH_RMA_TYPES(DEF, alltoall, ALLTOALL)
#undef DEF

int nvshmem_broadcastmem(nvshmem_team_t team, void *dest, const void *source, size_t bytes,
                         int PE_root)
{
    return broadcast("nvshmem_broadcastmem", GSH_TYPE_mem, team, dest, source, bytes, 1, PE_root,
                     HERE);
}

int nvshmem_fcollectmem(nvshmem_team_t team, void *dest, const void *source, size_t bytes)
{
    return exchange("nvshmem_fcollectmem", GSH_COLL_FCOLLECT, GSH_TYPE_mem, team, dest, source,
                    bytes, 1, HERE);
}

int nvshmem_alltoallmem(nvshmem_team_t team, void *dest, const void *source, size_t bytes)
{
    return exchange("nvshmem_alltoallmem", GSH_COLL_ALLTOALL, GSH_TYPE_mem, team, dest, source,
                    bytes, 1, HERE);
}

#define DEF(name, type, op, call, CALL) \
    int nvshmem_##name##_##op##_##call(nvshmem_team_t team, type *dest, const type *source, \
                                       size_t nreduce) \
    { \
        return reduction("nvshmem_" #name "_" #op "_" #call, GSH_COLL_##CALL, GSH_RED_##op, \
                         GSH_TYPE_##name, team, dest, source, nreduce, sizeof(type), \
                         gsh_combine_##op##_##name, HERE); \
    }
GSH_REDUCTIONS(DEF, reduce, REDUCE)
GSH_REDUCTIONS(DEF, reducescatter, REDUCESCATTER)
#undef DEF
