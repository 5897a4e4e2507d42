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
    char boot[40];    /* this start of the system; two hosts may bear one name */
    char network[40]; /* the network namespace: memory is handed over within one */
};

static struct identity *ids; /* [n_pes] */
static int *hosts;
static int *ranks;
static int n_hosts;

static void read_boot(char boot[40])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (!file)
        return;
    if (!fgets(boot, 40, file))
        boot[0] = '\0';
    fclose(file);
}

/* With GSHMEM_FAKE_NODES=k the PEs are dealt to k hosts in blocks. */
static void read_identity(struct identity *id, const struct gsh_boot *boot)
{
    int64_t nodes = gsh_env.FAKE_NODES;

    memset(id, 0, sizeof(*id));
    read_boot(id->boot);
    if (readlink("/proc/self/ns/net", id->network, sizeof(id->network) - 1) < 0)
        id->network[0] = '\0';
    gsh_boot_host(id->name, sizeof(id->name));
    if (nodes > 1) {
        size_t at = strnlen(id->name, sizeof(id->name) - 16);

        snprintf(id->name + at, sizeof(id->name) - at, "/%d",
                 (int)(boot->rank * nodes / boot->n_ranks));
    }
}

/* Numbers the hosts and the PEs on them. */
static void number(int n)
{
    n_hosts = 0;
    for (int pe = 0; pe < n; pe++) {
        int like = 0;

        while (memcmp(&ids[like], &ids[pe], sizeof(*ids)))
            like++;
        hosts[pe] = like == pe ? n_hosts++ : hosts[like];
        ranks[pe] = 0;
        for (int i = like; i < pe; i++)
            ranks[pe] += hosts[i] == hosts[pe];
    }
}

int gsh_host_open(struct gsh_boot *boot)
{
    struct identity mine;
    size_t n = (size_t)boot->n_ranks;
    int err;

    if (gsh_env.FAKE_NODES < 0)
        return gsh_fail(-EINVAL, "GSHMEM_FAKE_NODES is %d; it is a number of nodes",
                        gsh_env.FAKE_NODES);
    read_identity(&mine, boot);
    ids = calloc(n, sizeof(*ids));
    hosts = calloc(n, sizeof(*hosts));
    ranks = calloc(n, sizeof(*ranks));
    err = ids && hosts && ranks ? boot->ops.allgather(boot, &mine, ids, sizeof(mine))
                                : gsh_fail(-ENOMEM, "no memory for the hosts of %zu PEs", n);
    if (!err) {
        number(boot->n_ranks);
        gsh_log(GSH_INFO, GSH_TOPO, "host %s is %d of %d", mine.name, hosts[boot->rank], n_hosts);
    }
    if (err)
        gsh_host_close();
    return err;
}

void gsh_host_close(void)
{
    n_hosts = 0;
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

int gsh_host_count(void)
{
    return n_hosts;
}

bool gsh_host_shares_cores(int pe)
{
    return !strcmp(ids[pe].boot, ids[gsh.my_pe].boot);
}

const char *gsh_host_name(int pe)
{
    return ids[pe].name;
}
