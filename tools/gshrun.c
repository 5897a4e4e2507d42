/* gshrun - starts the PEs of a job on this machine and sees them to their end.
 *
 * Each PE inherits two sockets to the launcher, which is the root of the job (see
 * boot/frame.h). All stay in the launcher's process group. The launcher ends when
 * its last child has; what PEs left behind is killed. It makes no file.
 *
 * When a PE fails the others are told at once, have GRACE_MS to say what they were
 * doing, get SIGTERM, and after as long again SIGKILL. When the launcher is killed
 * the kernel kills the PEs.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "children.h"
#include "mps.h"
#include "tag.h"

#include "boot/serve.h"
#include "util/fault.h"

#include <gshmem/version.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_MS 300
#define MAX_PES 4096
#define MAX_NAMED 8 /* PEs with an exit code of their own */

#define EXIT_USAGE 2
#define EXIT_CANNOT_RUN 126
#define EXIT_NOT_FOUND 127

struct pe {
    pid_t pid;                        /* 0 when it has ended */
    bool left_first;                  /* it was about to end when another one gave up */
    struct gsh_tag_stream streams[2]; /* when lines are tagged */
};

enum phase { RUNNING, TOLD, TERMINATED, KILLED };

struct job {
    int n;
    bool tag;
    bool mps;
    char **argv;
    struct pe *pes;
    struct gsh_serve serve;
    int n_running;
    int n_failed; /* that ended with an exit code of their own */
    bool cannot_write;
    int exit_code;
    bool failed; /* exit_code is settled */
    enum phase phase;
    int64_t next_ms; /* when the next phase is due */
    int signal_fd;
    int exec_fd[2]; /* the errno of exec, from the first child that fails */
    sigset_t signals_before;
    struct rlimit files_before;
};

static const char help[] =
    "usage: gshrun -n N [options] program [arguments]\n"
    "\n"
    "Starts N PEs of a program on this machine and waits for them.\n"
    "\n"
    "  -n N, -np N      number of PEs\n"
    "  --tag            begin each line of output with the PE: \"[3] \"\n"
    "  --timeout S      set GSHMEM_TIMEOUT: a call that is blocked for S seconds\n"
    "                   reports who waits for what, and ends the job\n"
    "  --mps            let the kernels of PEs that share a GPU run at once: CUDA's MPS,\n"
    "                   by a daemon for this job alone\n"
    "  -x NAME=VALUE    set an environment variable of the PEs; may be repeated\n"
    "  -h, --help       show this text\n"
    "  --version        show the version\n"
    "\n"
    "PE 0 reads the standard input; the others find it empty. The exit code is that\n"
    "of the first PE that fails, 128 + S when signal S ended it. When a PE is killed,\n"
    "or fails without finalize, all others are ended within a second. Ctrl-C ends all.\n"
    "\n"
    "examples:\n"
    "  gshrun -n 4 ./heat --size 512\n"
    "  gshrun -n 8 --tag -x NVSHMEM_DEBUG=INFO ./ring\n"
    "  gshrun -n 2 --timeout 10 ./solver < input.txt\n"
    "  gshrun -n 3 hostname\n";

static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
    char text[1400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    fprintf(stderr, "gshrun: %s\n", text);
}

static _Noreturn void __attribute__((format(printf, 1, 2))) usage(const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    say("%s; gshrun --help shows the options", text);
    exit(EXIT_USAGE);
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- Options ---- */

static int number(const char *option, const char *text, int max)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end || value < 1 || value > max)
        usage("%s takes a number from 1 to %d, not \"%s\"", option, max, text);
    return (int)value;
}

static void set_variable(const char *text)
{
    const char *equals = strchr(text, '=');
    char *name;

    if (!equals || equals == text)
        usage("-x takes NAME=VALUE, not \"%s\"", text);
    name = strndup(text, (size_t)(equals - text));
    if (!name || setenv(name, equals + 1, 1))
        usage("cannot set \"%s\"", text);
    free(name);
}

