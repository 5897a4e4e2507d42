/* serve.c - drives a hub over sockets.
 *
 * A connection that ends while events are handled is only marked; sweep() frees
 * it after the round, because a later event of the round may still name it.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "boot/serve.h"

#include "boot/address.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_A_STEP 64

struct gsh_serve_conn {
    struct gsh_serve_conn *next;
    int fd;
    int rank; /* -1 until a HELLO says it */
    enum gsh_line line;
    bool welcome; /* its HELLO was taken */
    bool refused;
    bool over;
    struct gsh_frame_in in;
    struct gsh_frame_out out;
};

static void watch_conn(struct gsh_serve *serve, struct gsh_serve_conn *conn, int how)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = conn };

    if (conn->out.first)
        event.events |= EPOLLOUT;
    epoll_ctl(serve->poll_fd, how, conn->fd, &event);
}

/* Whether the other side still listens is found out by reading. */
static void send_conn(struct gsh_serve *serve, struct gsh_serve_conn *conn,
                      const struct gsh_frame *head, struct gsh_blob *blob)
{
    bool waited = conn->out.first != NULL;

    gsh_frame_send(&conn->out, conn->fd, head, blob);
    if (!waited && conn->out.first)
        watch_conn(serve, conn, EPOLL_CTL_MOD);
}

static void hub_send(void *ctx, int rank, enum gsh_line line, const struct gsh_frame *head,
                     struct gsh_blob *blob)
{
    struct gsh_serve *serve = ctx;
    struct gsh_serve_conn *conn = serve->of_rank[line] ? serve->of_rank[line][rank] : NULL;

    if (conn && !conn->over)
        send_conn(serve, conn, head, blob);
}

static void hub_end(void *ctx, int rank, int status, const char *text)
{
    struct gsh_serve *serve = ctx;

    if (serve->end)
        serve->end(serve->ctx, rank, status, text);
}

static int add_conn(struct gsh_serve *serve, int fd, struct gsh_serve_conn **conn)
{
    *conn = calloc(1, sizeof(**conn));
    if (!*conn)
        return -ENOMEM;
    (*conn)->fd = fd;
    (*conn)->rank = -1;
    (*conn)->in.max_bytes = sizeof(struct gsh_hello);
    (*conn)->next = serve->conns;
    serve->conns = *conn;
    watch_conn(serve, *conn, EPOLL_CTL_ADD);
    return 0;
}

static int make_places(struct gsh_serve *serve)
{
    for (int line = 0; line < 2; line++) {
        if (!serve->of_rank[line])
            serve->of_rank[line] = calloc((size_t)serve->hub.n_ranks, sizeof(serve->conns));
        if (!serve->of_rank[line])
            return -ENOMEM;
    }
    return 0;
}

int gsh_serve_add(struct gsh_serve *serve, int fd, int rank, enum gsh_line line)
{
    struct gsh_serve_conn *conn;
    int err = add_conn(serve, fd, &conn);

    if (err)
        return err;
    conn->rank = rank;
    conn->line = line;
    serve->of_rank[line][rank] = conn;
    return 0;
}

int gsh_serve_open(struct gsh_serve *serve, int n_ranks, int listen_fd, uint64_t cookie)
{
    static const struct gsh_hub_ops ops = { .end = hub_end, .send = hub_send };
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };
    int err;

    *serve = (struct gsh_serve){ .listen_fd = listen_fd, .cookie = cookie };
    serve->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (serve->poll_fd < 0)
        return -errno;
    err = gsh_hub_open(&serve->hub, n_ranks, &ops, serve);
    if (!err && n_ranks)
        err = make_places(serve);
    if (!err && listen_fd >= 0 && epoll_ctl(serve->poll_fd, EPOLL_CTL_ADD, listen_fd, &event))
        err = -errno;
    return err;
}

static void free_conn(struct gsh_serve_conn *conn)
{
    gsh_frame_in_free(&conn->in);
    gsh_frame_out_free(&conn->out);
    close(conn->fd);
    free(conn);
}

