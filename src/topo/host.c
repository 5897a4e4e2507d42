/* host.c - find out which PEs share a host. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "topo/host.h"
#include "core/env.h"
#include "core/log.h"
#include "core/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What PEs of one host have in common and others have not. */
struct identity {
    char name[80];
    char boot[40]; /* this start of the system; two hosts may bear one name */
};

static struct identity *ids; /* [n_pes] */
static int *hosts;
static int *ranks;

static void read_identity(struct identity *id)
{
    FILE *file;

    memset(id, 0, sizeof(*id));
    if (*gsh_env.HOST_ID) {
        snprintf(id->name, sizeof(id->name), "%s", gsh_env.HOST_ID);
        return;
    }
    gethostname(id->name, sizeof(id->name) - 1);
    file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file)
        return;
    if (!fgets(id->boot, sizeof(id->boot), file))
        id->boot[0] = '\0';
    fclose(file);
}

/* Numbers the hosts and the PEs on them; returns the number of hosts. */
static int number(int n)
{
    int n_hosts = 0;

    for (int pe = 0; pe < n; pe++) {
        int like = 0;

        while (memcmp(&ids[like], &ids[pe], sizeof(*ids)))
            like++;
        hosts[pe] = like == pe ? n_hosts++ : hosts[like];
        ranks[pe] = 0;
        for (int i = like; i < pe; i++)
            ranks[pe] += hosts[i] == hosts[pe];
    }
    return n_hosts;
}

static int check_even(int n, int n_hosts)
{
    for (int pe = 0; pe < n; pe++) {
        int here = 0;

        for (int i = 0; i < n; i++)
            here += hosts[i] == hosts[pe];
        if (here * n_hosts != n)
            return gsh_fail(-EINVAL,
                            "%d PEs on %d hosts, of which %s has %d: each host must have "
                            "equally many",
                            n, n_hosts, ids[pe].name, here);
    }
    return 0;
}

int gsh_host_open(struct gsh_boot *boot)
{
    struct identity mine;
    size_t n = (size_t)boot->n_ranks;
    int err, n_hosts;

    read_identity(&mine);
    ids = calloc(n, sizeof(*ids));
    hosts = calloc(n, sizeof(*hosts));
    ranks = calloc(n, sizeof(*ranks));
    err = ids && hosts && ranks ? boot->ops.allgather(boot, &mine, ids, sizeof(mine))
                                : gsh_fail(-ENOMEM, "no memory for the hosts of %zu PEs", n);
    if (!err) {
        n_hosts = number(boot->n_ranks);
        err = check_even(boot->n_ranks, n_hosts);
        gsh_log(GSH_INFO, GSH_TOPO, "host %s is %d of %d", mine.name, hosts[boot->rank], n_hosts);
    }
    if (err)
        gsh_host_close();
    return err;
}

void gsh_host_close(void)
{
    free(ids);
    free(hosts);
    free(ranks);
    ids = NULL;
    hosts = ranks = NULL;
}

int gsh_host_of(int pe)
{
    return hosts[pe];
}

int gsh_host_rank(int pe)
{
    return ranks[pe];
}

const char *gsh_host_name(int pe)
{
    return ids[pe].name;
}
