/* What the model of memory promises holds in every one of 10^6 rounds: data before its signal
 * and before a flag behind a fence, at thread, warp and block scope, in short messages and in
 * those that the copy engine takes; no two PEs miss each
 * other's store when quiet is between; readers agree on the order of stores to two PEs; data
 * is there after a barrier; atomics as locks; news that go through several PEs.
 *
 * LITMUS_ROUNDS is the number of rounds in all. PEs that have no core of their own change at
 * each round, which takes much longer: more than two make fewer rounds. */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

enum {
    SLOTS = 4,    /* messages that the next PE may have still to read */
    MOST = 200,   /* words of a message in shared memory; longer ones are in global memory */
    BATCH = 1000, /* rounds between looks at what was seen */
    READS = 4000, /* pairs of values that a reader keeps */
    RECORD = 9,   /* words under the lock */
    THOUSANDTHS = 1000
};

/* The words: each in a cache line of its own. */
enum { FLAG = 0, ACK = 8, TOKEN = 16, LOCK = 24, OURS = 32, DONE = 40, WORDS = 64 };

/* a.dest and a.source hold words here. */
static __device__ long *slot(char *base, long round, int words)
{
    return (long *)base + (words > MOST ? 2 : 1) + round % SLOTS * words;
}

static __device__ void await(uint64_t *word, uint64_t value)
{
    nvshmem_uint64_wait_until(word, NVSHMEM_CMP_GE, value);
}

/* --- Data before its signal --- */

struct message {
    long *to;
    const long *from;
    uint64_t *flag, round;
    int pe;
};

/* A way to send: all threads of the block call send(), `share` thousandths of all rounds. */
#define WAY(name, threads, words, share, fact, ...) \
    struct name { \
        enum { THREADS = threads, COUNT = words, SHARE = share }; \
        static const char *what() { return fact; } \
        static __device__ void send(const message &m) { __VA_ARGS__ } \
    };

WAY(signal_set, 1, 24, 120, "put_signal that sets",
    nvshmem_long_put_signal(m.to, m.from, COUNT, m.flag, m.round, NVSHMEM_SIGNAL_SET, m.pe);)
WAY(signal_add, 1, 24, 120, "put_signal_nbi that adds",
    nvshmem_putmem_signal_nbi(m.to, m.from, COUNT * sizeof(long), m.flag, 1, NVSHMEM_SIGNAL_ADD,
                              m.pe);)
WAY(fence_p, 1, 24, 120, "put, fence, p", nvshmem_long_put(m.to, m.from, COUNT, m.pe);
    nvshmem_fence(); nvshmem_uint64_p(m.flag, m.round, m.pe);)
WAY(fence_signal, 1, 24, 100, "put_nbi, fence, signal_op",
    nvshmem_long_put_nbi(m.to, m.from, COUNT, m.pe);
    nvshmem_fence(); nvshmemx_signal_op(m.flag, m.round, NVSHMEM_SIGNAL_SET, m.pe);)
WAY(fence_add, 1, 24, 100, "iput, fence, atomic_add",
    nvshmem_long_iput(m.to, m.from, 1, 1, COUNT, m.pe);
    nvshmem_fence(); nvshmem_uint64_atomic_add(m.flag, 1, m.pe);)
WAY(quiet_swap, 1, 6, 100, "several p, quiet, atomic_swap",
    for (int i = 0; i < COUNT; i++) nvshmem_long_p(m.to + i, m.from[i], m.pe);
    nvshmem_quiet(); nvshmem_uint64_atomic_swap(m.flag, m.round, m.pe);)
WAY(warp_signal, 64, 100, 10, "put_signal of a warp",
    if (threadIdx.x < 32) nvshmemx_long_put_signal_warp(m.to, m.from, COUNT, m.flag, m.round,
                                                        NVSHMEM_SIGNAL_SET, m.pe);)
WAY(
    warp_fence, 64, 100, 10, "put of a warp, fence and p of one lane",
    if (threadIdx.x < 32) nvshmemx_long_put_warp(m.to, m.from, COUNT, m.pe);
    if (threadIdx.x == 0) {
        nvshmem_fence();
        nvshmem_uint64_p(m.flag, m.round, m.pe);
    })
WAY(block_signal, 96, MOST, 5, "put_signal_nbi of a block",
    nvshmemx_long_put_signal_nbi_block(m.to, m.from, COUNT, m.flag, 1, NVSHMEM_SIGNAL_ADD, m.pe);)
