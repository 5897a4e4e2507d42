/* The thread that serves kernels: it carries commands out in the order of their tickets, each
 * once and none too early; a slot is free again when its answer has been read; no kernel has to
 * ring where they cannot; and nothing is lost when it is closed. */
// SPDX-License-Identifier: BSD-3-Clause
#include "proxy/proxy.h"
#include "core/log.h"
#include "tr/test/fake.h"

#include <stdlib.h>
#include <unistd.h>

enum { COMMANDS = 4 * GSH_RING_SLOTS, ASKED = 3 };

static struct gsh_proxy proxy;
static struct gsh_device_ring *ring;

/* What came to the transport, in order. */
static struct gsh_device_command done[COMMANDS + 16];
static _Atomic int n_done, n_messages;
static _Atomic int slow_us;

static struct gsh_device_command *next_done(void)
{
    if (slow_us)
        usleep((useconds_t)slow_us);
    return &done[atomic_load(&n_done)];
}

static int see_put(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes)
{
    struct gsh_device_command *c = next_done();

    (void)tr;
    *c = (struct gsh_device_command){ .kind = GSH_RING_PUT, .pe = pe, .sym = off, .bytes = bytes };
    memcpy(&c->operand, src, sizeof(c->operand));
    atomic_fetch_add(&n_done, 1);
    return 0;
}

static int see_pieces(struct gsh_tr *tr, int pe, const struct gsh_piece *pieces, size_t n)
{
    atomic_fetch_add(&n_messages, 1);
    for (size_t i = 0; i < n; i++)
        see_put(tr, pe, pieces[i].off, pieces[i].at.from, pieces[i].bytes);
    return 0;
}

static int see_get(struct gsh_tr *tr, int pe, void *dst, size_t off, size_t bytes)
{
    (void)tr, (void)pe;
    next_done()->kind = GSH_RING_GET;
    memset(dst, (int)off & 0xff, bytes);
    atomic_fetch_add(&n_done, 1);
    return 0;
}

static int see_gets(struct gsh_tr *tr, int pe, const struct gsh_piece *pieces, size_t n)
{
    for (size_t i = 0; i < n; i++)
        see_get(tr, pe, pieces[i].at.to, pieces[i].off, pieces[i].bytes);
    return 0;
}

static int see_amo(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args,
                   uint64_t *old)
{
    (void)tr, (void)pe, (void)off;
    next_done()->kind = GSH_RING_AMO;
    *old = args->operand + 1;
    atomic_fetch_add(&n_done, 1);
    return 0;
}

static int see_post(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args)
{
    struct gsh_device_command *c = next_done();

    (void)tr;
    *c = (struct gsh_device_command){ .kind = GSH_RING_SIGNAL, .pe = pe, .sym = off };
    c->op = (uint32_t)args->op;
    c->operand = args->operand;
    atomic_fetch_add(&n_done, 1);
    return 0;
}

static struct gsh_tr transport = {
    .name = "seen",
    .ops = { .amo = see_amo,
             .amo_post = see_post,
             .get = see_get,
             .get_pieces = see_gets,
             .put = see_put,
             .put_pieces = see_pieces },
};

/* ---- What a kernel does ---- */

static uint64_t over(void)
{
    return __atomic_load_n(&ring->over, __ATOMIC_ACQUIRE);
}

static struct gsh_device_slot *fill(uint64_t ticket, struct gsh_device_command c, uint64_t data)
{
    struct gsh_device_slot *slot = &ring->slots[ticket % GSH_RING_SLOTS];

    while (ticket - over() >= GSH_RING_SLOTS)
        usleep(10);
    slot->command = c;
    slot->data[0] = data;
    return slot;
}

static void hand_over(uint64_t ticket)
{
    __atomic_store_n(&ring->slots[ticket % GSH_RING_SLOTS].ticket, ticket + 1, __ATOMIC_RELEASE);
    if (!proxy.polls && gsh_proxy_needs_bell(&proxy))
        gsh_proxy_bell(&proxy);
}

static bool comes(const uint64_t *word, uint64_t value)
{
    for (int i = 0; i < 10000; i++) {
        if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
            return true;
        usleep(1000);
    }
    return false;
}

static struct gsh_device_command put_of(uint64_t number)
{
    return (struct gsh_device_command){ .kind = GSH_RING_PUT,
                                        .pe = 1 + (int)(number % 3),
                                        .sym = (uint64_t)(uintptr_t)fake_word(0, number % 64),
                                        .bytes = 8 };
}

static void open_proxy(bool polls)
{
    n_done = slow_us = 0;
    memset(ring, 0, sizeof(*ring));
    if (gsh_proxy_open(&proxy, ring, polls))
        tap_ok(false, "open: %s", gsh_last_error());
}

static bool is_put(int i, uint64_t number)
{
    return done[i].kind == GSH_RING_PUT && done[i].pe == 1 + (int)(number % 3) &&
           done[i].sym == fake_off(number % 64) && done[i].operand == number;
}

/* ---- Facts ---- */

/* More than there is room for, and neighbours are handed over in the wrong order. */
static void all_in_order(bool polls)
{
    const char *how = polls ? "unasked" : "by the bell";
    int wrong = 0;

    open_proxy(polls);
    for (uint64_t t = 0; t < COMMANDS; t += 2) {
        fill(t, put_of(t), t);
        fill(t + 1, put_of(t + 1), t + 1);
        hand_over(t + 1);
        hand_over(t);
    }
    gsh_proxy_drain();
    tap_ok(n_done == COMMANDS, "%s, %d commands are carried out (%d)", how, COMMANDS, n_done);
    for (int i = 0; i < COMMANDS; i++)
        wrong += !is_put(i, (uint64_t)i);
    tap_ok(!wrong, "%s, in the order of their tickets (%d are not)", how, wrong);
    tap_ok(comes(&ring->over, COMMANDS), "%s, their slots are free then", how);
    gsh_proxy_close(&proxy);
}

