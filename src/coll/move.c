/* move.c - broadcast, collect and alltoall: collectives that only move data.
 *
 * dest is ready on all members before any of them calls, so data can be written
 * there at once; source of another member can be read only after it has come.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/coll.h"
#include "coll/nodes.h"
#include "coll/schedule.h"
#include "core/remote.h"
#include "util/stream.h"

#define AT(team, field) ((team)->block_off + offsetof(struct gsh_team_block, field))

static void copy_own(void *dest, const void *source, size_t bytes)
{
    if (dest != source)
        gsh_put_at(gsh.my_pe, gsh_offset_of(dest), source, bytes);
}

/* Data and flag to each member, the root's own rank left out. */
static void push(const struct gsh_team *team, const struct gsh_call *call, size_t dest,
                 const void *source, size_t bytes)
{
    for (int i = 1; i < team->n; i++) {
        int pe = team->pes[(team->my + i) % team->n];

        gsh_flag_put(pe, dest, source, bytes, AT(team, bcast), gsh_call_word(call));
    }
}

static void along_tree(const struct gsh_team *team, const struct gsh_call *call, void *dest,
                       const void *source, size_t bytes, int root)
{
    int children[GSH_TREE_FAN];
    int n = gsh_tree_children(team->my, root, team->n, children);
    const void *data = team->my == root ? source : dest;

    if (team->my != root)
        gsh_flag_wait(team, call, &team->block->bcast.word, -1);
    for (int i = 0; i < n; i++) {
        int pe = team->pes[children[i]];

        gsh_flag_put(pe, gsh_offset_of(dest), data, bytes, AT(team, bcast), gsh_call_word(call));
    }
}

/* All read from the root at once; it may go on when all have read. */
static int pull(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                size_t bytes, int root)
{
    if (team->my == root) {
        for (int i = 0; i < team->n; i++)
            if (i != root)
                gsh_flag_set(team->pes[i], AT(team, bcast), gsh_call_word(call));
    } else {
        gsh_flag_wait(team, call, &team->block->bcast.word, -1);
        gsh_get_at(team->pes[root], dest, gsh_offset_of(source), bytes);
    }
    return gsh_meet(team, call);
}

/* A member's broadcast flag may be set by one partner only until all have met: else
 * a later broadcast of a quick root could be taken for an earlier one that is still
 * under way. */
static void claim_flag(struct gsh_team *team, struct gsh_call *call, int from)
{
    if (team->bcast_from && team->bcast_from != from)
        gsh_meet(team, call);
    team->bcast_from = from;
}

int gsh_broadcast_others(struct gsh_team *team, struct gsh_call *call, void *dest,
                         const void *source, size_t bytes, int root)
{
    enum gsh_path path = gsh_broadcast_path(bytes, team->n, gsh.crowded);

    claim_flag(team, call, path == GSH_TREE ? -1 - root : 1 + root);
    gsh_call_begin(team, call);
    if (team->nodes) {
        gsh_nodes_broadcast(team, call, dest, source, bytes, root);
        return 0;
    }
    switch (path) {
    case GSH_PULL:
        return pull(team, call, dest, source, bytes, root);
    case GSH_TREE:
        along_tree(team, call, dest, source, bytes, root);
        return 0;
    default:
        if (team->my == root)
            push(team, call, gsh_offset_of(dest), source, bytes);
        else
            gsh_flag_wait(team, call, &team->block->bcast.word, -1);
        return 0;
    }
}

int gsh_broadcast(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                  size_t bytes, int root)
{
    if (team->my == root)
        copy_own(dest, source, bytes);
    return gsh_broadcast_others(team, call, dest, source, bytes, root);
}

/* One part of an exchange: past the caches when they cannot hold what all members write.
 * (Counting what they read as well was measured to be slower.) */
static void put_part(int pe, size_t off, const void *source, size_t bytes, bool streams)
{
    char *base = gsh.peers[pe].base;

    if (!streams || !base || base + off == (const char *)source)
        gsh_put_at(pe, off, source, bytes);
    else
        gsh_stream_copy(base + off, source, bytes);
}

/* Puts bytes of source, `step` bytes apart by the rank, to this member's place at each member. */
static int exchange(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                    size_t bytes, size_t step)
{
    size_t off = gsh_offset_of(dest) + bytes * (size_t)team->my;
    bool streams = off < gsh.window && gsh_stream_pays(bytes * (size_t)team->n * (size_t)team->n);

    gsh_call_begin(team, call);
    for (int i = 1; i <= team->n; i++) {
        int to = (team->my + i) % team->n;

        put_part(team->pes[to], off, (const char *)source + step * (size_t)to, bytes, streams);
    }
    gsh_deliver();
    return gsh_sync(team, call);
}

int gsh_fcollect(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                 size_t bytes)
{
    if (team->nodes && gsh_offset_of(dest) < gsh.window)
        return gsh_nodes_fcollect(team, call, dest, source, bytes);
    return exchange(team, call, dest, source, bytes, 0);
}

int gsh_alltoall(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                 size_t bytes)
{
    return exchange(team, call, dest, source, bytes, bytes);
}

/* Where this member's part begins and how long the whole is, from what all have told. */
static size_t read_shares(const struct gsh_team *team, size_t *all)
{
    size_t before = 0;

    *all = 0;
    for (int i = 0; i < team->n; i++) {
        uint64_t share;

        gsh_get_at(team->pes[i], &share, AT(team, share), sizeof(share));
        if (i == team->my)
            before = *all;
        *all += share;
    }
    return before;
}

int gsh_collect(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                size_t bytes)
{
    size_t place, all, off;

    team->block->share = bytes;
    gsh_quiet();
    gsh_meet(team, call);
    place = read_shares(team, &all);
    off = all ? gsh_offset(call->name, dest, all, gsh.my_pe) + place : 0;
    for (int i = 1; bytes && i < team->n; i++)
        gsh_put_at(team->pes[(team->my + i) % team->n], off, source, bytes);
    copy_own((char *)dest + place, source, bytes);
    gsh_quiet();
    return gsh_meet(team, call);
}

int gsh_alltoalls(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                  ptrdiff_t dst, ptrdiff_t sst, size_t nelems, size_t elem_bytes)
{
    size_t place = gsh_offset_of(dest) + (size_t)team->my * nelems * (size_t)dst * elem_bytes;

    gsh_call_begin(team, call);
    for (int i = 0; i < team->n; i++) {
        int to = (team->my + i) % team->n;
        const char *block = (const char *)source + (size_t)to * nelems * (size_t)sst * elem_bytes;

        for (size_t k = 0; k < nelems; k++)
            gsh_put_at(team->pes[to], place + k * (size_t)dst * elem_bytes,
                       block + k * (size_t)sst * elem_bytes, elem_bytes);
    }
    gsh_deliver();
    return gsh_sync(team, call);
}
