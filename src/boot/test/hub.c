/* The hub joins 1 to 9 ranks in exchanges and barriers, and when ranks disagree,
 * take a wrong place, leave or die, every rank that waits gets a text which says
 * who did what. */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/hub.h"

#include "util/test/tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX 9

/* What the hub sent to a rank last, on each line. */
struct seen {
    uint32_t kind;
    int count;
    int who;
    int status;
    size_t bytes;
    char data[GSH_FRAME_TEXT_BYTES];
};

static struct seen seen[2][MAX];
static int end_rank;
static int end_status;

static void take(void *ctx, int rank, enum gsh_line line, const struct gsh_frame *head,
                 struct gsh_blob *blob)
{
    struct seen *at = &seen[line][rank];

    (void)ctx;
    at->kind = head->kind;
    at->count++;
    at->who = head->who;
    at->status = head->status;
    at->bytes = blob ? blob->bytes : 0;
    if (blob && at->bytes < sizeof(at->data))
        memcpy(at->data, blob->data, at->bytes);
    if (at->bytes < sizeof(at->data))
        at->data[at->bytes] = '\0';
}

static void end(void *ctx, int rank, int status, const char *text)
{
    (void)ctx;
    (void)text;
    end_rank = rank;
    end_status = status;
}

static const struct gsh_hub_ops ops = { .end = end, .send = take };

static void forget(void)
{
    memset(seen, 0, sizeof(seen));
}

static int say_hello(struct gsh_hub *hub, int rank, int n, char *text)
{
    struct gsh_hello hello = { .n_ranks = n, .pid = 100 + rank, .line = GSH_LINE_LIFE };
    int err = gsh_hub_hello(hub, rank, &hello, text);

    hello.line = GSH_LINE_EXCHANGE;
    if (!err)
        err = gsh_hub_hello(hub, rank, &hello, text);
    if (hub->n_ranks)
        gsh_hub_settle(hub);
    return err;
}

static void open_hub(struct gsh_hub *hub, int n_known)
{
    forget();
    end_rank = end_status = -1;
    if (gsh_hub_open(hub, n_known, &ops, NULL))
        abort();
}

/* A hub in whose world all n ranks are. */
static void open_world(struct gsh_hub *hub, int n)
{
    char text[GSH_FRAME_TEXT_BYTES];

    open_hub(hub, n);
    for (int i = 0; i < n; i++)
        if (say_hello(hub, i, n, text))
            abort();
    forget();
}

static int call(struct gsh_hub *hub, int rank, uint32_t kind, const char *block)
{
    struct gsh_frame head = { .kind = kind, .bytes = block ? (uint32_t)strlen(block) : 0 };

    return gsh_hub_message(hub, rank, &head, block);
}

static int tell(struct gsh_hub *hub, int rank, uint32_t kind, int status, const char *text)
{
    struct gsh_frame head = { .kind = kind, .status = status, .bytes = (uint32_t)strlen(text) };

    return gsh_hub_message(hub, rank, &head, text);
}

/* How many ranks have an answer of this kind whose text holds `part`. */
static int answers(enum gsh_line line, uint32_t kind, const char *part)
{
    int count = 0;

    for (int i = 0; i < MAX; i++)
        count += seen[line][i].kind == kind && strstr(seen[line][i].data, part);
    return count;
}

static void test_world(int n)
{
    struct gsh_hub hub;
    char text[GSH_FRAME_TEXT_BYTES];
    char all[2 * MAX + 1] = "";
    bool early = false;

    open_hub(&hub, 0);
    for (int i = 0; i < n; i++) {
        early = early || answers(GSH_LINE_EXCHANGE, GSH_FRAME_WELCOME, "");
        say_hello(&hub, n - 1 - i, n, text);
    }
    tap_ok(!early && answers(GSH_LINE_EXCHANGE, GSH_FRAME_WELCOME, "") == n &&
               answers(GSH_LINE_LIFE, GSH_FRAME_WELCOME, "") == n,
           "%d ranks are welcome when the last has come, not before", n);
    forget();
    early = false;
    for (int i = 0; i < n; i++) {
        char block[3] = { (char)('a' + i), (char)('A' + i), '\0' };

        early = early || answers(GSH_LINE_EXCHANGE, GSH_FRAME_ALLGATHER, "");
        strcat(all, block);
        call(&hub, i, GSH_FRAME_ALLGATHER, block);
    }
    tap_ok(!early && answers(GSH_LINE_EXCHANGE, GSH_FRAME_ALLGATHER, all) == n,
           "%d ranks get the blocks in the order of ranks", n);
    forget();
    for (int i = 0; i < n; i++)
        call(&hub, i, GSH_FRAME_BARRIER, NULL);
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_BARRIER, "") == n, "%d ranks leave a barrier", n);
    for (int i = 0; i < n; i++)
        tell(&hub, i, GSH_FRAME_BYE, 1, "");
    tap_ok(gsh_hub_is_over(&hub), "the job of %d ranks is over when all said BYE", n);
    forget();
    for (int i = 0; i < n; i++)
        say_hello(&hub, i, n, text);
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_WELCOME, "") == n,
           "%d ranks can begin another world after BYE", n);
    gsh_hub_close(&hub);
}

