/* OpenSHMEM 1.5, annex F (collectives on active sets): barrier, sync, broadcast, collect, fcollect,
 * alltoall, alltoalls and the reductions reach exactly the PEs of every active set there is, and
 * pSync is on return what it was. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <complex.h>

enum { N = 5, MOST = 16 };

static int me, n_pes;
static long sync_words[SHMEM_SYNC_SIZE]; /* symmetric, as all below */
static long other_sync[SHMEM_SYNC_SIZE];
static uint64_t dest[MOST * N * 3], source[MOST * N * 3];
static uint32_t dest32[MOST * N * 3], source32[MOST * N * 3];

struct set {
    int start, log_stride, n, rank;
};

static int pe_of(const struct set *s, int rank)
{
    return s->start + (rank << s->log_stride);
}

static void ready(const struct set *s)
{
    for (int i = 0; i < MOST * N * 3; i++) {
        source[i] = (uint64_t)me * 1000 + (uint64_t)i;
        source32[i] = (uint32_t)source[i];
        dest[i] = dest32[i] = 7;
    }
    shmem_barrier(s->start, s->log_stride, s->n, sync_words);
}

static void broadcasts(const struct set *s)
{
    for (int root = 0; root < s->n; root++) {
        uint64_t want = s->rank == root ? 7 : (uint64_t)pe_of(s, root) * 1000 + N - 1;

        ready(s);
        shmem_broadcast64(dest, source, N, root, s->start, s->log_stride, s->n, other_sync);
        shmem_broadcast32(dest32, source32, N, root, s->start, s->log_stride, s->n, sync_words);
        CHECK(dest[N - 1] == want && dest[N] == 7, "%llu", (unsigned long long)dest[N - 1]);
        CHECK(dest32[N - 1] == (uint32_t)want && dest32[N] == 7, "%u", dest32[N - 1]);
        shmem_sync(s->start, s->log_stride, s->n, other_sync);
    }
}

static void gathers(const struct set *s)
{
    int at = 0;

    ready(s);
    shmem_collect64(dest, source, (size_t)(me % 3), s->start, s->log_stride, s->n, sync_words);
    shmem_collect32(dest32, source32, (size_t)(me % 3), s->start, s->log_stride, s->n, other_sync);
    for (int r = 0; r < s->n; r++)
        for (int i = 0; i < pe_of(s, r) % 3; i++, at++) {
            CHECK(dest[at] == (uint64_t)(pe_of(s, r) * 1000 + i), "collect64, rank %d", r);
            CHECK(dest32[at] == (uint32_t)(pe_of(s, r) * 1000 + i), "collect32, rank %d", r);
        }
    CHECK(dest[at] == 7 && dest32[at] == 7, "behind");
    ready(s);
    shmem_fcollect64(dest, source, N, s->start, s->log_stride, s->n, sync_words);
    shmem_fcollect32(dest32, source32, N, s->start, s->log_stride, s->n, other_sync);
    for (int i = 0; i < s->n * N; i++)
        CHECK(dest[i] == (uint64_t)(pe_of(s, i / N) * 1000 + i % N) && dest32[i] == dest[i],
              "fcollect %d", i);
    shmem_sync(s->start, s->log_stride, s->n, sync_words);
}

static void exchanges(const struct set *s)
{
    ready(s);
    shmem_alltoall64(dest, source, N, s->start, s->log_stride, s->n, sync_words);
    shmem_alltoall32(dest32, source32, N, s->start, s->log_stride, s->n, other_sync);
    for (int i = 0; i < s->n * N; i++)
        CHECK(dest[i] == (uint64_t)(pe_of(s, i / N) * 1000 + s->rank * N + i % N) &&
                  dest32[i] == dest[i],
              "alltoall %d", i);
    ready(s);
    shmem_alltoalls64(dest, source, 2, 3, N, s->start, s->log_stride, s->n, sync_words);
    shmem_alltoalls32(dest32, source32, 2, 3, N, s->start, s->log_stride, s->n, other_sync);
    for (int i = 0; i < s->n * N; i++) {
        CHECK(dest[2 * i] == (uint64_t)(pe_of(s, i / N) * 1000 + 3 * (s->rank * N + i % N)) &&
                  dest32[2 * i] == dest[2 * i],
              "alltoalls %d", i);
        CHECK(dest[2 * i + 1] == 7, "between");
    }
    shmem_sync(s->start, s->log_stride, s->n, sync_words);
}

#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((b) > (a) ? (b) : (a))
#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))

#define REDUCE(name, type, op, OP) \
    static void name##_##op(const struct set *s) \
    { \
        static type from[2], to[2], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 2]; \
        type want; \
        from[0] = (type)(me % 2 + 1); \
        from[1] = (type)2; \
        shmem_barrier(s->start, s->log_stride, s->n, sync_words); \
        shmem_##name##_##op##_to_all(to, from, 2, s->start, s->log_stride, s->n, work, \
                                     other_sync); \
        want = (type)(pe_of(s, 0) % 2 + 1); \
        for (int r = 1; r < s->n; r++) \
            want = (type)OP(want, (type)(pe_of(s, r) % 2 + 1)); \
        CHECK(to[0] == want, #name "_" #op "_to_all"); \
    }
GSH_OLD_INT_TYPES(REDUCE, and, AND)
GSH_OLD_INT_TYPES(REDUCE, or, OR)
GSH_OLD_INT_TYPES(REDUCE, xor, XOR)
GSH_OLD_RED_TYPES(REDUCE, min, MIN)
GSH_OLD_RED_TYPES(REDUCE, max, MAX)
GSH_OLD_SUM_TYPES(REDUCE, sum, SUM)
GSH_OLD_SUM_TYPES(REDUCE, prod, PROD)

static void reductions(const struct set *s)
{
#define CALL(name, type, op) name##_##op(s);
    GSH_OLD_INT_TYPES(CALL, and)
    GSH_OLD_INT_TYPES(CALL, or)
    GSH_OLD_INT_TYPES(CALL, xor)
    GSH_OLD_RED_TYPES(CALL, min)
    GSH_OLD_RED_TYPES(CALL, max)
    GSH_OLD_SUM_TYPES(CALL, sum)
    GSH_OLD_SUM_TYPES(CALL, prod)
}

static void try_set(struct set s)
{
    int distance = me - s.start;

    if (distance < 0 || distance % (1 << s.log_stride) || distance >> s.log_stride >= s.n)
        return;
    s.rank = distance >> s.log_stride;
    broadcasts(&s);
    gathers(&s);
    exchanges(&s);
    reductions(&s);
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        CHECK(sync_words[i] == SHMEM_SYNC_VALUE && other_sync[i] == SHMEM_SYNC_VALUE, "pSync");
}

int main(void)
{
    int status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        sync_words[i] = other_sync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (int twice = 0; twice < 2; twice++)
        for (int log_stride = 0; 1 << log_stride <= n_pes; log_stride++)
            for (int n = 1; (n - 1) << log_stride < n_pes; n++) {
                for (int start = 0; start + ((n - 1) << log_stride) < n_pes; start++)
                    try_set((struct set){ start, log_stride, n, 0 });
                if (!twice)
                    fact("sets of %d PEs, %d apart", n, 1 << log_stride);
            }
    fact("all of them again");
    status = finish();
    shmem_finalize();
    return status;
}