/* Shows what was asked for instead of a job. */
static _Noreturn void show(const char *text)
{
    int err = fputs(text, stdout) < 0 || fflush(stdout);

    exit(err ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* Takes one option; returns how many arguments it was. */
static int take_option(struct job *job, char **args)
{
    const char *option = args[0];
    const char *value = args[1];

    if (!strcmp(option, "-h") || !strcmp(option, "--help"))
        show(help);
    if (!strcmp(option, "--version"))
        show("gshrun " GSHMEM_VERSION "\n");
    if (!strcmp(option, "--tag") || !strcmp(option, "--mps")) {
        *(option[2] == 't' ? &job->tag : &job->mps) = true;
        return 1;
    }
    if (strcmp(option, "-n") && strcmp(option, "-np") && strcmp(option, "-x") &&
        strcmp(option, "--timeout"))
        usage("there is no option %s", option);
    if (!value)
        usage("%s takes a value", option);
    if (!strcmp(option, "-x")) {
        set_variable(value);
    } else if (!strcmp(option, "--timeout")) {
        number(option, value, 1000000);
        setenv("GSHMEM_TIMEOUT", value, 1);
    } else {
        job->n = number(option, value, MAX_PES);
    }
    return 2;
}

static void read_options(struct job *job, char **args)
{
    while (*args && **args == '-' && strcmp(*args, "--"))
        args += take_option(job, args);
    if (*args && !strcmp(*args, "--"))
        args++;
    if (!job->n)
        usage("the number of PEs is missing: -n N");
    if (!*args)
        usage("the program is missing");
    job->argv = args;
}

/* ---- Ending ---- */

static int find_pe(const struct job *job, pid_t pid)
{
    for (int i = 0; i < job->n; i++)
        if (job->pes[i].pid == pid)
            return i;
    return -1;
}

struct orphans {
    const struct job *job;
    int signal;
};

static void signal_orphan(pid_t pid, void *ctx)
{
    const struct orphans *orphans = ctx;

    if (find_pe(orphans->job, pid) < 0)
        kill(pid, orphans->signal);
}

/* Sends a signal to what ended PEs have left behind: it is ours because the
 * launcher is its reaper. */
static void signal_orphans(const struct job *job, int signal)
{
    gsh_children(signal_orphan, &(struct orphans){ job, signal });
}

static void signal_all(struct job *job, int signal)
{
    for (int i = 0; i < job->n; i++)
        if (job->pes[i].pid > 0)
            kill(job->pes[i].pid, signal);
    signal_orphans(job, signal);
}

static void settle_code(struct job *job, int code)
{
    if (!job->failed)
        job->exit_code = code;
    job->failed = true;
}

/* The job is over; the PEs have some time to notice by themselves. */
static void begin_end(struct job *job, int code, int grace_ms)
{
    settle_code(job, code);
    if (job->phase != RUNNING)
        return;
    job->phase = TOLD;
    job->next_ms = now_ms() + grace_ms;
}

static void next_phase(struct job *job)
{
    if (job->phase == RUNNING || now_ms() < job->next_ms)
        return;
    job->phase = job->phase == TOLD ? TERMINATED : KILLED;
    signal_all(job, job->phase == TERMINATED ? SIGTERM : SIGKILL);
    job->next_ms = now_ms() + GRACE_MS;
}

/* A PE asked for it, and has told why, unless it called nvshmem_global_exit(). One
 * that gave up because another had left is not the first that failed. */
static void on_abort(void *ctx, int rank, int status, const char *text)
{
    struct job *job = ctx;

    if (job->phase == RUNNING && !*text && status)
        say("PE %d ended the job with nvshmem_global_exit(%d)", rank, status);
    for (int i = 0; i < job->n && job->phase == RUNNING && *text; i++)
        job->pes[i].left_first = job->serve.hub.ranks[i].state == GSH_HUB_LEFT;
    begin_end(job, status & 255, GRACE_MS);
}

static void fail_pe(struct job *job, int rank, pid_t pid, int code, const char *how)
{
    char cause[GSH_FRAME_TEXT_BYTES];
    char others[64] = "";

    snprintf(cause, sizeof(cause), "PE %d (pid %d) %s", rank, (int)pid, how);
    gsh_hub_name_absent(&job->serve.hub, rank, cause);
    if (job->n_running)
        snprintf(others, sizeof(others), "; ending the other %d PE%s", job->n_running,
                 job->n_running > 1 ? "s" : "");
    say("%s%s", cause, others);
    gsh_hub_gone(&job->serve.hub, rank, cause);
    begin_end(job, code, GRACE_MS);
}

/* A PE has finalized, or left, and failed for reasons of its own. */
static void name_code(struct job *job, int rank, pid_t pid, int code)
{
    if (++job->n_failed <= MAX_NAMED)
        say("PE %d (pid %d) ended with exit code %d", rank, (int)pid, code);
}

/* A PE has ended while nothing was wrong. A failure of a program that finalized,
 * or left with exit(), is its own: the others go on, unless it was that they cannot
 * meet. */
static void judge_pe(struct job *job, int rank, pid_t pid, int status)
{
    struct gsh_hub *hub = &job->serve.hub;
    enum gsh_hub_state state = hub->ranks[rank].state;
    bool said_bye = state == GSH_HUB_DONE || state == GSH_HUB_LEFT;
    char how[96];
    int code = WEXITSTATUS(status);

    if (WIFSIGNALED(status)) {
        snprintf(how, sizeof(how), "was killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
        fail_pe(job, rank, pid, 128 + WTERMSIG(status), how);
        return;
    }
    if (code && !said_bye) {
        snprintf(how, sizeof(how), "ended with exit code %d%s", code,
                 gsh_hub_is_in(hub, rank) ? " without finalize" : "");
        fail_pe(job, rank, pid, code, how);
        return;
    }
    if (code) {
        name_code(job, rank, pid, code);
        settle_code(job, code);
        if (hub->broken[0])
            begin_end(job, code, GRACE_MS);
    }
    gsh_hub_ended(hub, rank);
}

/* A PE has ended while the job is being ended. */
static void judge_late(struct job *job, int rank, pid_t pid, int status)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

    if (!code || !job->pes[rank].left_first)
        return;
    if (!job->n_failed)
        job->exit_code = code;
    name_code(job, rank, pid, code);
}

/* The first child that could not run the program says so for all of them. */
static bool exec_failed(struct job *job)
{
    int err;
    ssize_t bytes = job->exec_fd[0] < 0 ? -1 : read(job->exec_fd[0], &err, sizeof(err));
    bool in_path = !strchr(job->argv[0], '/');

    if (!bytes) {
        close(job->exec_fd[0]);
        job->exec_fd[0] = -1;
    }
    if (bytes != (ssize_t)sizeof(err) || job->phase != RUNNING)
        return false;
    say("cannot run %s: %s", job->argv[0],
        err == ENOENT && in_path ? "there is no such program in PATH" : strerror(err));
    begin_end(job, err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN, 0);
    return true;
}

/* What a PE said before it ended is heard first. */
static void reap(struct job *job)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        int rank = find_pe(job, pid);

        if (rank < 0)
            continue;
        job->pes[rank].pid = 0;
        job->n_running--;
        while (gsh_serve_step(&job->serve, 0) > 0)
            ;
        exec_failed(job);
        if (job->phase == RUNNING)
            judge_pe(job, rank, pid, status);
        else
            judge_late(job, rank, pid, status);
    }
}

