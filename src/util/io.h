/* io.h - reads and writes that survive interruptions and short counts.
 *
 * The full forms block until all bytes have moved. The try forms move what can
 * be moved now; they work on sockets alone. No form raises SIGPIPE on a socket.
 * All of them pass the fault points io.short and io.delay.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_UTIL_IO_H
#define GSH_UTIL_IO_H

#include <stddef.h>
#include <sys/types.h>

/* 0, -EPIPE when the other side ends before `bytes`, or what read() says. */
int gsh_io_read_full(int fd, void *to, size_t bytes);

/* 0, -EPIPE when nobody reads, or what write() says. */
int gsh_io_write_full(int fd, const void *from, size_t bytes);

/* The bytes moved (> 0), -EAGAIN when none can move now, -EPIPE at the end of
 * the connection, or another negative errno. `bytes` must not be 0. */
ssize_t gsh_io_try_read(int fd, void *to, size_t bytes);
ssize_t gsh_io_try_write(int fd, const void *from, size_t bytes);

#endif /* GSH_UTIL_IO_H */
