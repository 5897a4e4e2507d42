/* checked.c - check the arguments of a collective, describe the call, go. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/checked.h"
#include "core/env.h"
#include "core/escape.h"
#include "core/init.h"
#include "core/log.h"
#include "core/remote.h"
#include "watch/watch.h"

#include <errno.h>

struct gsh_team *gsh_coll_team(const char *name, nvshmem_team_t handle)
{
    bool ready = gsh_ready(name);
    struct gsh_team *team = ready ? gsh_team_get(handle) : NULL;

    if (!team && ready)
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

/* The result of a call of the public interface, whose work is `expression`. */
#define RESULT(c, expression) \
    do { \
        struct gsh_escape here; \
        int err; \
        if ((c)->can_fail && gsh_escape_wanted() && \
            (is_lost(c) || setjmp(gsh_escape_here(&here)->to))) \
            return NVSHMEMX_ERROR_INTERNAL; \
        err = (expression); \
        if (gsh_escape_wanted()) \
            gsh_escape_end(); \
        return err ? NVSHMEMX_ERROR_INTERNAL : NVSHMEMX_SUCCESS; \
    } while (0)

/* After the loss of a PE no call is begun, even if its own team is whole. */
static bool is_lost(const struct gsh_coll *c)
{
    if (!atomic_load(&gsh.alert))
        return false;
    gsh_fail(-ECONNABORTED, "%s: %s", c->name, gsh_watch_cause());
    return true;
}

static struct gsh_call call_of(const struct gsh_coll *c)
{
    return (struct gsh_call){
        .op = (uint16_t)c->op, .type = (uint16_t)c->type, .name = c->name, .where = c->where
    };
}

static int meet(struct gsh_team *team, struct gsh_call *call, bool all)
{
    if (all)
        gsh_deliver();
    return gsh_meet(team, call);
}

int gsh_coll_meet(const struct gsh_coll *c, bool all)
{
    struct gsh_call call = call_of(c);

    if (!c->team)
        return NVSHMEMX_ERROR_INVALID_VALUE;
    RESULT(c, meet(c->team, &call, all));
}

static bool checking(void)
{
    return gsh_env.CHECK || gsh_env.ENABLE_ERROR_CHECKS;
}

/* What the movers and reductions have in common before they start: the operands
 * are symmetric, dest_bytes and source_bytes long. When checks are on their places
 * are signed as well, for they must be equal on all members. */
static void check_operands(struct gsh_call *call, const void *dest, size_t dest_bytes,
                           const void *source, size_t source_bytes)
{
    size_t to = gsh_offset(call->name, dest, dest_bytes, gsh.my_pe);
    size_t from = gsh_offset(call->name, source, source_bytes, gsh.my_pe);

    if (gsh_unlikely(gsh_race_on)) {
        gsh_race_touch(source, source_bytes, 0, call->where);
        gsh_race_touch(dest, dest_bytes, 1, call->where);
    }
    if (checking())
        call->extra += to * UINT64_C(0x9e3779b97f4a7c15) ^ from;
}

static int broadcast(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                     bool root_too)
{
    /* Of itself a broadcast does not tell its root who else calls. */
    if (checking())
        gsh_meet(team, call);
    return (root_too ? gsh_broadcast : gsh_broadcast_others)(team, call, dest, source, call->bytes,
                                                             call->root);
}

int gsh_coll_broadcast(const struct gsh_coll *c, void *dest, const void *source, size_t nelems,
                       int root, bool root_too)
{
    struct gsh_call call = call_of(c);
    size_t bytes;

    if (!c->team || product(c->name, nelems, 1, c->size, &bytes))
        return NVSHMEMX_ERROR_INVALID_VALUE;
    if (root < 0 || root >= c->team->n)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE, "%s: root %d is no rank of a team of %d PEs",
                        c->name, root, c->team->n);
    if (!bytes)
        return NVSHMEMX_SUCCESS;
    check_operands(&call, dest, bytes, source, bytes);
    call.root = root;
    call.bytes = bytes;
    RESULT(c, broadcast(c->team, &call, dest, source, root_too));
}

