/* No PE leaves a barrier or a sync before all have entered it, and back-to-back collectives of
 * different kinds, stamped with their round, never mix. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { ROUNDS = 10000, STAMP_WORDS = 300 };

static int me, n_pes;
static uint64_t *entered; /* symmetric: the round that each PE has entered */

typedef void meet_fn(void);

static void by_barrier_all(void)
{
    nvshmem_barrier_all();
}

static void by_barrier(void)
{
    CHECK(nvshmem_barrier(NVSHMEM_TEAM_WORLD) == 0, "%s", nvshmemx_last_error());
}

static void by_sync_all(void)
{
    nvshmem_quiet();
    nvshmem_sync_all();
}

static void by_team_sync(void)
{
    nvshmem_quiet();
    CHECK(nvshmem_team_sync(NVSHMEM_TEAM_WORLD) == 0, "%s", nvshmemx_last_error());
}

/* A PE tells all others that it enters round k; behind it all must have told.
 * Who is a round ahead may have told already, nobody can be two. */
static void meet_rounds(meet_fn *meet, int rounds, const char *what)
{
    memset(entered, 0, n_pes * sizeof(*entered));
    nvshmem_barrier_all();
    for (int k = 1; k <= rounds; k++) {
        for (int pe = 0; pe < n_pes; pe++)
            nvshmem_uint64_p(&entered[me], (uint64_t)k, pe);
        meet();
        for (int pe = 0; pe < n_pes; pe++) {
            uint64_t seen = __atomic_load_n(&entered[pe], __ATOMIC_ACQUIRE);

            CHECK(seen == (uint64_t)k || seen == (uint64_t)k + 1, "round %d: pe %d entered %llu", k,
                  pe, (unsigned long long)seen);
        }
    }
    nvshmem_barrier_all();
    fact("no PE leaves %s before all have entered it", what);
}

static uint64_t stamp(int round, int kind, int pe, size_t i)
{
    return (uint64_t)round << 32 | (uint64_t)kind << 24 | (uint64_t)pe << 16 | (i & 0xffff);
}

/* Words [0, n) are stamps of this round, kind and PE. */
static void check_stamps(const uint64_t *p, size_t n, int round, int kind, int pe, size_t first)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += p[i] != stamp(round, kind, pe, first + i);
    CHECK(wrong == 0, "round %d, kind %d, pe %d: %zu of %zu words", round, kind, pe, wrong, n);
}

static void put_stamps(uint64_t *p, size_t n, int round, int kind)
{
    for (size_t i = 0; i < n; i++)
        p[i] = stamp(round, kind, me, i);
}

/* The sum of all PEs' numbers in each word; the source is spoiled on return. */
static void summed(uint64_t *d, uint64_t *s, size_t n, int round)
{
    uint64_t expected = 0;
    size_t wrong = 0;

    for (int pe = 0; pe < n_pes; pe++)
        expected += (uint64_t)round * 1000 + pe;
    for (size_t i = 0; i < n; i++)
        s[i] = (uint64_t)round * 1000 + me;
    CHECK(nvshmem_uint64_sum_reduce(NVSHMEM_TEAM_WORLD, d, s, n) == 0, "reduce");
    for (size_t i = 0; i < n; i++)
        wrong += d[i] != expected;
    CHECK(wrong == 0, "reduce of round %d: %zu of %zu words", round, wrong, n);
    memset(s, 0, n * sizeof(*s));
}

static void scattered(uint64_t *d, uint64_t *s, size_t n, int round)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n * n_pes; i++)
        s[i] = (uint64_t)round + me + i / n;
    CHECK(nvshmem_uint64_max_reducescatter(NVSHMEM_TEAM_WORLD, d, s, n) == 0, "reducescatter");
    for (size_t i = 0; i < n; i++)
        wrong += d[i] != (uint64_t)round + n_pes - 1 + me;
    CHECK(wrong == 0, "reducescatter of round %d: %zu of %zu words", round, wrong, n);
    memset(s, 0, n * n_pes * sizeof(*s));
}

/* Each kind has its own dest, and between two uses of it lies a call that nobody
 * leaves before all have read it. Nothing else keeps the PEs together. */
