/* put.cu - PE 0 puts and waits until that is complete; element by element; and in bulk by
 * several blocks. */
// SPDX-License-Identifier: BSD-3-Clause
#include "../limit.cuh"
#include "../list.h"

#define PUT(group, suffix, prefix) \
    __device__ inline void put(group, double *dest, const double *source, size_t n, int pe) \
    { \
        prefix##double_put_nbi##suffix(dest, source, n, pe); \
    }
BENCH_GROUPS(PUT)
#undef PUT

struct one_sided {
    __device__ static bool takes_part(const bench_at &at) { return at.me == 0; }
    __device__ static void end(const bench_at &) { nvshmem_quiet(); }
};

template <class Group> struct put_quiet : one_sided, Group {
    __device__ static void run(const bench_at &at, uint64_t)
    {
        put(Group(), (double *)at.dst, (const double *)at.src, at.bytes / 8, at.peer);
        Group::sync();
        if (threadIdx.x == 0)
            nvshmem_quiet();
        Group::sync();
    }
};

template <class Group> struct raw_put_quiet : one_sided, Group {
    __device__ static void run(const bench_at &at, uint64_t)
    {
        limit_copy<Group>(at.peer_dst, at.src, at.bytes);
        Group::sync();
        if (threadIdx.x == 0)
            __threadfence_system();
        Group::sync();
    }
};

/* Each block its part. */
struct put_bw : one_sided, by_block {
    __device__ static void run(const bench_at &at, uint64_t)
    {
        size_t part = at.bytes / 8 / gridDim.x, from = blockIdx.x * part;

        put(by_block(), (double *)at.dst + from, (const double *)at.src + from, part, at.peer);
        sync();
    }
};

struct raw_put_bw : one_sided, by_block {
    __device__ static void run(const bench_at &at, uint64_t)
    {
        size_t part = at.bytes / 4 / gridDim.x, from = blockIdx.x * part;

        limit_copy<by_block>(at.peer_dst + from, at.src + from, part * 4);
        sync();
    }
};

struct p : one_sided, by_block {
    __device__ static void run(const bench_at &at, uint64_t)
    {
        double *dest = (double *)at.dst;
        const double *source = (const double *)at.src;

        for (size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x; i < at.bytes / 8;
             i += (size_t)gridDim.x * blockDim.x)
            nvshmem_double_p(dest + i, source[i], at.peer);
    }
};

struct g : one_sided, by_block {
    __device__ static void run(const bench_at &at, uint64_t)
    {
        double *dest = (double *)at.dst;
        const double *source = (const double *)at.src;

        for (size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x; i < at.bytes / 8;
             i += (size_t)gridDim.x * blockDim.x)
            dest[i] = nvshmem_double_g(source + i, at.peer);
    }
};

/* One word a thread at a time, as p and g do. */
template <bool put> struct raw_words : one_sided, by_block {
    __device__ static void run(const bench_at &at, uint64_t)
    {
        double *dest = (double *)(put ? at.peer_dst : at.dst);
        const double *source = (const double *)(put ? at.src : at.peer_src);

        for (size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x; i < at.bytes / 8;
             i += (size_t)gridDim.x * blockDim.x)
            dest[i] = source[i];
    }
};

static const bench_op ops[] = {
#define QUIET(group, name) \
    { \
        "put_quiet", name, BENCH_US, 2, 1, false, { 8, 1024, 8192, 65536 }, \
            bench_timed<put_quiet<group>>, bench_timed<raw_put_quiet<group>>, bench_check_put \
    }
    QUIET(by_thread, "thread"),
    QUIET(by_warp, "warp"),
    QUIET(by_block, "block"),
#define BANDWIDTH(blocks, name) \
    { \
        "put_bw", name, BENCH_GBS, 2, blocks, false, { 8 << 20, 64 << 20 }, bench_timed<put_bw>, \
            bench_timed<raw_put_bw>, bench_check_put \
    }
    BANDWIDTH(1, "1 block"),
    BANDWIDTH(4, "4 blocks"),
    BANDWIDTH(16, "16 blocks"),
    BANDWIDTH(32, "32 blocks"),
    { "p",
      "32 blocks",
      BENCH_GBS,
      2,
      32,
      false,
      { 16 << 20 },
      bench_timed<p>,
      bench_timed<raw_words<true>>,
      bench_check_put },
    { "g",
      "32 blocks",
      BENCH_GBS,
      2,
      32,
      false,
      { 4 << 20 },
      bench_timed<g>,
      bench_timed<raw_words<false>>,
      bench_check_get },
};

const bench_ops bench_put = { ops, sizeof(ops) / sizeof(*ops) };
