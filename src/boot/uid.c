/* uid.c - the boot method of a unique id: one process makes the id and hands it
 * to the others by any means of its own.
 *
 * The id holds the address of a listening socket and a random cookie. A thread
 * of the process that made it is the root: it drives the hub until every PE has
 * said BYE or is gone. An id serves one world; many can be made.
 *
 * With NVSHMEM_BOOTSTRAP_UID_SESSION_ID, and for the method torchrun, the address is fixed
 * and known to all: the id is the same in every process, PE 0 listens when it opens, and the
 * others try until it does.
 *
 * A machine that does not answer any more is noticed by the kernel, which asks it now and
 * then (gsh_address_guard()): the root by the lines to its PEs, the PEs by their own.
 *
 * A root that leaves would end the job of the others. At exit the process
 * therefore serves on until they have left too; it does not when it never closed
 * its own part, or died.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "boot/address.h"
#include "boot/interface.h"
#include "boot/serve.h"
#include "boot/wire.h"
#include "core/env.h"
#include "core/log.h"
#include "watch/stuck.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define ID_VERSION 0x10080
#define ID_MARK 0x69645f67u
#define SESSION "NVSHMEM_BOOTSTRAP_UID_SESSION_ID"
#define CONNECT_SECONDS 60
#define RETRY_MS 5

/* Who made the id: one process, which listens already, or each by itself. Then PE 0 listens at
 * the address, or at its port on all interfaces. */
enum session { MADE, FIXED, FIXED_WIDELY };

/* What the 128 bytes of nvshmemx_uniqueid_t hold. */
struct id {
    int32_t version;
    uint32_t mark;
    uint64_t cookie;
    uint32_t session; /* enum session */
    int32_t root_pe;  /* the PE whose process the root is in; -1: not known */
    struct gsh_address address;
    uint8_t zero[128 - 24 - sizeof(struct gsh_address)];
};

_Static_assert(sizeof(struct id) == 128, "the size of nvshmemx_uniqueid_t");

