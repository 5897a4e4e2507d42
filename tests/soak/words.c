/* words.c - atomics, signals, waits and locks. */
// SPDX-License-Identifier: BSD-3-Clause
#include "soak.h"

#include <sched.h>
#include <string.h>

enum { WORDS = 4, PAYLOAD = 20000, TICKETS = SOAK_PES * 64 };

/* X(name, type, bits): the types that atomics are tried with. */
#define TYPES(X) \
    X(int, int, 0) \
    X(long, long, 0) \
    X(uint32, uint32_t, 1) \
    X(uint64, uint64_t, 1) X(size, size_t, 0) X(float, float, 2) X(double, double, 2)

/* Word [a][i] of a PE is used by actor a alone, so that every answer is known. */
#define STATE(name, type, bits) \
    static type name##_words[SOAK_PES][WORDS]; \
    static type name##_model[SOAK_PES][SOAK_PES][WORDS];
TYPES(STATE)
#undef STATE

static uint64_t *signals, *added; /* symmetric, [n_pes]: by each PE */
static uint64_t signal_model[SOAK_PES][SOAK_PES], added_model[SOAK_PES][SOAK_PES];
static unsigned char *mail;             /* symmetric, [n_pes][PAYLOAD] */
static unsigned char payload[PAYLOAD];  /* private or static: symmetric as well */
static uint64_t *flags;                 /* symmetric, [n_pes]: by each PE */
static uint64_t ticket, drawn[TICKETS]; /* symmetric by being static */
static long lock_word, guarded;
static long guarded_model;

void words_setup(void)
{
    signals = need_symmetric((size_t)n_pes * sizeof(*signals));
    added = need_symmetric((size_t)n_pes * sizeof(*added));
    flags = need_symmetric((size_t)n_pes * sizeof(*flags));
    mail = need_symmetric((size_t)n_pes * PAYLOAD);
}

static void same(bool equal, const char *what, int kind)
{
    if (!equal)
        soak_fail("%s: operation %d gave another value than the model", what, kind);
}

/* Operations of all types; those without an answer come first. */
enum { SET, INC, ADD, AND, OR, XOR, FETCH, SWAP, CSWAP, FETCH_INC, FETCH_ADD, FETCH_AND, N_AMOS };