static void test_mismatch(void)
{
    struct gsh_hub hub;

    open_world(&hub, 4);
    call(&hub, 0, GSH_FRAME_ALLGATHER, "12345678");
    call(&hub, 3, GSH_FRAME_BARRIER, NULL);
    call(&hub, 1, GSH_FRAME_ALLGATHER, "12345678");
    tap_ok(!answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR, ""), "a mismatch waits for all calls");
    call(&hub, 2, GSH_FRAME_ALLGATHER, "123");
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR,
                   "PE 0-1 each exchanges 8 bytes, PE 2 exchanges 3 bytes, PE 3 is in a "
                   "barrier") == 4,
           "a mismatch names the call of each PE to all: %s", seen[0][0].data);
    tap_ok(seen[0][1].status == -EINVAL, "a mismatch is -EINVAL");
    forget();
    for (int i = 0; i < 4; i++)
        call(&hub, i, GSH_FRAME_BARRIER, NULL);
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_BARRIER, "") == 4, "calls after a mismatch work");
    call(&hub, 0, GSH_FRAME_BARRIER, NULL);
    tap_ok(call(&hub, 0, GSH_FRAME_BARRIER, NULL) == -EPROTO,
           "a second call before the answer is refused");
    gsh_hub_close(&hub);
}

static void test_places(void)
{
    struct gsh_hub hub;
    char text[GSH_FRAME_TEXT_BYTES];

    open_hub(&hub, 0);
    tap_ok(say_hello(&hub, 3, 3, text) == -EINVAL, "a rank out of range is refused: %s", text);
    gsh_hub_close(&hub);

    open_hub(&hub, 0);
    say_hello(&hub, 1, 3, text);
    tap_ok(say_hello(&hub, 1, 3, text) == -EINVAL && strstr(text, "both say that they are PE 1"),
           "a rank that is taken is refused: %s", text);
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR, "PE 1") == 1,
           "who waits for a place that cannot be filled is told");
    tap_ok(say_hello(&hub, 0, 3, text) == -ECONNABORTED && strstr(text, "PE 1"),
           "who comes later is told as well");
    gsh_hub_close(&hub);

    open_hub(&hub, 0);
    say_hello(&hub, 0, 2, text);
    tap_ok(say_hello(&hub, 1, 3, text) == -EINVAL && strstr(text, "PE 1 of 3") &&
               answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR, "PE 1 of 3") == 1,
           "another number of PEs is refused and told: %s", text);
    gsh_hub_close(&hub);

    open_world(&hub, 2);
    tap_ok(say_hello(&hub, 1, 2, text) == -EINVAL &&
               !answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR, ""),
           "a newcomer does not disturb a world that has begun");
    gsh_hub_close(&hub);
}

static void test_loss(void)
{
    struct gsh_hub hub;
    char text[GSH_FRAME_TEXT_BYTES];

    open_world(&hub, 3);
    call(&hub, 0, GSH_FRAME_ALLGATHER, "1");
    gsh_hub_gone(&hub, 1, "PE 1 was hit");
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR, "PE 1 was hit") == 1 &&
               seen[0][0].status == -ECONNABORTED,
           "who waits in a call learns of a death");
    tap_ok(answers(GSH_LINE_LIFE, GSH_FRAME_GONE, "PE 1 was hit") == 2 && seen[1][2].who == 1,
           "all others learn of a death on the life line");
    call(&hub, 2, GSH_FRAME_BARRIER, NULL);
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR, "PE 1 was hit") == 2,
           "a call after a death fails at once");
    forget();
    gsh_hub_gone(&hub, 2, NULL);
    tap_ok(!answers(GSH_LINE_LIFE, GSH_FRAME_GONE, ""), "only the first death is told");
    gsh_hub_close(&hub);

    open_hub(&hub, 3);
    say_hello(&hub, 0, 3, text);
    gsh_hub_ended(&hub, 2);
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR, "PE 2 has ended without a call to init") ==
               1,
           "who waits in init learns that a PE ended without it");
    tap_ok(say_hello(&hub, 1, 3, text) == -ECONNABORTED && strstr(text, "PE 2 has ended"),
           "so does who comes later");
    gsh_hub_close(&hub);
}