/* A signal to the launcher ends the job; whoever sent it needs no line. */
static void take_signals(struct job *job)
{
    struct signalfd_siginfo info;

    while (read(job->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        if (info.ssi_signo != SIGCHLD)
            begin_end(job, 128 + (int)info.ssi_signo, 0);
    reap(job);
}

/* ---- Tagged output ---- */

/* What PEs write on this output goes nowhere any more, and the job ends. A reader
 * that has seen enough needs no line. */
static void end_output(struct job *job, int which, int err)
{
    bool enough = err == -EPIPE || err == -ECANCELED;

    for (int i = 0; i < job->n; i++)
        gsh_tag_drop(&job->pes[i].streams[which]);
    if (!enough && !job->cannot_write)
        say("cannot write the %s of the PEs: %s; ending the job", which ? "errors" : "output",
            strerror(-err));
    job->cannot_write = true;
    if (err != -ECANCELED)
        begin_end(job, err == -EPIPE ? 128 + SIGPIPE : EXIT_FAILURE, 0);
}

/* False when there is nothing to read now. */
static bool read_stream(struct job *job, int rank, int which)
{
    int err = gsh_tag_read(&job->pes[rank].streams[which]);

    if (err < 0)
        end_output(job, which, err);
    return err > 0;
}

/* Passes on what is still in the pipes of PEs that have all ended. */
static void drain(struct job *job, int rank, int which)
{
    struct gsh_tag_stream *stream = &job->pes[rank].streams[which];
    int err;

    while (stream->from >= 0 && read_stream(job, rank, which))
        ;
    err = stream->from >= 0 ? gsh_tag_end(stream) : 0;
    if (err)
        end_output(job, which, err);
}

/* ---- Starting ---- */

/* A PE and the launcher share up to four descriptors. */
static void raise_limit(struct job *job)
{
    struct rlimit limit;
    rlim_t need = (rlim_t)job->n * (job->tag ? 4 : 2) + 32;

    getrlimit(RLIMIT_NOFILE, &job->files_before);
    limit = job->files_before;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < need)
        usage("%d PEs need %ju open files and the limit is %ju (ulimit -Hn)", job->n,
              (uintmax_t)need, (uintmax_t)limit.rlim_max);
}

static void redirect(int from, int to)
{
    if (from >= 0)
        dup2(from, to);
}

/* In the child: becomes the program. `fds` are its ends of the exchange line, the
 * life line and, with tags, the output and error pipes. */
static _Noreturn void become(const struct job *job, int rank, pid_t launcher, const int fds[4])
{
    char place[64];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher)
        _exit(EXIT_CANNOT_RUN);
    if (rank)
        redirect(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    redirect(fds[2], STDOUT_FILENO);
    redirect(fds[3], STDERR_FILENO);
    fcntl(fds[0], F_SETFD, 0);
    fcntl(fds[1], F_SETFD, 0);
    snprintf(place, sizeof(place), "%d,%d,%d,%d", rank, job->n, fds[0], fds[1]);
    setenv("GSHMEM_BOOT", place, 1);
    setrlimit(RLIMIT_NOFILE, &job->files_before);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &job->signals_before, NULL);
    execvp(job->argv[0], job->argv);
    _exit(write(job->exec_fd[1], &errno, sizeof(errno)) > 0 ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
}

/* Makes the four connections of a PE: ours[], theirs[]; -1 where there is none. */
static int connect_pe(const struct job *job, int ours[4], int theirs[4])
{
    for (int i = 0; i < 4; i++) {
        int pair[2] = { -1, -1 };
        int err = 0;

        if (i < 2)
            err = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
        else if (job->tag)
            err = pipe2(pair, O_CLOEXEC);
        if (err)
            return -errno;
        ours[i] = pair[0];
        theirs[i] = pair[1];
    }
    return 0;
}

/* The launcher's side of a PE that runs. */
static int adopt(struct job *job, int rank, const int ours[4])
{
    int err = gsh_serve_add(&job->serve, ours[GSH_LINE_EXCHANGE], rank, GSH_LINE_EXCHANGE);

    if (!err)
        err = gsh_serve_add(&job->serve, ours[GSH_LINE_LIFE], rank, GSH_LINE_LIFE);
    for (int i = 0; i < 2 && job->tag && !err; i++)
        err = gsh_tag_open(&job->pes[rank].streams[i], rank, ours[2 + i],
                           i ? STDERR_FILENO : STDOUT_FILENO);
    return err;
}

static int start_pe(struct job *job, int rank)
{
    pid_t launcher = getpid();
    int ours[4];
    int theirs[4];
    int err = connect_pe(job, ours, theirs);
    pid_t pid;

    if (err)
        return err;
    pid = fork();
    if (pid < 0)
        return -errno;
    if (!pid)
        become(job, rank, launcher, theirs);
    job->pes[rank].pid = pid;
    job->n_running++;
    for (int i = 0; i < 4; i++)
        if (theirs[i] >= 0)
            close(theirs[i]);
    return adopt(job, rank, ours);
}

static void start_all(struct job *job)
{
    for (int i = 0; i < job->n && job->phase == RUNNING && !exec_failed(job); i++) {
        int err = start_pe(job, i);

        if (!err)
            continue;
        say("cannot start PE %d of %d: %s", i, job->n, strerror(-err));
        begin_end(job, EXIT_CANNOT_RUN, 0);
    }
    close(job->exec_fd[1]);
}

/* ---- The loop ---- */

/* A connection must not take the place of a standard stream that is closed. */
static void open_standard_streams(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
}

/* Before anything here starts a thread (the library of NVML does): one that does not block SIGCHLD
 * would take it from the signal_fd. */
static void hold_signals(struct job *job)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &job->signals_before);
    job->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    signal(SIGPIPE, SIG_IGN);
}

