/* init.c - bring the parts up in order, take them down in reverse. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/init.h"
#include "coll/coll.h"
#include "core/env.h"
#include "core/log.h"
#include "core/remote.h"
#include "heap/heap.h"
#include "heap/segment.h"
#include "topo/host.h"
#include "watch/watch.h"

#include <gshmem/setup.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

struct gsh_state gsh;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool failed; /* the last init did not succeed */
static pid_t owner; /* the process that did init; its forks are not PEs */

enum {
    SPIN_OWN_CORE = 4000, /* polls; some tens of microseconds */
    SPIN_CROWDED = 20,
    HEAP_ALIGN = 2 << 20,
};

/* More PEs than cores that they may run on? */
static int count_cores(void)
{
    cpu_set_t mine, all;
    cpu_set_t *sets = calloc((size_t)gsh.n_pes, sizeof(*sets));
    int err;

    if (!sets)
        return gsh_fail(-ENOMEM, "no memory for the core sets of %d PEs", gsh.n_pes);
    if (sched_getaffinity(0, sizeof(mine), &mine))
        CPU_ZERO(&mine);
    err = gsh.boot.ops.allgather(&gsh.boot, &mine, sets, sizeof(mine));
    CPU_ZERO(&all);
    for (int pe = 0; pe < gsh.n_pes; pe++)
        if (gsh_segment.windows[pe])
            CPU_OR(&all, &all, &sets[pe]);
    free(sets);

    gsh.crowded = gsh_segment.n_here > CPU_COUNT(&all);
    gsh.spin = gsh_env.SPIN >= 0 ? gsh_env.SPIN : gsh.crowded ? SPIN_CROWDED : SPIN_OWN_CORE;
    gsh_log(GSH_INFO, GSH_INIT, "%d PEs on %d cores of this machine, %d polls before sleep",
            gsh_segment.n_here, CPU_COUNT(&all), gsh.spin);
    return err;
}

static int open_memory(void)
{
    size_t want, need;
    int err;

    gsh.teams_off = (sizeof(struct gsh_inner) + GSH_LINE - 1) / GSH_LINE * GSH_LINE;
    gsh.heap_off = (gsh.teams_off + gsh_team_bytes() + HEAP_ALIGN - 1) / HEAP_ALIGN * HEAP_ALIGN;
    gsh_heap_window(&want, &need);
    err = gsh_segment_open(&gsh_segment, &gsh.boot, want, need);
    if (err)
        return err;
    gsh.window = gsh_segment.window;
    gsh.base = gsh_segment.windows[gsh.my_pe];
    gsh_inner()->pid = (uint32_t)getpid();
    return 0;
}

static void end_job(int status, const char *text)
{
    if (gsh.boot.name)
        gsh.boot.ops.abort(&gsh.boot, status, text);
    /* The launcher ends this process; without one it ends by itself once the
     * others have been told. */
    if (gsh.boot.name && gsh.boot.life_fd >= 0)
        usleep(500 * 1000);
    _exit(status);
}

struct part {
    const char *name;
    int (*open)(void);
    void (*close)(void);
};

static void close_segment(void)
{
    gsh_segment_close(&gsh_segment);
}

static int open_host(void)
{
    return gsh_host_open(&gsh.boot);
}

static void nothing(void)
{
}

static const struct part parts[] = {
    { "hosts", open_host, gsh_host_close },
    { "memory", open_memory, close_segment },
    { "cores", count_cores, nothing },
    { "transports", gsh_tr_open_all, gsh_tr_close_all },
    { "teams", gsh_team_open, gsh_team_close },
    { "heap", gsh_heap_open, gsh_heap_close },
    { "watch", gsh_watch_start, gsh_watch_stop },
};

#define N_PARTS (sizeof(parts) / sizeof(parts[0]))

/* Closes the first n parts and the boot method, and forgets the job. */
static void take_down(size_t n, int clean)
{
    while (n--)
        parts[n].close();
    free(gsh.peers);
    gsh_log_set_ender(NULL);
    gsh.boot.ops.close(&gsh.boot, clean);
    gsh = (struct gsh_state){ 0 };
    gsh_log_set_pe(-1);
}

