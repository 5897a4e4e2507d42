/* local.c - the boot method of a PE that gshrun has started.
 *
 * GSHMEM_BOOT="rank,n,exchange,life" names the place and the two sockets, which
 * the process inherited. They survive a shell in between. From the first init on
 * they are closed on exec, so that a program which the PE starts does not take
 * part; they stay open to the end, for init after finalize.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/wire.h"

#include "core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#define VARIABLE "GSHMEM_BOOT"

static int usable(const char **why_not)
{
    if (getenv(VARIABLE))
        return 1;
    *why_not = "not started by gshrun";
    return 0;
}

/* A socket of the kind that gshrun makes, or not. */
static int check_fd(int fd)
{
    int domain = 0;
    socklen_t bytes = sizeof(domain);

    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &bytes) || domain != AF_UNIX)
        return -EBADF;
    return 0;
}

static int open_job(struct gsh_boot *boot, const void *arg)
{
    const char *text = getenv(VARIABLE);
    struct gsh_wire_lines lines = { .keep = true, .root = "gshrun", .root_pe = -1 };
    char rest;

    (void)arg;
    if (!text)
        return gsh_fail(-ENOENT, "the boot method local needs " VARIABLE
                                 ": start the program with gshrun -n N");
    if (sscanf(text, "%d,%d,%d,%d%c", &boot->rank, &boot->n_ranks, &lines.exchange_fd,
               &lines.life_fd, &rest) != 4)
        return gsh_fail(-EINVAL, VARIABLE " is \"%s\"; it belongs to gshrun and must not be set",
                        text);
    if (check_fd(lines.exchange_fd) || check_fd(lines.life_fd))
        return gsh_fail(-EBADF,
                        VARIABLE " is \"%s\" but the connections %d and %d to gshrun are not open "
                                 "in this process: whoever started it closed them, or it was "
                                 "started by a PE; start it with gshrun, or unset " VARIABLE,
                        text, lines.exchange_fd, lines.life_fd);
    fcntl(lines.exchange_fd, F_SETFD, FD_CLOEXEC);
    fcntl(lines.life_fd, F_SETFD, FD_CLOEXEC);
    return gsh_wire_open(boot, &lines);
}

const struct gsh_boot_driver gsh_boot_local = {
    .name = "local",
    .usable = usable,
    .ops = {
        .abort = gsh_wire_abort,
        .allgather = gsh_wire_allgather,
        .barrier = gsh_wire_barrier,
        .close = gsh_wire_close,
        .life_read = gsh_wire_life_read,
        .open = open_job,
    },
};