static void test_leave(void)
{
    struct gsh_hub hub;

    open_world(&hub, 3);
    tell(&hub, 1, GSH_FRAME_BYE, 0, "");
    tap_ok(answers(GSH_LINE_LIFE, GSH_FRAME_LEFT, "") == 2 && seen[1][0].who == 1,
           "the others learn that a PE left");
    call(&hub, 0, GSH_FRAME_BARRIER, NULL);
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR,
                   "PE 0 is in a barrier, PE 1 has left without finalize, PE 2 makes no call") == 1,
           "a call without a PE that left fails: %s", seen[0][0].data);
    gsh_hub_close(&hub);

    open_world(&hub, 2);
    call(&hub, 0, GSH_FRAME_BARRIER, NULL);
    tell(&hub, 1, GSH_FRAME_BYE, 1, "");
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR, "PE 1 has finalized") == 1 &&
               !answers(GSH_LINE_LIFE, GSH_FRAME_LEFT, ""),
           "a call that waits for a PE which finalizes fails");
    gsh_hub_close(&hub);

    open_world(&hub, 2);
    gsh_hub_ended(&hub, 1);
    tap_ok(answers(GSH_LINE_LIFE, GSH_FRAME_LEFT, "") == 1, "an end without BYE is a leave");
    gsh_hub_close(&hub);
}

static void test_abort(void)
{
    struct gsh_hub hub;

    open_world(&hub, 3);
    call(&hub, 0, GSH_FRAME_BARRIER, NULL);
    tell(&hub, 2, GSH_FRAME_ABORT, 7, "no more fuel");
    tap_ok(answers(GSH_LINE_LIFE, GSH_FRAME_END, "no more fuel") == 2 && seen[1][0].status == 7 &&
               seen[1][0].who == 2,
           "an abort is told to the others with status and text");
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR, "no more fuel") == 1,
           "an abort ends the call that waits");
    tap_ok(end_rank == 2 && end_status == 7, "an abort is told to the driver");
    forget();
    tell(&hub, 1, GSH_FRAME_ABORT, 9, "second");
    tap_ok(!answers(GSH_LINE_LIFE, GSH_FRAME_END, "") && end_status == 7,
           "only the first abort counts");
    gsh_hub_close(&hub);
}

static void test_odd(void)
{
    struct gsh_hub hub;

    open_world(&hub, 2);
    tap_ok(call(&hub, 0, GSH_FRAME_WELCOME, NULL) == -EPROTO, "a message for PEs is refused");
    tell(&hub, 0, GSH_FRAME_BYE, 1, "");
    tap_ok(call(&hub, 0, GSH_FRAME_BARRIER, NULL) == -EPROTO, "a call after BYE is refused");
    gsh_hub_close(&hub);
}

static void test_tired(void)
{
    struct gsh_hub hub;
    char text[GSH_FRAME_TEXT_BYTES];

    open_world(&hub, 4);
    tell(&hub, 0, GSH_FRAME_TIRED, 5, "");
    tap_ok(!answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR, ""),
           "a rank that is told no more than it knows already has not waited in vain");
    call(&hub, 0, GSH_FRAME_ALLGATHER, "1");
    call(&hub, 2, GSH_FRAME_ALLGATHER, "1");
    tell(&hub, 2, GSH_FRAME_TIRED, 5, "");
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR,
                   "PE 2 has waited 5 s to exchange 1 bytes with all PEs; PE 1 (pid 101), PE 3 "
                   "(pid 103) have not come") == 2,
           "one that will wait no longer ends the wait of all, and the missing are named");
    gsh_hub_close(&hub);

    open_hub(&hub, 3);
    say_hello(&hub, 1, 3, text);
    say_hello(&hub, 2, 3, text);
    tell(&hub, 1, GSH_FRAME_TIRED, 5, "");
    tap_ok(answers(GSH_LINE_EXCHANGE, GSH_FRAME_ERROR,
                   "PE 1 has waited 5 s for all 3 PEs to call init; PE 0 has not come") == 2,
           "so it is before the world begins");
    gsh_hub_close(&hub);
}

int main(void)
{
    for (int n = 1; n <= MAX; n++)
        test_world(n);
    test_mismatch();
    test_places();
    test_loss();
    test_leave();
    test_abort();
    test_odd();
    test_tired();
    return tap_end();
}
