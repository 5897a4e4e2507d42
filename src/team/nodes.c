/* nodes.c - deal the members of a team out to their nodes. */
// SPDX-License-Identifier: BSD-3-Clause
#include "team/nodes.h"
#include "core/env.h"
#include "core/log.h"
#include "core/state.h"
#include "topo/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool usable; /* in this job */

static bool maps_all_here(void)
{
    for (int pe = 0; pe < gsh.n_pes; pe++)
        if (gsh_host_of(pe) == gsh_host_of(gsh.my_pe) && !gsh.peers[pe].base)
            return false;
    return true;
}

int gsh_nodes_open(void)
{
    char mine = maps_all_here(), *all;
    int err;

    usable = gsh_host_count() > 1 && !gsh_env.DISABLE_P2P;
    if (!usable)
        return 0;
    all = malloc((size_t)gsh.n_pes);
    if (!all)
        return gsh_fail(-ENOMEM, "no memory to agree with %d PEs", gsh.n_pes);
    err = gsh.boot.ops.allgather(&gsh.boot, &mine, all, 1);
    for (int pe = 0; pe < gsh.n_pes; pe++)
        usable &= all[pe];
    free(all);
    return err;
}

/* Numbers the hosts of the members; the number of them. */
static int number(const int *pes, int n, int *of)
{
    int n_nodes = 0;

    for (int i = 0; i < n; i++) {
        int like = 0;

        while (gsh_host_of(pes[like]) != gsh_host_of(pes[i]))
            like++;
        of[i] = like == i ? n_nodes++ : of[like];
    }
    return n_nodes;
}

static void fill(struct gsh_nodes *nodes, const int *pes, int n)
{
    int at = 0;

    nodes->fewest = n;
    for (int k = 0; k < nodes->n; k++) {
        nodes->start[k] = at;
        for (int i = 0; i < n; i++) {
            if (nodes->of[i] != k)
                continue;
            nodes->place[i] = at - nodes->start[k];
            nodes->ranks[at++] = i;
            if (pes[i] == gsh.my_pe)
                nodes->my = k;
        }
        nodes->start[k + 1] = at;
        if (gsh_nodes_members(nodes, k) < nodes->fewest)
            nodes->fewest = gsh_nodes_members(nodes, k);
    }
    nodes->here = gsh_nodes_members(nodes, nodes->my);
}

int gsh_nodes_create(const int *pes, int n, struct gsh_nodes **made)
{
    struct gsh_nodes *nodes;
    size_t ints = 4 * (size_t)n + 1;
    int *at;

    *made = NULL;
    if (!usable)
        return 0;
    nodes = malloc(sizeof(*nodes) + ints * sizeof(int));
    if (!nodes)
        return -ENOMEM;
    at = (int *)(void *)(nodes + 1);
    nodes->of = at;
    nodes->place = at + n;
    nodes->ranks = at + 2 * n;
    nodes->start = at + 3 * n;
    nodes->n = number(pes, n, nodes->of);
    if (nodes->n == 1 || nodes->n == n) {
        free(nodes);
        return 0;
    }
    fill(nodes, pes, n);
    *made = nodes;
    return 0;
}
