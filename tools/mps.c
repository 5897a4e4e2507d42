/* mps.c - see mps.h. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "mps.h"
#include "children.h"
#include "topo/nvml.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONTROL "nvidia-cuda-mps-control"

enum {
    NOT_FOUND = 127,
    START_MS = 20000,
    STOP_MS = 5000, /* until what does not end is killed */
    STEP_MS = 10,
};

static char folder[256]; /* of pipes and logs */
static int keeper = -1;  /* socket to it */

/* --- In the keeper --- */

/* Runs the control program, with `input` as its standard input; the process. */
static pid_t control(const char *option, const char *input)
{
    int in[2];
    pid_t pid;

    if (pipe2(in, O_CLOEXEC))
        return -1;
    pid = fork();
    if (!pid) {
        char log[sizeof(folder) + 16];
        int out;

        snprintf(log, sizeof(log), "%s/said", folder);
        out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        dup2(in[0], STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
        signal(SIGPIPE, SIG_DFL);
        /* The daemon would number the GPUs anew for its clients, who number them themselves. */
        unsetenv("CUDA_VISIBLE_DEVICES");
        execlp(CONTROL, CONTROL, option, (char *)NULL);
        _exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
    }
    close(in[0]);
    if (*input && write(in[1], input, strlen(input)) < 0)
        kill(pid, SIGKILL);
    close(in[1]);
    return pid;
}

/* Waits for children: for one, or, when pid is -1, for all; true when they have ended. */
static bool await(pid_t pid, int ms, int *status)
{
    for (pid_t got; ms > 0; ms -= got > 0 ? 0 : STEP_MS) {
        got = waitpid(pid, status, WNOHANG);
        if (got < 0)
            return true;
        if (got > 0 && pid > 0)
            return true;
        if (!got)
            usleep(STEP_MS * 1000);
    }
    return false;
}

static void kill_child(pid_t pid, void *ctx)
{
    (void)ctx;
    kill(pid, SIGKILL);
}

static int remove_one(const char *path, const struct stat *what, int kind, struct FTW *place)
{
    (void)what, (void)kind, (void)place;
    remove(path);
    return 0;
}

/* In a session of its own, so that Ctrl-C ends the job first. */
static _Noreturn void keep(int line)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC), status = 0;
    sigset_t none;
    char end;

    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(nowhere, fd);
    if (!await(control("-d", ""), START_MS, &status))
        status = -1;
    if (write(line, &status, sizeof(status)) == (ssize_t)sizeof(status))
        while (read(line, &end, 1) > 0 || errno == EINTR)
            ;
    if (!status) {
        control(NULL, "quit\n");
        await(-1, STOP_MS, &status);
    }
    /* What is left, and what that leaves to us. */
    do {
        gsh_children(kill_child, NULL);
    } while (waitpid(-1, NULL, 0) > 0);
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    _exit(0);
}

/* --- In the launcher --- */

/* GPUs that the PEs see; 1 when that is not known. */
static int count_gpus(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    int listed = 1, n = gsh_nvml_open() ? 1 : gsh_nvml_count();

    for (; visible && *visible; visible++)
        listed += *visible == ',';
    if (visible && listed < n)
        n = listed;
    return n < 1 ? 1 : n;
}

static void set_share(int n_pes)
{
    int gpus = count_gpus(), share = 100 / ((n_pes + gpus - 1) / gpus);
    char text[16];

    snprintf(text, sizeof(text), "%d", share ? share : 1);
    setenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", text, 0);
}

/* The keeper is nobody's child: this process reaps and ends all of its children. */
static int start_keeper(void)
{
    int line[2];
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line))
        return -errno;
    pid = fork();
    if (!pid) {
        close(line[0]);
        if (fork())
            _exit(0);
        keep(line[1]);
    }
    close(line[1]);
    keeper = line[0];
    return pid < 0 || waitpid(pid, NULL, 0) < 0 ? -errno : 0;
}

/* What the daemon said, on one line; "" when that was nothing. */
static void read_words(char *text, size_t bytes)
{
    char path[sizeof(folder) + 16];
    FILE *file;

    *text = '\0';
    snprintf(path, sizeof(path), "%s/said", folder);
    file = fopen(path, "re");
    if (!file)
        return;
    text[fread(text, 1, bytes - 1, file)] = '\0';
    fclose(file);
    for (size_t end = strlen(text); end && text[end - 1] == '\n'; end--)
        text[end - 1] = '\0';
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = ' ';
}

/* Sockets in it have names of up to 108 bytes. */
static const char *temporary(void)
{
    const char *set = getenv("TMPDIR");

    return set && *set && strlen(set) < 64 ? set : "/tmp";
}

static int explain(int status, char *why, size_t bytes)
{
    char words[200];

    read_words(words, sizeof(words));
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        snprintf(why, bytes,
                 "there is no " CONTROL " in PATH; it comes with the driver (on Debian in the "
                 "package nvidia-compute-utils or nvidia-cuda-mps)");
    else
        snprintf(why, bytes, "the MPS daemon does not start%s%s", *words ? ": " : "", words);
    return -1;
}

int gsh_mps_start(int n_pes, char *why, size_t bytes)
{
    struct pollfd answer = { .events = POLLIN };
    int status = -1, err;

    snprintf(folder, sizeof(folder), "%s/gshmem-mps-XXXXXX", temporary());
    if (!mkdtemp(folder)) {
        snprintf(why, bytes, "cannot make a folder in %s: %s", temporary(), strerror(errno));
        return -1;
    }
    setenv("CUDA_MPS_PIPE_DIRECTORY", folder, 1);
    setenv("CUDA_MPS_LOG_DIRECTORY", folder, 1);
    err = start_keeper();
    if (err) {
        snprintf(why, bytes, "cannot start a process: %s", strerror(-err));
        return -1;
    }
    answer.fd = keeper;
    if (poll(&answer, 1, START_MS) < 1 || read(keeper, &status, sizeof(status)) < 1)
        status = -1;
    if (status)
        return explain(status, why, bytes);
    set_share(n_pes);
    return 0;
}

void gsh_mps_stop(void)
{
    struct pollfd end = { .fd = keeper, .events = POLLIN };

    if (keeper < 0)
        return;
    shutdown(keeper, SHUT_WR);
    poll(&end, 1, 3 * STOP_MS);
    close(keeper);
    keeper = -1;
}