static void leave(void)
{
    if (!gsh.n_init || getpid() != owner)
        return;
    atomic_store(&gsh_inner()->state, GSH_PE_LEFT);
    gsh_watch_stop();
    gsh.boot.ops.close(&gsh.boot, 0);
    gsh.n_init = 0;
}

static void raise_fd_limit(void)
{
    struct rlimit limit;

    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void say_hello(void)
{
    if (gsh.my_pe)
        return;
    if (gsh_env.VERSION)
        fprintf(stderr, "%s\n", NVSHMEM_VENDOR_STRING);
    if (!gsh_env.INFO)
        return;
    for (size_t i = 0; i < gsh_env_n_rows; i++) {
        const char *origin;
        const char *text = gsh_env_text(i, &origin);

        fprintf(stderr, "%-40s %s (%s)\n", gsh_env_rows[i].name, text, origin);
    }
}

static int bring_up(const char *method, const void *arg)
{
    static bool at_exit;
    int err = gsh_boot_open(&gsh.boot, method, arg);
    size_t n = 0;

    if (err) {
        gsh.boot = (struct gsh_boot){ 0 };
        return err;
    }
    gsh.my_pe = gsh.boot.rank;
    gsh.n_pes = gsh.boot.n_ranks;
    gsh_log_set_pe(gsh.my_pe);
    gsh_log_set_ender(end_job);
    gsh.peers = calloc((size_t)gsh.n_pes, sizeof(*gsh.peers));
    if (!gsh.peers)
        err = gsh_fail(-ENOMEM, "no memory for the records of %d PEs", gsh.n_pes);

    while (!err && n < N_PARTS) {
        err = parts[n].open();
        if (!err)
            n++;
    }
    if (!err) {
        atomic_store(&gsh_inner()->state, GSH_PE_RUNNING);
        err = gsh.boot.ops.barrier(&gsh.boot);
    }
    if (err) {
        take_down(n, 0);
        return err;
    }
    owner = getpid();
    if (!at_exit)
        at_exit = !atexit(leave);
    gsh_log(GSH_INFO, GSH_INIT, "%d PEs through %s", gsh.n_pes, gsh.boot.name);
    say_hello();
    return 0;
}

static int first_init(unsigned flags, const nvshmemx_init_attr_t *attr)
{
    struct gsh_boot_uid_arg uid = { 0 };
    int err = gsh_env_read();

    if (err)
        return err;
    if (gsh_env.DEBUG_ATTACH_DELAY > 0)
        sleep((unsigned)gsh_env.DEBUG_ATTACH_DELAY);
    if (flags & NVSHMEMX_INIT_WITH_MPI_COMM)
        return gsh_fail(-EOPNOTSUPP, "this build has no MPI bootstrap: use gshrun or "
                                     "NVSHMEMX_INIT_WITH_UNIQUEID");
    if (flags & NVSHMEMX_INIT_WITH_SHMEM)
        return gsh_fail(-EOPNOTSUPP, "this build has no OpenSHMEM bootstrap: use gshrun or "
                                     "NVSHMEMX_INIT_WITH_UNIQUEID");
    if (!(flags & NVSHMEMX_INIT_WITH_UNIQUEID))
        return bring_up(*gsh_env.BOOTSTRAP ? gsh_env.BOOTSTRAP : NULL, NULL);
    if (!attr)
        return gsh_fail(-EINVAL, "NVSHMEMX_INIT_WITH_UNIQUEID needs attributes; got NULL");
    uid = (struct gsh_boot_uid_arg){ .rank = attr->args.uid_args.myrank,
                                     .n_ranks = attr->args.uid_args.nranks,
                                     .id = attr->args.uid_args.id };
    raise_fd_limit();
    return bring_up("uid", &uid);
}

/* A second init of the process shares the world of the first, unless it asks for
 * another one. */
static int next_init(unsigned flags, const nvshmemx_init_attr_t *attr)
{
    if (flags & NVSHMEMX_INIT_WITH_UNIQUEID && attr &&
        (attr->args.uid_args.myrank != gsh.my_pe || attr->args.uid_args.nranks != gsh.n_pes))
        return gsh_fail(-EBUSY,
                        "this process is PE %d of %d already; a second init asks to be PE %d of "
                        "%d: finalize first",
                        gsh.my_pe, gsh.n_pes, attr->args.uid_args.myrank,
                        attr->args.uid_args.nranks);
    return 0;
}

static int init(unsigned flags, const nvshmemx_init_attr_t *attr, int requested, int *provided)
{
    int err;

    if (requested < NVSHMEM_THREAD_SINGLE || requested > NVSHMEM_THREAD_MULTIPLE)
        return gsh_fail(-EINVAL,
                        "thread level %d is none of NVSHMEM_THREAD_SINGLE (0) to MULTIPLE (3)",
                        requested);
    pthread_mutex_lock(&lock);
    err = gsh.n_init ? next_init(flags, attr) : first_init(flags, attr);
    failed = err && !gsh.n_init;
    if (!err) {
        gsh.n_init++;
        if (gsh.thread_level < NVSHMEM_THREAD_SERIALIZED)
            gsh.thread_level = NVSHMEM_THREAD_SERIALIZED;
        if (gsh.thread_level < requested)
            gsh.thread_level = requested;
        if (provided)
            *provided = gsh.thread_level;
    }
    pthread_mutex_unlock(&lock);
    return err;
}

bool gsh_ready(const char *call)
{
    if (gsh.n_init)
        return true;
    if (!failed)
        gsh_die("%s was called before nvshmem_init", call);
    return false;
}

void nvshmem_init(void)
{
    if (init(0, NULL, NVSHMEM_THREAD_SERIALIZED, NULL))
        gsh_die("nvshmem_init failed: %s", gsh_last_error());
}

int nvshmem_init_thread(int requested, int *provided)
{
    return init(0, NULL, requested, provided) ? NVSHMEMX_ERROR_INTERNAL : 0;
}

int nvshmemx_init_attr(unsigned int flags, nvshmemx_init_attr_t *attr)
{
    return init(flags, attr, NVSHMEM_THREAD_SERIALIZED, NULL) ? NVSHMEMX_ERROR_INTERNAL : 0;
}

int nvshmemx_hostlib_init_attr(unsigned int flags, nvshmemx_init_attr_t *attr)
{
    return nvshmemx_init_attr(flags, attr);
}

int nvshmemid_hostlib_init_attr(int requested, int *provided, unsigned int bootstrap_flags,
                                nvshmemx_init_attr_t *attr,
                                nvshmemi_version_t nvshmem_device_lib_version,
                                nvshmemx_device_lib_init_cb cb)
{
    (void)cb; /* there is no device library to hand state to */
    if (nvshmem_device_lib_version.major != NVSHMEM_VENDOR_MAJOR_VERSION)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE,
                        "the program was built with headers of release %d.%d.%d, the library "
                        "follows %d.%d.%d: build it anew",
                        nvshmem_device_lib_version.major, nvshmem_device_lib_version.minor,
                        nvshmem_device_lib_version.patch, NVSHMEM_VENDOR_MAJOR_VERSION,
                        NVSHMEM_VENDOR_MINOR_VERSION, NVSHMEM_VENDOR_PATCH_VERSION);
    return init(bootstrap_flags, attr, requested, provided) ? NVSHMEMX_ERROR_INTERNAL : 0;
}

void nvshmem_finalize(void)
{
    if (!gsh_ready("nvshmem_finalize"))
        return;
    pthread_mutex_lock(&lock);
    if (gsh.n_init == 1) {
        struct gsh_call call = { .op = GSH_COLL_FINALIZE,
                                 .name = "nvshmem_finalize",
                                 .where = __builtin_return_address(0) };

        gsh_quiet();
        gsh_meet(gsh_team_get(NVSHMEM_TEAM_WORLD), &call);
        atomic_store(&gsh_inner()->state, GSH_PE_FINALIZED);
        take_down(N_PARTS, 1);
    } else {
        gsh.n_init--;
    }
    pthread_mutex_unlock(&lock);
}

void nvshmemx_hostlib_finalize(void)
{
    nvshmem_finalize();
}

void nvshmemid_hostlib_finalize(void *device_ctx, void *transport_device_ctx)
{
    (void)device_ctx, (void)transport_device_ctx;
    nvshmem_finalize();
}

void nvshmem_global_exit(int status)
{
    if (!gsh.n_init)
        _exit(status);
    fflush(NULL);
    end_job(status, "");
}