static void mixed_rounds(int rounds)
{
    size_t bytes = (size_t)STAMP_WORDS * n_pes * sizeof(uint64_t);
    uint64_t *d[5], *s[5];

    for (int i = 0; i < 5; i++) {
        d[i] = (uint64_t *)need(bytes);
        s[i] = (uint64_t *)need(bytes);
    }
    for (int round = 1; round <= rounds; round++) {
        size_t n = 1 + mix(round, 9) % (round % 8 ? 20 : STAMP_WORDS);
        int root = (int)(mix(round, 10) % n_pes);

        put_stamps(s[0], n, round, 0);
        CHECK(nvshmem_uint64_broadcast(NVSHMEM_TEAM_WORLD, d[0], s[0], n, root) == 0, "broadcast");
        check_stamps(d[0], n, round, 0, root, 0);
        memset(s[0], 0, n * sizeof(*s[0]));

        put_stamps(s[1], n, round, 1);
        CHECK(nvshmem_uint64_fcollect(NVSHMEM_TEAM_WORLD, d[1], s[1], n) == 0, "fcollect");
        for (int pe = 0; pe < n_pes; pe++)
            check_stamps(d[1] + pe * n, n, round, 1, pe, 0);
        memset(s[1], 0, n * sizeof(*s[1]));
        summed(d[2], s[2], n, round);

        put_stamps(s[3], n * n_pes, round, 3);
        CHECK(nvshmem_uint64_alltoall(NVSHMEM_TEAM_WORLD, d[3], s[3], n) == 0, "alltoall");
        for (int pe = 0; pe < n_pes; pe++)
            check_stamps(d[3] + pe * n, n, round, 3, pe, n * me);
        memset(s[3], 0, n * n_pes * sizeof(*s[3]));
        scattered(d[4], s[4], n, round);
    }
    for (int i = 0; i < 5; i++) {
        nvshmem_free(s[i]);
        nvshmem_free(d[i]);
    }
    fact("%d rounds of broadcast, fcollect, reduce, alltoall and reducescatter do not mix", rounds);
}

/* Broadcasts from changing roots and nothing between them but two buffers. */
static void broadcast_rounds(int rounds)
{
    uint64_t *d = (uint64_t *)need((size_t)rounds * sizeof(*d));
    uint64_t *s = (uint64_t *)need(sizeof(*s));

    for (int round = 0; round < rounds; round++) {
        int root = (int)(mix(round, 11) % n_pes);

        *s = stamp(round, 5, me, 0);
        CHECK(nvshmem_uint64_broadcast(NVSHMEM_TEAM_WORLD, &d[round], s, 1, root) == 0,
              "broadcast");
        check_stamps(&d[round], 1, round, 5, root, 0);
    }
    nvshmem_barrier_all();
    for (int round = 0; round < rounds; round++)
        check_stamps(&d[round], 1, round, 5, (int)(mix(round, 11) % n_pes), 0);
    nvshmem_free(s);
    nvshmem_free(d);
    fact("%d broadcasts in a row from changing roots, each source rewritten at once", rounds);
}

static void barrier_alltoall(int rounds)
{
    int *d = (int *)need(n_pes * sizeof(*d)), *s = (int *)need(n_pes * sizeof(*s));

    for (int round = 1; round <= rounds; round++) {
        for (int pe = 0; pe < n_pes; pe++)
            s[pe] = round * 64 + pe;
        nvshmem_barrier_all();
        CHECK(nvshmem_int_alltoall(NVSHMEM_TEAM_WORLD, d, s, 1) == 0, "alltoall");
        for (int pe = 0; pe < n_pes; pe++)
            CHECK(d[pe] == round * 64 + me, "round %d: %d from pe %d", round, d[pe], pe);
    }
    nvshmem_free(s);
    nvshmem_free(d);
    fact("%d times barrier and alltoall go through", rounds);
}

int main(void)
{
    int status, rounds;

    nvshmem_init();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    rounds = ROUNDS / (n_pes < 3 ? 1 : n_pes * 4);
    entered = (uint64_t *)need(n_pes * sizeof(*entered));
    meet_rounds(by_barrier_all, rounds, "barrier_all");
    meet_rounds(by_barrier, rounds / 5, "barrier");
    meet_rounds(by_sync_all, rounds / 5, "sync_all");
    meet_rounds(by_team_sync, rounds / 5, "team_sync");
    mixed_rounds(300);
    broadcast_rounds(500);
    barrier_alltoall(rounds / 5);
    status = finish();
    nvshmem_finalize();
    return status;
}
