/* interface.h - at which address of this machine the root of a unique id listens. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_BOOT_INTERFACE_H
#define GSH_BOOT_INTERFACE_H

#include "boot/address.h"

/* An address of this machine to listen at. family is AF_INET, AF_INET6 or
 * AF_UNIX ("" is AF_INET). interfaces is a comma separated list of names or
 * beginnings of names, tried in this order; "" takes the first interface that is
 * up and has an address of the family: those of container engines, which other machines
 * do not reach, after all others, and loopback last. `unique` makes the abstract
 * name of a Unix socket. */
int gsh_interface_choose(const char *family, const char *interfaces, uint64_t unique,
                         struct gsh_address *address);

/* For people: tells of each interface its address of the family, "" without one, and
 * whether it is chosen, or why not. */
void gsh_interface_explain(const char *family, const char *interfaces,
                           void (*tell)(const char *interface, const char *address,
                                        const char *why));

/* "eth0 10.0.0.1, lo 127.0.0.1": what this machine has, for messages. */
void gsh_interface_list(char *text, size_t bytes);

#endif /* GSH_BOOT_INTERFACE_H */
