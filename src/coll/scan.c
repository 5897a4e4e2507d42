/* scan.c - prefix sums: each member reads the operands of those before it.
 *
 * In place, no member may write before all have read: then the members meet twice for
 * each block, and else twice in all.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/coll.h"
#include "core/remote.h"

#include <errno.h>
#include <stdlib.h>

/* Combines the operands of the first n ranks at this offset into `to`: at most
 * GSH_COLL_BLOCK bytes. */
static void combine_first(struct gsh_team *team, int n, void *to, size_t off, size_t nelems,
                          size_t bytes, gsh_combine *combine)
{
    for (int i = 0; i < n; i++) {
        const char *base = off < gsh.window ? gsh.peers[team->pes[i]].base : NULL;

        team->from[i] = base ? base + off : team->bounce + (size_t)i * GSH_COLL_BLOCK;
        if (!base)
            gsh_get_at(team->pes[i], team->bounce + (size_t)i * GSH_COLL_BLOCK, off, bytes);
    }
    if (n)
        combine(to, team->from, n, nelems);
    else
        memset(to, 0, bytes);
}

/* Operands in GPU memory are fetched as well. */
static int need_bounce(struct gsh_team *team, size_t off)
{
    bool direct = team->direct && off < gsh.window;

    if (!direct && !team->bounce)
        team->bounce = malloc((size_t)team->n * GSH_COLL_BLOCK);
    return direct || team->bounce ? 0 : -ENOMEM;
}

int gsh_scan(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
             size_t nelems, size_t elem_bytes, gsh_combine *combine, bool inclusive)
{
    _Alignas(GSH_LINE) char block[GSH_COLL_BLOCK];
    size_t most = GSH_COLL_BLOCK / elem_bytes;
    size_t off = gsh_offset_of(source);
    size_t place = gsh_offset_of(dest);
    bool in_place = dest == source, staged = in_place || place >= gsh.window;
    int n = team->my + inclusive;

    if (need_bounce(team, off))
        return -ENOMEM;
    gsh_quiet();
    gsh_meet(team, call);
    for (size_t done = 0; done < nelems; done += most) {
        size_t m = nelems - done < most ? nelems - done : most;
        char *to = (char *)dest + done * elem_bytes;

        combine_first(team, n, staged ? block : to, off + done * elem_bytes, m, m * elem_bytes,
                      combine);
        if (in_place)
            gsh_meet(team, call);
        if (staged)
            gsh_put_at(gsh.my_pe, place + done * elem_bytes, block, m * elem_bytes);
    }
    return in_place ? 0 : gsh_meet(team, call);
}
