/* Processes and threads that share a unique id form one world, over each family of
 * sockets, again with another number of PEs, in the presence of strangers; and when
 * one of them, or the root, dies or leaves, all others learn of it. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "boot/address.h"
#include "boot/boot.h"
#include "boot/interface.h"
#include "core/env.h"
#include "core/log.h"
#include "util/test/tap.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX 32
#define ID_BYTES 128
#define ADDRESS_AT 24 /* where the id has its address */

struct member {
    struct gsh_boot_uid_arg place;
    int (*part)(struct gsh_boot *boot);
    int result;
};

static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1) || gsh_env_read())
        abort();
}

/* ---- What a PE does; 0 when all was as it must be ---- */

static int exchange(struct gsh_boot *boot)
{
    int mine = boot->rank * 3 + 1;
    int all[MAX];
    int wrong = 0;

    for (int round = 0; round < 3; round++) {
        wrong += boot->ops.allgather(boot, &mine, all, sizeof(mine)) != 0;
        for (int i = 0; i < boot->n_ranks; i++)
            wrong += all[i] != i * 3 + 1;
        wrong += boot->ops.barrier(boot) != 0;
    }
    return wrong;
}

static int await_life(struct gsh_boot *boot, struct gsh_life_event *event)
{
    struct pollfd wait = { .fd = boot->life_fd, .events = POLLIN };

    do {
        if (poll(&wait, 1, 20000) != 1)
            return -ETIMEDOUT;
        boot->ops.life_read(boot, event);
    } while (event->kind == GSH_LIFE_NONE);
    return 0;
}

static int expect_life(struct gsh_boot *boot, enum gsh_life kind, int pe)
{
    struct gsh_life_event event;
    int err = await_life(boot, &event);

    return err || event.kind != kind || event.pe != pe;
}

/* PE 1 is killed while the others are in a barrier. */
static int lose_one(struct gsh_boot *boot)
{
    if (exchange(boot))
        return 1;
    if (boot->rank == 1)
        kill(getpid(), SIGKILL);
    if (boot->ops.barrier(boot) != -ECONNABORTED || !strstr(gsh_last_error(), "PE 1 "))
        return 2;
    return expect_life(boot, GSH_LIFE_GONE, 1);
}

static int leave_one(struct gsh_boot *boot)
{
    if (exchange(boot))
        return 1;
    if (boot->rank == 1) {
        boot->ops.close(boot, 0);
        _exit(0);
    }
    if (expect_life(boot, GSH_LIFE_LEFT, 1))
        return 2;
    return boot->ops.barrier(boot) == -ECONNABORTED ? 0 : 3;
}

static int abort_one(struct gsh_boot *boot)
{
    struct gsh_life_event event;

    if (boot->ops.barrier(boot))
        return 1;
    if (boot->rank == 1) {
        boot->ops.abort(boot, 7, "enough");
        return 0;
    }
    if (await_life(boot, &event) || event.kind != GSH_LIFE_END || event.pe != 1)
        return 2;
    return event.status != 7 || strcmp(event.text, "enough");
}

static int ready[2]; /* a pipe: who writes is done with what needs the root */

/* The process of PE 0 made the id. */
static int lose_root(struct gsh_boot *boot)
{
    char both[2];

    if (exchange(boot))
        return 1;
    if (boot->rank) {
        if (write(ready[1], "r", 1) != 1)
            return 2;
        return expect_life(boot, GSH_LIFE_LOST, -1);
    }
    for (int i = 0; i < 2; i++)
        if (read(ready[0], &both[i], 1) != 1)
            return 2;
    return kill(getpid(), SIGKILL);
}

/* ---- Jobs ---- */

static void *run_member(void *arg)
{
    struct member *member = arg;
    struct gsh_boot boot;

    member->result = gsh_boot_open(&boot, "uid", &member->place);
    if (member->result)
        return NULL;
    member->result = member->part(&boot);
    boot.ops.close(&boot, 1);
    return NULL;
}

static int make_id(char id[ID_BYTES])
{
    return gsh_boot_uid_create(id, ID_BYTES, -1);
}

/* All n PEs are threads of this process. */
static bool run_threads(const void *id, int n)
{
    struct member members[MAX];
    pthread_t threads[MAX];
    bool good = true;

    for (int i = 0; i < n; i++) {
        members[i] = (struct member){ { i, n, id }, exchange, -1 };
        if (pthread_create(&threads[i], NULL, run_member, &members[i]))
            abort();
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        good = good && !members[i].result;
    }
    return good;
}

static pid_t start_process(const void *id, int rank, int n, int (*part)(struct gsh_boot *))
{
    struct member member = { { rank, n, id }, part, -1 };
    pid_t pid = fork();

    if (pid)
        return pid;
    alarm(60);
    run_member(&member);
    _exit(member.result ? 1 : 0);
}

