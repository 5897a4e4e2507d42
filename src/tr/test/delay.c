/* The delay transport delivers late and out of order, yet all before quiet, in order
 * across a fence, payload before signal, atomics exactly once, words whole; with several
 * callers at once, more than its queue holds, and what is queued when it closes. */
// SPDX-License-Identifier: BSD-3-Clause
#include "tr/test/fake.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

enum {
    N_MANY = 100000,
    N_FENCES = 10000, /* at least */
    N_SEEN = 50,      /* stamps that the reader must have seen change */
    N_WORDS = 25,
    N_SIGNALS = 10000,
    N_SLOTS = 16, /* signals under way at once */
    SLOT_WORDS = 26,
    N_PRODUCERS = 4,
    N_ADDS = 3000,
    N_TRIES = 2000, /* for something that happens by chance */
};

static void start(void)
{
    fake_job("delay", true);
    if (gsh_tr_open_all())
        tap_ok(false, "the transports open");
}

static uint64_t word(int pe, size_t i)
{
    return atomic_load_explicit(fake_word(pe, i), memory_order_relaxed);
}

static void put_word(int pe, size_t i, uint64_t value)
{
    gsh_tr_put(pe, fake_off(i), &value, sizeof(value));
}

static void post(int pe, size_t i, enum gsh_amo op, uint64_t operand)
{
    struct gsh_amo_args args = { .op = op, .bytes = 8, .operand = operand };

    gsh_tr_amo_post(pe, fake_off(i), &args);
}

static void test_many(void)
{
    bool puts = true;
    bool sums = true;

    start();
    for (size_t i = 0; i < N_MANY; i++) {
        int pe = 1 + (int)(i % 3);

        if (i & 1)
            put_word(pe, 1 + i, i);
        else
            post(pe, 0, GSH_AMO_add, i);
    }
    gsh_tr_quiet();
    for (int pe = 1; pe < FAKE_PES; pe++) {
        uint64_t sum = 0;

        for (size_t i = (size_t)pe - 1; i < N_MANY; i += 3)
            if (i & 1)
                puts &= word(pe, 1 + i) == i;
            else
                sum += i;
        sums &= word(pe, 0) == sum;
    }
    tap_ok(puts, "after quiet all of %d mixed operations' puts are there", N_MANY);
    tap_ok(sums, "after quiet all of their atomics are there, once");
    gsh_tr_close_all();
}

/* Sizes and offsets of every kind, and nothing beside them. */
static void test_bytes(void)
{
    static char model[FAKE_WINDOW];
    static char from[300001];
    static char back[300001];
    size_t off = FAKE_HEAP;
    bool same = true;

    start();
    memset(model, 0, sizeof(model));
    for (size_t i = 0; i < sizeof(from); i++)
        from[i] = (char)(i * 7 + i / 251 + 1);
    for (size_t bytes = 1; bytes < 300; bytes++) {
        memcpy(model + off, from, bytes);
        gsh_tr_put(1, off, from, bytes);
        off += bytes + bytes % 5;
    }
    memcpy(model + off + 1, from, sizeof(from));
    gsh_tr_put(1, off + 1, from, sizeof(from));
    gsh_tr_quiet();
    for (size_t i = FAKE_HEAP; i < FAKE_WINDOW; i++)
        same &= model[i] == fake_memory[1][i];
    tap_ok(same, "puts of all sizes and alignments write their bytes and no others");
    gsh_tr_get(1, back, off + 1, sizeof(back));
    tap_ok(!memcmp(back, from, sizeof(back)), "a get after quiet reads what was put");
    gsh_tr_close_all();
}

static void test_fetch(void)
{
    struct gsh_amo_args add = { .op = GSH_AMO_add, .bytes = 4, .operand = UINT32_MAX };
    struct gsh_amo_args swap = { .op = GSH_AMO_cswap, .bytes = 8, .operand = 9, .cond = 4 };

    start();
    put_word(2, 0, 5);
    gsh_tr_quiet();
    tap_ok(gsh_tr_amo(2, fake_off(0), &add) == 5 && word(2, 0) == 4,
           "a fetching atomic answers, acts at once and keeps to its width");
    tap_ok(gsh_tr_amo(2, fake_off(0), &swap) == 4 && gsh_tr_amo(2, fake_off(0), &swap) == 9,
           "compare and swap answers the old value, whether or not it swaps");
    gsh_tr_close_all();
}

static atomic_bool over;
static atomic_int wrong;
static atomic_int seen;

static void *watch_stamps(void *arg)
{
    uint64_t last = 0;

    (void)arg;
    while (!atomic_load(&over)) {
        uint64_t second = atomic_load(fake_word(3, 1));
        uint64_t first = atomic_load(fake_word(3, 0));

        wrong += first < second;
        seen += second != last;
        last = second;
    }
    return NULL;
}

