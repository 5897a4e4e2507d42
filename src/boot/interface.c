/* interface.c - at which address of this machine the root of a unique id listens.
 *
 * An interface gets a mark, the lower the better; the choice and its explanation go by the
 * same marks.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "boot/interface.h"

#include "core/log.h"

#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define LIST "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME"
#define FAMILY "NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY"

/* Marks of an interface that may be taken when no list is given; with a list the mark is
 * the place in it. */
enum { FIRST, CONTAINERS, LOOPBACK, NEVER = INT_MAX };

/* 0 for a family that has no interfaces; -EINVAL. */
static int parse_family(const char *family)
{
    if (!*family || !strcmp(family, "AF_INET"))
        return AF_INET;
    if (!strcmp(family, "AF_INET6"))
        return AF_INET6;
    if (!strcmp(family, "AF_UNIX"))
        return 0;
    return gsh_fail(-EINVAL, FAMILY " is \"%s\"; it can be AF_INET, AF_INET6 or AF_UNIX", family);
}

static bool begins_with(const char *name, const char *part, size_t length)
{
    return length && !strncmp(name, part, length);
}

/* The place of the first part of the list that the name begins with. */
static int place_in(const char *interfaces, const char *name)
{
    for (int place = 0; *interfaces; place++) {
        size_t length = strcspn(interfaces, ",");

        if (begins_with(name, interfaces, length))
            return place;
        interfaces += length + (interfaces[length] == ',');
    }
    return NEVER;
}

/* The bridges of container engines and virtual machines. */
static bool is_of_containers(const char *name)
{
    return begins_with(name, "docker", 6) || begins_with(name, "virbr", 5) ||
           begins_with(name, "cni", 3);
}

/* An IPv6 address that is valid on one link only asks every user for the link. */
static bool is_link_local(const struct sockaddr *address)
{
    const struct sockaddr_in6 *in6 = (const void *)address;

    return address->sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr);
}

/* The mark of an interface with an address of the family, and in words. */
static int mark(const struct ifaddrs *at, const char *interfaces, const char **why)
{
    int place = place_in(interfaces, at->ifa_name);

    *why = "not chosen: another one comes before it";
    if (!(at->ifa_flags & IFF_UP) || !(at->ifa_flags & IFF_RUNNING)) {
        *why = at->ifa_flags & IFF_UP ? "not chosen: has no link" : "not chosen: is down";
        return NEVER;
    }
    if (*interfaces) {
        if (place == NEVER)
            *why = "not chosen: not among those of " LIST;
        return place;
    }
    if (is_link_local(at->ifa_addr)) {
        *why = "not chosen: the address is valid on its link alone";
        return NEVER;
    }
    if (at->ifa_flags & IFF_LOOPBACK) {
        *why = "not chosen: loopback, which other machines do not reach";
        return LOOPBACK;
    }
    if (is_of_containers(at->ifa_name)) {
        *why = "not chosen: for containers, which other machines do not reach";
        return CONTAINERS;
    }
    return FIRST;
}

static const struct ifaddrs *choose(const struct ifaddrs *all, int family, const char *interfaces)
{
    const struct ifaddrs *best = NULL;
    int best_mark = NEVER;
    const char *why;

    for (const struct ifaddrs *at = all; at; at = at->ifa_next) {
        if (!at->ifa_addr || at->ifa_addr->sa_family != family ||
            mark(at, interfaces, &why) >= best_mark)
            continue;
        best = at;
        best_mark = mark(at, interfaces, &why);
    }
    return best;
}

static int choose_inet(int family, const char *interfaces, struct gsh_address *address)
{
    struct ifaddrs *all;
    const struct ifaddrs *found;
    char here[256];

    if (getifaddrs(&all))
        return gsh_fail(-errno, "cannot list the network interfaces: %s", strerror(errno));
    found = choose(all, family, interfaces);
    if (found)
        gsh_address_of(found->ifa_addr, address);
    freeifaddrs(all);
    if (found)
        return 0;
    gsh_interface_list(here, sizeof(here));
    return gsh_fail(-EADDRNOTAVAIL,
                    "no network interface%s%s is up and has an %s address; here are %s; see " LIST
                    " and " FAMILY,
                    *interfaces ? " that fits " : "", interfaces,
                    family == AF_INET ? "IPv4" : "IPv6", here);
}

int gsh_interface_choose(const char *family, const char *interfaces, uint64_t unique,
                         struct gsh_address *address)
{
    int inet = parse_family(family);

    if (inet > 0)
        return choose_inet(inet, interfaces, address);
    if (!inet)
        gsh_address_unix(unique, address);
    return inet;
}

/* The address without the port. */
static void print(const struct ifaddrs *at, char *text, size_t bytes)
{
    struct gsh_address address;

    gsh_address_of(at->ifa_addr, &address);
    gsh_address_print(&address, text, bytes);
    *strrchr(text, ':') = '\0';
}

static bool has_address(const struct ifaddrs *all, int family, const char *name)
{
    for (const struct ifaddrs *at = all; at; at = at->ifa_next)
        if (at->ifa_addr && at->ifa_addr->sa_family == family && !strcmp(at->ifa_name, name))
            return true;
    return false;
}

void gsh_interface_explain(const char *family, const char *interfaces,
                           void (*tell)(const char *interface, const char *address,
                                        const char *why))
{
    int inet = parse_family(family);
    struct ifaddrs *all;
    const struct ifaddrs *chosen;

    if (inet <= 0 || getifaddrs(&all))
        return;
    chosen = choose(all, inet, interfaces);
    for (const struct ifaddrs *at = all; at; at = at->ifa_next) {
        char address[96] = "";
        const char *why =
            inet == AF_INET ? "not chosen: has no IPv4 address" : "not chosen: has no IPv6 address";

        if (at->ifa_addr && at->ifa_addr->sa_family == inet) {
            mark(at, interfaces, &why);
            print(at, address, sizeof(address));
        } else if (!at->ifa_addr || at->ifa_addr->sa_family != AF_PACKET ||
                   has_address(all, inet, at->ifa_name)) {
            continue;
        }
        tell(at->ifa_name, address, at == chosen ? "chosen" : why);
    }
    freeifaddrs(all);
}

void gsh_interface_list(char *text, size_t bytes)
{
    struct ifaddrs *all;
    size_t have = 0;

    snprintf(text, bytes, "none");
    if (getifaddrs(&all))
        return;
    for (const struct ifaddrs *at = all; at && have < bytes; at = at->ifa_next) {
        char address[96];

        if (!at->ifa_addr ||
            (at->ifa_addr->sa_family != AF_INET && at->ifa_addr->sa_family != AF_INET6) ||
            is_link_local(at->ifa_addr))
            continue;
        print(at, address, sizeof(address));
        have += (size_t)snprintf(text + have, bytes - have, "%s%s %s", have ? ", " : "",
                                 at->ifa_name, address);
    }
    freeifaddrs(all);
}