static void close_listener(struct gsh_serve *serve)
{
    if (serve->listen_fd >= 0)
        close(serve->listen_fd);
    serve->listen_fd = -1;
}

void gsh_serve_close(struct gsh_serve *serve)
{
    while (serve->conns) {
        struct gsh_serve_conn *conn = serve->conns;

        serve->conns = conn->next;
        free_conn(conn);
    }
    close_listener(serve);
    if (serve->poll_fd >= 0)
        close(serve->poll_fd);
    serve->poll_fd = -1;
    for (int line = 0; line < 2; line++) {
        free(serve->of_rank[line]);
        serve->of_rank[line] = NULL;
    }
    gsh_hub_close(&serve->hub);
}

static void sweep(struct gsh_serve *serve)
{
    struct gsh_serve_conn **at = &serve->conns;

    while (*at) {
        struct gsh_serve_conn *conn = *at;

        if (!conn->over) {
            at = &conn->next;
            continue;
        }
        *at = conn->next;
        free_conn(conn);
    }
}

/* Marks a connection as ended for this reason; a rank that goes without BYE is dead. */
static void end_conn(struct gsh_serve *serve, struct gsh_serve_conn *conn, int err)
{
    if (conn->over)
        return;
    conn->over = true;
    epoll_ctl(serve->poll_fd, EPOLL_CTL_DEL, conn->fd, NULL);
    if (conn->line == GSH_LINE_LIFE && (conn->welcome || conn->refused))
        serve->n_dismissed++;
    if (conn->rank < 0 || serve->of_rank[conn->line][conn->rank] != conn)
        return;
    serve->of_rank[conn->line][conn->rank] = NULL;
    if (!serve->eof_is_death || conn->line != GSH_LINE_LIFE || !conn->welcome ||
        !serve->hub.ranks[conn->rank].lines)
        return;
    if (gsh_address_is_silence(err))
        gsh_hub_lost(&serve->hub, conn->rank, serve->patience_s);
    else
        gsh_hub_gone(&serve->hub, conn->rank, NULL);
}

static void refuse(struct gsh_serve *serve, struct gsh_serve_conn *conn, int err, const char *text)
{
    struct gsh_blob *blob = gsh_blob_create(strlen(text));

    if (blob)
        memcpy(blob->data, text, blob->bytes);
    conn->refused = true;
    send_conn(serve, conn, &(struct gsh_frame){ .kind = GSH_FRAME_ERROR, .status = err }, blob);
    gsh_blob_drop(blob);
}

/* Gives a connection the place that its HELLO asked for. */
static int place(struct gsh_serve *serve, struct gsh_serve_conn *conn, int rank)
{
    int err = make_places(serve);

    if (err)
        return err;
    conn->rank = rank;
    conn->welcome = true;
    conn->in.max_bytes = conn->line == GSH_LINE_LIFE
                             ? GSH_FRAME_TEXT_BYTES
                             : GSH_FRAME_MAX_BYTES / (size_t)serve->hub.n_ranks;
    serve->of_rank[conn->line][rank] = conn;
    return 0;
}

static void read_conn(struct gsh_serve *serve, struct gsh_serve_conn *conn);

/* A PE that comes again has said BYE on its life line before it says HELLO on the
 * other. Both are there by now, but the lines are read in any order. */
static void hear_bye(struct gsh_serve *serve, const struct gsh_serve_conn *conn)
{
    struct gsh_serve_conn *life = serve->of_rank[GSH_LINE_LIFE][conn->rank];

    if (conn->line == GSH_LINE_EXCHANGE && life)
        read_conn(serve, life);
}

