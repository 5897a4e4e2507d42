/* reduce.c - reductions.
 *
 * Every element is combined in the order of ranks by whoever combines it, so that
 * all members get the same bits.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/coll.h"
#include "coll/nodes.h"
#include "coll/schedule.h"
#include "coll/slots.h"
#include "core/log.h"
#include "core/remote.h"
#include "heap/device.h"
#include "stream/stream.h"

#include <errno.h>
#include <stdlib.h>

/* Fills team->from with the operands of all members at this offset: where they
 * are, or copies of them. */
static int gather(struct gsh_team *team, size_t off, size_t bytes)
{
    if (!team->direct && !team->bounce) {
        team->bounce = malloc((size_t)team->n * GSH_COLL_BLOCK);
        if (!team->bounce)
            return -ENOMEM;
    }
    for (int i = 0; i < team->n; i++) {
        const char *base = gsh.peers[team->pes[i]].base;

        team->from[i] = base ? base + off : team->bounce + (size_t)i * GSH_COLL_BLOCK;
        if (!base)
            gsh_get_at(team->pes[i], team->bounce + (size_t)i * GSH_COLL_BLOCK, off, bytes);
    }
    return 0;
}

/* Combines nelems elements at `off` of all members into `to`, and puts the result
 * to `spread` of all others when that is not 0. Block by block, so that what was
 * read is still in the cache. */
static int combine_blocks(struct gsh_team *team, char *to, size_t off, size_t spread, size_t nelems,
                          size_t elem_bytes, gsh_combine *combine)
{
    size_t most = GSH_COLL_BLOCK / elem_bytes;

    for (size_t done = 0; done < nelems; done += most) {
        size_t n = nelems - done < most ? nelems - done : most;
        size_t at = done * elem_bytes;

        if (gather(team, off + at, n * elem_bytes))
            return -ENOMEM;
        combine(to + at, team->from, team->n, n);
        for (int i = 1; spread && i < team->n; i++)
            gsh_put_at(team->pes[(team->my + i) % team->n], spread + at, to + at, n * elem_bytes);
    }
    return 0;
}

static int through_slots(struct gsh_team *team, struct gsh_call *call, void *dest,
                         const void *source, size_t nelems, size_t elem_bytes, gsh_combine *combine)
{
    gsh_slots_reduce(team, call, dest, source, nelems, nelems, elem_bytes, combine);
    team->bcast_from = 0;
    return 0;
}

/* Each reads all operands; in place, since nobody writes before all have read. */
static int read_all(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                    size_t nelems, size_t bytes, gsh_combine *combine)
{
    _Alignas(GSH_LINE) char result[GSH_TEAM_SMALL];
    int err;

    gsh_deliver();
    gsh_meet(team, call);
    err = gather(team, gsh_offset_of(source), bytes);
    if (!err)
        combine(result, team->from, team->n, nelems);
    gsh_meet(team, call);
    if (!err)
        memcpy(dest, result, bytes);
    return err;
}

/* Each combines its part of all operands and sends it to all. In place, since a
 * part is read by nobody else. */
static int two_shot(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                    size_t nelems, size_t elem_bytes, gsh_combine *combine)
{
    size_t first;
    size_t n = gsh_slice(nelems, GSH_LINE, team->my, team->n, &first);
    size_t at = first * elem_bytes;
    int err;

    gsh_deliver();
    gsh_meet(team, call);
    err = combine_blocks(team, (char *)dest + at, gsh_offset_of(source) + at,
                         gsh_offset_of(dest) + at, n, elem_bytes, combine);
    gsh_deliver();
    gsh_meet(team, call);
    return err;
}

static bool is_on_gpu(const void *dest, const void *source)
{
    return gsh_unlikely(gsh_device_heap_has(dest, 0) || gsh_device_heap_has(source, 0));
}

/* The members meet on the host; a kernel of each combines, as in kernels. */
static int on_gpu(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                  size_t nelems, size_t elem_bytes)
{
    const struct gsh_op op = { .call = call->name,
                               .kind = call->op == GSH_COLL_REDUCE ? GSH_OP_REDUCE
                                                                   : GSH_OP_REDUCESCATTER,
                               .how = call->root,
                               .type = call->type,
                               .size = (int32_t)elem_bytes,
                               .team = team->handle,
                               .dest = dest,
                               .source = source,
                               .n = nelems };
    int err;

    if (!gsh_device_heap_has(dest, 0) || !gsh_device_heap_has(source, 0))
        return gsh_fail(-ENOTSUP,
                        "%s: of dest %p and source %p one is in GPU memory, the other is not",
                        call->name, dest, source);
    gsh_deliver();
    gsh_meet(team, call);
    err = gsh_stream_combine(&op);
    gsh_meet(team, call);
    return err;
}

int gsh_reduce(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
               size_t nelems, size_t elem_bytes, gsh_combine *combine)
{
    size_t bytes = nelems * elem_bytes;

    if (is_on_gpu(dest, source))
        return on_gpu(team, call, dest, source, nelems, elem_bytes);
    if (team->nodes && bytes <= GSH_TEAM_SMALL && bytes <= team->slot_room)
        return gsh_nodes_reduce_small(team, call, dest, source, nelems, elem_bytes, combine);
    if (team->nodes)
        return gsh_nodes_reduce(team, call, dest, source, nelems, elem_bytes, combine);
    if (!team->direct)
        return through_slots(team, call, dest, source, nelems, elem_bytes, combine);

    switch (gsh_reduce_path(bytes, team->n, gsh.crowded)) {
    case GSH_SLOTS:
        return through_slots(team, call, dest, source, nelems, elem_bytes, combine);
    case GSH_READ_ALL:
        return read_all(team, call, dest, source, nelems, bytes, combine);
    default:
        return two_shot(team, call, dest, source, nelems, elem_bytes, combine);
    }
}

int gsh_reducescatter(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                      size_t nelems, size_t elem_bytes, gsh_combine *combine)
{
    size_t place = nelems * elem_bytes * (size_t)team->my;
    int err;

    if (is_on_gpu(dest, source))
        return on_gpu(team, call, dest, source, nelems, elem_bytes);
    gsh_deliver();
    gsh_meet(team, call);
    err = combine_blocks(team, dest, gsh_offset_of(source) + place, 0, nelems, elem_bytes, combine);
    gsh_meet(team, call);
    return err;
}
