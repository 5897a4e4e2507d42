/* fixed.c - make, tell and open the pieces. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/fixed.h"
#include "core/log.h"
#include "core/state.h"
#include "gpu/gpu.h"
#include "heap/segment.h"
#include "topo/gpus.h"

#include <errno.h>
#include <stdlib.h>

/* What each PE tells of its piece. */
struct offer {
    struct gsh_gpu_ticket ticket;
    int err;
};

static bool is_own(int i)
{
    return gsh_segment.here[i] == gsh.my_pe;
}

static int make(size_t bytes, char **windows, struct offer *mine)
{
    void *at = NULL;
    int err = gsh_gpu_take(bytes, &at);

    for (int i = 0; i < gsh_segment.n_here; i++)
        if (is_own(i))
            windows[i] = at;
    return err ? err : gsh_gpu_offer(at, &mine->ticket);
}

int gsh_fixed_open(size_t bytes, char **windows)
{
    struct offer mine = { 0 }, *all = calloc((size_t)gsh.n_pes, sizeof(*all));
    int err;

    if (!all)
        return gsh_fail(-ENOMEM, "no memory for the heaps of %d PEs", gsh.n_pes);
    mine.err = make(bytes, windows, &mine);
    err = gsh.boot.ops.allgather(&gsh.boot, &mine, all, sizeof(mine));
    for (int pe = 0; pe < gsh.n_pes && !err; pe++)
        if (all[pe].err)
            err = mine.err ? mine.err
                           : gsh_miss(all[pe].err, "PE %d has no GPU memory for its heap", pe);
    for (int i = 0; i < gsh_segment.n_here && !err; i++)
        if (!is_own(i) && gsh_way_reaches(gsh_topo_way(gsh.my_pe, gsh_segment.here[i])))
            err = gsh_gpu_attach(&all[gsh_segment.here[i]].ticket, &windows[i]);
    free(all);
    return err;
}

void gsh_fixed_close(char **windows, bool all)
{
    for (int i = 0; i < gsh_segment.n_here; i++)
        if (windows[i] && !is_own(i))
            gsh_gpu_detach(windows[i]);
    /* Memory that others have open must not be given back. */
    if (all)
        gsh.boot.ops.barrier(&gsh.boot);
    for (int i = 0; i < gsh_segment.n_here; i++)
        if (is_own(i))
            gsh_gpu_give(windows[i]);
}
