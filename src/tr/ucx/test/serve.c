/* Whatever the order in which the messages of a PE arrive, what it has fenced is done in order,
 * a signal comes after its data, and FLUSH is answered when all is done that it is about. */
// SPDX-License-Identifier: BSD-3-Clause
#include "tr/test/fake.h"
#include "tr/ucx/ucx.h"

#include <stdlib.h>

enum { FROM = 1, ROUNDS = 2000, MESSAGES = 24, BYTES = 64 };

static struct gsh_ucx ucx;
static struct gsh_ucx_peer peers[FAKE_PES];
static struct gsh_ucx_head answers[4];
static char answered[BYTES]; /* data of the last one that has any */
static int n_answers, n_released;

/* ---- A UCX that keeps what is sent, and fetches when it is told to ---- */

static struct {
    void (*done)(void *request, int8_t status, size_t bytes, void *arg);
    void *arg;
    void *to;
    const void *from;
    size_t bytes;
} fetches[MESSAGES];
static int n_fetches;

static void *fake_send(void *ep, unsigned id, const void *head, size_t head_bytes, const void *data,
                       size_t bytes, const struct gsh_ucp_request_params *params)
{
    (void)ep, (void)id, (void)params;
    if (data)
        memcpy(answered, data, bytes < sizeof(answered) ? bytes : sizeof(answered));
    memcpy(&answers[n_answers++ % 4], head, head_bytes);
    return NULL;
}

static void *fake_receive(void *worker, void *data, void *to, size_t bytes,
                          const struct gsh_ucp_request_params *params)
{
    (void)worker;
    fetches[n_fetches].done = params->done.receive;
    fetches[n_fetches].arg = params->arg;
    fetches[n_fetches].to = to;
    fetches[n_fetches].from = data;
    fetches[n_fetches++].bytes = bytes;
    return &fetches;
}

static void end_fetch(int i)
{
    memcpy(fetches[i].to, fetches[i].from, fetches[i].bytes);
    n_fetches--;
    void (*done)(void *, int8_t, size_t, void *) = fetches[i].done;
    void *arg = fetches[i].arg;
    size_t bytes = fetches[i].bytes;

    fetches[i] = fetches[n_fetches];
    done(NULL, GSH_UCS_OK, bytes, arg);
}

static void fake_free(void *request)
{
    (void)request;
}

static void fake_release(void *worker, void *data)
{
    (void)worker, (void)data;
    n_released++;
}

static void start(void)
{
    fake_job("", false);
    gsh.peers[0].base = gsh.base;
    gsh.peers[0].bell = &gsh_inner()->bell;
    gsh_ucp.am_send = fake_send;
    gsh_ucp.am_receive = fake_receive;
    gsh_ucp.request_free = fake_free;
    gsh_ucp.am_data_release = fake_release;
    memset(peers, 0, sizeof(peers));
    ucx = (struct gsh_ucx){ .peers = peers };
    for (int pe = 0; pe < FAKE_PES; pe++) {
        TAILQ_INIT(&peers[pe].early);
        peers[pe].ep = &peers[pe];
    }
    n_answers = n_fetches = n_released = 0;
}

static int8_t come(const struct gsh_ucx_head *head, void *data, uint64_t attributes)
{
    const struct gsh_ucp_am_params params = { .attributes = attributes };

    return gsh_ucx_receive(&ucx, head, sizeof(*head), data, data ? head->bytes : 0, &params);
}

static struct gsh_ucx_head set(size_t word, uint64_t value, uint64_t after)
{
    return (struct gsh_ucx_head){ .from = FROM,
                                  .kind = GSH_UCX_AMO,
                                  .after = after,
                                  .amo_off = fake_off(word),
                                  .amo = { .op = GSH_AMO_set, .bytes = 8, .operand = value } };
}

static struct gsh_ucx_head put(size_t word, size_t bytes, uint64_t after)
{
    return (struct gsh_ucx_head){
        .from = FROM, .kind = GSH_UCX_PUT, .after = after, .off = fake_off(word), .bytes = bytes
    };
}

static void test_fence(void)
{
    struct gsh_ucx_head first = set(0, 1, 0), second = set(0, 2, 1), third = put(1, 8, 2);
    uint64_t data = 77;

    start();
    tap_ok(come(&third, &data, 0) == GSH_UCS_OK && *fake_word(0, 1) == 0,
           "what comes before what a fence puts first is kept");
    data = 78; /* was UCX's, and is gone */
    come(&second, NULL, 0);
    tap_ok(*fake_word(0, 0) == 0, "so is the next");
    come(&first, NULL, 0);
    tap_ok(*fake_word(0, 0) == 2 && *fake_word(0, 1) == 77,
           "and all is done in order when the first has come, with the data that came");
}

static void test_kept_data(void)
{
    struct gsh_ucx_head first = set(0, 1, 0), second = put(1, 8, 1);
    uint64_t data = 5;

    start();
    tap_ok(come(&second, &data, GSH_UCP_AM_DATA) == GSH_UCS_INPROGRESS && !n_released,
           "data that UCX can keep stay with it");
    come(&first, NULL, 0);
    tap_ok(*fake_word(0, 1) == 5 && n_released == 1, "and are given back, once");
    come(&second, &data, GSH_UCP_AM_DATA);
    tap_ok(n_released == 1, "data that are taken at once are not");
}

static void test_flush(void)
{
    struct gsh_ucx_head big = put(0, BYTES, 0);
    struct gsh_ucx_head flush = { .from = FROM, .kind = GSH_UCX_FLUSH, .after = 1 };
    uint64_t data[BYTES / 8] = { 9 };

    start();
    come(&flush, NULL, 0);
    come(&big, data, GSH_UCP_AM_RNDV);
    tap_ok(n_answers == 0, "FLUSH is not answered while data are being fetched");
    end_fetch(0);
    tap_ok(n_answers == 1 && answers[0].kind == GSH_UCX_FLUSHED && answers[0].count == 1,
           "and is when they have come");
}