static int take_hello(struct gsh_serve *serve, struct gsh_serve_conn *conn)
{
    struct gsh_hello hello;
    char text[GSH_FRAME_TEXT_BYTES] = "";
    int rank = conn->in.head.who;
    int err;

    if (conn->in.head.kind != GSH_FRAME_HELLO || conn->in.head.bytes != sizeof(hello))
        return -EPROTO;
    memcpy(&hello, conn->in.data, sizeof(hello));
    if (hello.cookie != serve->cookie)
        return -EPROTO;
    if (conn->rank >= 0 && (rank != conn->rank || hello.line != (int)conn->line))
        return -EPROTO;
    if (conn->welcome)
        hear_bye(serve, conn);
    err = gsh_hub_hello(&serve->hub, rank, &hello, text);
    if (err == -EPROTO)
        return err;
    conn->line = hello.line == GSH_LINE_LIFE ? GSH_LINE_LIFE : GSH_LINE_EXCHANGE;
    if (!err)
        err = place(serve, conn, rank);
    if (err)
        refuse(serve, conn, err, text);
    if (serve->hub.n_ranks)
        gsh_hub_settle(&serve->hub);
    return 0;
}

static int take_message(struct gsh_serve *serve, struct gsh_serve_conn *conn)
{
    if (conn->refused)
        return -EPROTO;
    if (!conn->welcome || conn->in.head.kind == GSH_FRAME_HELLO)
        return take_hello(serve, conn);
    return gsh_hub_message(&serve->hub, conn->rank, &conn->in.head, conn->in.data);
}

static void read_conn(struct gsh_serve *serve, struct gsh_serve_conn *conn)
{
    int err;

    do {
        err = gsh_frame_read(&conn->in, conn->fd);
        if (err == 1)
            err = take_message(serve, conn);
    } while (!err && !conn->over);
    if (err && err != -EAGAIN)
        end_conn(serve, conn, err);
}

static void write_conn(struct gsh_serve *serve, struct gsh_serve_conn *conn)
{
    gsh_frame_flush(&conn->out, conn->fd);
    if (!conn->out.first)
        watch_conn(serve, conn, EPOLL_CTL_MOD);
}

/* Without a descriptor to spare the newcomer waits in the queue of the listener;
 * the pause keeps this from turning idly. */
static void accept_conn(struct gsh_serve *serve)
{
    static const int on = 1;
    struct gsh_serve_conn *conn;
    int fd = accept4(serve->listen_fd, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE)
            nanosleep(&(struct timespec){ .tv_nsec = 10 * 1000 * 1000 }, NULL);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    gsh_address_guard(fd, serve->patience_s);
    if (add_conn(serve, fd, &conn))
        close(fd);
}

/* A world has begun: nobody else is expected, and who has not said who it is
 * never will. */
static void shut_door(struct gsh_serve *serve)
{
    if (serve->listen_fd < 0 || !serve->hub.started)
        return;
    close_listener(serve);
    for (struct gsh_serve_conn *conn = serve->conns; conn; conn = conn->next)
        if (!conn->welcome)
            end_conn(serve, conn, 0);
}

static void handle(struct gsh_serve *serve, const struct epoll_event *event)
{
    struct gsh_serve_conn *conn = event->data.ptr;

    if (!conn) {
        if (serve->listen_fd >= 0)
            accept_conn(serve);
        return;
    }
    if (!conn->over && (event->events & EPOLLOUT))
        write_conn(serve, conn);
    if (!conn->over && (event->events & ~(uint32_t)EPOLLOUT))
        read_conn(serve, conn);
}

int gsh_serve_step(struct gsh_serve *serve, int timeout_ms)
{
    struct epoll_event events[EVENTS_A_STEP];
    int n = epoll_wait(serve->poll_fd, events, EVENTS_A_STEP, timeout_ms);

    for (int i = 0; i < n; i++)
        handle(serve, &events[i]);
    shut_door(serve);
    sweep(serve);
    return n < 0 ? 0 : n;
}

bool gsh_serve_is_over(const struct gsh_serve *serve)
{
    const struct gsh_hub *hub = &serve->hub;

    if (hub->started)
        return gsh_hub_is_over(hub);
    return hub->broken[0] && !serve->conns && serve->n_dismissed >= hub->n_ranks;
}
