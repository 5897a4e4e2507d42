/* p2p.c - peers of the same host, whose windows this process has mapped. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/env.h"
#include "core/log.h"
#include "core/state.h"
#include "heap/segment.h"
#include "topo/host.h"
#include "tr/transport.h"
#include "util/fault.h"

#include <errno.h>
#include <stdio.h>

static int p2p_usable(const char **why_not)
{
    *why_not = "NVSHMEM_DISABLE_P2P is set";
    return !gsh_env.DISABLE_P2P;
}

static int p2p_open(struct gsh_tr *tr)
{
    (void)tr;
    if (gsh_fault_fails("p2p.open"))
        return gsh_miss(-EIO, "GSHMEM_FAULT asks p2p.open to fail");
    return 0;
}

static bool is_here(int pe)
{
    return gsh_host_of(pe) == gsh_host_of(gsh.my_pe);
}

static int p2p_reaches(struct gsh_tr *tr, int pe, char *why, size_t bytes)
{
    (void)tr;
    if (!is_here(pe))
        snprintf(why, bytes, "is on host %s", gsh_host_name(pe));
    else if (!gsh_segment.windows[pe])
        snprintf(why, bytes, "shares no memory with this PE");
    else
        return 1;
    return 0;
}

static char *p2p_map(struct gsh_tr *tr, int pe)
{
    (void)tr;
    return is_here(pe) ? gsh_segment.windows[pe] : NULL;
}

extern const struct gsh_tr_driver gsh_tr_p2p;
const struct gsh_tr_driver gsh_tr_p2p = {
    .name = "p2p",
    .what = "loads and stores in memory shared with PEs of the same host",
    .usable = p2p_usable,
    .ops = { .map = p2p_map, .open = p2p_open, .reaches = p2p_reaches },
};
