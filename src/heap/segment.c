/* segment.c - reserve, agree, share and map the windows of one machine. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "heap/segment.h"
#include "core/env.h"
#include "core/log.h"
#include "util/fault.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

struct gsh_segment gsh_segment;

#define GIB (UINT64_C(1) << 30)

/* Address space that all windows together may take. Sanitizers keep most of it
 * for their shadow. */
#if defined(__SANITIZE_THREAD__)
#define MOST (512 * GIB)
#elif defined(__SANITIZE_ADDRESS__)
#define MOST (4096 * GIB)
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MOST (512 * GIB)
#elif __has_feature(address_sanitizer)
#define MOST (4096 * GIB)
#endif
#endif
#ifndef MOST
#define MOST (16384 * GIB)
#endif

/* What each PE tells the others before anything is shared. */
struct card {
    char machine[40]; /* this start of the system: memory can be shared within it */
    uint64_t cookie;  /* of the socket's name */
    size_t window;    /* that it can map */
    int err;
};

/* A step that failed on one PE fails on all, and all know. */
static int agree(struct gsh_boot *boot, int err)
{
    int *all = calloc((size_t)boot->n_ranks, sizeof(*all));
    int worst;

    if (!all)
        return gsh_fail(-ENOMEM, "no memory to agree with %d PEs", boot->n_ranks);
    worst = boot->ops.allgather(boot, &err, all, sizeof(err));
    for (int pe = 0; pe < boot->n_ranks && !worst; pe++)
        if (all[pe] && !err)
            worst = gsh_miss(all[pe], "PE %d could not set up its memory", pe);
    free(all);
    return err ? err : worst;
}

static void read_machine(char machine[40])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    memset(machine, 0, 40);
    if (!file)
        return;
    if (!fgets(machine, 40, file))
        machine[0] = '\0';
    fclose(file);
}

static size_t round_down(size_t value)
{
    return value / GSH_SEGMENT_ALIGN * GSH_SEGMENT_ALIGN;
}

/* The largest window, at most `want`, that n of fit into the address space. */
static size_t try_window(size_t want, size_t need, size_t n)
{
    size_t window = round_down(want < MOST / n ? want : MOST / n);

    for (; window >= need; window = round_down(window / 2)) {
        size_t bytes = n * window + GSH_SEGMENT_ALIGN;
        void *probe =
            mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (probe != MAP_FAILED) {
            munmap(probe, bytes);
            return window;
        }
    }
    return 0;
}

