/* pass.h - hand file descriptors to other processes of this user on this machine.
 *
 * One process listens at an abstract Unix socket, whose name is a secret number that it
 * tells the others; each of them connects and is sent a descriptor. Sockets of this kind
 * have no name in any file system. Strangers who guess the number get nothing. All calls
 * return a descriptor (or 0), or a negative errno.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_UTIL_PASS_H
#define GSH_UTIL_PASS_H

#include <stdint.h>

/* A number for a socket's name. */
uint64_t gsh_pass_cookie(void);

/* A listening socket with room for `backlog` that have not been served. */
int gsh_pass_listen(uint64_t cookie, int backlog);

/* Sends fd to the next who has connected, after at most `limit_s` (0: for ever). */
int gsh_pass_serve(int listener, int fd, int limit_s);

/* Connects; it need not be served yet. Then waits for the descriptor; closes `from`. */
int gsh_pass_connect(uint64_t cookie);
int gsh_pass_receive(int from, int limit_s);

/* The words for an error of these calls. */
const char *gsh_pass_reason(int err);

#endif /* GSH_UTIL_PASS_H */
