/* boot.c - chooses the boot method and fills in what it leaves out.
 *
 * The choice is explained in the log at info level: which method serves, and why
 * those before it do not.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/boot.h"

#include "core/env.h"
#include "core/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define DECLARE(name) extern const struct gsh_boot_driver gsh_boot_##name;
GSH_BOOT_BUILT(DECLARE)
#undef DECLARE

const struct gsh_boot_driver *const gsh_boot_drivers[] = {
#define ROW(name) &gsh_boot_##name,
    GSH_BOOT_BUILT(ROW)
#undef ROW
        NULL,
};

static void no_abort(struct gsh_boot *boot, int status, const char *text)
{
    (void)boot;
    (void)status;
    (void)text;
}

static int no_allgather(struct gsh_boot *boot, const void *mine, void *all, size_t bytes)
{
    (void)mine;
    (void)all;
    return gsh_fail(-EOPNOTSUPP, "the boot method %s cannot exchange %zu bytes", boot->name, bytes);
}

/* A barrier is an exchange of one byte. */
static int no_barrier(struct gsh_boot *boot)
{
    char all[4096];
    char mine = 0;

    if ((size_t)boot->n_ranks > sizeof(all))
        return gsh_fail(-EOPNOTSUPP, "the boot method %s has no barrier for %d PEs", boot->name,
                        boot->n_ranks);
    return boot->ops.allgather(boot, &mine, all, 1);
}

static void no_close(struct gsh_boot *boot, int clean)
{
    (void)boot;
    (void)clean;
}

static int no_life_read(struct gsh_boot *boot, struct gsh_life_event *event)
{
    (void)boot;
    *event = (struct gsh_life_event){ .kind = GSH_LIFE_NONE, .pe = -1 };
    return 0;
}

static int no_open(struct gsh_boot *boot, const void *arg)
{
    (void)arg;
    return gsh_fail(-EOPNOTSUPP, "the boot method %s cannot be opened", boot->name);
}

/* By position on purpose: an op without a default is a compiler warning. */
static const struct gsh_boot_ops defaults = {
    no_abort, no_allgather, no_barrier, no_close, no_life_read, no_open,
};

/* Every member of the table is a pointer to a function. */
static void fill_ops(struct gsh_boot_ops *ops)
{
    void (*op[sizeof(*ops) / sizeof(void (*)(void))])(void);
    void (*preset[sizeof(*ops) / sizeof(void (*)(void))])(void);

    memcpy(op, ops, sizeof(op));
    memcpy(preset, &defaults, sizeof(preset));
    for (size_t i = 0; i < sizeof(op) / sizeof(op[0]); i++)
        if (!op[i])
            op[i] = preset[i];
    memcpy(ops, op, sizeof(op));
}

static const struct gsh_boot_driver *find(const char *name)
{
    /* To NVSHMEM, PMIx is a dialect of PMI. */
    if (!strcasecmp(name, "PMI") && !strcasecmp(gsh_env.BOOTSTRAP_PMI, "PMIX"))
        name = "pmix";
    for (int i = 0; gsh_boot_drivers[i]; i++)
        if (!strcasecmp(gsh_boot_drivers[i]->name, name))
            return gsh_boot_drivers[i];
    return NULL;
}

/* The method single is always usable. */
static const struct gsh_boot_driver *choose(void)
{
    int i = 0;
    const char *why_not = "";

    while (!gsh_boot_drivers[i]->usable(&why_not)) {
        gsh_log(GSH_INFO, GSH_BOOT, "method %s passed over: %s", gsh_boot_drivers[i]->name,
                why_not);
        i++;
    }
    return gsh_boot_drivers[i];
}

void gsh_boot_host(char *name, size_t bytes)
{
    *name = '\0';
    if (*gsh_env.HOST_ID)
        snprintf(name, bytes, "%s", gsh_env.HOST_ID);
    else if (!gethostname(name, bytes))
        name[bytes - 1] = '\0';
}

int gsh_boot_open(struct gsh_boot *boot, const char *name, const void *arg)
{
    const struct gsh_boot_driver *driver = name && *name ? find(name) : choose();
    int err;

    if (!driver) {
#define NAME(method) " " #method
        return gsh_fail(
            -EINVAL, "there is no boot method \"%s\"; the methods are" GSH_BOOT_BUILT(NAME), name);
#undef NAME
    }
    *boot = (struct gsh_boot){ .name = driver->name, .life_fd = -1, .ops = driver->ops };
    fill_ops(&boot->ops);
    err = boot->ops.open(boot, arg);
    if (err)
        return err;
    gsh_log(GSH_INFO, GSH_BOOT, "method %s, PE %d of %d", boot->name, boot->rank, boot->n_ranks);
    return 0;
}
