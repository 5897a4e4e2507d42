/* address.c - where the root of a unique id listens, and connections to there. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "boot/address.h"

#include "core/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

_Static_assert(sizeof(struct sockaddr_in6) <= GSH_ADDRESS_MAX_BYTES, "room for IPv6");

/* The raw bytes, where they may be read and written as a socket address. */
union socket_address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
};

static void load(const struct gsh_address *address, union socket_address *at)
{
    memset(at, 0, sizeof(*at));
    memcpy(at, address->raw, address->bytes);
}

static void store(const void *from, size_t bytes, struct gsh_address *address)
{
    memset(address, 0, sizeof(*address));
    address->bytes = (uint32_t)bytes;
    memcpy(address->raw, from, bytes);
}

static size_t family_bytes(int family)
{
    return family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

void gsh_address_unix(uint64_t unique, struct gsh_address *address)
{
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    int length = snprintf(un.sun_path + 1, 32, "gshmem-%016" PRIx64, unique);

    store(&un, offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length, address);
}

void gsh_address_of(const struct sockaddr *from, struct gsh_address *address)
{
    union socket_address at;

    store(from, family_bytes(from->sa_family), address);
    load(address, &at);
    at.in.sin_port = 0;
    store(&at, family_bytes(from->sa_family), address);
}

/* Splits host:port or [host]:port; false when it is neither. */
static bool split(const char *text, char *host, size_t bytes, const char **port)
{
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;

    if (!colon || !length || !colon[1])
        return false;
    if (text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    } else if (memchr(text, ':', length)) {
        return false;
    }
    *port = colon + 1;
    return (size_t)snprintf(host, bytes, "%.*s", (int)length, text) < bytes;
}

int gsh_address_parse(const char *variable, const char *text, struct gsh_address *address)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    struct addrinfo *list;
    char host[256];
    const char *port;
    int err;

    if (!split(text, host, sizeof(host), &port))
        return gsh_fail(-EINVAL, "%s is \"%s\"; it must be host:port or [ipv6]:port", variable,
                        text);
    hints.ai_flags = AI_NUMERICSERV;
    err = getaddrinfo(host, port, &hints, &list);
    if (err)
        return gsh_fail(-EINVAL, "%s is \"%s\": %s", variable, text, gai_strerror(err));
    store(list->ai_addr, family_bytes(list->ai_family), address);
    freeaddrinfo(list);
    return 0;
}

void gsh_address_widen(struct gsh_address *address)
{
    union socket_address at;

    load(address, &at);
    if (at.any.sa_family == AF_INET)
        at.in.sin_addr.s_addr = htonl(INADDR_ANY);
    if (at.any.sa_family == AF_INET6)
        at.in6.sin6_addr = in6addr_any;
    store(&at, address->bytes, address);
}

bool gsh_address_is_loopback(const struct gsh_address *address)
{
    union socket_address at;

    load(address, &at);
    return (at.any.sa_family == AF_INET && ntohl(at.in.sin_addr.s_addr) >> 24 == 127) ||
           (at.any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&at.in6.sin6_addr));
}

void gsh_address_print(const struct gsh_address *address, char *text, size_t bytes)
{
    union socket_address at;
    char host[INET6_ADDRSTRLEN] = "";

    load(address, &at);
    if (at.any.sa_family == AF_UNIX) {
        snprintf(text, bytes, "@%s", at.un.sun_path + 1);
        return;
    }
    if (at.any.sa_family == AF_INET) {
        inet_ntop(AF_INET, &at.in.sin_addr, host, sizeof(host));
        snprintf(text, bytes, "%s:%d", host, ntohs(at.in.sin_port));
        return;
    }
    inet_ntop(AF_INET6, &at.in6.sin6_addr, host, sizeof(host));
    snprintf(text, bytes, "[%s]:%d", host, ntohs(at.in6.sin6_port));
}

int gsh_address_listen(struct gsh_address *address)
{
    static const int on = 1;
    union socket_address at;
    socklen_t bytes = sizeof(at);
    int fd;
    int err;

    load(address, &at);
    fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, &at.any, address->bytes) || listen(fd, SOMAXCONN) ||
        getsockname(fd, &at.any, &bytes)) {
        err = -errno;
        close(fd);
        return err;
    }
    store(&at, address->bytes, address);
    return fd;
}

/* Waits for the end of a connect() that was begun: 0 or a negative errno. */
static int await_connect(int fd, int timeout_ms)
{
    struct pollfd wait = { .fd = fd, .events = POLLOUT };
    int err = 0;
    socklen_t bytes = sizeof(err);
    int n;

    do {
        n = poll(&wait, 1, timeout_ms);
    } while (n < 0 && errno == EINTR);
    if (!n)
        return -ETIMEDOUT;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &bytes);
    return -err;
}

/* Trying a port at which nobody listens yet can end in a connection with itself. */
static bool is_itself(int fd)
{
    union socket_address here = { 0 };
    union socket_address there = { 0 };
    socklen_t here_bytes = sizeof(here);
    socklen_t there_bytes = sizeof(there);

    return !getsockname(fd, &here.any, &here_bytes) && !getpeername(fd, &there.any, &there_bytes) &&
           here.any.sa_family != AF_UNIX && !memcmp(&here, &there, sizeof(here));
}

int gsh_address_connect(const struct gsh_address *address, int timeout_ms)
{
    static const int on = 1;
    union socket_address at;
    int err = 0;
    int fd;

    load(address, &at);
    fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, &at.any, address->bytes))
        err = errno == EINPROGRESS || errno == EINTR ? await_connect(fd, timeout_ms) : -errno;
    if (!err && is_itself(fd))
        err = -ECONNREFUSED;
    if (err) {
        close(fd);
        return err;
    }
    fcntl(fd, F_SETFL, 0);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
}

/* The kernel asks the other one's after a quarter of the time, and again after each
 * quarter. The user timeout is for what was sent and is not acknowledged, when it does
 * not ask. */
void gsh_address_guard(int fd, int seconds)
{
    static const int on = 1, asks = 3;
    int quarter = seconds < 4 ? 1 : seconds / 4;
    unsigned int most_ms = (unsigned int)seconds * 1000;

    if (seconds <= 0)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &quarter, sizeof(quarter));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &quarter, sizeof(quarter));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &asks, sizeof(asks));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &most_ms, sizeof(most_ms));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

bool gsh_address_is_silence(int err)
{
    return err == -ETIMEDOUT || err == -EHOSTUNREACH || err == -ENETUNREACH || err == -EHOSTDOWN;
}
