/* move.cu - broadcast from PE 0, fcollect and alltoall; the size is that of one PE's part. */
// SPDX-License-Identifier: BSD-3-Clause
#include "../list.h"
#include "../timed.cuh"

struct everybody {
    __device__ static bool takes_part(const bench_at &) { return true; }
    __device__ static void end(const bench_at &) {}
};

#define CALL(group, suffix, prefix) \
    struct broadcast##suffix : everybody, group { \
        __device__ static void run(const bench_at &at, uint64_t) \
        { \
            prefix##float_broadcast##suffix(NVSHMEM_TEAM_WORLD, at.dst, at.src, at.bytes / 4, 0); \
        } \
    }; \
    struct fcollect##suffix : everybody, group { \
        __device__ static void run(const bench_at &at, uint64_t) \
        { \
            prefix##float_fcollect##suffix(NVSHMEM_TEAM_WORLD, at.dst, at.src, at.bytes / 4); \
        } \
    }; \
    struct alltoall##suffix : everybody, group { \
        __device__ static void run(const bench_at &at, uint64_t) \
        { \
            prefix##float_alltoall##suffix(NVSHMEM_TEAM_WORLD, at.dst, at.src, at.bytes / 4); \
        } \
    };
BENCH_GROUPS(CALL)
#undef CALL

static const bench_op ops[] = {
#define ROW(call, per_pe, suffix, name, ...) \
    { \
#call, name, BENCH_US, 0, 1, per_pe, \
            { __VA_ARGS__ }, bench_timed < call##suffix>, NULL, bench_check_##call \
    }
#define ROWS(call, per_pe) \
    ROW(call, per_pe, , "thread", 1024, 65536), ROW(call, per_pe, _warp, "warp", 1024, 65536), \
        ROW(call, per_pe, _block, "block", 8, 1024, 8192, 32768, 65536, 262144, 524288, 1 << 20)
    ROWS(broadcast, false),
    ROWS(fcollect, true),
    ROWS(alltoall, true),
};

const bench_ops bench_move = { ops, sizeof(ops) / sizeof(*ops) };