/* How many of the children ended with 0. */
static int count_good(const pid_t *pids, int n)
{
    int good = 0;
    int status;

    for (int i = 0; i < n; i++)
        if (waitpid(pids[i], &status, 0) == pids[i])
            good += WIFEXITED(status) && !WEXITSTATUS(status);
    return good;
}

/* All n PEs are processes, and the root is none of them. */
static int run_processes(int n, int (*part)(struct gsh_boot *))
{
    char id[ID_BYTES];
    pid_t pids[MAX];

    if (make_id(id))
        return -1;
    for (int i = 0; i < n; i++)
        pids[i] = start_process(id, i, n, part);
    return count_good(pids, n);
}

/* ---- Facts ---- */

/* Comes first: the process of PE 0 must be able to start a thread after fork(). */
static void test_root_death(void)
{
    char id[ID_BYTES];
    pid_t pids[3];
    int ends[2];

    if (pipe(ends) || pipe(ready))
        abort();
    pids[0] = fork();
    if (!pids[0]) {
        struct member member = { { 0, 3, id }, lose_root, -1 };

        if (!make_id(id) && write(ends[1], id, sizeof(id)) == sizeof(id))
            run_member(&member);
        _exit(9);
    }
    if (read(ends[0], id, sizeof(id)) != sizeof(id))
        abort();
    pids[1] = start_process(id, 1, 3, lose_root);
    pids[2] = start_process(id, 2, 3, lose_root);
    tap_ok(count_good(pids, 3) == 2, "when the process of the root is killed all others see LOST");
    close(ends[0]);
    close(ends[1]);
}

static void test_family(const char *family)
{
    static const int sizes[] = { 1, 2, 3, 8 };
    char id[ID_BYTES];

    set("NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY", family);
    if (!strcmp(family, "AF_INET6") && make_id(id)) {
        tap_skip("worlds over AF_INET6", "no interface has an IPv6 address");
        return;
    }
    for (int i = 0; i < 4; i++) {
        bool made = !make_id(id);

        tap_ok(made && run_threads(id, sizes[i]), "%d threads form a world over %s", sizes[i],
               family);
        tap_ok(run_processes(sizes[i], exchange) == sizes[i], "%d processes form a world over %s",
               sizes[i], family);
    }
    set("NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY", "");
}

/* Report B10. */
static void test_again(void)
{
    static const int sizes[] = { 4, 2, 3 };
    char ids[3][ID_BYTES];
    bool good = true;

    for (int i = 0; i < 3; i++)
        good = good && !make_id(ids[i]);
    for (int i = 0; i < 3 && good; i++)
        good = run_threads(ids[i], sizes[i]);
    tap_ok(good, "worlds of 4, 2 and 3 PEs follow one another in one process");
}

/* Report B37. */
static int many_worlds(char ids[][ID_BYTES], int rank, int n, int worlds)
{
    for (int i = 0; i < worlds; i++) {
        struct member member = { { rank, n, ids[i] }, exchange, -1 };

        run_member(&member);
        if (member.result)
            return 1;
    }
    return 0;
}

static void test_many(void)
{
    enum { WORLDS = 20 };
    static char ids[WORLDS][ID_BYTES];
    pid_t pids[MAX];

    for (int i = 0; i < WORLDS; i++)
        if (make_id(ids[i]))
            abort();
    for (int i = 0; i < MAX; i++) {
        pids[i] = fork();
        if (!pids[i]) {
            alarm(100);
            _exit(many_worlds(ids, i, MAX, WORLDS));
        }
    }
    tap_ok(count_good(pids, MAX) == MAX, "%d processes start and end %d worlds", MAX, WORLDS);
}

static void test_strangers(void)
{
    struct gsh_address address;
    char id[ID_BYTES];
    char garbage[200];
    int fds[3];

    if (make_id(id))
        abort();
    memcpy(&address, id + ADDRESS_AT, sizeof(address));
    memset(garbage, 'G', sizeof(garbage));
    for (int i = 0; i < 3; i++)
        fds[i] = gsh_address_connect(&address, 1000);
    if (write(fds[0], garbage, sizeof(garbage)) < 0 || write(fds[1], garbage, 3) < 0)
        abort();
    close(fds[1]);
    tap_ok(fds[0] >= 0 && run_threads(id, 3),
           "strangers that send garbage, hang up or keep silent disturb nobody");
    close(fds[0]);
    close(fds[2]);
}

static void test_ends(void)
{
    tap_ok(run_processes(4, lose_one) == 3,
           "when a PE is killed all others get an error and see GONE");
    tap_ok(run_processes(3, leave_one) == 3, "when a PE leaves all others see LEFT");
    tap_ok(run_processes(3, abort_one) == 3, "when a PE aborts all others see END with its text");
}

