/* address.c - where the root of a unique id listens.
 *
 * All PEs are on one machine, so any address of it will do; one that is not
 * loopback is preferred because it stays right with more machines.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "boot/address.h"

#include "core/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
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

static void name_unix(uint64_t unique, struct gsh_address *address)
{
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    int length = snprintf(un.sun_path + 1, 32, "gshmem-%016" PRIx64, unique);

    store(&un, offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length, address);
}

/* An IPv6 address that is valid on one link only asks every user for the link. */
static bool is_link_local(const struct sockaddr *address)
{
    const struct sockaddr_in6 *in6 = (const void *)address;

    return address->sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr);
}

/* The first interface whose name begins with the given part; an empty part fits
 * those that are loopback, or those that are not. */
static const struct ifaddrs *find(const struct ifaddrs *all, int family, const char *part,
                                  size_t length, bool loopback)
{
    for (const struct ifaddrs *at = all; at; at = at->ifa_next) {
        if (!at->ifa_addr || at->ifa_addr->sa_family != family || !(at->ifa_flags & IFF_UP))
            continue;
        if (length && !strncmp(at->ifa_name, part, length))
            return at;
        if (!length && !is_link_local(at->ifa_addr) &&
            loopback == ((at->ifa_flags & IFF_LOOPBACK) != 0))
            return at;
    }
    return NULL;
}

static const struct ifaddrs *find_any(const struct ifaddrs *all, int family, const char *interfaces)
{
    const struct ifaddrs *found = NULL;

    if (!*interfaces) {
        found = find(all, family, "", 0, false);
        return found ? found : find(all, family, "", 0, true);
    }
    while (*interfaces && !found) {
        size_t length = strcspn(interfaces, ",");

        if (length)
            found = find(all, family, interfaces, length, false);
        interfaces += length + (interfaces[length] == ',');
    }
    return found;
}

static int choose_inet(int family, const char *interfaces, struct gsh_address *address)
{
    struct ifaddrs *all;
    const struct ifaddrs *found;
    union socket_address at;

    if (getifaddrs(&all))
        return gsh_fail(-errno, "cannot list the network interfaces: %s", strerror(errno));
    found = find_any(all, family, interfaces);
    if (found) {
        store(found->ifa_addr, family_bytes(family), address);
        load(address, &at);
        at.in.sin_port = 0;
        store(&at, family_bytes(family), address);
    }
    freeifaddrs(all);
    if (found)
        return 0;
    return gsh_fail(-EADDRNOTAVAIL,
                    "no network interface%s%s is up and has an %s address; see "
                    "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME and NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY",
                    *interfaces ? " that fits " : "", interfaces,
                    family == AF_INET ? "IPv4" : "IPv6");
}

int gsh_address_choose(const char *family, const char *interfaces, uint64_t unique,
                       struct gsh_address *address)
{
    if (!*family || !strcmp(family, "AF_INET"))
        return choose_inet(AF_INET, interfaces, address);
    if (!strcmp(family, "AF_INET6"))
        return choose_inet(AF_INET6, interfaces, address);
    if (strcmp(family, "AF_UNIX"))
        return gsh_fail(-EINVAL,
                        "NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY is \"%s\"; it can be AF_INET, "
                        "AF_INET6 or AF_UNIX",
                        family);
    name_unix(unique, address);
    return 0;
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

int gsh_address_parse(const char *text, struct gsh_address *address)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    struct addrinfo *list;
    char host[256];
    const char *port;
    int err;

    if (!split(text, host, sizeof(host), &port))
        return gsh_fail(-EINVAL,
                        "NVSHMEM_BOOTSTRAP_UID_SESSION_ID is \"%s\"; it must be host:port or "
                        "[ipv6]:port",
                        text);
    hints.ai_flags = AI_NUMERICSERV;
    err = getaddrinfo(host, port, &hints, &list);
    if (err)
        return gsh_fail(-EINVAL, "NVSHMEM_BOOTSTRAP_UID_SESSION_ID is \"%s\": %s", text,
                        gai_strerror(err));
    store(list->ai_addr, family_bytes(list->ai_family), address);
    freeaddrinfo(list);
    return 0;
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
