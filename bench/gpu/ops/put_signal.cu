/* put_signal.cu - PEs 0 and 1 hand data to and fro, or a signal alone: whole round trips. */
// SPDX-License-Identifier: BSD-3-Clause
#include "../limit.cuh"
#include "../list.h"

#define PUT_SIGNAL(group, suffix, prefix) \
    __device__ inline void put_signal(group, const bench_at &at, uint64_t turn) \
    { \
        prefix##double_put_signal##suffix((double *)at.dst, (const double *)at.src, at.bytes / 8, \
                                          &at.flags[BENCH_SIGNAL], turn, NVSHMEM_SIGNAL_SET, \
                                          at.peer); \
    }
BENCH_GROUPS(PUT_SIGNAL)
#undef PUT_SIGNAL

template <class Group> __device__ inline void await(const bench_at &at, uint64_t turn)
{
    if (threadIdx.x == 0)
        nvshmem_signal_wait_until(&at.flags[BENCH_SIGNAL], NVSHMEM_CMP_GE, turn);
    Group::sync();
}

struct pair {
    __device__ static bool takes_part(const bench_at &at) { return at.me < 2; }
    __device__ static void end(const bench_at &) {}
};

template <class Group> struct round_trip : pair, Group {
    __device__ static void run(const bench_at &at, uint64_t turn)
    {
        if (at.me == 1)
            await<Group>(at, turn);
        put_signal(Group(), at, turn);
        if (at.me == 0)
            await<Group>(at, turn);
    }
};

template <class Group> struct raw_round_trip : pair, Group {
    __device__ static void run(const bench_at &at, uint64_t turn)
    {
        if (at.me == 1)
            limit_await<Group>(at, turn);
        limit_copy<Group>(at.peer_dst, at.src, at.bytes);
        limit_post<Group>(at, turn);
        if (at.me == 0)
            limit_await<Group>(at, turn);
    }
};

struct signal_alone : pair, by_thread {
    __device__ static void run(const bench_at &at, uint64_t turn)
    {
        if (at.me == 1)
            await<by_thread>(at, turn);
        nvshmemx_signal_op(&at.flags[BENCH_SIGNAL], turn, NVSHMEM_SIGNAL_SET, at.peer);
        if (at.me == 0)
            await<by_thread>(at, turn);
    }
};

struct raw_signal : pair, by_thread {
    __device__ static void run(const bench_at &at, uint64_t turn)
    {
        volatile uint64_t *mine = &at.flags[BENCH_LIMIT], *theirs = &at.peer_flags[BENCH_LIMIT];

        while (at.me == 1 && *mine < turn)
            ;
        *theirs = turn;
        while (at.me == 0 && *mine < turn)
            ;
    }
};

/* The flag is the result: it has come as often as it was awaited. */
static void check_signal(const bench_at &at)
{
    unsigned long long found[2] = { 0, 0 };
    uint64_t have = 0;

    if (at.me >= 2)
        return;
    cudaMemcpy(&have, &at.flags[BENCH_SIGNAL], sizeof(have), cudaMemcpyDefault);
    cudaMemcpy(found, at.findings, sizeof(found), cudaMemcpyDefault);
    found[0] += have != at.turn;
    found[1]++;
    cudaMemcpy(at.findings, found, sizeof(found), cudaMemcpyDefault);
}

#define SIZES \
    { \
        8, 1024, 8192, 65536, 1 << 20 \
    }
static const bench_op ops[] = {
    { "signal",
      "thread",
      BENCH_US,
      2,
      1,
      false,
      { BENCH_NO_SIZE },
      bench_timed<signal_alone>,
      bench_timed<raw_signal>,
      check_signal },
#define ROW(group, name) \
    { \
        "put_signal", name, BENCH_US, 2, 1, false, SIZES, bench_timed<round_trip<group>>, \
            bench_timed<raw_round_trip<group>>, bench_check_pair \
    }
    ROW(by_thread, "thread"),
    ROW(by_warp, "warp"),
    ROW(by_block, "block"),
};

const bench_ops bench_put_signal = { ops, sizeof(ops) / sizeof(*ops) };