WAY(
    block_fence, 96, MOST, 5, "put_nbi of a block, fence and signal_op of one thread",
    nvshmemx_long_put_nbi_block(m.to, m.from, COUNT, m.pe);
    if (threadIdx.x == 1) {
        nvshmem_fence();
        nvshmemx_signal_op(m.flag, m.round, NVSHMEM_SIGNAL_SET, m.pe);
    })
WAY(
    threads_fence, 96, MOST, 5, "p of each thread, a barrier, fence and p of one thread",
    for (int i = threadIdx.x; i < COUNT; i += THREADS) nvshmem_long_p(m.to + i, m.from[i], m.pe);
    __syncthreads(); if (threadIdx.x == THREADS - 1) {
        nvshmem_fence();
        nvshmem_uint64_p(m.flag, m.round, m.pe);
    })

/* These are left to the copy engine where there is one. */
WAY(long_signal, 96, 400, 5, "put_signal of one thread, written by others",
    if (threadIdx.x == 0)
        nvshmem_long_put_signal(m.to, m.from, COUNT, m.flag, m.round, NVSHMEM_SIGNAL_SET, m.pe);)
WAY(
    long_fence, 96, 400, 5, "long put of one thread, fence and p of another",
    if (threadIdx.x == 0) nvshmem_long_put_nbi(m.to, m.from, COUNT, m.pe);
    __syncthreads(); if (threadIdx.x == 64) {
        nvshmem_fence();
        nvshmem_uint64_p(m.flag, m.round, m.pe);
    })
WAY(long_warp, 64, 1500, 5, "long put_signal of a warp",
    if (threadIdx.x < 32) nvshmemx_long_put_signal_warp(m.to, m.from, COUNT, m.flag, m.round,
                                                        NVSHMEM_SIGNAL_SET, m.pe);)
WAY(
    long_get, 96, 400, 5, "long put, signal; got again before it is read", if (threadIdx.x == 0) {
        nvshmem_long_put(m.to, m.from, COUNT, m.pe);
        nvshmem_fence();
        nvshmemx_signal_op(m.flag, m.round, NVSHMEM_SIGNAL_SET, m.pe);
    })
template <class Way> struct gets_again {
    enum { is = 0 };
};
template <> struct gets_again<long_get> {
    enum { is = 1 };
};

/* Where the sender of a message has it. The place in global memory is old to the copy engine,
 * and new to the threads that write it. */
template <class Way> static __device__ long *source_of(const area &a, long *near_by)
{
    return Way::COUNT > MOST ? (long *)(a.source + 16) : near_by;
}

/* A copy of the message, made by one thread with a get from its own PE, in memory of which the
 * others have old lines in their cache. */
static __device__ long *got_again(const area &a, long *from, int words)
{
    long *copy = (long *)(a.source + AREA / 2), sum = 0;

    for (int i = threadIdx.x; i < words; i += blockDim.x)
        sum += copy[i];
    __syncthreads();
    if (threadIdx.x == 0)
        nvshmem_long_get(copy, from, words, nvshmem_my_pe());
    __syncthreads();
    return sum == -1 ? NULL : copy;
}

/* The last thread waits, all read. A slot is written again when its reader has said so. */
template <class Way> __global__ void messages(area a, long rounds)
{
    __shared__ long near_by[MOST];
    long *from = source_of<Way>(a, near_by);
    bool last = threadIdx.x == Way::THREADS - 1;

    for (long round = 1; round <= rounds; round++) {
        long *mine = slot(a.dest, round, Way::COUNT);

        for (int i = threadIdx.x; i < Way::COUNT; i += Way::THREADS)
            from[i] = round * 1000 + i;
        if (last && round > SLOTS)
            await(a.words + ACK, round - SLOTS);
        __syncthreads();
        Way::send({ mine, from, a.words + FLAG, (uint64_t)round, next_pe() });
        if (last)
            await(a.words + FLAG, round);
        __syncthreads();
        if (gets_again<Way>::is)
            mine = got_again(a, mine, Way::COUNT);
        for (int i = threadIdx.x; i < Way::COUNT; i += Way::THREADS)
            if (mine[i] != round * 1000 + i)
                atomicAdd(a.wrong, 1u);
        __syncthreads();
        if (last) {
            nvshmem_fence();
            nvshmem_uint64_p(a.words + ACK, round, last_pe());
        }
    }
}

