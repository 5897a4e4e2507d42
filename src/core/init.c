/* init.c - bring the parts up in order, take them down in reverse. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/init.h"
#include "coll/coll.h"
#include "core/env.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/bind.h"
#include "gpu/stage.h"
#include "gpu/state.h"
#include "heap/bring.h"
#include "heap/buffer.h"
#include "heap/data.h"
#include "heap/heap.h"
#include "heap/segment.h"
#include "proxy/proxy.h"
#include "race/race.h"
#include "stream/stream.h"
#include "topo/host.h"
#include "watch/stuck.h"
#include "watch/watch.h"

#include <gshmem/setup.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

struct gsh_state gsh;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool failed; /* the last init did not succeed */
static pid_t owner; /* the process that did init; its forks are not PEs */

enum {
    SPIN_OWN_CORE = 4000, /* polls; some tens of microseconds */
    SPIN_CROWDED = 20,
    HEAP_ALIGN = 2 << 20,
    CROWDED = 1, /* what a PE tells of itself */
    WANTS_GPU = 2,
};

/* More PEs on this machine than cores that they may run on? -errno. */
static int is_crowded(void)
{
    cpu_set_t mine, all;
    cpu_set_t *sets = calloc((size_t)gsh.n_pes, sizeof(*sets));
    int err, n = 0;

    if (!sets)
        return gsh_fail(-ENOMEM, "no memory for the core sets of %d PEs", gsh.n_pes);
    if (sched_getaffinity(0, sizeof(mine), &mine))
        CPU_ZERO(&mine);
    err = gsh.boot.ops.allgather(&gsh.boot, &mine, sets, sizeof(mine));
    CPU_ZERO(&all);
    for (int pe = 0; pe < gsh.n_pes; pe++) {
        if (!gsh_host_shares_cores(pe))
            continue;
        CPU_OR(&all, &all, &sets[pe]);
        n++;
    }
    free(sets);
    gsh_log(GSH_INFO, GSH_INIT, "%d PEs on %d cores of this machine", n, CPU_COUNT(&all));
    return err ? err : n > CPU_COUNT(&all);
}

/* The PEs of a team must wait and meet in the same way, so that one crowded
 * machine makes the job crowded. */
static int choose_waiting(void)
{
    bool all_want_gpu = true;
    char here, *all;
    int err = is_crowded();

    if (err < 0)
        return err;
    here = (char)((err ? CROWDED : 0) | (gsh_gpu_wanted() ? WANTS_GPU : 0));
    all = calloc((size_t)gsh.n_pes, 1);
    if (!all)
        return gsh_fail(-ENOMEM, "no memory to agree with %d PEs", gsh.n_pes);
    err = gsh.boot.ops.allgather(&gsh.boot, &here, all, 1);
    for (int pe = 0; pe < gsh.n_pes; pe++) {
        gsh.crowded |= all[pe] & CROWDED;
        all_want_gpu &= (all[pe] & WANTS_GPU) != 0;
    }
    free(all);
    gsh_gpu_stage_open(!err && all_want_gpu);
    gsh.spin = gsh_env.SPIN >= 0 ? gsh_env.SPIN : gsh.crowded ? SPIN_CROWDED : SPIN_OWN_CORE;
    gsh_log(GSH_INFO, GSH_INIT, "%d polls before a waiter sleeps", gsh.spin);
    return err;
}

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static int open_memory(void)
{
    size_t want, need;
    int err;

    gsh.teams_off = round_up(sizeof(struct gsh_inner), GSH_LINE);
    err = gsh_data_plan(&gsh.boot);
    if (err)
        return err;
    gsh.data_off = round_up(gsh.teams_off + gsh_team_bytes(), (size_t)sysconf(_SC_PAGESIZE));
    gsh.heap_off = round_up(gsh.data_off + gsh_data_bytes(), HEAP_ALIGN);
    gsh_heap_window(&want, &need);
    err = gsh_segment_open(&gsh_segment, &gsh.boot, want, need);
    if (err)
        return err;
    gsh.window = gsh_segment.window;
    gsh.base = gsh_segment.windows[gsh.my_pe];
    gsh.device_off = gsh_heap_split(gsh.window);
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

/* Programs register them. */
static int no_buffers(void)
{
    return 0;
}

static void close_buffers(void)
{
    gsh_bring_close();
    gsh_buffer_close();
}

static const struct part parts[] = {
    { "kernels' headers", gsh_bind_check, nothing },
    { "hosts", open_host, gsh_host_close },
    { "memory", open_memory, close_segment },
    { "static data", gsh_data_open, gsh_data_close },
    { "waiting", choose_waiting, nothing },
    { "transports", gsh_tr_open_all, gsh_tr_close_all },
    { "kernels", gsh_device_open, gsh_device_close },
    { "race checker", gsh_race_open, gsh_race_close },
    { "teams", gsh_team_open, gsh_team_close },
    { "heap", gsh_heap_open, gsh_heap_close },
    { "GPU", gsh_gpu_stage_try, gsh_gpu_stage_close },
    { "buffers", no_buffers, close_buffers },
    { "watch", gsh_watch_start, gsh_watch_stop },
    { "stuck", gsh_stuck_start, gsh_stuck_stop },
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
    gsh_stuck_stop();
    gsh_proxy_leave();
    gsh_tr_leave_all(); /* what is still on its way would end with this process */
    gsh_watch_stop();
    gsh.boot.ops.close(&gsh.boot, 0);
    gsh.n_init = 0;
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

static int init_with_mpi(const nvshmemx_init_attr_t *attr)
{
    if (!attr || !attr->mpi_comm)
        return gsh_fail(-EINVAL, "NVSHMEMX_INIT_WITH_MPI_COMM needs the address of an MPI_Comm in "
                                 "the attributes; got NULL");
    return bring_up("mpi", attr->mpi_comm);
}

static int init_with_uid(const nvshmemx_init_attr_t *attr)
{
    struct gsh_boot_uid_arg uid;

    if (!attr)
        return gsh_fail(-EINVAL, "NVSHMEMX_INIT_WITH_UNIQUEID needs attributes; got NULL");
    uid = (struct gsh_boot_uid_arg){ .rank = attr->args.uid_args.myrank,
                                     .n_ranks = attr->args.uid_args.nranks,
                                     .id = attr->args.uid_args.id };
    return bring_up("uid", &uid);
}

static int first_init(unsigned flags, const nvshmemx_init_attr_t *attr)
{
    int err = gsh_env_read();

    if (err)
        return err;
    if (gsh_env.DEBUG_ATTACH_DELAY > 0)
        sleep((unsigned)gsh_env.DEBUG_ATTACH_DELAY);
    if (flags & NVSHMEMX_INIT_WITH_MPI_COMM)
        return init_with_mpi(attr);
    /* Without another OpenSHMEM the job is that of this one: the environment's. */
    if (flags & NVSHMEMX_INIT_WITH_SHMEM && gsh_boot_other_shmem())
        return bring_up("shmem", NULL);
    if (flags & NVSHMEMX_INIT_WITH_UNIQUEID && !(flags & NVSHMEMX_INIT_WITH_SHMEM))
        return init_with_uid(attr);
    return bring_up(*gsh_env.BOOTSTRAP ? gsh_env.BOOTSTRAP : NULL, NULL);
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

        /* With a PE that is lost nobody can meet any more. */
        if (!gsh_env.SURVIVE || !atomic_load(&gsh.alert)) {
            gsh_stream_drain();
            gsh_quiet();
            gsh_meet(gsh_team_get(NVSHMEM_TEAM_WORLD), &call);
        }
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