static void reset(void)
{
    atomic_store(&over, false);
    atomic_store(&wrong, 0);
    atomic_store(&seen, 0);
}

static void test_fence(void)
{
    pthread_t reader;
    uint64_t stamp = 0;

    start();
    reset();
    pthread_create(&reader, NULL, watch_stamps, NULL);
    while (stamp < N_FENCES || atomic_load(&seen) < N_SEEN) {
        put_word(3, 0, ++stamp);
        put_word(2, 0, stamp);
        gsh_tr_fence();
        put_word(3, 1, stamp);
    }
    gsh_tr_quiet();
    atomic_store(&over, true);
    pthread_join(reader, NULL);
    tap_ok(!wrong, "a put after a fence is never seen before the put ahead of it");
    tap_ok(word(3, 0) == stamp && word(3, 1) == stamp, "the last stamp is the last put");
    gsh_tr_close_all();
}

/* Every word is 0 or all ones; off by 4, the halves of the words are. */
static void *watch_words(void *arg)
{
    uint32_t last = 0;

    (void)arg;
    while (!atomic_load(&over)) {
        for (size_t i = 0; i < N_WORDS; i++) {
            uint64_t whole = atomic_load(fake_word(1, i));
            uint32_t half = atomic_load((_Atomic uint32_t *)fake_word(2, i) + 1);

            wrong += whole + 1 > 1 || (half && ~half);
            seen += half != last;
            last = half;
        }
    }
    return NULL;
}

static void test_words(void)
{
    char values[2][N_WORDS * 8];
    pthread_t reader;

    start();
    reset();
    memset(values[0], 0, sizeof(values[0]));
    memset(values[1], -1, sizeof(values[1]));
    pthread_create(&reader, NULL, watch_words, NULL);
    for (size_t i = 0; i < N_FENCES || atomic_load(&seen) < N_SEEN; i++) {
        gsh_tr_put(1, fake_off(0), values[i & 1], sizeof(values[0]));
        gsh_tr_put(2, fake_off(0) + 4, values[i & 1], sizeof(values[0]));
    }
    gsh_tr_quiet();
    atomic_store(&over, true);
    pthread_join(reader, NULL);
    tap_ok(!wrong, "a word that is aligned at the target is never seen half written");
    gsh_tr_close_all();
}

static bool slot_is(size_t slot, uint64_t value)
{
    bool same = true;

    for (size_t i = 0; i < SLOT_WORDS - 1; i++)
        same &= word(1, slot * SLOT_WORDS + i) == value;
    return same;
}

static void *take_signals(void *arg)
{
    (void)arg;
    for (size_t i = 0; i < N_SIGNALS; i++) {
        size_t slot = i % N_SLOTS;
        _Atomic uint64_t *signal = fake_word(1, slot * SLOT_WORDS + SLOT_WORDS - 1);

        while (atomic_load(signal) != i / N_SLOTS + 1)
            sched_yield();
        wrong += !slot_is(slot, i);
        atomic_fetch_add(&seen, 1);
    }
    return NULL;
}

static void test_signal(void)
{
    const struct gsh_amo_args add = { .op = GSH_AMO_add, .bytes = 8, .operand = 1 };
    uint64_t payload[SLOT_WORDS - 1];
    pthread_t reader;

    start();
    reset();
    pthread_create(&reader, NULL, take_signals, NULL);
    for (size_t i = 0; i < N_SIGNALS; i++) {
        size_t at = i % N_SLOTS * SLOT_WORDS;

        while ((size_t)atomic_load(&seen) + N_SLOTS <= i)
            sched_yield();
        for (size_t k = 0; k < SLOT_WORDS - 1; k++)
            payload[k] = i;
        gsh_tr_put_signal(1, fake_off(at), payload, sizeof(payload), fake_off(at + SLOT_WORDS - 1),
                          &add);
    }
    pthread_join(reader, NULL);
    tap_ok(!wrong, "who sees a signal sees all of its payload, %d times", N_SIGNALS);
    gsh_tr_put_signal(1, fake_off(0), payload, 0, fake_off(SLOT_WORDS - 1), &add);
    gsh_tr_quiet();
    tap_ok(word(1, SLOT_WORDS - 1) == N_SIGNALS / N_SLOTS + 1, "a signal needs no payload");
    gsh_tr_close_all();
}

/* Adds to words that all share, and to one of its own. */
static void *produce(void *arg)
{
    const size_t own = 8 + *(const size_t *)arg;
    const struct gsh_amo_args half = { .op = GSH_AMO_add, .bytes = 4, .operand = 3 };
    uint64_t payload[20] = { 0 };

    for (int i = 0; i < N_ADDS; i++) {
        int pe = 1 + i % 3;

        post(pe, 0, GSH_AMO_add, 1);
        gsh_tr_amo_post(pe, fake_off(1), &half);
        post(1, own, GSH_AMO_add, 1);
        if (i % 10 == 0)
            gsh_tr_put_signal(2, fake_off(own * 20), payload, sizeof(payload), fake_off(2), &half);
        if (i % 100 == 0)
            gsh_tr_fence();
        if (i % 100 != 50)
            continue;
        gsh_tr_quiet();
        wrong += word(1, own) != (uint64_t)i + 1;
    }
    gsh_tr_quiet();
    return NULL;
}