/* The same between two blocks of a PE: the first puts to its own PE, the second reads. */
template <class Way> __global__ void between_blocks(area a, long rounds)
{
    __shared__ long near_by[MOST];
    long *from = source_of<Way>(a, near_by);
    int me = nvshmem_my_pe();
    bool last = threadIdx.x == Way::THREADS - 1, sends = blockIdx.x == 0;

    for (long round = 1; round <= rounds; round++) {
        long *data = slot(a.dest, round, Way::COUNT);

        for (int i = threadIdx.x; sends && i < Way::COUNT; i += Way::THREADS)
            from[i] = round * 1000 + i;
        if (last && sends && round > SLOTS)
            await(a.words + ACK, round - SLOTS);
        if (last && !sends)
            await(a.words + FLAG, round);
        __syncthreads();
        if (sends)
            Way::send({ data, from, a.words + FLAG, (uint64_t)round, me });
        for (int i = threadIdx.x; !sends && i < Way::COUNT; i += Way::THREADS)
            if (data[i] != round * 1000 + i)
                atomicAdd(a.wrong, 1u);
        __syncthreads();
        if (last && !sends) {
            nvshmem_fence();
            nvshmem_uint64_p(a.words + ACK, round, me);
        }
    }
}

/* --- Store buffering: each PE stores, is quiet, and loads what another has stored --- */

/* Of a batch, the rounds in which all PEs have seen the old value; log[k] is 1 for such. */
static __device__ void count_old(area a, const unsigned char *log, unsigned char *all, int rounds)
{
    for (int k = 0; k < rounds; k++) {
        int old = 1;

        for (int pe = 0; pe < nvshmem_n_pes(); pe++) {
            if (k == 0)
                nvshmem_uchar_get(all + pe * BATCH, log, rounds, pe);
        }
        for (int pe = 0; pe < nvshmem_n_pes(); pe++)
            old &= all[pe * BATCH + k];
        if (old)
            atomicAdd(a.wrong, 1u);
    }
}

/* The word that a PE stores to lies on the next PE, or on itself. */
__global__ void store_buffering(area a, unsigned char *all, long rounds, bool own, bool with_quiet)
{
    unsigned char *log = (unsigned char *)a.source;
    uint64_t *word = a.words + OURS;
    int me = nvshmem_my_pe(), next = next_pe(), there = own ? me : next;
    int seen_at = own ? next : (next + 1) % nvshmem_n_pes();

    for (long round = 1; round <= rounds; round++) {
        volatile int skew = (int)(round * (2 * me + 1) % 24); /* who comes first changes */

        nvshmem_sync_all();
        while (skew > 0)
            skew = skew - 1;
        nvshmem_uint64_p(word, round, there);
        if (with_quiet)
            nvshmem_quiet();
        log[round % BATCH] = nvshmem_uint64_g(word, seen_at) < (uint64_t)round;
        if (round % BATCH == BATCH - 1 || round == rounds) {
            nvshmem_barrier_all();
            if (me == 0)
                count_old(a, log, all, (int)(round % BATCH) + 1);
            for (int k = 0; k < BATCH; k++)
                all[k] = 0;
            nvshmem_barrier_all();
            for (int k = 0; k < BATCH; k++)
                log[k] = 0;
        }
    }
}

/* --- Independent reads of independent writes --- */

/* What a reader has seen: first one word, then, after quiet, the other. */
struct sight {
    uint64_t first, second;
};

/* The first and the last PE count a word up, each its own; in their second blocks they read
 * both words, each the other's first. The readers' quiet is a fence for all. */
__global__ void write_and_read(area a, sight *sights)
{
    int me = nvshmem_my_pe(), last = nvshmem_n_pes() - 1;
    int other = me ? 0 : last, n = 0;
    uint64_t *word = a.words + OURS, *done = a.words + DONE;

    if (me != 0 && me != last)
        return;
    if (blockIdx.x == 0) {
        for (uint64_t k = 1; nvshmem_signal_fetch(done) < 2; k++)
            nvshmem_uint64_p(word, k, me);
        return;
    }
    for (long k = 0; k < 50L * READS && n < READS; k++) {
        sight s;

        s.first = nvshmem_uint64_g(word, other);
        nvshmem_quiet();
        s.second = nvshmem_uint64_g(word, me);
        if (n == 0 || s.first != sights[n - 1].first || s.second != sights[n - 1].second)
            sights[n++] = s;
    }
    while (n < READS) /* nothing more */
        sights[n] = sights[n - 1], n++;
    nvshmem_quiet();
    for (int pe = 0; pe <= last; pe += last)
        nvshmemx_signal_op(done, 1, NVSHMEM_SIGNAL_ADD, pe);
}