static void open_job(struct job *job)
{
    int err;

    raise_limit(job);
    job->pes = calloc((size_t)job->n, sizeof(*job->pes));
    err = gsh_serve_open(&job->serve, job->n, -1, 0);
    if (err || !job->pes || job->signal_fd < 0 || pipe2(job->exec_fd, O_CLOEXEC | O_NONBLOCK) ||
        prctl(PR_SET_CHILD_SUBREAPER, 1)) {
        say("cannot set up the job: %s", strerror(err ? -err : errno));
        exit(EXIT_CANNOT_RUN);
    }
    job->serve.end = on_abort;
    job->serve.ctx = job;
    for (int i = 0; i < job->n; i++)
        job->pes[i].streams[0].from = job->pes[i].streams[1].from = -1;
}

/* Waits for anything to happen and handles it. */
static void turn(struct job *job, struct pollfd *polls, int timeout_ms)
{
    int n = 0;

    polls[n++] = (struct pollfd){ .fd = job->signal_fd, .events = POLLIN };
    polls[n++] = (struct pollfd){ .fd = job->serve.poll_fd, .events = POLLIN };
    polls[n++] = (struct pollfd){ .fd = job->exec_fd[0], .events = POLLIN };
    for (int i = 0; i < 2 * job->n && job->tag; i++)
        polls[n++] = (struct pollfd){ .fd = job->pes[i / 2].streams[i % 2].from, .events = POLLIN };
    poll(polls, (nfds_t)n, timeout_ms);
    for (int i = 0; i < n - 3; i++)
        if (polls[3 + i].revents && job->pes[i / 2].streams[i % 2].from >= 0)
            read_stream(job, i / 2, i % 2);
    if (polls[1].revents)
        gsh_serve_step(&job->serve, 0);
    exec_failed(job);
    take_signals(job);
}

