/* reduce.cu - the sum over all PEs of each float, on all PEs. */
// SPDX-License-Identifier: BSD-3-Clause
#include "../list.h"
#include "../timed.cuh"

#define SUM(group, suffix, prefix) \
    struct sum##suffix : group { \
        __device__ static bool takes_part(const bench_at &) { return true; } \
        __device__ static void end(const bench_at &) {} \
        __device__ static void run(const bench_at &at, uint64_t) \
        { \
            prefix##float_sum_reduce##suffix(NVSHMEM_TEAM_WORLD, at.dst, at.src, at.bytes / 4); \
        } \
    };
BENCH_GROUPS(SUM)
#undef SUM

static const bench_op ops[] = {
#define ROW(suffix, name, ...) \
    { \
        "sum_reduce", name, BENCH_US, 0, 1, false, { __VA_ARGS__ }, bench_timed<sum##suffix>, \
            NULL, bench_check_sum \
    }
    ROW(, "thread", 4, 1024, 65536),
    ROW(_warp, "warp", 4, 1024, 65536),
    ROW(_block, "block", 4, 64, 1024, 8192, 65536, 262144, 1 << 20),
};

const bench_ops bench_reduce = { ops, sizeof(ops) / sizeof(*ops) };