static void test_producers(void)
{
    pthread_t threads[N_PRODUCERS];
    size_t index[N_PRODUCERS];
    bool exact = true;

    start();
    reset();
    for (size_t t = 0; t < N_PRODUCERS; t++) {
        index[t] = t;
        pthread_create(&threads[t], NULL, produce, &index[t]);
    }
    for (size_t t = 0; t < N_PRODUCERS; t++)
        pthread_join(threads[t], NULL);
    for (int pe = 1; pe < FAKE_PES; pe++)
        exact &=
            word(pe, 0) == N_PRODUCERS * N_ADDS / 3 && word(pe, 1) == N_PRODUCERS * N_ADDS / 3 * 3;
    tap_ok(exact, "the totals of atomics from %d threads are exact", N_PRODUCERS);
    tap_ok(word(2, 2) == N_PRODUCERS * N_ADDS / 10 * 3, "and so is that of their signals");
    tap_ok(!wrong, "a thread's quiet completes what it has queued, whatever others queue");
    gsh_tr_close_all();
}

/* Puts 1 to 50 to one word, with a fence before the last if asked; the word at the
 * end. */
static uint64_t last_of_many(bool fence)
{
    for (uint64_t i = 1; i <= 50; i++) {
        if (fence && i == 50)
            gsh_tr_fence();
        put_word(1, 0, i);
    }
    gsh_tr_quiet();
    return word(1, 0);
}

/* Do two puts of many bytes to one place leave a mix there? */
static bool mixes(void)
{
    static const char zeros[4096];
    static char ones[4096];
    bool zero = false;
    bool one = false;

    memset(ones, 1, sizeof(ones));
    gsh_tr_put(1, FAKE_HEAP, zeros, sizeof(zeros));
    gsh_tr_put(1, FAKE_HEAP, ones, sizeof(ones));
    gsh_tr_quiet();
    for (size_t i = 0; i < sizeof(ones); i++)
        *(fake_memory[1][FAKE_HEAP + i] ? &one : &zero) = true;
    return zero && one;
}

static void test_disorder(void)
{
    bool kept = true;
    int tries = 0;

    start();
    while (tries < N_TRIES && last_of_many(false) == 50)
        tries++;
    tap_ok(tries < N_TRIES, "puts without a fence between them overtake one another");
    for (int i = 0; i < 200; i++)
        kept &= last_of_many(true) == 50;
    tap_ok(kept, "the same puts never overtake a fence");
    for (tries = 0; tries < N_TRIES && !mixes(); tries++)
        ;
    tap_ok(tries < N_TRIES, "the pieces of a larger put travel by themselves");
    gsh_tr_close_all();
}

static void count_signal(int number)
{
    (void)number;
    atomic_fetch_add(&seen, 1);
}

static void test_thread(void)
{
    struct sigaction action = { .sa_handler = count_signal };
    struct gsh_bell *bell = &((struct gsh_inner *)(void *)fake_memory[1])->bell;
    sigset_t mine;
    sigset_t pending;

    start();
    reset();
    atomic_store(&bell->sleepers, 1);
    put_word(1, 0, 1);
    gsh_tr_quiet();
    tap_ok(atomic_load(&bell->rings) == 1, "a delivery rings the bell of its target");
    tap_ok(!atomic_load(&gsh_inner()->bell.rings), "and no other");

    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mine, NULL);
    sigaction(SIGUSR1, &action, NULL);
    kill(getpid(), SIGUSR1);
    put_word(1, 0, 2);
    gsh_tr_quiet();
    sigpending(&pending);
    tap_ok(!seen && sigismember(&pending, SIGUSR1), "the thread takes no signals of the program");
    gsh_tr_close_all();
}

static void test_close(void)
{
    bool all = true;

    start();
    for (size_t i = 0; i < 200; i++)
        put_word(1 + (int)(i % 3), i, i + 1);
    gsh_tr_close_all();
    for (size_t i = 0; i < 200; i++)
        all &= word(1 + (int)(i % 3), i) == i + 1;
    tap_ok(all, "closing delivers what is still queued");
}

int main(void)
{
    fake_hosts("aaaa");
    test_many();
    test_bytes();
    test_fetch();
    test_fence();
    test_words();
    test_signal();
    test_producers();
    test_disorder();
    test_thread();
    test_close();
    gsh_host_close();
    return tap_end();
}