/* What PEs left behind is killed, and then all that was written is shown. */
static void clean_up(struct job *job)
{
    do {
        signal_orphans(job, SIGKILL);
    } while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
    for (int i = 0; i < 2 * job->n && job->tag; i++)
        drain(job, i / 2, i % 2);
    if (job->n_failed > MAX_NAMED)
        say("%d more PEs ended with an exit code other than 0", job->n_failed - MAX_NAMED);
    gsh_serve_close(&job->serve);
    free(job->pes);
}

static int run_job(struct job *job)
{
    struct pollfd *polls = calloc((size_t)job->n * 2 + 3, sizeof(*polls));

    if (!polls) {
        say("no memory for %d PEs", job->n);
        return EXIT_CANNOT_RUN;
    }
    start_all(job);
    while (job->n_running) {
        int64_t left_ms = job->phase == RUNNING ? -1 : job->next_ms - now_ms();

        turn(job, polls, job->phase != RUNNING && left_ms < 0 ? 0 : (int)left_ms);
        next_phase(job);
    }
    clean_up(job);
    free(polls);
    return job->exit_code;
}

static void start_mps(const struct job *job)
{
    char why[500];

    if (!gsh_mps_start(job->n, why, sizeof(why)))
        return;
    say("--mps: %s", why);
    gsh_mps_stop();
    exit(EXIT_CANNOT_RUN);
}

int main(int argc, char **argv)
{
    static struct job job;
    char bad[64];
    int code;

    (void)argc;
    read_options(&job, argv + 1);
    gsh_fault_open(getenv("GSHMEM_FAULT"), bad, sizeof(bad));
    open_standard_streams();
    hold_signals(&job);
    if (job.mps)
        start_mps(&job);
    open_job(&job);
    code = run_job(&job);
    gsh_mps_stop();
    return code;
}
