/* pmix.c - the boot method of a PE that a PMIx process manager started, such as the
 * mpirun of Open MPI or prterun.
 *
 * libpmix is loaded when it is needed, so that it need not be there otherwise, nor
 * its headers at build time: what is used of its interface is declared in pmix.h;
 * tests/boot/pmix.sh compares that with the headers that it finds. PMIx counts its users, so MPI
 * may use it in the same process.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "boot/pmix.h"
#include "boot/star.h"
#include "core/env.h"
#include "core/log.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static struct {
    int (*abort)(int status, const char *text, struct gsh_pmix_proc *procs, size_t n);
    int (*commit)(void);
    const char *(*error_string)(int status);
    int (*fence)(const struct gsh_pmix_proc *procs, size_t n, const struct gsh_pmix_info *info,
                 size_t n_info);
    int (*finalize)(const void *info, size_t n_info);
    int (*get)(const struct gsh_pmix_proc *proc, const char *key, const void *info, size_t n_info,
               struct gsh_pmix_value **value);
    int (*init)(struct gsh_pmix_proc *proc, const void *info, size_t n_info);
    int (*put)(uint8_t scope, const char *key, struct gsh_pmix_value *value);
} pmix;

/* POSIX lets a pointer to an object that dlsym() returned be called. */
static const struct {
    const char *name;
    void *at;
} symbols[] = {
    { "PMIx_Abort", &pmix.abort },
    { "PMIx_Commit", &pmix.commit },
    { "PMIx_Error_string", &pmix.error_string },
    { "PMIx_Fence", &pmix.fence },
    { "PMIx_Finalize", &pmix.finalize },
    { "PMIx_Get", &pmix.get },
    { "PMIx_Init", &pmix.init },
    { "PMIx_Put", &pmix.put },
};

static struct gsh_pmix_proc self;
static bool connected;
static pid_t owner; /* its forks have no part in the connection */
static int n_ranks;
static int world; /* counts the worlds, to tell their keys apart */

static int load(void)
{
    void *library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return gsh_fail(-ELIBACC,
                        "the process manager speaks PMIx, but its library cannot be loaded: %s; "
                        "install it (Debian: libpmix2) or set LD_LIBRARY_PATH",
                        dlerror());
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        void *symbol = dlsym(library, symbols[i].name);

        if (!symbol)
            return gsh_fail(-ELIBBAD, "libpmix.so.2 has no %s", symbols[i].name);
        memcpy(symbols[i].at, &symbol, sizeof(symbol));
    }
    return 0;
}

static int failed(const char *call, int status)
{
    return gsh_fail(-EPROTO, "%s failed: %s", call, pmix.error_string(status));
}

static int read_size(void)
{
    struct gsh_pmix_proc job = self;
    struct gsh_pmix_value *value = NULL;
    int status;

    job.rank = GSH_PMIX_RANK_WILDCARD;
    status = pmix.get(&job, GSH_PMIX_JOB_SIZE, NULL, 0, &value);
    if (status)
        return failed("PMIx_Get of the number of ranks", status);
    if (value->type != GSH_PMIX_UINT32)
        return gsh_fail(-EPROTO, "PMIx has the number of ranks with the unknown type %d",
                        value->type);
    n_ranks = (int)value->data.uint32;
    free(value);
    return 0;
}

static void finalize(void)
{
    if (connected && getpid() == owner)
        pmix.finalize(NULL, 0);
    connected = false;
}

static int connect_once(void)
{
    static bool at_exit;
    int err = load();
    int status;

    if (err)
        return err;
    status = pmix.init(&self, NULL, 0);
    if (status)
        return failed("PMIx_Init", status);
    connected = true;
    owner = getpid();
    if (!at_exit)
        at_exit = !atexit(finalize);
    return read_size();
}

/* ---- The broadcast: PE 0 puts the block, the others fetch it ---- */

static int put_block(const char *key, void *block, size_t bytes)
{
    struct gsh_pmix_value value = { .type = GSH_PMIX_BYTE_OBJECT, .data.object = { block, bytes } };
    int status = pmix.put(GSH_PMIX_GLOBAL, key, &value);

    if (status)
        return failed("PMIx_Put", status);
    status = pmix.commit();
    return status ? failed("PMIx_Commit", status) : 0;
}

static int get_block(const char *key, void *block, size_t bytes)
{
    struct gsh_pmix_proc root = self;
    struct gsh_pmix_value *value = NULL;
    int status;

    root.rank = 0;
    status = pmix.get(&root, key, NULL, 0, &value);
    if (status)
        return failed("PMIx_Get of the unique id", status);
    if (value->type != GSH_PMIX_BYTE_OBJECT || value->data.object.size != bytes)
        return gsh_fail(-EPROTO, "PMIx returned no block of %zu bytes for %s", bytes, key);
    memcpy(block, value->data.object.bytes, bytes);
    free(value->data.object.bytes);
    free(value);
    return 0;
}

/* The fence hands the block to all machines. One that asks for it later is told by some
 * servers that there is none, when it has asked for the block of an earlier world. */
static int broadcast(void *ctx, void *block, size_t bytes)
{
    static const struct gsh_pmix_info collect = {
        .key = GSH_PMIX_COLLECT_DATA, .value = { .type = GSH_PMIX_BOOL, .data.flag = true }
    };
    char key[40];
    int status;
    int err = 0;

    (void)ctx;
    snprintf(key, sizeof(key), "gshmem-%d", world++);
    if (self.rank == 0)
        err = put_block(key, block, bytes);
    if (err)
        return err;
    status = pmix.fence(NULL, 0, &collect, 1);
    if (status)
        return failed("PMIx_Fence", status);
    return self.rank ? get_block(key, block, bytes) : 0;
}

static void abort_job(void *ctx, int status, const char *text)
{
    (void)ctx;
    pmix.abort(status, text, NULL, 0);
}

static void leave_job(void *ctx)
{
    (void)ctx;
    finalize();
}

static bool started_by_pmix(void)
{
    return getenv("PMIX_RANK") && getenv("PMIX_NAMESPACE");
}

static int usable(const char **why_not)
{
    const char *dialect = gsh_env.BOOTSTRAP_PMI;

    *why_not = "no PMIX_RANK and PMIX_NAMESPACE: not started by a PMIx process manager";
    if (*dialect && strcasecmp(dialect, "PMIX"))
        *why_not = "NVSHMEM_BOOTSTRAP_PMI is not PMIX";
    else if (started_by_pmix())
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
    if (!started_by_pmix())
        return gsh_fail(-ENOENT, "the boot method pmix needs PMIX_RANK and PMIX_NAMESPACE: start "
                                 "the program with a PMIx process manager, such as mpirun of "
                                 "Open MPI");
    if (!connected)
        err = connect_once();
    if (err)
        return err;
    boot->rank = (int)self.rank;
    boot->n_ranks = n_ranks;
    return gsh_star_open(boot, &starter, NULL);
}

const struct gsh_boot_driver gsh_boot_pmix = {
    .name = "pmix",
    .usable = usable,
    .ops = GSH_STAR_OPS(open_job),
};
