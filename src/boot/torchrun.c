/* torchrun.c - the boot method of a process that torchrun has started, or anybody who sets the
 * same variables.
 *
 * RANK and WORLD_SIZE are the place, MASTER_ADDR is the machine of rank 0. MASTER_PORT is mostly
 * taken by the launcher's own store, so that PE 0 listens at the port after it, at all
 * interfaces, as MASTER_ADDR may be a name that means loopback on that machine.
 * NVSHMEM_BOOTSTRAP_UID_SESSION_ID is another address. All the rest is the method uid.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/boot.h"
#include "core/env.h"
#include "core/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct gsh_boot_driver gsh_boot_uid;

static const char *const needed[] = { "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT" };

/* The first variable that is missing, NULL when none is. */
static const char *missing(void)
{
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!getenv(needed[i]))
            return needed[i];
    return NULL;
}

static int usable(const char **why_not)
{
    *why_not = "no RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT: not started by torchrun";
    return !missing();
}

static int read_number(const char *name, int *value)
{
    const char *text = getenv(name);
    char rest;

    if (sscanf(text, "%d%c", value, &rest) == 1)
        return 0;
    return gsh_fail(-EINVAL, "%s is \"%s\", no number; it belongs to torchrun", name, text);
}

static int make_id(void *id)
{
    const char *host = getenv("MASTER_ADDR");
    bool is_ipv6 = strchr(host, ':');
    char address[300];
    int port;
    int err = read_number("MASTER_PORT", &port);

    if (*gsh_env.BOOTSTRAP_UID_SESSION_ID)
        return gsh_boot_uid_create(id, 128, 0);
    if (err)
        return err;
    snprintf(address, sizeof(address), is_ipv6 ? "[%s]:%d" : "%s:%d", host, port + 1);
    return gsh_boot_uid_fix("MASTER_ADDR with the port after MASTER_PORT", address, true, id);
}

static int open_job(struct gsh_boot *boot, const void *arg)
{
    char id[128];
    struct gsh_boot_uid_arg place = { .id = id };
    int err;

    (void)arg;
    if (missing())
        return gsh_fail(-ENOENT,
                        "the boot method torchrun needs %s: start the program with "
                        "torchrun, or set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT",
                        missing());
    err = read_number("RANK", &place.rank);
    if (!err)
        err = read_number("WORLD_SIZE", &place.n_ranks);
    if (!err)
        err = make_id(id);
    boot->ops = gsh_boot_uid.ops;
    return err ? err : boot->ops.open(boot, &place);
}

const struct gsh_boot_driver gsh_boot_torchrun = {
    .name = "torchrun",
    .usable = usable,
    .ops = { .open = open_job },
};
