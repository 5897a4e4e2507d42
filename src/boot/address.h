/* address.h - where the root of a unique id listens.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_BOOT_ADDRESS_H
#define GSH_BOOT_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

/* Room for every family that is used here; an abstract Unix name is short. */
#define GSH_ADDRESS_MAX_BYTES 64

/* A socket address as the kernel has it; travels inside a unique id. */
struct gsh_address {
    uint32_t bytes;
    uint8_t raw[GSH_ADDRESS_MAX_BYTES];
};

/* An address of this machine to listen at. family is AF_INET, AF_INET6 or
 * AF_UNIX ("" is AF_INET). interfaces is a comma separated list of names or
 * beginnings of names, tried in this order; "" takes the first interface that is
 * up and has an address of the family, loopback last. `unique` makes the abstract
 * name of a Unix socket. */
int gsh_address_choose(const char *family, const char *interfaces, uint64_t unique,
                       struct gsh_address *address);

/* Reads host:port or [ipv6]:port. */
int gsh_address_parse(const char *text, struct gsh_address *address);

void gsh_address_print(const struct gsh_address *address, char *text, size_t bytes);

/* A listening socket, or a negative errno without a word: the caller may want to
 * try again. A port of 0 is replaced by the one that was given. */
int gsh_address_listen(struct gsh_address *address);

/* A connected socket, or a negative errno without a word. */
int gsh_address_connect(const struct gsh_address *address, int timeout_ms);

#endif /* GSH_BOOT_ADDRESS_H */
