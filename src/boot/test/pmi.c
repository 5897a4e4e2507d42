/* PEs form a world through a process manager of PMI that allows but short values, and
 * refuse one that answers nonsense, refuses them, hangs up or keeps silent. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "boot/boot.h"
#include "core/env.h"
#include "core/log.h"
#include "util/test/tap.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_RANKS = 4, MAX_KEYS = 64, MAX_VALUE = 64 };

/* A process manager that speaks PMI-1, in the process of the test. */
struct manager {
    int n;
    int fds[MAX_RANKS];
    int n_open;
    int n_in_barrier;
    int n_keys;
    int longest; /* value that was put */
    char keys[MAX_KEYS][64];
    char values[MAX_KEYS][MAX_VALUE];
    const char *nonsense; /* the answer to get_maxes; "" hangs up, "silent" is none */
};

static void answer(int fd, const char *text)
{
    if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
        return;
}

static void put(struct manager *manager, int fd, const char *key, const char *value)
{
    int i = manager->n_keys;

    if ((int)strlen(value) > manager->longest)
        manager->longest = (int)strlen(value);
    if (i == MAX_KEYS || strlen(value) >= MAX_VALUE) {
        answer(fd, "cmd=put_result rc=-1 msg=no_room\n");
        return;
    }
    strcpy(manager->keys[i], key);
    strcpy(manager->values[i], value);
    manager->n_keys++;
    answer(fd, "cmd=put_result rc=0 msg=success\n");
}

static void get(const struct manager *manager, int fd, const char *key)
{
    char text[200] = "cmd=get_result rc=-1 msg=no_such_key value=unknown\n";

    for (int i = 0; i < manager->n_keys; i++)
        if (!strcmp(manager->keys[i], key))
            snprintf(text, sizeof(text), "cmd=get_result rc=0 msg=success value=%s\n",
                     manager->values[i]);
    answer(fd, text);
}

static void barrier(struct manager *manager)
{
    if (++manager->n_in_barrier < manager->n)
        return;
    manager->n_in_barrier = 0;
    for (int i = 0; i < manager->n; i++)
        answer(manager->fds[i], "cmd=barrier_out\n");
}

static void hang_up(struct manager *manager, int *fd)
{
    close(*fd);
    *fd = -1;
    manager->n_open--;
}