#define WHOLE_CASES(name, type) \
    case INC: \
        if (mine) \
            shmem_##name##_atomic_inc(at, pe); \
        *model += 1; \
        return; \
    case ADD: \
        if (mine) \
            shmem_##name##_atomic_add(at, value, pe); \
        *model += value; \
        return; \
    case FETCH_INC: \
        if (mine) \
            same(shmem_##name##_atomic_fetch_inc(at, pe) == *model, #name, op); \
        *model += 1; \
        return; \
    case FETCH_ADD: \
        if (mine) \
            same(shmem_##name##_atomic_fetch_add(at, value, pe) == *model, #name, op); \
        *model += value; \
        return; \
    case CSWAP: \
        cond = hit ? *model : (type)(*model + 1); \
        if (mine) \
            same(shmem_##name##_atomic_compare_swap(at, cond, value, pe) == *model, #name, op); \
        if (hit) \
            *model = value; \
        return;
#define BIT_CASES(name) \
    case AND: \
        if (mine) \
            shmem_##name##_atomic_and(at, value, pe); \
        *model &= value; \
        return; \
    case OR: \
        if (mine) \
            shmem_##name##_atomic_or(at, value, pe); \
        *model |= value; \
        return; \
    case XOR: \
        if (mine) \
            shmem_##name##_atomic_xor(at, value, pe); \
        *model ^= value; \
        return; \
    case FETCH_AND: \
        if (mine) \
            same(shmem_##name##_atomic_fetch_and(at, value, pe) == *model, #name, op); \
        *model &= value; \
        return;
#define REAL_CASES(name) \
    case ADD: \
        if (mine) \
            nvshmem_##name##_atomic_add(at, value, pe); \
        *model += value; \
        return; \
    case FETCH_ADD: \
        if (mine) \
            same(nvshmem_##name##_atomic_fetch_add(at, value, pe) == *model, #name, op); \
        *model += value; \
        return;
#define CASES_0(name, type) WHOLE_CASES(name, type)
#define CASES_1(name, type) WHOLE_CASES(name, type) BIT_CASES(name)
#define CASES_2(name, type) REAL_CASES(name)

/* One operation on the actor's word: done when it is this PE's own, and in the model. */
#define AMO(name, type, bits) \
    static void name##_amo(int actor, int pe, int word, unsigned op, unsigned number) \
    { \
        type *at = &name##_words[actor][word], *model = &name##_model[pe][actor][word]; \
        type value = (type)number, cond = 0; \
        bool mine = actor == me, hit = number & 1; \
        if (mine && op >= FETCH) \
            shmem_quiet(); \
        (void)cond; \
        (void)hit; \
        switch (op) { \
            CASES_##bits(name, type) case FETCH \
                : if (mine) same(shmem_##name##_atomic_fetch(at, pe) == *model, #name, (int)op); \
            return; \
        case SWAP: \
            if (mine) \
                same(shmem_##name##_atomic_swap(at, value, pe) == *model, #name, (int)op); \
            *model = value; \
            return; \
        default: \
            if (mine) \
                shmem_##name##_atomic_set(at, value, pe); \
            *model = value; \
        } \
    }
/* clang-format off */
TYPES(AMO)
/* clang-format on */
#undef AMO

typedef void amo_fn(int actor, int pe, int word, unsigned op, unsigned number);

#define ROW(name, type, bits) name##_amo,
static amo_fn *const amos[] = { TYPES(ROW) };
#undef ROW
enum { N_TYPES = sizeof(amos) / sizeof(amos[0]) };

#define VERIFY(name, type, bits) \
    for (int actor = 0; actor < n_pes; actor++) \
        for (int i = 0; i < WORDS; i++) \
            same(name##_words[actor][i] == name##_model[me][actor][i], #name, -1);

void amo_round(void)
{
    struct dice dice = soak_dice(-1);
    unsigned type = draw(&dice, N_TYPES), ops = 1 + draw(&dice, 12);

    for (int actor = 0; actor < n_pes; actor++) {
        struct dice own = soak_dice(actor);

        for (unsigned i = 0; i < ops; i++) {
            int pe = (int)draw(&own, (unsigned)n_pes), word = (int)draw(&own, WORDS);
            unsigned op = draw(&own, N_AMOS);

            amos[type](actor, pe, word, op, draw(&own, 1000));
            if (actor == me)
                shmem_fence();
        }
    }
    meet(&dice);
    TYPES(VERIFY)
    shmem_sync_all();
}
#undef VERIFY

/* All take tickets from one word: each number is drawn by one PE, once. */
void ticket_round(void)
{
    struct dice dice = soak_dice(-1);
    int keeper = (int)draw(&dice, (unsigned)n_pes);
    unsigned each = 1 + draw(&dice, 63), how = draw(&dice, 3);

    for (unsigned i = 0; i < each; i++) {
        uint64_t mine;

        if (how == 2) {
            do
                mine = shmem_uint64_atomic_fetch(&ticket, keeper);
            while (shmem_uint64_atomic_compare_swap(&ticket, mine, mine + 1, keeper) != mine);
        } else {
            mine = how ? shmem_uint64_atomic_fetch_inc(&ticket, keeper)
                       : shmem_uint64_atomic_fetch_add(&ticket, 1, keeper);
        }
        if (mine >= (uint64_t)each * (unsigned)n_pes)
            soak_fail("ticket %lu of %u", (unsigned long)mine, each * (unsigned)n_pes);
        shmem_uint64_atomic_add(&drawn[mine], 1 + (uint64_t)me * 1000, keeper);
    }
    meet(&dice);
    for (unsigned i = 0; me == keeper && i < each * (unsigned)n_pes; i++)
        if (drawn[i] % 1000 != 1)
            soak_fail("ticket %u was drawn %lu times", i, (unsigned long)drawn[i] % 1000);
    ticket = 0;
    memset(drawn, 0, sizeof(drawn));
    shmem_barrier_all();
}

static void send(struct dice *dice, int to, size_t bytes, uint64_t name, uint64_t number)
{
    unsigned char *place = mail + (size_t)me * PAYLOAD;

    fill(payload, bytes, name);
    switch (draw(dice, 4)) {
    case 0:
        shmem_putmem_signal(place, payload, bytes, &signals[me], number, SHMEM_SIGNAL_SET, to);
        break;
    case 1:
        shmem_putmem_signal_nbi(place, payload, bytes, &signals[me], number, SHMEM_SIGNAL_SET, to);
        break;
    case 2:
        shmem_putmem_nbi(place, payload, bytes, to);
        shmem_fence();
        nvshmemx_signal_op(&signals[me], number, NVSHMEM_SIGNAL_SET, to);
        break;
    default:
        shmem_putmem(place, payload, bytes, to);
        shmem_fence();
        shmem_uint64_atomic_set(&signals[me], number, to);
    }
    shmem_uint64_put_signal(&flags[me], &number, 0, &added[me], number % 5, SHMEM_SIGNAL_ADD, to);
}

static void receive(struct dice *dice, int from, size_t bytes, uint64_t name, uint64_t number)
{
    switch (draw(dice, 3)) {
    case 0:
        if (shmem_signal_wait_until(&signals[from], SHMEM_CMP_EQ, number) != number)
            soak_fail("signal_wait_until gave another number");
        break;
    case 1:
        while (shmem_signal_fetch(&signals[from]) != number)
            sched_yield();
        break;
    default:
        shmem_uint64_wait_until(&signals[from], SHMEM_CMP_GE, number);
    }
    expect(mail + (size_t)from * PAYLOAD, bytes, name, 0, "data behind a signal");
}

/* Everyone sends to the PE `by` on, several times; the receiver lets the sender go on
 * by a signal of its own, so that no barrier is between. */
void signal_round(void)
{
    struct dice dice = soak_dice(-1), own = soak_dice(me);
    int by = (int)draw(&dice, (unsigned)n_pes), turns = 1 + (int)draw(&dice, 4);
    int to = (me + by) % n_pes, from = (me + n_pes - by) % n_pes;

    for (int i = 0; i < turns; i++) {
        size_t bytes = draw_size(&dice, PAYLOAD);
        uint64_t name = dice.state;

        for (int pe = 0; pe < n_pes; pe++) {
            uint64_t number = ++signal_model[(pe + by) % n_pes][pe];

            added_model[(pe + by) % n_pes][pe] += number % 5;
        }
        send(&own, to, bytes, name_of(name, (uint64_t)me), signal_model[to][me]);
        receive(&own, from, bytes, name_of(name, (uint64_t)from), signal_model[me][from]);
        shmem_uint64_p(&flags[me], name | 1, from);
        shmem_uint64_wait_until(&flags[to], SHMEM_CMP_EQ, name | 1);
        shmem_quiet();
    }
    shmem_barrier_all();
    memset(flags, 0, (size_t)n_pes * sizeof(*flags));
    expect_bytes(signals, signal_model[me], (size_t)n_pes * 8, "signals set");
    expect_bytes(added, added_model[me], (size_t)n_pes * 8, "signals added");
    shmem_barrier_all();
}

/* Waits until all others have told their number, by one of the forms. */
static void await_all(struct dice *dice, uint64_t number)
{
    size_t n = (size_t)n_pes, found[SOAK_PES], left = n;
    uint64_t numbers[SOAK_PES];
    int seen[SOAK_PES] = { 0 };
    unsigned how = draw(dice, 6);

    for (int i = 0; i < n_pes; i++)
        numbers[i] = number;
    if (how == 0)
        shmem_uint64_wait_until_all(flags, n, NULL, SHMEM_CMP_EQ, number);
    else if (how == 1)
        shmem_uint64_wait_until_all_vector(flags, n, NULL, SHMEM_CMP_EQ, numbers);
    else if (how == 2)
        while (!shmem_uint64_test_all(flags, n, NULL, SHMEM_CMP_GE, number))
            sched_yield();
    for (; how == 3 && left; left--)
        seen[shmem_uint64_wait_until_any(flags, n, seen, SHMEM_CMP_EQ, number)] = 1;
    while (how == 4 && left) {
        size_t some = shmem_uint64_wait_until_some(flags, n, found, seen, SHMEM_CMP_EQ, number);

        for (size_t i = 0; i < some; i++)
            seen[found[i]] = 1;
        left -= some;
    }
    while (how == 5 && left) {
        size_t any = shmem_uint64_test_any(flags, n, seen, SHMEM_CMP_EQ, number);

        if (any == SIZE_MAX) {
            sched_yield();
            continue;
        }
        seen[any] = 1;
        left--;
    }
}

void wait_round(void)
{
    struct dice dice = soak_dice(-1), own = soak_dice(me);
    uint64_t number = dice.state | 1;
    int first = (int)draw(&own, (unsigned)n_pes);

    for (int i = 0; i < n_pes; i++) {
        int pe = (first + i) % n_pes;

        if (flip(&own))
            shmem_uint64_p(&flags[me], number, pe);
        else
            shmem_uint64_atomic_set(&flags[me], number, pe);
    }
    await_all(&own, number);
    for (int i = 0; i < n_pes; i++)
        same(flags[i] == number, "flag", i);
    shmem_barrier_all();
    memset(flags, 0, (size_t)n_pes * sizeof(*flags));
    shmem_barrier_all();
}

void lock_round(void)
{
    struct dice dice = soak_dice(-1);
    int keeper = (int)draw(&dice, (unsigned)n_pes), times = 1 + (int)draw(&dice, 8);

    shmem_long_p(&guarded, guarded_model, keeper);
    shmem_barrier_all();
    for (int i = 0; i < times; i++) {
        if (i % 2 || shmem_test_lock(&lock_word))
            shmem_set_lock(&lock_word);
        shmem_long_p(&guarded, shmem_long_g(&guarded, keeper) + 1, keeper);
        shmem_quiet();
        shmem_clear_lock(&lock_word);
    }
    shmem_barrier_all();
    guarded_model += (long)times * n_pes;
    same(me != keeper || guarded == guarded_model, "count under a lock", times);
    shmem_barrier_all();
}
