/* tag.c - the output of a PE line by line, each with the PE before it. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "tag.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_ROOM = 4096 };

int gsh_tag_open(struct gsh_tag_stream *stream, int rank, int from, int to)
{
    *stream = (struct gsh_tag_stream){
        .from = from, .to = to, .line = malloc(FIRST_ROOM), .room = FIRST_ROOM
    };
    if (!stream->line) {
        gsh_tag_drop(stream);
        return -ENOMEM;
    }
    fcntl(from, F_SETFL, O_NONBLOCK);
    stream->tag = stream->have = (size_t)sprintf(stream->line, "[%d] ", rank);
    return 0;
}

void gsh_tag_drop(struct gsh_tag_stream *stream)
{
    if (stream->from >= 0)
        close(stream->from);
    stream->from = -1;
    free(stream->line);
    stream->line = NULL;
}

/* A reader that has stopped must not keep Ctrl-C from working. */
static bool is_asked_to_end(void)
{
    sigset_t pending;

    sigpending(&pending);
    return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
           sigismember(&pending, SIGHUP);
}

static int write_out(int fd, const char *from, size_t bytes)
{
    struct pollfd wait = { .fd = fd, .events = POLLOUT };

    while (bytes) {
        int n = poll(&wait, 1, 100);
        ssize_t moved = n > 0 ? write(fd, from, bytes < 4096 ? bytes : 4096) : 0;

        if (moved < 0 && errno != EINTR && errno != EAGAIN)
            return -errno;
        if (moved <= 0 && is_asked_to_end())
            return -ECANCELED;
        if (moved > 0) {
            from += moved;
            bytes -= (size_t)moved;
        }
    }
    return 0;
}

/* Ends the line and writes it. */
static int flush_line(struct gsh_tag_stream *stream)
{
    size_t bytes = stream->have + 1;

    stream->line[stream->have] = '\n';
    stream->have = stream->tag;
    return write_out(stream->to, stream->line, bytes);
}

/* Appends text without newline; the line grows while it may and can. */
static int add_text(struct gsh_tag_stream *stream, const char *text, size_t bytes)
{
    int err = 0;

    while (bytes && !err) {
        size_t most = stream->tag + GSH_TAG_LINE + 1;
        size_t free_bytes = stream->room - stream->have - 1;
        size_t part = bytes < free_bytes ? bytes : free_bytes;
        size_t room = stream->room < most / 2 ? stream->room * 2 : most;
        char *line = NULL;

        memcpy(stream->line + stream->have, text, part);
        stream->have += part;
        text += part;
        bytes -= part;
        if (!bytes)
            break;
        if (room > stream->room)
            line = realloc(stream->line, room);
        if (line) {
            stream->line = line;
            stream->room = room;
        } else {
            err = flush_line(stream);
        }
    }
    return err;
}

static int take_text(struct gsh_tag_stream *stream, const char *text, size_t bytes)
{
    const char *end = text + bytes;
    int err = 0;

    while (text < end && !err) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));

        err = add_text(stream, text, (size_t)((newline ? newline : end) - text));
        if (newline && !err)
            err = flush_line(stream);
        text = newline ? newline + 1 : end;
    }
    return err;
}

int gsh_tag_end(struct gsh_tag_stream *stream)
{
    int err = stream->have > stream->tag ? flush_line(stream) : 0;

    gsh_tag_drop(stream);
    return err;
}

int gsh_tag_read(struct gsh_tag_stream *stream)
{
    char text[16384];
    ssize_t bytes = read(stream->from, text, sizeof(text));
    int err;

    if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (bytes <= 0) {
        err = gsh_tag_end(stream);
        return err ? err : 1;
    }
    err = take_text(stream, text, (size_t)bytes);
    if (err)
        gsh_tag_drop(stream);
    return err ? err : 1;
}