static void maxes(struct manager *manager, int *fd)
{
    if (!manager->nonsense)
        answer(*fd, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=64\n");
    else if (!*manager->nonsense)
        hang_up(manager, fd);
    else if (strcmp(manager->nonsense, "silent"))
        answer(*fd, manager->nonsense);
}

static void obey(struct manager *manager, int *fd, const char *line)
{
    char key[64];
    char value[2048];

    if (!strncmp(line, "cmd=init ", 9))
        answer(*fd, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    else if (!strcmp(line, "cmd=get_maxes"))
        maxes(manager, fd);
    else if (!strcmp(line, "cmd=get_my_kvsname"))
        answer(*fd, "cmd=my_kvsname kvsname=kvs_1\n");
    else if (sscanf(line, "cmd=put kvsname=kvs_1 key=%63s value=%2047s", key, value) == 2)
        put(manager, *fd, key, value);
    else if (sscanf(line, "cmd=get kvsname=kvs_1 key=%63s", key) == 1)
        get(manager, *fd, key);
    else if (!strcmp(line, "cmd=barrier_in"))
        barrier(manager);
    else if (!strcmp(line, "cmd=finalize"))
        answer(*fd, "cmd=finalize_ack\n");
    else
        hang_up(manager, fd);
}

/* A PE has at most one command under way, but may send it in pieces. */
static void hear(struct manager *manager, int *fd)
{
    char line[4096] = "";
    size_t n = 0;

    while (n < sizeof(line) && recv(*fd, &line[n], 1, 0) == 1 && line[n] != '\n')
        n++;
    if (n == sizeof(line) || line[n] != '\n') {
        hang_up(manager, fd);
        return;
    }
    line[n] = '\0';
    obey(manager, fd, line);
}

static void manage(struct manager *manager)
{
    struct pollfd wait[MAX_RANKS];

    while (manager->n_open) {
        for (int i = 0; i < manager->n; i++)
            wait[i] = (struct pollfd){ .fd = manager->fds[i], .events = POLLIN };
        poll(wait, (nfds_t)manager->n, -1);
        for (int i = 0; i < manager->n; i++)
            if (wait[i].revents)
                hear(manager, &manager->fds[i]);
    }
}

/* ---- The PEs ---- */

static void set_number(const char *name, int value)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", value);
    setenv(name, text, 1);
}

static int join_twice(struct gsh_boot *boot)
{
    int all[MAX_RANKS];
    int wrong = 0;

    for (int world = 0; world < 2; world++) {
        if (gsh_boot_open(boot, NULL, NULL))
            return 1;
        wrong += strcmp(boot->name, "pmi") != 0;
        wrong += boot->ops.allgather(boot, &boot->rank, all, sizeof(int)) != 0;
        for (int i = 0; i < boot->n_ranks; i++)
            wrong += all[i] != i;
        boot->ops.close(boot, 1);
    }
    return wrong;
}

static int fail_to_join(struct gsh_boot *boot)
{
    return gsh_boot_open(boot, "pmi", NULL) >= 0 || !*gsh_last_error();
}

static pid_t start(struct manager *manager, int rank, int (*part)(struct gsh_boot *))
{
    int ends[2];
    struct gsh_boot boot;
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        abort();
    pid = fork();
    if (pid) {
        close(ends[1]);
        manager->fds[rank] = ends[0];
        manager->n_open++;
        return pid;
    }
    for (int i = 0; i < rank; i++)
        close(manager->fds[i]);
    close(ends[0]);
    set_number("PMI_FD", ends[1]);
    set_number("PMI_RANK", rank);
    set_number("PMI_SIZE", manager->n);
    alarm(60);
    exit(gsh_env_read() || part(&boot));
}

/* How many PEs ended with 0. */
static int run(struct manager *manager, int n, int (*part)(struct gsh_boot *))
{
    pid_t pids[MAX_RANKS];
    int good = 0;
    int status;

    manager->n = n;
    for (int i = 0; i < n; i++)
        pids[i] = start(manager, i, part);
    manage(manager);
    for (int i = 0; i < n; i++)
        good +=
            waitpid(pids[i], &status, 0) == pids[i] && WIFEXITED(status) && !WEXITSTATUS(status);
    return good;
}

static void test_nonsense(const char *nonsense, const char *what)
{
    struct manager manager = { .nonsense = nonsense };

    tap_ok(run(&manager, 1, fail_to_join) == 1, "a process manager that %s is an error", what);
}

static void test_worlds(int n, const char *fault)
{
    struct manager manager = { 0 };

    setenv("GSHMEM_FAULT", fault, 1);
    tap_ok(run(&manager, n, join_twice) == n, "a job of %d PEs forms two worlds in a row%s%s", n,
           *fault ? ", with " : "", fault);
    tap_ok(manager.longest > 0 && manager.longest < MAX_VALUE && manager.n_keys > 8,
           "the unique ids go in pieces that fit");
    setenv("GSHMEM_FAULT", "", 1);
}

int main(void)
{
    static char endless[5000];

    for (int n = 1; n <= MAX_RANKS; n++)
        test_worlds(n, "");
    test_worlds(3, "io.short");
    memset(endless, 'x', sizeof(endless) - 1);
    test_nonsense("cmd=maxes rc=0\n", "does not say what was asked");
    test_nonsense("cmd=maxes rc=-1 vallen_max=64\n", "reports a failure");
    test_nonsense("cmd=maxes vallen_max=many\n", "has no number for a number");
    test_nonsense("cmd=put_result rc=0\n", "answers something else");
    test_nonsense("\n", "sends an empty line");
    test_nonsense("", "hangs up");
    test_nonsense(endless, "sends without an end");
    setenv("GSHMEM_TIMEOUT", "1", 1);
    test_nonsense("silent", "keeps silent beyond the time limit");
    return tap_end();
}