struct server {
    struct server *next;
    struct gsh_serve serve; /* of the thread alone */
    atomic_bool started;
    atomic_bool broken;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct server *servers; /* that have not ended; under the lock */
static pid_t servers_pid;      /* of the process they run in: not of one that it forked */
static atomic_int n_open;      /* worlds of this process that are not closed */

static void forget(struct server *server)
{
    pthread_mutex_lock(&lock);
    for (struct server **at = &servers; *at; at = &(*at)->next) {
        if (*at == server) {
            *at = server->next;
            break;
        }
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *serve(void *arg)
{
    struct server *server = arg;

    gsh_stuck_own(true);
    while (!gsh_serve_is_over(&server->serve)) {
        gsh_serve_step(&server->serve, -1);
        atomic_store(&server->started, server->serve.hub.started);
        atomic_store(&server->broken, server->serve.hub.broken[0] != '\0');
    }
    gsh_serve_close(&server->serve);
    forget(server);
    free(server);
    gsh_stuck_disown();
    return NULL;
}

/* The thread takes no signal that is meant for the program. */
static int start_thread(struct server *server)
{
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    err = pthread_create(&thread, NULL, serve, server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!err)
        pthread_detach(thread);
    return -err;
}

static void add_server(struct server *server)
{
    pthread_mutex_lock(&lock);
    if (servers_pid != getpid())
        servers = NULL;
    servers_pid = getpid();
    server->next = servers;
    servers = server;
    pthread_mutex_unlock(&lock);
}

/* The root has two connections to each PE. */
static void raise_fd_limit(void)
{
    struct rlimit limit;

    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Takes listen_fd over. */
static int start_server(int listen_fd, uint64_t cookie)
{
    struct server *server = calloc(1, sizeof(*server));
    int err = server ? gsh_serve_open(&server->serve, 0, listen_fd, cookie) : -ENOMEM;

    raise_fd_limit();
    if (!server) {
        close(listen_fd);
    } else if (!err) {
        server->serve.eof_is_death = true;
        server->serve.patience_s = gsh_env.NODE_TIMEOUT;
        gsh_boot_host(server->serve.hub.welcome.host, sizeof(server->serve.hub.welcome.host));
        add_server(server);
        err = start_thread(server);
        if (err)
            forget(server);
    }
    if (!err)
        return 0;
    if (server)
        gsh_serve_close(&server->serve);
    free(server);
    return gsh_fail(err, "cannot start the thread that serves a unique id: %s", strerror(-err));
}

/* Servers whose worlds go on without this process, were it not for the root. */
static bool are_needed(bool *broken)
{
    bool needed = false;

    *broken = true;
    for (const struct server *server = servers; server; server = server->next) {
        if (!atomic_load(&server->started))
            continue;
        needed = true;
        *broken = *broken && atomic_load(&server->broken);
    }
    return needed;
}

/* Runs after the handlers of atexit(), which close this process's own part. The
 * others of a broken world are about to end and are waited for only shortly. */
__attribute__((destructor(101))) static void serve_to_the_end(void)
{
    struct timespec until;
    bool broken;
    int patience = 10;

    if (servers_pid != getpid() || atomic_load(&n_open))
        return;
    pthread_mutex_lock(&lock);
    while (are_needed(&broken) && patience > 0) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100 * 1000 * 1000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&changed, &lock, &until);
        patience -= broken;
    }
    pthread_mutex_unlock(&lock);
}

static uint64_t hash(const char *text)
{
    uint64_t value = 14695981039346656037u;

    while (*text)
        value = (value ^ (unsigned char)*text++) * 1099511628211u;
    return value;
}

int gsh_boot_uid_fix(const char *variable, const char *address, bool widely, void *to)
{
    struct id id = { .version = ID_VERSION,
                     .mark = ID_MARK,
                     .session = widely ? FIXED_WIDELY : FIXED,
                     .cookie = hash(address) };
    int err = gsh_address_parse(variable, address, &id.address);

    if (!err)
        memcpy(to, &id, sizeof(id));
    return err;
}

static int make_id(struct id *id)
{
    uint64_t random[2]; /* the cookie, and a name that does not tell it */
    char text[96];
    int fd;
    int err;

    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
        return gsh_fail(-errno, "no random bytes for a unique id: %s", strerror(errno));
    id->cookie = random[0];
    err = gsh_interface_choose(gsh_env.BOOTSTRAP_UID_SOCK_FAMILY, gsh_env.BOOTSTRAP_UID_SOCK_IFNAME,
                               random[1], &id->address);
    if (err)
        return err;
    fd = gsh_address_listen(&id->address);
    gsh_address_print(&id->address, text, sizeof(text));
    if (fd < 0)
        return gsh_fail(fd, "cannot listen at %s for a unique id: %s", text, strerror(-fd));
    gsh_log(GSH_INFO, GSH_BOOT, "unique id at %s", text);
    return start_server(fd, id->cookie);
}

int gsh_boot_uid_create(void *to, size_t bytes, int pe)
{
    struct id id = { .version = ID_VERSION, .mark = ID_MARK, .root_pe = pe };
    int err;

    if (bytes < sizeof(id))
        return gsh_fail(-EINVAL, "a unique id has %zu bytes, there is room for %zu", sizeof(id),
                        bytes);
    if (*gsh_env.BOOTSTRAP_UID_SESSION_ID)
        return gsh_boot_uid_fix(SESSION, gsh_env.BOOTSTRAP_UID_SESSION_ID, false, to);
    err = make_id(&id);
    if (!err)
        memcpy(to, &id, sizeof(id));
    return err;
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int seconds_to_try(void)
{
    return gsh_env.TIMEOUT > 0 ? gsh_env.TIMEOUT : CONNECT_SECONDS;
}

static void pause_a_little(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = RETRY_MS * 1000000 }, NULL);
}

/* PE 0 of a session. The socket of the world before may still be there. */
static int listen_at(const struct id *id, int64_t deadline)
{
    struct gsh_address at = id->address;
    char text[96], here[256];
    int fd;

    if (id->session == FIXED_WIDELY)
        gsh_address_widen(&at);
    fd = gsh_address_listen(&at);
    while (fd == -EADDRINUSE && now_ms() < deadline) {
        pause_a_little();
        fd = gsh_address_listen(&at);
    }
    gsh_address_print(&at, text, sizeof(text));
    gsh_interface_list(here, sizeof(here));
    if (fd < 0)
        return gsh_fail(fd,
                        "PE 0 cannot listen at %s: %s; this machine has %s; " SESSION
                        "=HOST:PORT chooses another address, the same for all PEs",
                        text, strerror(-fd), here);
    return start_server(fd, id->cookie);
}

/* Whether a root that could not be reached may be there in a moment. */
static bool may_come(const struct id *id, int err)
{
    return err == -EAGAIN || (id->session && (err == -ECONNREFUSED || err == -ECONNRESET));
}

/* Says why PE 0 or whoever made the id cannot be reached. */
static int unreachable(const struct gsh_boot *boot, const struct id *id, int err)
{
    char text[96], here[256], name[GSH_FRAME_HOST_BYTES];

    gsh_address_print(&id->address, text, sizeof(text));
    gsh_interface_list(here, sizeof(here));
    gsh_boot_host(name, sizeof(name));
    if (err != -ECONNREFUSED && err != -ECONNRESET)
        return gsh_fail(err,
                        "PE %d on %s cannot reach the root of the job at %s: %s; it must be at an "
                        "interface that all machines reach: NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME for "
                        "the process that makes the unique id, or " SESSION "; this machine has %s",
                        boot->rank, name, text, strerror(-err), here);
    return gsh_fail(err,
                    "PE %d on %s finds nobody at %s: %s; the process that made the unique id has "
                    "ended, or the id has served already (an id is for one init)%s",
                    boot->rank, name, text, strerror(-err),
                    gsh_address_is_loopback(&id->address)
                        ? ", or that process is on another machine and chose loopback "
                          "(NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME)"
                        : "");
}

/* One try at both lines: 0 or a negative errno, silent about -EAGAIN. */
static int connect_once(struct gsh_boot *boot, const struct id *id, int64_t deadline)
{
    struct gsh_wire_lines lines = { .cookie = id->cookie,
                                    .retry = id->session,
                                    .root = id->root_pe < 0 ? "the root of the unique id" : "PE 0",
                                    .root_pe = id->root_pe };
    int left_ms = deadline > now_ms() ? (int)(deadline - now_ms()) : 1;
    int fd[2] = { -1, -1 };
    int err;

    for (int i = 0; i < 2; i++) {
        fd[i] = gsh_address_connect(&id->address, left_ms);
        if (fd[i] >= 0) {
            gsh_address_guard(fd[i], gsh_env.NODE_TIMEOUT);
            continue;
        }
        err = fd[i];
        if (i)
            close(fd[0]);
        if (may_come(id, err))
            return -EAGAIN;
        return unreachable(boot, id, err);
    }
    lines.life_fd = fd[0];
    lines.exchange_fd = fd[1];
    return gsh_wire_open(boot, &lines);
}

static int connect_lines(struct gsh_boot *boot, const struct id *id, int64_t deadline)
{
    char text[96], here[256];
    int err = connect_once(boot, id, deadline);

    while (err == -EAGAIN && now_ms() < deadline) {
        pause_a_little();
        err = connect_once(boot, id, deadline);
    }
    if (err != -EAGAIN)
        return err;
    gsh_address_print(&id->address, text, sizeof(text));
    gsh_interface_list(here, sizeof(here));
    return gsh_fail(-ETIMEDOUT,
                    "PE %d found nobody at %s within %d s; is PE 0 running? Is this an address "
                    "of its machine? This machine has %s",
                    boot->rank, text, seconds_to_try(), here);
}

static int read_arg(const struct gsh_boot_uid_arg *arg, struct id *id)
{
    if (!arg || !arg->id)
        return gsh_fail(-EINVAL, "the boot method uid needs a unique id: see "
                                 "nvshmemx_set_attr_uniqueid_args()");
    memcpy(id, arg->id, sizeof(*id));
    if (id->mark != ID_MARK || id->address.bytes > sizeof(id->address.raw))
        return gsh_fail(-EINVAL, "this is no unique id: make one with nvshmemx_get_uniqueid()");
    if (arg->n_ranks < 1 || arg->rank < 0 || arg->rank >= arg->n_ranks)
        return gsh_fail(-EINVAL, "rank %d of %d is no valid place in a job", arg->rank,
                        arg->n_ranks);
    return 0;
}

static int open_job(struct gsh_boot *boot, const void *arg)
{
    const struct gsh_boot_uid_arg *place = arg;
    int64_t deadline = now_ms() + (int64_t)seconds_to_try() * 1000;
    struct id id;
    int err = read_arg(place, &id);

    if (err)
        return err;
    boot->rank = place->rank;
    boot->n_ranks = place->n_ranks;
    if (id.session && boot->rank == 0)
        err = listen_at(&id, deadline);
    if (!err)
        err = connect_lines(boot, &id, deadline);
    if (!err)
        atomic_fetch_add(&n_open, 1);
    return err;
}

static void close_job(struct gsh_boot *boot, int clean)
{
    gsh_wire_close(boot, clean);
    atomic_fetch_sub(&n_open, 1);
}

static int usable(const char **why_not)
{
    *why_not = "only for a program that passes a unique id to init";
    return 0;
}

const struct gsh_boot_driver gsh_boot_uid = {
    .name = "uid",
    .usable = usable,
    .ops = {
        .abort = gsh_wire_abort,
        .allgather = gsh_wire_allgather,
        .barrier = gsh_wire_barrier,
        .close = close_job,
        .life_read = gsh_wire_life_read,
        .open = open_job,
    },
};
