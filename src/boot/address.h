/* address.h - where the root of a unique id listens, and connections to there. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_BOOT_ADDRESS_H
#define GSH_BOOT_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for every family that is used here; an abstract Unix name is short. */
#define GSH_ADDRESS_MAX_BYTES 64

/* A socket address as the kernel has it; travels inside a unique id. */
struct gsh_address {
    uint32_t bytes;
    uint8_t raw[GSH_ADDRESS_MAX_BYTES];
};

/* The abstract name of a Unix socket that `unique` makes. */
void gsh_address_unix(uint64_t unique, struct gsh_address *address);

/* A socket address of the kernel's; a port is left out. */
struct sockaddr;
void gsh_address_of(const struct sockaddr *from, struct gsh_address *address);

/* Reads host:port or [ipv6]:port, which is the value of this variable. */
int gsh_address_parse(const char *variable, const char *text, struct gsh_address *address);

/* The same port at all interfaces of this machine. */
void gsh_address_widen(struct gsh_address *address);

/* Reaches this machine alone. */
bool gsh_address_is_loopback(const struct gsh_address *address);

void gsh_address_print(const struct gsh_address *address, char *text, size_t bytes);

/* A listening socket, or a negative errno without a word: the caller may want to
 * try again. A port of 0 is replaced by the one that was given. */
int gsh_address_listen(struct gsh_address *address);

/* A connected socket, or a negative errno without a word. */
int gsh_address_connect(const struct gsh_address *address, int timeout_ms);

/* From here on reads fail with an errno of gsh_address_is_silence() when nothing has come
 * from the other machine for so many seconds, not even from its system; 0: never. */
void gsh_address_guard(int fd, int seconds);
bool gsh_address_is_silence(int err);

#endif /* GSH_BOOT_ADDRESS_H */