/* Who is here, and the window that all PEs of the job can map. */
static int meet(struct gsh_segment *s, struct gsh_boot *boot, struct card *cards, size_t want,
                size_t need)
{
    struct card mine = { 0 };
    int err;

    need = round_down(need + GSH_SEGMENT_ALIGN - 1);
    if (want < need)
        want = need;
    read_machine(mine.machine);
    mine.window = try_window(want, need, (size_t)boot->n_ranks);
    if (!mine.window)
        gsh_fail(-ENOMEM,
                 "%d windows of %zu MiB do not fit into the address space (ulimit -v, "
                 "NVSHMEM_SYMMETRIC_SIZE)",
                 boot->n_ranks, need >> 20);
    if (getrandom(&mine.cookie, sizeof(mine.cookie), 0) != sizeof(mine.cookie))
        mine.cookie = (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&mine;
    err = boot->ops.allgather(boot, &mine, cards, sizeof(mine));
    s->window = SIZE_MAX;
    for (int pe = 0; pe < boot->n_ranks && !err; pe++)
        if (cards[pe].window < s->window)
            s->window = cards[pe].window;
    if (!err && !s->window)
        err = mine.window ? gsh_miss(-ENOMEM, "another PE has no room for the windows") : -ENOMEM;
    return err;
}

static socklen_t name_socket(struct sockaddr_un *name, uint64_t cookie)
{
    int n;

    *name = (struct sockaddr_un){ .sun_family = AF_UNIX };
    n = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "gshmem-%016llx",
                 (unsigned long long)cookie);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* A listening abstract socket; -errno. */
static int listen_at(uint64_t cookie, int backlog)
{
    struct sockaddr_un name;
    socklen_t bytes = name_socket(&name, cookie);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    if (bind(fd, (struct sockaddr *)&name, bytes) || listen(fd, backlog)) {
        int err = -errno;

        close(fd);
        return err;
    }
    return fd;
}

/* No step waits longer than GSHMEM_TIMEOUT for another PE; without one, `most_s`
 * (0: for ever). */
static void limit_waits(int fd, int most_s)
{
    struct timeval limit = { .tv_sec = gsh_env.TIMEOUT > 0 ? gsh_env.TIMEOUT : most_s };

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

static const char *reason(int err)
{
    return err == -EAGAIN ? "no answer in time; is a PE stopped? (GSHMEM_TIMEOUT)" : strerror(-err);
}

static bool is_own_user(int fd)
{
    struct ucred peer;
    socklen_t bytes = sizeof(peer);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) && peer.uid == geteuid();
}

union fd_message {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static int send_fd(int to, int fd)
{
    char byte = 0;
    union fd_message control = { 0 };
    struct iovec iov = { &byte, 1 };
    struct msghdr msg = { .msg_iov = &iov,
                          .msg_iovlen = 1,
                          .msg_control = control.bytes,
                          .msg_controllen = sizeof(control.bytes) };

    if (gsh_fault_fails("segment.send"))
        return -EIO;
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
    return sendmsg(to, &msg, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

static int receive_fd(int from)
{
    char byte;
    union fd_message control;
    struct iovec iov = { &byte, 1 };
    struct msghdr msg = { .msg_iov = &iov,
                          .msg_iovlen = 1,
                          .msg_control = control.bytes,
                          .msg_controllen = sizeof(control.bytes) };
    ssize_t n;
    int fd;

    do {
        n = recvmsg(from, &msg, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    if (n == 0 || msg.msg_controllen < CMSG_LEN(sizeof(int)))
        return -EPIPE;
    memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
    return fd;
}

/* The lowest PE of the machine makes the file; -errno. */
static int make_file(size_t bytes)
{
    int fd = gsh_fault_fails("segment.memfd") ? -1 : memfd_create("gshmem", MFD_CLOEXEC);
    struct rlimit limit;

    if (fd < 0)
        return gsh_fail(-ENOMEM, "cannot make the shared memory file: %s", strerror(errno));
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < bytes) {
        close(fd);
        return gsh_fail(-EFBIG,
                        "a shared memory file of %zu MiB is above the limit of %zu MiB "
                        "for files (ulimit -f)",
                        bytes >> 20, (size_t)limit.rlim_cur >> 20);
    }
    if (ftruncate(fd, (off_t)bytes)) {
        int err = -errno;

        close(fd);
        return gsh_fail(err, "cannot make a shared memory file of %zu MiB: %s (ulimit -f)",
                        bytes >> 20, strerror(-err));
    }
    return fd;
}

/* Hands the file to n PEs. A stranger who found the name gets nothing. */
static int hand_out(int listener, int fd, int n)
{
    int err = 0;

    while (n > 0 && !err) {
        int to = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

        if (to < 0) {
            if (errno != EINTR)
                err = gsh_fail(-errno, "a PE of this machine did not fetch the shared memory: %s",
                               reason(-errno));
            continue;
        }
        if (is_own_user(to)) {
            err = send_fd(to, fd);
            if (err)
                gsh_fail(err, "cannot hand over the shared memory: %s", strerror(-err));
            n--;
        }
        close(to);
    }
    return err;
}

static int fetch_file(uint64_t cookie)
{
    struct sockaddr_un name;
    socklen_t bytes = name_socket(&name, cookie);
    int from = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int fd;

    if (from >= 0)
        limit_waits(from, 0);
    if (from < 0 || connect(from, (struct sockaddr *)&name, bytes))
        fd = -errno;
    else
        fd = is_own_user(from) ? receive_fd(from) : -EPERM;
    if (from >= 0)
        close(from);
    if (fd < 0)
        gsh_fail(fd, "cannot fetch the shared memory of this machine: %s", reason(fd));
    return fd;
}

/* The machine's file, on every PE of it; -errno. Collective over all PEs. */
static int share_file(struct gsh_boot *boot, const struct card *cards, int leader, int n_here,
                      size_t bytes)
{
    bool leads = leader == boot->rank;
    int listener = -1, fd = -1, err = 0;

    if (leads) {
        fd = make_file(bytes);
        err = fd < 0 ? fd : 0;
        if (!err && n_here > 1) {
            listener = listen_at(cards[leader].cookie, n_here);
            if (listener < 0)
                err = gsh_fail(listener, "cannot listen to the PEs of this machine: %s",
                               strerror(-listener));
            else
                limit_waits(listener, 60);
        }
    }
    err = agree(boot, err);
    if (!err && leads)
        err = hand_out(listener, fd, n_here - 1);
    if (!err && !leads) {
        fd = fetch_file(cards[leader].cookie);
        err = fd < 0 ? fd : 0;
    }
    if (listener >= 0)
        close(listener);
    err = agree(boot, err);
    if (err && fd >= 0)
        close(fd);
    return err ? err : fd;
}

/* Maps the file over a reservation that begins at the alignment of windows. */
static int map_file(struct gsh_segment *s, size_t bytes)
{
    size_t room = bytes + GSH_SEGMENT_ALIGN;
    char *start =
        gsh_fault_fails("segment.map")
            ? MAP_FAILED
            : mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *at;

    if (start == MAP_FAILED)
        return gsh_fail(-ENOMEM, "cannot reserve %zu MiB of address space: %s", room >> 20,
                        strerror(errno));
    at = start + (GSH_SEGMENT_ALIGN - (uintptr_t)start % GSH_SEGMENT_ALIGN) % GSH_SEGMENT_ALIGN;
    s->map = start;
    s->map_bytes = room;
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, s->fd, 0) ==
        MAP_FAILED)
        return gsh_fail(-errno, "cannot map %zu MiB of shared memory: %s", bytes >> 20,
                        strerror(errno));
    /* A core file would hold every PE's memory. */
    madvise(at, bytes, MADV_DONTDUMP);
    for (size_t i = 0; i < (size_t)s->n_here; i++)
        s->windows[s->here[i]] = at + i * s->window;
    return 0;
}

int gsh_segment_open(struct gsh_segment *s, struct gsh_boot *boot, size_t want, size_t need)
{
    size_t n = (size_t)boot->n_ranks;
    struct card *cards = calloc(n, sizeof(*cards));
    int err;

    *s = (struct gsh_segment){ .fd = -1,
                               .windows = calloc(n, sizeof(*s->windows)),
                               .here = calloc(n, sizeof(*s->here)) };
    if (!cards || !s->windows || !s->here)
        err = gsh_fail(-ENOMEM, "no memory for the windows of %zu PEs", n);
    else
        err = meet(s, boot, cards, want, need);
    for (int pe = 0; !err && pe < boot->n_ranks; pe++)
        if (!strcmp(cards[pe].machine, cards[boot->rank].machine))
            s->here[s->n_here++] = pe;
    if (!err) {
        s->fd = share_file(boot, cards, s->here[0], s->n_here, (size_t)s->n_here * s->window);
        err = s->fd < 0 ? s->fd : agree(boot, map_file(s, (size_t)s->n_here * s->window));
    }
    free(cards);
    if (err)
        gsh_segment_close(s);
    else
        gsh_log(GSH_INFO, GSH_HEAP, "%d windows of %zu MiB on this machine", s->n_here,
                s->window >> 20);
    return err;
}

void gsh_segment_close(struct gsh_segment *s)
{
    if (s->map)
        munmap(s->map, s->map_bytes);
    if (s->windows && s->fd >= 0)
        close(s->fd);
    free(s->windows);
    free(s->here);
    *s = (struct gsh_segment){ 0 };
}

size_t gsh_segment_touched(const struct gsh_segment *s)
{
    struct stat file;

    return fstat(s->fd, &file) ? 0 : (size_t)file.st_blocks * 512;
}
