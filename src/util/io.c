/* io.c - reads and writes that survive interruptions and short counts.
 *
 * Every one of them goes through move(), which is where faults are injected.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "util/io.h"

#include "util/fault.h"

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* One system call; these have the types of read() and write(). */
static ssize_t read_now(int fd, void *buffer, size_t bytes)
{
    return recv(fd, buffer, bytes, MSG_DONTWAIT);
}

static ssize_t write_now(int fd, void *buffer, size_t bytes)
{
    return send(fd, buffer, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static ssize_t write_wait(int fd, void *buffer, size_t bytes)
{
    ssize_t moved = send(fd, buffer, bytes, MSG_NOSIGNAL);

    if (moved < 0 && errno == ENOTSOCK)
        moved = write(fd, buffer, bytes);
    return moved;
}

static void pause_at_random(long max_us)
{
    static _Thread_local uint32_t state;
    struct timespec time;

    if (!state) {
        clock_gettime(CLOCK_MONOTONIC, &time);
        state = (uint32_t)time.tv_nsec ^ (uint32_t)getpid() * 2654435761u;
    }
    state = state * 1664525u + 1013904223u;
    if (max_us == 1)
        max_us = 200;
    time = (struct timespec){ .tv_nsec = (state >> 8) % max_us * 1000 };
    nanosleep(&time, NULL);
}

static ssize_t move(ssize_t (*call)(int, void *, size_t), int fd, void *buffer, size_t bytes)
{
    long max_us = gsh_fault_value(GSH_FAULT_IO_DELAY);
    ssize_t moved;

    if (max_us)
        pause_at_random(max_us);
    if (gsh_fault_value(GSH_FAULT_IO_SHORT))
        bytes = 1;
    do {
        moved = call(fd, buffer, bytes);
    } while (moved < 0 && errno == EINTR);
    if (!moved)
        return -EPIPE;
    if (moved < 0)
        return errno == EWOULDBLOCK ? -EAGAIN : -errno;
    return moved;
}

static int move_full(ssize_t (*call)(int, void *, size_t), int fd, char *buffer, size_t bytes)
{
    while (bytes) {
        ssize_t moved = move(call, fd, buffer, bytes);

        if (moved < 0)
            return (int)moved;
        buffer += moved;
        bytes -= (size_t)moved;
    }
    return 0;
}

int gsh_io_read_full(int fd, void *to, size_t bytes)
{
    return move_full(read, fd, to, bytes);
}

int gsh_io_write_full(int fd, const void *from, size_t bytes)
{
    return move_full(write_wait, fd, (char *)(uintptr_t)from, bytes);
}

ssize_t gsh_io_try_read(int fd, void *to, size_t bytes)
{
    return move(read_now, fd, to, bytes);
}

ssize_t gsh_io_try_write(int fd, const void *from, size_t bytes)
{
    return move(write_now, fd, (char *)(uintptr_t)from, bytes);
}