static void test_count(void)
{
    struct gsh_ucx_head first = put(0, BYTES, 0), second = set(1, 1, 0);
    uint64_t data[BYTES / 8] = { 9 };

    start();
    second.count = 2;
    come(&second, NULL, 0);
    tap_ok(n_answers == 0, "an operation that tells when so many are done waits for the others");
    come(&first, data, 0);
    tap_ok(n_answers == 1 && answers[0].kind == GSH_UCX_FLUSHED && answers[0].count == 2,
           "and tells then");
}

static void test_signal(void)
{
    struct gsh_ucx_head head = put(1, BYTES, 0);
    uint64_t data[BYTES / 8] = { 4 };

    start();
    head.kind = GSH_UCX_SIGNAL;
    head.amo_off = fake_off(0);
    head.amo = (struct gsh_amo_args){ .op = GSH_AMO_add, .bytes = 8, .operand = 1 };
    come(&head, data, GSH_UCP_AM_RNDV);
    tap_ok(*fake_word(0, 0) == 0, "a signal waits for its data");
    end_fetch(0);
    tap_ok(*fake_word(0, 0) == 1 && *fake_word(0, 1) == 4, "and comes with them");
}

static void test_pieces(void)
{
    struct gsh_ucx_head first = set(0, 1, 0), pieces = { .from = FROM, .kind = GSH_UCX_PIECES };
    const struct gsh_ucx_piece odd = { fake_off(2) + 1, 3 }, word = { fake_off(4), 8 };
    char data[BYTES];

    start();
    memcpy(data, &odd, sizeof(odd));
    memcpy(data + sizeof(odd), "abc", 3);
    memcpy(data + gsh_ucx_step(3), &word, sizeof(word));
    memcpy(data + gsh_ucx_step(3) + sizeof(word), "12345678", 8);
    pieces.bytes = gsh_ucx_step(3) + gsh_ucx_step(8);
    pieces.after = 1;
    come(&pieces, data, 0);
    tap_ok(*fake_word(0, 2) == 0 && peers[FROM].done == 0, "pieces wait for a fence");
    memset(data, 0, sizeof(data));
    come(&first, NULL, 0);
    tap_ok(!memcmp(fake_word(0, 2), "\0abc\0\0\0\0", 8) && !memcmp(fake_word(0, 4), "12345678", 8),
           "and each comes to its place");
    tap_ok(peers[FROM].done == 2, "all together are one operation");
}

static void test_gets(void)
{
    const struct gsh_ucx_piece list[] = { { fake_off(1), 8 }, { fake_off(3) + 2, 3 } };
    struct gsh_ucx_head gets = {
        .from = FROM, .kind = GSH_UCX_GETS, .bytes = sizeof(list), .ask = 9
    };

    start();
    memcpy(fake_word(0, 1), "12345678", 8);
    memcpy(fake_word(0, 3), "..abc...", 8);
    come(&gets, (void *)(uintptr_t)list, 0);
    tap_ok(n_answers == 1 && answers[0].kind == GSH_UCX_ANSWER && answers[0].ask == 9 &&
               answers[0].bytes == 11 && !memcmp(answered, "12345678abc", 11),
           "pieces that are asked for come one behind the other");
}

static size_t draw(size_t bound)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(state >> 33) % bound;
}

/* Message i sets word 0 to its epoch, or puts it there; each epoch ends with a fence. */
static void make_messages(struct gsh_ucx_head *heads, uint64_t *data)
{
    uint64_t epoch = 1, fenced = 0;

    for (int i = 0; i < MESSAGES; i++) {
        data[i] = epoch;
        heads[i] = draw(2) ? set(0, epoch, fenced) : put(0, 8, fenced);
        if (draw(3) == 0) {
            epoch++;
            fenced = (uint64_t)i + 1;
        }
    }
}

/* Delivers them in a random order, and ends fetches at random; true when word 0 never went
 * back, and all was done. */
static bool deliver(struct gsh_ucx_head *heads, uint64_t *data)
{
    uint64_t seen = 0;
    int order[MESSAGES], left = MESSAGES;

    for (int i = 0; i < MESSAGES; i++)
        order[i] = i;
    while (left || n_fetches) {
        if (left && (!n_fetches || draw(2))) {
            int k = (int)draw((size_t)left), i = order[k];
            bool has_data = heads[i].kind == GSH_UCX_PUT;

            order[k] = order[--left];
            come(&heads[i], has_data ? &data[i] : NULL, has_data && draw(2) ? GSH_UCP_AM_RNDV : 0);
        } else {
            end_fetch((int)draw((size_t)n_fetches));
        }
        if (*fake_word(0, 0) < seen)
            return false;
        seen = *fake_word(0, 0);
    }
    return TAILQ_EMPTY(&peers[FROM].early) && peers[FROM].done == MESSAGES &&
           seen == data[MESSAGES - 1];
}

static void test_any_order(void)
{
    struct gsh_ucx_head heads[MESSAGES];
    uint64_t data[MESSAGES];
    int good = 0;

    for (int round = 0; round < ROUNDS; round++) {
        start();
        make_messages(heads, data);
        good += deliver(heads, data);
    }
    tap_ok(good == ROUNDS, "in %d of %d random orders each fence holds", good, (int)ROUNDS);
}

int main(void)
{
    test_fence();
    test_kept_data();
    test_flush();
    test_count();
    test_signal();
    test_pieces();
    test_gets();
    test_any_order();
    return tap_end();
}