/* Words never go back. And when one reader has seen a new value of `x` (its first) before an
 * old one of `y`, the other, who has seen this or a newer `y` first, sees that `x` as well. */
__global__ void judge(area a, const sight *sights, sight *others)
{
    int i = 0;

    nvshmem_getmem(others, sights, READS * sizeof(*sights), nvshmem_n_pes() - 1);
    for (int k = 1; k < READS; k++)
        if (sights[k].first < sights[k - 1].first || sights[k].second < sights[k - 1].second ||
            others[k].first < others[k - 1].first || others[k].second < others[k - 1].second)
            atomicAdd(a.wrong, 1u);
    for (int k = 0; k < READS; k++) {
        while (i < READS && sights[i].first <= others[k].second)
            i++;
        if (i < READS && sights[i].second < others[k].first)
            atomicAdd(a.wrong, 1u);
    }
}

/* --- Barriers, locks, news through several PEs --- */

template <int Scope> static __device__ void barrier_of()
{
    if (Scope == 0)
        nvshmem_barrier_all();
    else if (Scope == 1)
        nvshmemx_barrier_all_warp();
    else
        nvshmemx_barrier_all_block();
}

/* Stores of all threads and puts come before the barrier, gets and loads after it. */
template <int Scope, int Threads> __global__ void barriers(area a, long rounds)
{
    enum { N = 30 };
    __shared__ long got[N];

    for (long round = 1; round <= rounds; round++) {
        long *ours = slot(a.source, round, N), *from_last = slot(a.dest, round, N);

        for (int i = threadIdx.x; i < N; i += Threads) {
            ours[i] = round * 1000 + i;
            nvshmem_long_p(from_last + i, ours[i], next_pe());
        }
        barrier_of<Scope>();
        if (threadIdx.x == 0)
            nvshmem_long_get(got, ours, N, next_pe());
        __syncthreads();
        for (int i = threadIdx.x; i < N; i += Threads)
            if (got[i] != round * 1000 + i || from_last[i] != round * 1000 + i)
                atomicAdd(a.wrong, 1u);
        __syncthreads();
    }
}

/* A record on PE 0 is counted up under a lock there; all its words are always equal. */
__global__ void locks(area a, long rounds)
{
    uint64_t *lock = a.words + LOCK;
    long *record = (long *)a.dest + 1, have[RECORD];

    for (long round = 1; round <= rounds; round++) {
        while (nvshmem_uint64_atomic_compare_swap(lock, 0, 1, 0))
            __nanosleep(100);
        nvshmem_quiet();
        nvshmem_long_get(have, record, RECORD, 0);
        for (int i = 1; i < RECORD; i++)
            if (have[i] != have[0])
                atomicAdd(a.wrong, 1u);
        for (int i = 0; i < RECORD; i++)
            have[i]++;
        nvshmem_long_put(record, have, RECORD, 0);
        nvshmem_quiet();
        nvshmem_uint64_atomic_set(lock, 0, 0);
    }
    nvshmem_barrier_all();
    nvshmem_long_get(have, record, RECORD, 0);
    if (have[RECORD - 1] != rounds * nvshmem_n_pes())
        atomicAdd(a.wrong, 1u);
}

/* PE 0 puts to the last PE and is quiet; the news go from PE to PE, then the last one reads. */
__global__ void news(area a, long rounds)
{
    enum { N = 12 };
    int me = nvshmem_my_pe(), last = nvshmem_n_pes() - 1;
    long *at = (long *)a.dest + 1, from[N];
    uint64_t *token = a.words + TOKEN;

    for (long round = 1; round <= rounds; round++) {
        if (me == 0) {
            for (int i = 0; i < N; i++)
                from[i] = round * 1000 + i;
            nvshmem_long_put(at, from, N, last);
            nvshmem_quiet();
        } else {
            nvshmem_signal_wait_until(token, NVSHMEM_CMP_GE, round);
        }
        for (int i = 0; me == last && i < N; i++)
            if (at[i] != round * 1000 + i)
                atomicAdd(a.wrong, 1u);
        nvshmem_fence();
        nvshmemx_signal_op(token, round, NVSHMEM_SIGNAL_SET, next_pe());
        if (me == 0)
            nvshmem_signal_wait_until(token, NVSHMEM_CMP_GE, round);
    }
}

/* --- On the host --- */

static long all_rounds;

static long rounds_of(int share)
{
    return all_rounds * share / THOUSANDTHS + 1;
}

/* The next part begins with words and data of 0. */
static void clear(const area &a)
{
    cudaMemset(a.words, 0, WORDS * sizeof(*a.words));
    cudaMemset(a.dest, 0, AREA);
    cudaMemset(a.source, 0, AREA);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
}