int gsh_coll_exchange(const struct gsh_coll *c, void *dest, const void *source, size_t nelems)
{
    struct gsh_call call = call_of(c);
    bool to_each = c->op == GSH_COLL_ALLTOALL;
    size_t all;

    if (!c->team || product(c->name, nelems, (size_t)c->team->n, c->size, &all))
        return NVSHMEMX_ERROR_INVALID_VALUE;
    if (!all)
        return NVSHMEMX_SUCCESS;
    call.bytes = nelems * c->size;
    check_operands(&call, dest, all, source, to_each ? all : call.bytes);
    RESULT(c, (to_each ? gsh_alltoall : gsh_fcollect)(c->team, &call, dest, source, call.bytes));
}

int gsh_coll_collect(const struct gsh_coll *c, void *dest, const void *source, size_t nelems)
{
    struct gsh_call call = call_of(c);
    size_t bytes;

    if (!c->team || product(c->name, nelems, 1, c->size, &bytes))
        return NVSHMEMX_ERROR_INVALID_VALUE;
    if (bytes) {
        /* Their places are not compared: who gives nothing may name none. */
        gsh_offset(c->name, dest, bytes, gsh.my_pe);
        gsh_offset(c->name, source, bytes, gsh.my_pe);
    }
    RESULT(c, gsh_collect(c->team, &call, dest, source, bytes));
}

/* Bytes from the first to the last of n elements so far apart; 0 when that is too much. */
static size_t spread(size_t n, ptrdiff_t stride, size_t size)
{
    size_t steps;

    if (__builtin_mul_overflow(n - 1, (size_t)stride, &steps) || steps == SIZE_MAX ||
        __builtin_mul_overflow(steps + 1, size, &steps))
        return 0;
    return steps;
}

int gsh_coll_alltoalls(const struct gsh_coll *c, void *dest, const void *source, ptrdiff_t dst,
                       ptrdiff_t sst, size_t nelems)
{
    struct gsh_call call = call_of(c);
    size_t all, to, from;

    if (!c->team || product(c->name, nelems, (size_t)c->team->n, c->size, &all))
        return NVSHMEMX_ERROR_INVALID_VALUE;
    if (!all)
        return NVSHMEMX_SUCCESS;
    to = dst < 1 ? 0 : spread(all / c->size, dst, c->size);
    from = sst < 1 ? 0 : spread(all / c->size, sst, c->size);
    if (!to || !from)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE,
                        "%s: %zu elements for each PE with strides %td and %td: strides are 1 or "
                        "more, and all must fit into memory",
                        c->name, nelems, dst, sst);
    check_operands(&call, dest, to, source, from);
    call.bytes = nelems * c->size;
    call.extra += (uint64_t)dst << 32 ^ (uint64_t)sst;
    RESULT(c, gsh_alltoalls(c->team, &call, dest, source, dst, sst, nelems, c->size));
}

int gsh_coll_reduction(const struct gsh_coll *c, enum gsh_reduction how, void *dest,
                       const void *source, size_t nelems, gsh_combine *combine)
{
    struct gsh_call call = call_of(c);
    bool scatter = c->op == GSH_COLL_REDUCESCATTER;
    size_t all;

    if (!c->team || product(c->name, nelems, scatter ? (size_t)c->team->n : 1, c->size, &all))
        return NVSHMEMX_ERROR_INVALID_VALUE;
    if (!nelems)
        return NVSHMEMX_SUCCESS;
    call.root = (int32_t)how;
    call.bytes = nelems * c->size;
    check_operands(&call, dest, call.bytes, source, all);
    RESULT(c, (scatter ? gsh_reducescatter : gsh_reduce)(c->team, &call, dest, source, nelems,
                                                         c->size, combine));
}

int gsh_coll_scan(const struct gsh_coll *c, void *dest, const void *source, size_t nelems,
                  gsh_combine *combine, bool inclusive)
{
    struct gsh_call call = call_of(c);
    size_t bytes;

    if (!c->team || product(c->name, nelems, 1, c->size, &bytes))
        return NVSHMEMX_ERROR_INVALID_VALUE;
    if (!bytes)
        return NVSHMEMX_SUCCESS;
    check_operands(&call, dest, bytes, source, bytes);
    call.bytes = bytes;
    call.extra += inclusive;
    RESULT(c, gsh_scan(c->team, &call, dest, source, nelems, c->size, combine, inclusive));
}
