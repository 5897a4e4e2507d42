/* tcp - what a plain TCP connection does: one message to the other side and back, and a
 * stream. It is what the figures between nodes are compared with.
 *
 *     tcp serve PORT                               answers one client after the other
 *     tcp HOST PORT pingpong BYTES spin|block N    one way: half of each of N round trips
 *     tcp HOST PORT stream BYTES N                 N times BYTES, then one byte back
 *
 * The client prints min, median and p99: of a way in us, or of 20 streams in GB/s.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STREAMS = 20, MAX_BYTES = 64 << 20 };

/* What the client asks for. */
struct task {
    uint32_t stream;
    uint32_t spin;
    uint64_t bytes;
    uint64_t times;
};

static char buffer[MAX_BYTES];

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "tcp: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void send_all(int fd, const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t n = send(fd, (const char *)from + at, bytes - at, 0);

        if (n < 0)
            fail("send");
        at += (size_t)n;
    }
}

/* False at the end of the connection. */
static bool receive(int fd, void *to, size_t bytes, bool spin)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t n = recv(fd, (char *)to + at, bytes - at, spin ? MSG_DONTWAIT : 0);

        if (n == 0)
            return false;
        if (n < 0 && errno != EAGAIN)
            fail("receive");
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void answer(int fd)
{
    struct task task;

    while (receive(fd, &task, sizeof(task), false)) {
        for (uint64_t i = 0; i < task.times; i++) {
            receive(fd, buffer, task.bytes, task.spin);
            if (!task.stream)
                send_all(fd, buffer, task.bytes);
        }
        if (task.stream)
            send_all(fd, buffer, 1);
    }
}

static _Noreturn void serve(int port)
{
    static const int on = 1;
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(listener, (struct sockaddr *)&at, sizeof(at)) || listen(listener, 1))
        fail("listen");
    for (;;) {
        int fd = accept(listener, NULL, NULL);

        if (fd < 0)
            fail("accept");
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        answer(fd);
        close(fd);
    }
}

static int reach(const char *host, const char *port)
{
    static const int on = 1;
    struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *list;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (getaddrinfo(host, port, &hints, &list) || connect(fd, list->ai_addr, list->ai_addrlen))
        fail("connect");
    freeaddrinfo(list);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* For rates the best is the greatest. */
static void print(double *values, size_t n, bool is_rate)
{
    qsort(values, n, sizeof(*values), by_value);
    if (is_rate)
        printf("%g %g %g\n", values[n - 1], values[n / 2], values[n / 100]);
    else
        printf("%g %g %g\n", values[0], values[n / 2], values[(n * 99 - 1) / 100]);
}

static void play(int fd, size_t bytes, bool spin, size_t n)
{
    struct task task = { .spin = spin, .bytes = bytes, .times = n };
    double *ways = calloc(n, sizeof(*ways));

    if (!ways)
        fail("memory");
    send_all(fd, &task, sizeof(task));
    for (size_t i = 0; i < n; i++) {
        double start = now_us();

        send_all(fd, buffer, bytes);
        if (!receive(fd, buffer, bytes, spin))
            fail("the other side has ended");
        ways[i] = (now_us() - start) / 2;
    }
    print(ways, n, false);
    free(ways);
}

static void flood(int fd, size_t bytes, size_t n)
{
    struct task task = { .stream = 1, .bytes = bytes, .times = n };
    double rates[STREAMS];

    for (int i = 0; i < STREAMS; i++) {
        double start = now_us();

        send_all(fd, &task, sizeof(task));
        for (size_t k = 0; k < n; k++)
            send_all(fd, buffer, bytes);
        if (!receive(fd, buffer, 1, false))
            fail("the other side has ended");
        rates[i] = (double)(bytes * n) / (now_us() - start) * 1e-3;
    }
    print(rates, STREAMS, true);
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;

    if (argc == 3 && !strcmp(argv[1], "serve"))
        serve(atoi(argv[2]));
    if (argc == 7 && !strcmp(argv[3], "pingpong") && bytes && bytes <= MAX_BYTES)
        play(reach(argv[1], argv[2]), bytes, !strcmp(argv[5], "spin"), strtoul(argv[6], NULL, 10));
    else if (argc == 6 && !strcmp(argv[3], "stream") && bytes && bytes <= MAX_BYTES)
        flood(reach(argv[1], argv[2]), bytes, strtoul(argv[5], NULL, 10));
    else
        return fprintf(stderr, "usage: see the head of tcp.c\n"), 2;
    return 0;
}