template <class Way> static void try_way(const area &a)
{
    clear(a);
    messages<Way><<<1, Way::THREADS>>>(a, rounds_of(Way::SHARE));
    settle(a, Way::what());
    fact("data is there before its flag: %s", Way::what());
}

template <class Way> static void try_blocks(const area &a)
{
    clear(a);
    between_blocks<Way><<<2, Way::THREADS>>>(a, rounds_of(Way::SHARE) / 10 + 1);
    settle(a, Way::what());
    fact("and in the other block of a PE: %s", Way::what());
}

template <int Scope, int Threads>
static void try_barriers(const area &a, const char *name, int share)
{
    clear(a);
    barriers<Scope, Threads><<<1, Threads>>>(a, rounds_of(share));
    settle(a, name);
    fact("after the barrier of %s, stores and puts are seen by all", name);
}

/* How often all miss each other without quiet tells whether the test is sharp; no fact. */
static void try_store_buffering(const area &a)
{
    unsigned char *all;
    unsigned missed = 0;

    cudaMalloc((void **)&all, (size_t)BATCH * nvshmem_n_pes());
    for (int own = 0; own < 2; own++) {
        clear(a);
        store_buffering<<<1, 1>>>(a, all, rounds_of(70), own != 0, true);
        settle(a, "store buffering");
        fact("with quiet between, one PE at least sees the store of the next: stores to %s",
             own ? "itself" : "others");
    }
    clear(a);
    store_buffering<<<1, 1>>>(a, all, rounds_of(20), true, false);
    cudaDeviceSynchronize();
    cudaMemcpy(&missed, a.wrong, sizeof(missed), cudaMemcpyDeviceToHost);
    if (nvshmem_my_pe() == 0)
        printf("# without quiet, all have missed each other in %u of %ld rounds\n", missed,
               rounds_of(20));
    cudaMemset(a.wrong, 0, sizeof(missed));
    cudaFree(all);
}

static void try_readers(const area &a)
{
    sight *sights = (sight *)nvshmem_calloc(READS, sizeof(*sights)), *others;

    cudaMalloc((void **)&others, READS * sizeof(*others));
    for (long turn = 0; turn < rounds_of(50) / READS + 1; turn++) {
        clear(a);
        write_and_read<<<2, 1>>>(a, sights);
        settle(a, "readers");
        if (nvshmem_my_pe() == 0)
            judge<<<1, 1>>>(a, sights, others);
        settle(a, "what the readers have seen");
    }
    fact("with quiet between their reads, readers agree on the order of stores to two PEs");
    cudaFree(others);
    nvshmem_free(sights);
}

static void between_pes(const area &a)
{
    try_way<signal_set>(a);
    try_way<signal_add>(a);
    try_way<fence_p>(a);
    try_way<fence_signal>(a);
    try_way<fence_add>(a);
    try_way<quiet_swap>(a);
    try_way<warp_signal>(a);
    try_way<warp_fence>(a);
    try_way<block_signal>(a);
    try_way<block_fence>(a);
    try_way<threads_fence>(a);
    try_way<long_signal>(a);
    try_way<long_fence>(a);
    try_way<long_warp>(a);
    try_way<long_get>(a);
    try_store_buffering(a);
    try_readers(a);
    try_barriers<0, 1>(a, "one thread", 70);
    try_barriers<1, 32>(a, "a warp", 5);
    try_barriers<2, 96>(a, "a block", 5);
    clear(a);
    locks<<<1, 1>>>(a, rounds_of(30));
    settle(a, "locks");
    fact("a record under a lock of atomics is whole, and counts every round");
    clear(a);
    news<<<1, 1>>>(a, rounds_of(25));
    settle(a, "news");
    fact("who learns through others that PE 0 was quiet sees what it put");
}

int main(void)
{
    const char *wish = getenv("LITMUS_ROUNDS");

    nvshmem_init();
    all_rounds = wish ? atol(wish) : nvshmem_n_pes() == 2 ? 1000000 : 300000;
    area a = make_area();

    if (nvshmem_n_pes() > 1)
        between_pes(a);
    try_blocks<signal_set>(a);
    try_blocks<fence_p>(a);
    try_blocks<fence_add>(a);
    try_blocks<quiet_swap>(a);
    try_blocks<block_signal>(a);
    try_blocks<threads_fence>(a);
    try_blocks<long_signal>(a);
    try_blocks<long_warp>(a);
    return finish();
}
