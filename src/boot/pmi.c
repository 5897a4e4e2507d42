/* pmi.c - the boot method of a PE that a PMI-1 or PMI-2 process manager started,
 * such as the mpiexec of MPICH (hydra) or srun.
 *
 * The connection is that of the process, not of a world: it is opened by the first
 * init and finalized when the process exits, since a process manager takes it only
 * once. An MPI in the same process may use it as well: this part speaks over a copy
 * of the descriptor and only in init, so MPI may have finalized it before.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "boot/address.h"
#include "boot/dialect.h"
#include "boot/star.h"
#include "core/env.h"
#include "core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { CONNECT_MS = 10000, ABORT_MS = 200 };

static struct gsh_pmi pmi = { .fd = -1 };
static const struct gsh_dialect *dialect;
static pid_t owner; /* its forks have no part in the connection */
static int world;   /* counts the worlds, to tell their keys apart */

static int read_number(const char *name, int *value)
{
    const char *text = getenv(name);
    char rest;

    if (text && sscanf(text, "%d%c", value, &rest) == 1)
        return 0;
    return gsh_fail(-EINVAL, "%s is \"%s\", no number; it belongs to the process manager", name,
                    text ? text : "");
}

/* The connection that the process inherited. */
static int open_inherited(void)
{
    int fd;
    int err = read_number("PMI_FD", &fd);

    if (!err)
        err = read_number("PMI_RANK", &pmi.rank);
    if (!err)
        err = read_number("PMI_SIZE", &pmi.n_ranks);
    if (err)
        return err;
    pmi.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (pmi.fd >= 0)
        return 0;
    return gsh_fail(-errno,
                    "PMI_FD is %d, but that is not open in this process (%s): MPI has been "
                    "finalized, or whoever started the program closed it",
                    fd, strerror(errno));
}

static int open_port(const char *port)
{
    const char *id = getenv("PMI_ID");
    struct gsh_address address;
    int err = gsh_address_parse("PMI_PORT", port, &address);

    if (err)
        return err;
    pmi.fd = gsh_address_connect(&address, CONNECT_MS);
    if (pmi.fd < 0)
        return gsh_fail(pmi.fd, "cannot reach the process manager at PMI_PORT %s: %s", port,
                        strerror(-pmi.fd));
    fcntl(pmi.fd, F_SETFD, FD_CLOEXEC);
    return gsh_dialect_introduce(&pmi, id ? id : "0");
}

static void hang_up(void)
{
    close(pmi.fd);
    pmi.fd = -1;
}

/* Without this the process manager takes the end of the process for a crash. */
static void finalize(void)
{
    if (pmi.fd < 0 || getpid() != owner)
        return;
    dialect->finalize(&pmi);
    hang_up();
}

static int open_connection(void)
{
    static bool at_exit;
    const char *port = getenv("PMI_PORT");
    int err;

    pmi = (struct gsh_pmi){ .fd = -1, .rank = -1 };
    dialect = gsh_dialect_find(gsh_env.BOOTSTRAP_PMI);
    if (!dialect)
        return gsh_fail(-EINVAL, "NVSHMEM_BOOTSTRAP_PMI is \"%s\"; it may be PMI, PMI-2 or PMIX",
                        gsh_env.BOOTSTRAP_PMI);
    err = port && !getenv("PMI_FD") ? open_port(port) : open_inherited();
    if (!err)
        err = dialect->greet(&pmi);
    if (err && pmi.fd >= 0)
        hang_up();
    if (err)
        return err;
    owner = getpid();
    if (!at_exit)
        at_exit = !atexit(finalize);
    return 0;
}

/* ---- The broadcast: PE 0 puts the block, as hexadecimal text in pieces ---- */

static void to_hex(const unsigned char *from, size_t bytes, char *text)
{
    for (size_t i = 0; i < bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", from[i]);
}

static int from_hex(const char *text, unsigned char *to, size_t bytes)
{
    unsigned int value;

    for (size_t i = 0; i < bytes; i++) {
        if (sscanf(text + 2 * i, "%2x", &value) != 1)
            return gsh_fail(-EPROTO, "the process manager returned \"%s\" for %zu bytes", text,
                            bytes);
        to[i] = (unsigned char)value;
    }
    return 0;
}

enum { MAX_PIECE_BYTES = 256 };

static int move_piece(int number, unsigned char *piece, size_t bytes)
{
    char text[2 * MAX_PIECE_BYTES + 1] = "";
    char key[40];
    int err;

    snprintf(key, sizeof(key), "gshmem-%d-%d", world, number);
    if (pmi.rank == 0) {
        to_hex(piece, bytes, text);
        return dialect->put(&pmi, key, text);
    }
    err = dialect->get(&pmi, key, text, sizeof(text));
    return err ? err : from_hex(text, piece, bytes);
}

static int move_block(unsigned char *block, size_t bytes)
{
    size_t piece =
        (pmi.max_value - 1) / 2 < MAX_PIECE_BYTES ? (pmi.max_value - 1) / 2 : MAX_PIECE_BYTES;
    int err = 0;

    for (size_t at = 0; at < bytes && !err; at += piece)
        err = move_piece((int)(at / piece), block + at, bytes - at < piece ? bytes - at : piece);
    return err;
}

static int broadcast(void *ctx, void *block, size_t bytes)
{
    int err = 0;

    (void)ctx;
    world++;
    if (pmi.rank == 0)
        err = move_block(block, bytes);
    if (!err)
        err = dialect->fence(&pmi);
    if (!err && pmi.rank)
        err = move_block(block, bytes);
    return err;
}

/* The process manager kills all processes at once, with what they have written and
 * it has not read. */
static void abort_job(void *ctx, int status, const char *text)
{
    (void)ctx;
    (void)text;
    usleep(ABORT_MS * 1000);
    dialect->abort(&pmi, status);
}

static void leave_job(void *ctx)
{
    (void)ctx;
    finalize();
}

static int usable(const char **why_not)
{
    *why_not = "no PMI_FD or PMI_PORT: not started by a PMI process manager";
    if (!strcasecmp(gsh_env.BOOTSTRAP_PMI, "PMIX"))
        *why_not = "NVSHMEM_BOOTSTRAP_PMI is PMIX";
    else if (getenv("PMI_FD") || getenv("PMI_PORT"))
        return 1;
    return 0;
}

static int open_job(struct gsh_boot *boot, const void *arg)
{
    static const struct gsh_starter starter = { .abort = abort_job,
                                                .broadcast = broadcast,
                                                .leave = leave_job };
    int err = 0;

    (void)arg;
    if (!getenv("PMI_FD") && !getenv("PMI_PORT"))
        return gsh_fail(-ENOENT, "the boot method pmi needs PMI_FD or PMI_PORT: start the program "
                                 "with a PMI process manager, such as mpiexec.hydra -n N");
    if (pmi.fd < 0)
        err = open_connection();
    if (err)
        return err;
    boot->rank = pmi.rank;
    boot->n_ranks = pmi.n_ranks;
    return gsh_star_open(boot, &starter, NULL);
}

const struct gsh_boot_driver gsh_boot_pmi = {
    .name = "pmi",
    .usable = usable,
    .ops = GSH_STAR_OPS(open_job),
};