static void *open_only(void *arg)
{
    struct member *member = arg;
    struct gsh_boot boot;

    member->result = gsh_boot_open(&boot, "uid", &member->place);
    return NULL;
}

/* What two threads get that open the id with these places. */
static void open_two(const char *id, struct gsh_boot_uid_arg a, struct gsh_boot_uid_arg b,
                     int results[2])
{
    struct member members[2] = { { a, NULL, 0 }, { b, NULL, 0 } };
    pthread_t thread;

    members[0].place.id = members[1].place.id = id;
    pthread_create(&thread, NULL, open_only, &members[0]);
    open_only(&members[1]);
    pthread_join(thread, NULL);
    results[0] = members[0].result;
    results[1] = members[1].result;
}

static void test_refusals(void)
{
    char id[ID_BYTES];
    char zeros[ID_BYTES] = "";
    struct gsh_boot_uid_arg place = { 0, 1, id };
    struct gsh_boot boot;
    int results[2];

    make_id(id);
    open_two(id, (struct gsh_boot_uid_arg){ 0, 2, NULL }, (struct gsh_boot_uid_arg){ 1, 3, NULL },
             results);
    tap_ok(results[0] < 0 && results[1] < 0 && strstr(gsh_last_error(), " of "),
           "PEs that name different sizes both fail");
    make_id(id);
    open_two(id, (struct gsh_boot_uid_arg){ 1, 3, NULL }, (struct gsh_boot_uid_arg){ 1, 3, NULL },
             results);
    tap_ok(results[0] < 0 && results[1] < 0 && strstr(gsh_last_error(), "PE 1"),
           "two PEs of one rank both fail");
    make_id(id);
    tap_ok(run_threads(id, 1) && gsh_boot_open(&boot, "uid", &place) < 0 &&
               strstr(gsh_last_error(), "an id is for one init"),
           "an id that has served is refused");
    place.id = zeros;
    tap_ok(gsh_boot_open(&boot, "uid", &place) == -EINVAL, "an id that was never made is refused");
    place = (struct gsh_boot_uid_arg){ 2, 2, id };
    tap_ok(gsh_boot_open(&boot, "uid", &place) == -EINVAL, "a rank out of range is refused");
    tap_ok(gsh_boot_uid_create(id, 100, -1) == -EINVAL, "an id needs 128 bytes");
    set("NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY", "AF_X");
    tap_ok(make_id(id) == -EINVAL, "an unknown family is refused");
    set("NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY", "");
    set("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "nonesuch");
    tap_ok(make_id(id) == -EADDRNOTAVAIL, "an interface that is not there is refused");
    set("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo");
    tap_ok(!make_id(id) && run_threads(id, 2), "loopback alone is enough");
    set("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "");
}

/* A port that was free a moment ago. */
static void test_session(void)
{
    struct gsh_address address;
    char session[96];
    char ids[2][ID_BYTES];
    bool good = true;
    int fd;

    gsh_interface_choose("AF_INET", "lo", 0, &address);
    fd = gsh_address_listen(&address);
    gsh_address_print(&address, session, sizeof(session));
    close(fd);
    set("NVSHMEM_BOOTSTRAP_UID_SESSION_ID", session);
    good = !make_id(ids[0]) && !make_id(ids[1]);
    tap_ok(good && !memcmp(ids[0], ids[1], ID_BYTES), "every process makes the id of a session");
    tap_ok(run_threads(ids[0], 3) && run_threads(ids[1], 2),
           "worlds of 3 and 2 PEs follow one another at a fixed address");
    set("GSHMEM_TIMEOUT", "1");
    open_two(ids[0], (struct gsh_boot_uid_arg){ 1, 3, NULL },
             (struct gsh_boot_uid_arg){ 2, 3, NULL }, (int[2]){ 0 });
    tap_ok(strstr(gsh_last_error(), "is PE 0 running?"), "without PE 0 the others give up");
    set("GSHMEM_TIMEOUT", "0");
    set("NVSHMEM_BOOTSTRAP_UID_SESSION_ID", "nonsense");
    tap_ok(make_id(ids[0]) == -EINVAL, "a session must have a host and a port");
    set("NVSHMEM_BOOTSTRAP_UID_SESSION_ID", "");
}

int main(void)
{
    set("GSHMEM_TIMEOUT", "0");
    test_root_death();
    test_family("AF_INET");
    test_family("AF_INET6");
    test_family("AF_UNIX");
    test_again();
    test_strangers();
    test_ends();
    test_refusals();
    test_session();
    test_many();
    return tap_end();
}
