/* sync.cu - all PEs meet: sync_all, and barrier_all, which completes puts as well. */
// SPDX-License-Identifier: BSD-3-Clause
#include "../limit.cuh"
#include "../list.h"

struct everybody {
    __device__ static bool takes_part(const bench_at &) { return true; }
    __device__ static void end(const bench_at &) {}
};

#define CALL(group, suffix, prefix) \
    struct sync_all##suffix : everybody, group { \
        __device__ static void run(const bench_at &, uint64_t) { prefix##sync_all##suffix(); } \
    }; \
    struct barrier_all##suffix : everybody, group { \
        __device__ static void run(const bench_at &, uint64_t) { prefix##barrier_all##suffix(); } \
    };
BENCH_GROUPS(CALL)
#undef CALL

/* Two flags exchanged. */
template <class Group> struct raw_meet : everybody, Group {
    __device__ static void run(const bench_at &at, uint64_t turn)
    {
        limit_post<Group>(at, turn);
        limit_await<Group>(at, turn);
    }
};

/* Each PE counts its turns at all others before they meet, and looks whether all have. Fewer
 * turns than were timed since the last time: the counts are all new. */
enum { TURNS = 4 };

template <class Call> __global__ void __launch_bounds__(Call::threads) prove(bench_at at, int turns)
{
    uint64_t *mine = &at.flags[BENCH_MET];
    unsigned long long wrong = 0;

    for (int turn = 1; turn <= turns; turn++) {
        if (threadIdx.x == 0) {
            for (int pe = 0; pe < at.n; pe++)
                nvshmem_uint64_p(mine + at.me, at.turn + turn, pe);
            nvshmem_quiet();
        }
        Call::run(at, turn);
        for (int pe = 0; threadIdx.x == 0 && pe < at.n; pe++)
            wrong += ((volatile uint64_t *)mine)[pe] < at.turn + turn;
    }
    if (threadIdx.x == 0) {
        atomicAdd(&at.findings[0], wrong);
        atomicAdd(&at.findings[1], (unsigned long long)turns * at.n);
    }
}

template <class Call> static void check(const bench_at &at)
{
    bench_at a = at;
    int turns = TURNS;
    void *args[] = { &a, &turns };

    if (nvshmemx_collective_launch((const void *)prove<Call>, dim3(1), dim3(Call::threads), args, 0,
                                   0))
        bench_stop("a collective launch failed", cudaGetErrorString(cudaGetLastError()));
    cudaDeviceSynchronize();
}

static const bench_op ops[] = {
#define ROW(call, suffix, group, name) \
    { \
#call, name, BENCH_US, 0, 1, false, \
            { BENCH_NO_SIZE }, bench_timed < call##suffix>, bench_timed < raw_meet < group>>, \
              check < call##suffix> \
    }
#define ROWS(call) \
    ROW(call, , by_thread, "thread"), ROW(call, _warp, by_warp, "warp"), \
        ROW(call, _block, by_block, "block")
    ROWS(sync_all),
    ROWS(barrier_all),
};

const bench_ops bench_sync = { ops, sizeof(ops) / sizeof(*ops) };