static void answers(void)
{
    struct gsh_device_command get = put_of(5), amo = put_of(6);
    struct gsh_device_slot *slot;

    open_proxy(false);
    get.kind = GSH_RING_GET;
    amo.kind = GSH_RING_AMO;
    amo.op = GSH_DEVICE_ADD;
    amo.operand = 41;
    get.answers = amo.answers = 1;
    slot = fill(0, get, 0);
    fill(1, amo, 0);
    fill(2, put_of(2), 2);
    for (uint64_t t = 0; t < ASKED; t++)
        hand_over(t);
    tap_ok(comes(&slot->done, 1) && slot->data[0] == 0x0101010101010101u * (fake_off(5) & 0xff),
           "a get is answered in the slot");
    tap_ok(comes(&ring->slots[1].done, 2) && ring->slots[1].old == 42,
           "an atomic operation is answered with what was there");
    gsh_proxy_drain();
    __atomic_store_n(&ring->slots[1].ticket, 0, __ATOMIC_RELEASE);
    usleep(20000);
    tap_ok(over() == 0, "no slot is free as long as an answer before it was not read");
    __atomic_store_n(&slot->ticket, 0, __ATOMIC_RELEASE);
    tap_ok(comes(&ring->over, ASKED), "when it was read all are, though no command comes");
    gsh_proxy_close(&proxy);
}

static void kinds(void)
{
    struct gsh_device_command signal = put_of(7), direct = put_of(8), quiet = { 0 };
    uint64_t mine = 1234;

    open_proxy(true);
    signal.kind = GSH_RING_SIGNAL;
    signal.op = GSH_DEVICE_SET;
    signal.operand = 77;
    direct.local = (uint64_t)(uintptr_t)&mine;
    direct.answers = 1;
    quiet.kind = GSH_RING_QUIET;
    quiet.answers = 1;
    fill(0, direct, 0);
    fill(1, signal, 0);
    fill(2, quiet, 0);
    for (uint64_t t = 0; t < ASKED; t++)
        hand_over(t);
    tap_ok(comes(&ring->slots[2].done, 3), "quiet is answered");
    tap_ok(ring->slots[0].done == 1 && done[0].operand == 1234 && done[0].sym == fake_off(8),
           "data are read where they are, and that is told");
    tap_ok(done[1].kind == GSH_RING_SIGNAL && done[1].operand == 77 && done[1].op == GSH_AMO_set,
           "a signal");
    gsh_proxy_close(&proxy);
}

/* While the host is busy with the first one, the others come. */
static void at_once(void)
{
    int wrong = 0;

    open_proxy(true);
    n_messages = 0;
    slow_us = 20000;
    for (uint64_t t = 0; t < 32; t++) {
        struct gsh_device_command put = put_of(t);

        put.pe = t < 16 ? 1 : 2;
        if (t % 2) {
            put.kind = GSH_RING_P;
            put.operand = t;
        }
        fill(t, put, t);
        hand_over(t);
        slow_us = t ? 0 : slow_us;
        while (!t && !n_messages)
            usleep(10);
    }
    gsh_proxy_drain();
    for (int i = 0; i < 32; i++)
        wrong += done[i].operand != (uint64_t)i || done[i].pe != (i < 16 ? 1 : 2);
    tap_ok(n_done == 32 && !wrong, "puts of many commands are all done (%d of 32 wrong)", wrong);
    tap_ok(n_messages < 16, "and at once, those to one PE (%d messages)", n_messages);
    gsh_proxy_close(&proxy);
}

static void end(void)
{
    open_proxy(false);
    slow_us = 2000;
    for (uint64_t t = 0; t < 8; t++) {
        fill(t, put_of(t), t);
        hand_over(t);
    }
    gsh_proxy_close(&proxy);
    tap_ok(n_done == 8, "what was handed over is carried out before the end (%d of 8)", n_done);
    gsh_proxy_close(&proxy); /* is nothing */
}

static void words_of_waits(void)
{
    char text[128];

    open_proxy(false);
    fill(3, put_of(4), 0);
    tap_ok(gsh_proxy_describe(&proxy, &ring->slots[3].done, text, sizeof(text)) &&
               !strcmp(text, "for the host to put 8 bytes at PE 2"),
           "who waits for an answer can say for which");
    tap_ok(gsh_proxy_describe(&proxy, &ring->over, text, sizeof(text)) && strstr(text, "room"),
           "and who waits for room, that it does");
    tap_ok(!gsh_proxy_describe(&proxy, text, text, sizeof(text)), "other words are not the ring's");
    gsh_proxy_close(&proxy);
}

int main(void)
{
    ring = calloc(1, sizeof(*ring));
    if (!ring || fake_hosts("aaaa"))
        return 1;
    fake_job("", false);
    if (gsh_tr_open_all())
        return 1;
    for (int pe = 1; pe < FAKE_PES; pe++)
        fake_peers[pe] = (struct gsh_peer){ .tr = &transport };
    gsh.remote = true;
    all_in_order(false);
    all_in_order(true);
    answers();
    kinds();
    at_once();
    end();
    words_of_waits();
    gsh_tr_close_all();
    free(ring);
    return tap_end();
}
