/* serve.h - drives a hub over sockets: used by the thread of a unique id and by
 * the launcher.
 *
 * All of a server is used by one thread. gsh_serve_step() does what is to be
 * done now; the descriptor `poll_fd` is readable when there is something.
 *
 * A connection is either handed in with its rank and line, or comes in through
 * the listener. Who comes in must say a HELLO with the cookie first; anything
 * else is dropped and disturbs nobody. The listener is closed when the world has
 * begun.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_BOOT_SERVE_H
#define GSH_BOOT_SERVE_H

#include "boot/hub.h"

struct gsh_serve {
    struct gsh_hub hub;
    int poll_fd;
    int listen_fd; /* -1 when there is none */
    uint64_t cookie;
    bool eof_is_death; /* the end of a life line without BYE is the end of the PE */
    int patience_s;    /* for a machine that does not answer; 0: without end */
    int n_dismissed;   /* life lines that said HELLO and have ended */
    struct gsh_serve_conn *conns;
    struct gsh_serve_conn **of_rank[2]; /* [line][rank] */
    void (*end)(void *ctx, int rank, int status, const char *text);
    void *ctx;
};

/* n_ranks may be 0: the first HELLO says it. Takes listen_fd over, which may be
 * -1, also when it fails. end(), which is the hub's, its ctx, eof_is_death, patience_s and
 * hub.welcome may be set afterwards. 0, or a negative errno and gsh_serve_close() is still due. */
int gsh_serve_open(struct gsh_serve *serve, int n_ranks, int listen_fd, uint64_t cookie);
void gsh_serve_close(struct gsh_serve *serve);

/* Takes over the socket that leads to this rank on this line. */
int gsh_serve_add(struct gsh_serve *serve, int fd, int rank, enum gsh_line line);

/* Waits at most timeout_ms (-1: for ever) and handles what has come. The number
 * of events, 0 when there was none. */
int gsh_serve_step(struct gsh_serve *serve, int timeout_ms);

/* Nobody is left to be served. */
bool gsh_serve_is_over(const struct gsh_serve *serve);

#endif /* GSH_BOOT_SERVE_H */
