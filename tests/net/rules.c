/* B08: the rules of order of the model hold in each of many rounds (RULES_ROUNDS, 1000), in which
 * all of them are tried at once: a signal comes after its payload, a flag behind a fence after
 * what was put before it, quiet means that all is there, also for a third PE, and a barrier
 * that all have come and all they have put is there; and where put has returned its source may
 * be written. */
// SPDX-License-Identifier: BSD-3-Clause
#include "../conform/check.h"

enum { SMALL = 24, WORDS = 40000, OFTEN = 700 };

/* What others write to a PE; symmetric. */
struct inbox {
    uint64_t payload[WORDS];
    uint64_t signal;
    uint64_t data[WORDS];
    uint64_t flag;
    uint64_t settled[WORDS]; /* by quiet */
    uint64_t told;           /* by a third PE, that it is */
    uint64_t met[WORDS];     /* before a barrier */
    uint64_t entered;
    uint64_t count;
};

static struct inbox *box;
static uint64_t lent[WORDS];
static int me, n_pes, next, prev;

/* Number of words that are not `value`. */
static size_t count_not(const uint64_t *p, size_t n, uint64_t value)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += p[i] != value;
    return wrong;
}

/* The same on all PEs, and other sizes in each round; now and then as much as networks move
 * without copies. */
static size_t size_of(uint64_t k)
{
    size_t most = k % 4 ? SMALL : k % 256 ? OFTEN : WORDS;

    return 1 + (size_t)((k * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % most;
}

/* The source of a call that takes it before it returns. */
static const uint64_t *lend(const uint64_t *out, size_t n)
{
    return memcpy(lent, out, n * sizeof(*out));
}

static void spoil(size_t n)
{
    memset(lent, 0xff, n * sizeof(*lent));
}

static void send_signal(uint64_t k, const uint64_t *out, size_t n)
{
    int op = k % 2 ? NVSHMEM_SIGNAL_SET : NVSHMEM_SIGNAL_ADD;
    uint64_t value = k % 2 ? k : 1;

    if (k % 3)
        nvshmem_uint64_put_signal(box->payload, lend(out, n), n, &box->signal, value, op, next);
    else
        nvshmem_uint64_put_signal_nbi(box->payload, out, n, &box->signal, value, op, next);
    spoil(n);
}

static void send_behind_fence(uint64_t k, const uint64_t *out, size_t n)
{
    nvshmem_uint64_put(box->data, lend(out, n), n, next);
    spoil(n);
    nvshmem_fence();
    nvshmem_uint64_p(&box->flag, k, next);
}

/* What is complete at the next PE, this PE and the one before it may know. */
static void send_settled(uint64_t k, const uint64_t *out, size_t n)
{
    static uint64_t back[WORDS];

    nvshmem_uint64_put_nbi(box->settled, out, n, next);
    nvshmem_quiet();
    nvshmem_uint64_atomic_set(&box->told, k, prev);
    nvshmem_uint64_get(back, box->settled, n, next);
    CHECK(!count_not(back, n, k), "round %ju: %zu words are not there after quiet", k, n);
}

static void receive(uint64_t k, size_t n)
{
    int second = (next + 1) % n_pes;
    static uint64_t back[WORDS];

    nvshmem_signal_wait_until(&box->signal, NVSHMEM_CMP_EQ, k);
    CHECK(!count_not(box->payload, n, k), "round %ju: a signal came before its payload", k);
    nvshmem_uint64_wait_until(&box->flag, NVSHMEM_CMP_EQ, k);
    CHECK(!count_not(box->data, n, k), "round %ju: a flag overtook a fence", k);
    nvshmem_uint64_wait_until(&box->told, NVSHMEM_CMP_EQ, k);
    nvshmem_uint64_get(back, box->settled, n, second);
    CHECK(!count_not(back, n, k), "round %ju: a third PE was told of a quiet too early", k);
}

static void meet(uint64_t k, const uint64_t *out, size_t n)
{
    int any = (int)((uint64_t)(me + 1) + k) % n_pes;
    uint64_t entered;

    nvshmem_uint64_put_nbi(box->met, out, n, next);
    nvshmem_uint64_atomic_inc(&box->count, next);
    box->entered = k;
    nvshmem_barrier_all();
    nvshmem_uint64_get(&entered, &box->entered, 1, any);
    CHECK(entered >= k, "round %ju: a barrier ended without PE %d", k, any);
    CHECK(!count_not(box->met, n, k), "round %ju: a put is not there after a barrier", k);
    CHECK(box->count == k, "round %ju: %ju increments are there after a barrier", k, box->count);
    nvshmem_barrier_all();
}

int main(void)
{
    const char *text = getenv("RULES_ROUNDS");
    uint64_t rounds = text ? strtoull(text, NULL, 10) : 1000;
    static uint64_t out[WORDS];
    int status;

    nvshmem_init();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    next = (me + 1) % n_pes;
    prev = (me + n_pes - 1) % n_pes;
    box = need(sizeof(*box));
    for (uint64_t k = 1; k <= rounds; k++) {
        size_t n = size_of(k);

        for (size_t i = 0; i < n; i++)
            out[i] = k;
        send_signal(k, out, n);
        send_behind_fence(k, out, n);
        send_settled(k, out, n);
        receive(k, n);
        meet(k, out, n);
    }
    fact("in %ju rounds signals, fences, quiet and barriers keep all rules", rounds);
    status = finish();
    nvshmem_finalize();
    return status;
}
