/* single.c - the boot method of a program that was started alone: one PE, no
 * root, no life line.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/boot.h"

#include <string.h>

static void abort_job(struct gsh_boot *boot, int status, const char *text)
{
    (void)boot;
    (void)status;
    (void)text;
}

static int allgather(struct gsh_boot *boot, const void *mine, void *all, size_t bytes)
{
    (void)boot;
    if (bytes)
        memmove(all, mine, bytes);
    return 0;
}

static int barrier(struct gsh_boot *boot)
{
    (void)boot;
    return 0;
}

static void close_job(struct gsh_boot *boot, int clean)
{
    (void)boot;
    (void)clean;
}

static int open_job(struct gsh_boot *boot, const void *arg)
{
    (void)arg;
    boot->rank = 0;
    boot->n_ranks = 1;
    return 0;
}

static int usable(const char **why_not)
{
    (void)why_not;
    return 1;
}

const struct gsh_boot_driver gsh_boot_single = {
    .name = "single",
    .usable = usable,
    .ops = {
        .abort = abort_job,
        .allgather = allgather,
        .barrier = barrier,
        .close = close_job,
        .open = open_job,
    },
};
