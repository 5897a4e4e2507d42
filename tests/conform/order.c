/* fence orders what goes to one PE, quiet completes everything, and a barrier completes what
 * was put before it, also for a third PE that looks. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { WORDS = 4096 };

static uint64_t *data;  /* what is put */
static uint64_t *flags; /* [0] announces data, [1] gives the buffer back */

/* Number of words that are not `value`. */
static size_t count_not(const uint64_t *p, size_t n, uint64_t value)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += p[i] != value;
    return wrong;
}

static void stamp(uint64_t *p, size_t n, uint64_t value)
{
    for (size_t i = 0; i < n; i++)
        p[i] = value;
}

/* Puts round k to the next PE, a flag behind it; the flag must not overtake. */
static void fence_rounds(int rounds, int nbi)
{
    static const size_t sizes[] = { 1, 7, 64, 513, WORDS };
    static uint64_t out[WORDS];
    int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes();
    int next = (me + 1) % n_pes, prev = (me + n_pes - 1) % n_pes;

    flags[0] = flags[1] = 0;
    nvshmem_barrier_all();
    for (int k = 1; k <= rounds; k++) {
        size_t n = sizes[k % 5];

        stamp(out, n, (uint64_t)k);
        if (nbi)
            nvshmem_uint64_put_nbi(data, out, n, next);
        else
            nvshmem_uint64_put(data, out, n, next);
        nvshmem_fence();
        nvshmem_uint64_p(&flags[0], (uint64_t)k, next);
        nvshmem_uint64_wait_until(&flags[0], NVSHMEM_CMP_GE, (uint64_t)k);
        CHECK(count_not(data, n, (uint64_t)k) == 0, "round %d, %zu words", k, n);
        nvshmem_uint64_atomic_set(&flags[1], (uint64_t)k, prev);
        nvshmem_uint64_wait_until(&flags[1], NVSHMEM_CMP_GE, (uint64_t)k);
        nvshmem_quiet();
    }
    nvshmem_barrier_all();
    fact("a flag behind a fence comes after the %s before it", nbi ? "put_nbi" : "put");
}

/* Two words that go up one after the other: the second is never ahead. */
static void fence_stream(void)
{
    enum { LAST = 2000 };
    int me = nvshmem_my_pe(), next = (me + 1) % nvshmem_n_pes();
    volatile uint64_t *first = data, *second = data + 512;
    uint64_t seen;

    data[0] = data[512] = 0;
    nvshmem_barrier_all();
    for (uint64_t k = 1; k <= LAST; k++) {
        nvshmem_uint64_p(&data[0], k, next);
        nvshmem_fence();
        nvshmem_uint64_p(&data[512], k, next);
        nvshmem_fence();
        seen = *second;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        CHECK(*first >= seen, "first %llu, second %llu", (unsigned long long)*first,
              (unsigned long long)seen);
    }
    nvshmem_quiet();
    nvshmem_uint64_wait_until(&data[512], NVSHMEM_CMP_EQ, LAST);
    CHECK(data[0] == LAST, "the last round");
    nvshmem_barrier_all();
    fact("words separated by fences arrive in their order");
}

static void quiet_completes(int rounds)
{
    static uint64_t out[WORDS];
    int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes();
    int next = (me + 1) % n_pes, prev = (me + n_pes - 1) % n_pes;
    uint64_t got;

    for (int k = 1; k <= rounds; k++) {
        size_t n = 1 + mix(k, 3) % WORDS;

        stamp(out, n, (uint64_t)(k * 100 + me));
        nvshmem_uint64_put_nbi(data, out, n, next);
        nvshmem_quiet();
        nvshmem_uint64_get(&got, &data[n - 1], 1, next);
        CHECK(got == (uint64_t)(k * 100 + me), "get after quiet, round %d", k);
        nvshmem_sync_all();
        CHECK(count_not(data, n, (uint64_t)(k * 100 + prev)) == 0, "round %d, %zu words", k, n);
        nvshmem_sync_all();
    }
    fact("after quiet and sync the data of put_nbi is there");
}

/* PE a puts to PE b; after a barrier PE c gets from PE b. */
static void third_looks(int rounds)
{
    static uint64_t out[WORDS], in[WORDS];
    int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes();

    for (int k = 0; k < rounds; k++) {
        int a = k % n_pes, b = (a + 1 + k / n_pes % n_pes) % n_pes;
        size_t n = 1 + mix(k, 4) % WORDS;

        if (me == a) {
            stamp(out, n, (uint64_t)k + 1);
            nvshmem_uint64_put_nbi(data, out, n, b);
        }
        if (k % 2)
            nvshmem_barrier_all();
        else
            nvshmem_barrier(NVSHMEM_TEAM_WORLD);
        nvshmem_uint64_get(in, data, n, b);
        CHECK(count_not(in, n, (uint64_t)k + 1) == 0, "round %d, pe %d to pe %d", k, a, b);
        nvshmem_sync_all();
    }
    fact("after a barrier every PE gets what any PE put_nbi to any PE");
}

static void one_word_many_ops(void)
{
    int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), next = (me + 1) % n_pes;

    data[0] = 0;
    nvshmem_barrier_all();
    for (uint64_t k = 1; k <= 300; k++) {
        nvshmem_uint64_p(&data[0], k, next);
        nvshmem_fence();
        nvshmem_uint64_atomic_add(&data[0], 1000, next);
        nvshmem_quiet();
        CHECK(nvshmem_uint64_atomic_fetch(&data[0], next) == k + 1000, "round %d", (int)k);
        CHECK(nvshmem_uint64_g(&data[0], next) == k + 1000, "round %d", (int)k);
    }
    nvshmem_barrier_all();
    fact("p, fence and atomic add on one word act in order, and quiet shows it to fetch and g");
}

int main(void)
{
    int status;

    nvshmem_init();
    data = (uint64_t *)need(WORDS * sizeof(*data));
    flags = (uint64_t *)need(2 * sizeof(*flags));
    fence_rounds(300, 0);
    fence_rounds(300, 1);
    fence_stream();
    quiet_completes(100);
    third_looks(100);
    one_word_many_ops();
    status = finish();
    nvshmem_finalize();
    return status;
}
