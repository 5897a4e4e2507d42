/* pass.c - see pass.h. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "util/pass.h"
#include "util/fault.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

union fd_message {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

uint64_t gsh_pass_cookie(void)
{
    uint64_t cookie;

    if (getrandom(&cookie, sizeof(cookie), 0) != sizeof(cookie))
        cookie = (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&cookie;
    return cookie;
}

static socklen_t name_socket(struct sockaddr_un *name, uint64_t cookie)
{
    int n;

    *name = (struct sockaddr_un){ .sun_family = AF_UNIX };
    n = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "gshmem-%016llx",
                 (unsigned long long)cookie);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static void limit_waits(int fd, int limit_s)
{
    struct timeval limit = { .tv_sec = limit_s };

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

static bool is_own_user(int fd)
{
    struct ucred peer;
    socklen_t bytes = sizeof(peer);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) && peer.uid == geteuid();
}

const char *gsh_pass_reason(int err)
{
    return err == -EAGAIN ? "no answer in time; is a PE stopped? (GSHMEM_TIMEOUT)" : strerror(-err);
}

/* Closes fd and returns the error that errno tells. */
static int failed(int fd)
{
    int err = -errno;

    close(fd);
    return err;
}

int gsh_pass_listen(uint64_t cookie, int backlog)
{
    struct sockaddr_un name;
    socklen_t bytes = name_socket(&name, cookie);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    if (bind(fd, (struct sockaddr *)&name, bytes) || listen(fd, backlog))
        return failed(fd);
    return fd;
}

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

int gsh_pass_serve(int listener, int fd, int limit_s)
{
    int to, err;

    limit_waits(listener, limit_s);
    for (;;) {
        to = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (to < 0 && errno != EINTR)
            return -errno;
        if (to >= 0 && is_own_user(to))
            break;
        if (to >= 0)
            close(to);
    }
    err = send_fd(to, fd);
    close(to);
    return err;
}

int gsh_pass_connect(uint64_t cookie)
{
    struct sockaddr_un name;
    socklen_t bytes = name_socket(&name, cookie);
    int from = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (from < 0)
        return -errno;
    if (connect(from, (struct sockaddr *)&name, bytes))
        return failed(from);
    if (!is_own_user(from)) {
        close(from);
        return -EPERM;
    }
    return from;
}

int gsh_pass_receive(int from, int limit_s)
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

    limit_waits(from, limit_s);
    do {
        n = recvmsg(from, &msg, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return failed(from);
    close(from);
    if (n == 0 || msg.msg_controllen < CMSG_LEN(sizeof(int)))
        return -EPIPE;
    memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
    return fd;
}
