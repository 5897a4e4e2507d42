/* B15: back-to-back exchanges arrive whole and in order when every system call of both
 * sides moves one byte, when each is delayed, and when a receiver is starved; a
 * message out of order or cut short is an error, not data. */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/wire.h"
#include "boot/frame.h"
#include "boot/serve.h"
#include "core/env.h"
#include "core/log.h"
#include "util/fault.h"
#include "util/test/tap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define RANKS 3

struct peer {
    struct gsh_boot boot;
    int fds[2];
    int rounds;
    int wrong;
    bool starved;
};

static struct gsh_serve serve;
static atomic_bool stop;

static void *run_root(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop))
        gsh_serve_step(&serve, 10);
    return NULL;
}

/* Blocks change size and content with each round, and each fourth is a barrier. */
static void exchange(struct peer *peer, int round)
{
    uint32_t mine[8];
    uint32_t all[8 * RANKS];
    size_t words = 1 + (size_t)round % 8;

    if (round % 4 == 3) {
        peer->wrong += gsh_wire_barrier(&peer->boot) != 0;
        return;
    }
    for (size_t i = 0; i < words; i++)
        mine[i] = (uint32_t)(round * 64 + peer->boot.rank * 8) + (uint32_t)i;
    memset(all, 0xff, sizeof(all));
    peer->wrong += gsh_wire_allgather(&peer->boot, mine, all, words * 4) != 0;
    for (size_t i = 0; i < words * RANKS; i++)
        peer->wrong += all[i] != (uint32_t)round * 64 + i / words * 8 + i % words;
}

static void *run_peer(void *arg)
{
    struct peer *peer = arg;
    struct gsh_wire_lines lines = {
        .exchange_fd = peer->fds[0], .life_fd = peer->fds[1], .root = "the test", .root_pe = -1
    };

    if (gsh_wire_open(&peer->boot, &lines)) {
        peer->wrong = -1;
        return NULL;
    }
    for (int i = 0; i < peer->rounds; i++) {
        exchange(peer, i);
        if (peer->starved && i % 50 == 0)
            nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
    gsh_wire_close(&peer->boot, 1);
    return NULL;
}

static bool connect_peer(struct peer *peer, int rank)
{
    peer->boot.rank = rank;
    peer->boot.n_ranks = RANKS;
    for (int line = 0; line < 2; line++) {
        int pair[2];

        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
            gsh_serve_add(&serve, pair[0], rank, (enum gsh_line)line))
            return false;
        peer->fds[line] = pair[1];
    }
    return true;
}

static void test_rounds(const char *faults, int rounds)
{
    struct peer peers[RANKS] = { 0 };
    pthread_t threads[RANKS];
    pthread_t root;
    char bad[64];
    bool good = !gsh_fault_open(faults, bad, sizeof(bad));

    good = good && !gsh_serve_open(&serve, RANKS, -1, 0);
    atomic_store(&stop, false);
    for (int i = 0; i < RANKS; i++) {
        peers[i].rounds = rounds;
        peers[i].starved = i == 1;
        good = good && connect_peer(&peers[i], i);
    }
    pthread_create(&root, NULL, run_root, NULL);
    for (int i = 0; i < RANKS; i++)
        pthread_create(&threads[i], NULL, run_peer, &peers[i]);
    for (int i = 0; i < RANKS; i++) {
        pthread_join(threads[i], NULL);
        good = good && !peers[i].wrong;
    }
    atomic_store(&stop, true);
    pthread_join(root, NULL);
    gsh_serve_close(&serve);
    tap_ok(good, "%d calls in a row with a starved receiver are right with faults \"%s\"", rounds,
           faults);
}

/* A PE that is behind does not hold up the root: the answers wait for it. */
static void test_large(void)
{
    struct gsh_frame_in in = { .max_bytes = GSH_FRAME_MAX_BYTES };
    struct gsh_frame_out out = { 0 };
    struct gsh_blob *blob = gsh_blob_create(4 << 20);
    bool right = true;
    int pair[2];
    int err;

    if (!blob || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        abort();
    for (size_t i = 0; i < blob->bytes; i++)
        blob->data[i] = (char)(i * 7 + (i >> 12));
    err = gsh_frame_send(&out, pair[0], &(struct gsh_frame){ .kind = GSH_FRAME_ALLGATHER }, blob);
    tap_ok(err == -EAGAIN, "a message that does not fit the socket is kept, not waited for");
    while ((err = gsh_frame_read(&in, pair[1])) == -EAGAIN)
        gsh_frame_flush(&out, pair[0]);
    for (size_t i = 0; i < blob->bytes && err == 1; i++)
        right = right && in.data[i] == blob->data[i];
    tap_ok(err == 1 && right && !out.first, "it arrives whole piece by piece");
    gsh_blob_drop(blob);
    gsh_frame_in_free(&in);
    close(pair[0]);
    close(pair[1]);
}

/* What the reader says to these bytes, followed by the end of the connection. */
static int verdict(const void *bytes, size_t n)
{
    struct gsh_frame_in in = { .max_bytes = 64 };
    int pair[2];
    int err;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || write(pair[0], bytes, n) != (ssize_t)n)
        abort();
    close(pair[0]);
    err = gsh_frame_read(&in, pair[1]);
    gsh_frame_in_free(&in);
    close(pair[1]);
    return err;
}

static void test_malformed(void)
{
    const struct gsh_frame good = { .mark = GSH_FRAME_MARK, .kind = GSH_FRAME_BARRIER };
    struct gsh_frame head = good;

    tap_ok(verdict(&good, sizeof(good)) == 1, "a right message is taken");
    tap_ok(verdict(&good, sizeof(good) - 1) == -EPIPE, "a head cut short is the end");
    head.bytes = 8;
    tap_ok(verdict(&head, sizeof(head)) == -EPIPE, "data cut short are the end");
    head.bytes = 65;
    tap_ok(verdict(&head, sizeof(head)) == -EPROTO, "a message that is too long is refused");
    head = good;
    head.number = 1;
    tap_ok(verdict(&head, sizeof(head)) == -EPROTO, "a message out of order is refused");
    head = good;
    head.mark++;
    tap_ok(verdict(&head, sizeof(head)) == -EPROTO, "a message without the mark is refused");
}

/* A root that is stopped: its end of both lines is open, and nobody reads it. */
static void test_silent(void)
{
    struct gsh_boot boot = { .rank = 1, .n_ranks = 2 };
    struct gsh_wire_lines lines = { .root = "the test" };
    int pairs[2][2];
    int err;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[0]) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[1]))
        abort();
    lines.exchange_fd = pairs[0][0];
    lines.life_fd = pairs[1][0];
    gsh_env.TIMEOUT = 1;
    err = gsh_wire_open(&boot, &lines);
    tap_ok(err == -ETIMEDOUT && strstr(gsh_last_error(), "the test has not answered"),
           "a silent root is not waited for longer than GSHMEM_TIMEOUT");
    gsh_env.TIMEOUT = 0;
    close(pairs[0][1]);
    close(pairs[1][1]);
}

int main(void)
{
    if (gsh_env_read())
        return 1;
    test_malformed();
    test_silent();
    test_large();
    test_rounds("", 1000);
    test_rounds("io.short", 1000);
    test_rounds("io.delay:20", 1000);
    test_rounds("io.short,io.delay:2", 100);
    return tap_end();
}
