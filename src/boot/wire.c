/* wire.c - a PE's side of a job with a root.
 *
 * The exchange line belongs to the caller of allgather and barrier and blocks, at
 * most for GSHMEM_TIMEOUT: then the root is told, which knows who is missing and
 * answers with that.
 * The life line is read without waiting by the watch thread and written, under
 * the lock, by whoever aborts or closes.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/wire.h"

#include "boot/address.h"
#include "boot/frame.h"
#include "core/env.h"
#include "core/log.h"
#include "util/io.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* What the root has to say who is missing. */
enum { LAST_WORD_MS = 2000 };

struct wire {
    struct gsh_wire_lines lines;
    struct gsh_welcome welcome;
    uint32_t asked;    /* messages sent on the exchange line */
    uint32_t answered; /* messages read from it */
    int64_t until_ms;  /* the answer is due; 0: whenever */
    bool tired;        /* the root was told that it is overdue */
    pthread_mutex_t lock;
    uint32_t spoken; /* messages sent on the life line */
    struct gsh_frame_in life;
};

/* Head and data go out in one piece where they fit one. */
static int put_frame(int fd, uint32_t *number, struct gsh_frame *head, const void *data)
{
    char piece[512];
    int err;

    head->mark = GSH_FRAME_MARK;
    head->number = (*number)++;
    if (sizeof(*head) + head->bytes <= sizeof(piece)) {
        memcpy(piece, head, sizeof(*head));
        if (head->bytes)
            memcpy(piece + sizeof(*head), data, head->bytes);
        return gsh_io_write_full(fd, piece, sizeof(*head) + head->bytes);
    }
    err = gsh_io_write_full(fd, head, sizeof(*head));
    return err ? err : gsh_io_write_full(fd, data, head->bytes);
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void begin_wait(struct wire *wire)
{
    wire->tired = false;
    wire->until_ms = gsh_env.TIMEOUT > 0 ? now_ms() + (int64_t)gsh_env.TIMEOUT * 1000 : 0;
}

/* Waits until there is something to read: 0, or -ETIMEDOUT when the root has not
 * even the last word. */
static int await_bytes(struct wire *wire, int fd)
{
    struct pollfd wait = { .fd = fd, .events = POLLIN };

    for (;;) {
        int64_t left_ms = wire->until_ms ? wire->until_ms - now_ms() : -1;
        struct gsh_frame head = { .kind = GSH_FRAME_TIRED, .status = gsh_env.TIMEOUT };

        if (wire->until_ms && left_ms < 0)
            left_ms = 0;
        if (poll(&wait, 1, (int)left_ms) > 0)
            return 0;
        if (!wire->until_ms || now_ms() < wire->until_ms)
            continue;
        if (wire->tired)
            return -ETIMEDOUT;
        wire->tired = true;
        wire->until_ms = now_ms() + LAST_WORD_MS;
        put_frame(wire->lines.exchange_fd, &wire->asked, &head, NULL);
    }
}

/* Its machine does not answer, which is not the same as a root that has not yet. */
static int name_silence(int err)
{
    return gsh_address_is_silence(err) ? -EHOSTDOWN : err;
}

static int read_answer(struct wire *wire, void *to, size_t bytes)
{
    int fd = wire->lines.exchange_fd;

    for (size_t have = 0; have < bytes;) {
        ssize_t moved = gsh_io_try_read(fd, (char *)to + have, bytes - have);
        int err = moved == -EAGAIN ? await_bytes(wire, fd)
                  : moved < 0      ? name_silence((int)moved)
                                   : 0;

        if (err)
            return err;
        have += moved > 0 ? (size_t)moved : 0;
    }
    return 0;
}

/* The root itself is silent. */
static int no_answer(const struct wire *wire)
{
    return gsh_fail(-ETIMEDOUT,
                    "GSHMEM_TIMEOUT: %s has not answered for %d s; it is stopped, or cannot "
                    "keep up",
                    wire->lines.root, gsh_env.TIMEOUT);
}

static void describe_silence(const struct wire *wire, char *text, size_t bytes)
{
    const char *host = wire->welcome.host;

    snprintf(text, bytes,
             "node %s (%s) is lost: nothing has come from it for %d s; it has died, or a link is "
             "down",
             *host ? host : "unknown", wire->lines.root, gsh_env.NODE_TIMEOUT);
}

static int hung_up(const struct wire *wire, int err)
{
    char text[256];

    if (err == -ETIMEDOUT || err == -EAGAIN)
        return no_answer(wire);
    if (err == -EHOSTDOWN) {
        describe_silence(wire, text, sizeof(text));
        return gsh_fail(err, "%s", text);
    }
    return gsh_fail(err == -EPROTO ? -EPROTO : -ECONNRESET,
                    "the connection to %s is broken (%s): it has ended, or this process "
                    "lost the descriptor",
                    wire->lines.root, strerror(-err));
}

/* Reads the data of an ERROR and says it. */
static int take_error(struct wire *wire, const struct gsh_frame *head)
{
    char text[GSH_FRAME_TEXT_BYTES + 1];
    int err = read_answer(wire, text, head->bytes);

    if (err)
        return hung_up(wire, err);
    text[head->bytes] = '\0';
    return gsh_fail(head->status < 0 ? head->status : -EPROTO, "%s", text);
}

/* Waits for the answer to what was asked last: `kind` with `bytes` bytes. */
static int get_answer(struct wire *wire, uint32_t kind, void *data, size_t bytes)
{
    struct gsh_frame head;
    size_t max_bytes = bytes > GSH_FRAME_TEXT_BYTES ? bytes : GSH_FRAME_TEXT_BYTES;
    int err = read_answer(wire, &head, sizeof(head));

    if (!err)
        err = gsh_frame_check(&head, wire->answered, max_bytes);
    if (err)
        return hung_up(wire, err);
    wire->answered = head.number + 1;
    if (head.kind == GSH_FRAME_ERROR && head.bytes <= GSH_FRAME_TEXT_BYTES)
        return take_error(wire, &head);
    if (head.kind != kind || head.bytes != bytes)
        return hung_up(wire, -EPROTO);
    err = read_answer(wire, data, bytes);
    return err ? hung_up(wire, err) : 0;
}

static int ask(struct wire *wire, uint32_t kind, const void *data, size_t bytes)
{
    struct gsh_frame head = { .kind = kind, .bytes = (uint32_t)bytes };
    int err = put_frame(wire->lines.exchange_fd, &wire->asked, &head, data);

    begin_wait(wire);
    return err ? hung_up(wire, name_silence(err)) : 0;
}

static int say_hello(struct gsh_boot *boot, struct wire *wire, enum gsh_line line)
{
    struct gsh_hello hello = {
        .cookie = wire->lines.cookie, .n_ranks = boot->n_ranks, .line = line, .pid = getpid()
    };
    struct gsh_frame head = { .kind = GSH_FRAME_HELLO, .bytes = sizeof(hello), .who = boot->rank };

    gsh_boot_host(hello.host, sizeof(hello.host));
    if (line == GSH_LINE_LIFE)
        return put_frame(wire->lines.life_fd, &wire->spoken, &head, &hello);
    return put_frame(wire->lines.exchange_fd, &wire->asked, &head, &hello);
}

/* Waits for the first answer; -EAGAIN when the root hung up and the caller wants to
 * try again. */
static int await_answer(struct wire *wire)
{
    char byte;
    int err = await_bytes(wire, wire->lines.exchange_fd);

    if (err)
        return hung_up(wire, err);
    if (wire->lines.retry && recv(wire->lines.exchange_fd, &byte, 1, MSG_PEEK) <= 0)
        return -EAGAIN;
    return 0;
}

/* Skips what an earlier world left on the life line. */
static int await_life(struct wire *wire)
{
    for (;;) {
        int err = gsh_frame_read(&wire->life, wire->lines.life_fd);

        if (err == 1 && wire->life.head.kind == GSH_FRAME_WELCOME)
            return 0;
        if (err == 1)
            continue;
        if (err == -EAGAIN)
            err = await_bytes(wire, wire->lines.life_fd);
        if (err)
            return hung_up(wire, err);
    }
}

/* A root that does not read is not waited for either. */
static void limit_writes(const struct wire *wire)
{
    struct timeval limit = { .tv_sec = gsh_env.TIMEOUT > 0 ? gsh_env.TIMEOUT : 0 };

    setsockopt(wire->lines.exchange_fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    setsockopt(wire->lines.life_fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

static int join_world(struct gsh_boot *boot, struct wire *wire)
{
    int err;

    limit_writes(wire);
    err = say_hello(boot, wire, GSH_LINE_LIFE);
    if (!err)
        err = say_hello(boot, wire, GSH_LINE_EXCHANGE);
    if (err && wire->lines.retry)
        return -EAGAIN;
    if (err)
        return hung_up(wire, err);
    begin_wait(wire);
    err = await_answer(wire);
    if (!err)
        err = get_answer(wire, GSH_FRAME_WELCOME, &wire->welcome, sizeof(wire->welcome));
    return err ? err : await_life(wire);
}

static void free_wire(struct wire *wire)
{
    if (!wire->lines.keep) {
        close(wire->lines.life_fd);
        close(wire->lines.exchange_fd);
    }
    gsh_frame_in_free(&wire->life);
    pthread_mutex_destroy(&wire->lock);
    free(wire);
}

int gsh_wire_open(struct gsh_boot *boot, const struct gsh_wire_lines *lines)
{
    struct wire *wire = calloc(1, sizeof(*wire));
    int err;

    if (!wire)
        return gsh_fail(-ENOMEM, "no memory for a boot connection");
    wire->lines = *lines;
    wire->life.max_bytes = GSH_FRAME_TEXT_BYTES;
    pthread_mutex_init(&wire->lock, NULL);
    err = join_world(boot, wire);
    if (err) {
        free_wire(wire);
        return err;
    }
    boot->priv = wire;
    boot->life_fd = lines->life_fd;
    return 0;
}

int gsh_wire_allgather(struct gsh_boot *boot, const void *mine, void *all, size_t bytes)
{
    struct wire *wire = boot->priv;
    size_t n = (size_t)boot->n_ranks;
    int err;

    if (bytes > GSH_FRAME_MAX_BYTES / n)
        return gsh_fail(-EMSGSIZE, "cannot exchange %zu bytes among %zu PEs: the limit is %zu",
                        bytes, n, GSH_FRAME_MAX_BYTES / n);
    err = ask(wire, GSH_FRAME_ALLGATHER, mine, bytes);
    return err ? err : get_answer(wire, GSH_FRAME_ALLGATHER, all, n * bytes);
}

int gsh_wire_barrier(struct gsh_boot *boot)
{
    int err = ask(boot->priv, GSH_FRAME_BARRIER, NULL, 0);

    return err ? err : get_answer(boot->priv, GSH_FRAME_BARRIER, NULL, 0);
}

/* Nobody is there to hear that this fails: the root is gone then. */
static void speak(struct wire *wire, uint32_t kind, int status, const char *text)
{
    struct gsh_frame head = { .kind = kind,
                              .status = status,
                              .bytes = (uint32_t)strnlen(text, GSH_FRAME_TEXT_BYTES) };

    pthread_mutex_lock(&wire->lock);
    put_frame(wire->lines.life_fd, &wire->spoken, &head, text);
    pthread_mutex_unlock(&wire->lock);
}

void gsh_wire_abort(struct gsh_boot *boot, int status, const char *text)
{
    speak(boot->priv, GSH_FRAME_ABORT, status, text ? text : "");
}

void gsh_wire_close(struct gsh_boot *boot, int clean)
{
    struct wire *wire = boot->priv;

    speak(wire, GSH_FRAME_BYE, clean != 0, "");
    free_wire(wire);
    boot->priv = NULL;
    boot->life_fd = -1;
}

static enum gsh_life life_kind(uint32_t kind)
{
    if (kind == GSH_FRAME_LEFT)
        return GSH_LIFE_LEFT;
    if (kind == GSH_FRAME_GONE)
        return GSH_LIFE_GONE;
    if (kind == GSH_FRAME_END)
        return GSH_LIFE_END;
    return GSH_LIFE_LOST;
}

int gsh_wire_life_read(struct gsh_boot *boot, struct gsh_life_event *event)
{
    struct wire *wire = boot->priv;
    int err = gsh_frame_read(&wire->life, wire->lines.life_fd);

    *event = (struct gsh_life_event){ .kind = GSH_LIFE_NONE, .pe = -1 };
    if (err == -EAGAIN)
        return 0;
    if (err == 1) {
        event->kind = life_kind(wire->life.head.kind);
        event->pe = wire->life.head.who;
        event->status = wire->life.head.status;
        snprintf(event->text, sizeof(event->text), "%s", wire->life.data);
        return 0;
    }
    event->pe = wire->lines.root_pe;
    event->kind = event->pe < 0 ? GSH_LIFE_LOST : GSH_LIFE_GONE;
    if (gsh_address_is_silence(err))
        describe_silence(wire, event->text, sizeof(event->text));
    else if (event->pe >= 0)
        snprintf(event->text, sizeof(event->text),
                 "PE %d on node %s ended without a word: it crashed or was killed", event->pe,
                 wire->welcome.host);
    else
        snprintf(event->text, sizeof(event->text), "the connection to %s is broken (%s)",
                 wire->lines.root, strerror(-err));
    return 0;
}
