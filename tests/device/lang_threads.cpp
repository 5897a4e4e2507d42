/* In kernels, threads know who they are; shuffles, votes, matches and reductions give what
 * CUDA says for each lane, width and mask; barriers count; atomics lose nothing; groups
 * rank their threads, and blocks of a grid meet. */
// SPDX-License-Identifier: BSD-3-Clause
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "util/test/tap.h"

namespace cg = cooperative_groups;

static unsigned wrong;

/* For threads: counts what does not hold. */
static void expect(bool good)
{
    if (!good)
        atomicAdd(&wrong, 1u);
}

static void kernel(const char *fact, void (*body)(), dim3 grid, dim3 block)
{
    gsh_cpu_grid launch = {};

    launch.name = fact;
    launch.run = [](void *args) { (*static_cast<void (**)()>(args))(); };
    launch.args = &body;
    launch.grid = { grid.x, grid.y, grid.z };
    launch.block = { block.x, block.y, block.z };
    launch.cooperative = 1;
    launch.shared_bytes = 256;
    wrong = 0;
    int failed = gsh_cpu_run(&launch);
    tap_ok(!failed && !wrong, "%s (%u do not hold)", fact, wrong);
}

static unsigned seen[64];

static void indices()
{
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned rank = block * 8 + thread;

    expect(blockDim.x == 4 && blockDim.y == 2 && blockDim.z == 1);
    expect(gridDim.x == 2 && gridDim.y == 1 && gridDim.z == 3 && warpSize == 32);
    expect(atomicAdd(&seen[rank], 1u) == 0);
    __syncthreads();
    expect(thread == threadIdx.x + 4 * threadIdx.y);
    expect(cg::this_grid().thread_rank() == rank && cg::this_grid().num_threads() == 48);
}

template <class T> static void shuffle_type()
{
    int lane = static_cast<int>(threadIdx.x) % 32;

    for (int width = 1; width <= 32; width *= 2) {
        int first = lane / width * width;
        for (int by = 0; by < 32; by++) {
            unsigned delta = static_cast<unsigned>(by);
            T own = static_cast<T>(lane);
            expect(__shfl_sync(~0u, own, by, width) == static_cast<T>(first + by % width));
            expect(__shfl_up_sync(~0u, own, delta, width) ==
                   static_cast<T>(lane - by < first ? lane : lane - by));
            expect(__shfl_down_sync(~0u, own, delta, width) ==
                   static_cast<T>(lane + by >= first + width ? lane : lane + by));
            expect(__shfl_xor_sync(~0u, own, by, width) ==
                   static_cast<T>((lane ^ by) >= first + width ? lane : lane ^ by));
        }
    }
}

static void shuffles()
{
    shuffle_type<int>();
    shuffle_type<unsigned long>();
    shuffle_type<float>();
    shuffle_type<double>();
    shuffle_type<half>();
    shuffle_type<nv_bfloat16>();
    half2 pair = __shfl_xor_sync(~0u, __floats2half2_rn(static_cast<float>(threadIdx.x), 7), 1);
    expect(__low2float(pair) == static_cast<float>(threadIdx.x ^ 1) && __high2float(pair) == 7);
    expect(__shfl_sync(~0u, -5, 3) == -5 && __shfl_sync(~0u, 1ll << 40, 0) == 1ll << 40);
}

static void votes()
{
    unsigned lane = threadIdx.x % 32;
    unsigned half_warp = lane < 16 ? 0xffff : 0xffff0000;
    int same;

    expect(__ballot_sync(~0u, lane % 3 == 0) == 0x49249249);
    expect(__any_sync(~0u, lane == 5) && !__any_sync(~0u, 0));
    expect(__all_sync(~0u, 2) && !__all_sync(~0u, lane != 31));
    expect(__ballot_sync(half_warp, 1) == half_warp && __all_sync(half_warp, 1));
    expect(__match_any_sync(~0u, lane % 4) == 0x11111111u << lane % 4);
    expect(__match_any_sync(~0u, lane < 2 ? 1.5 : 2.5) == (lane < 2 ? 3 : 0xfffffffc));
    expect(__match_all_sync(~0u, 7ull, &same) == ~0u && same);
    expect(__match_all_sync(~0u, lane / 31, &same) == 0 && !same);
    expect(__match_all_sync(half_warp, lane / 16, &same) == half_warp && same);
    expect(__activemask() >> lane & 1);
    __syncwarp();
}

static void reductions()
{
    unsigned lane = threadIdx.x % 32;
    int number = static_cast<int>(lane) - 16;
    unsigned lower = 0xff;

    expect(__reduce_add_sync(~0u, lane) == 496 && __reduce_add_sync(~0u, number) == -16);
    expect(__reduce_min_sync(~0u, number) == -16 && __reduce_max_sync(~0u, number) == 15);
    expect(__reduce_max_sync(~0u, lane) == 31 && __reduce_min_sync(~0u, lane + 1) == 1);
    expect(__reduce_or_sync(~0u, 1u << lane) == ~0u && __reduce_xor_sync(~0u, lane) == 0);
    expect(__reduce_and_sync(~0u, ~(1u << lane / 2)) == 0xffff0000);
    if (lane < 8)
        expect(__reduce_add_sync(lower, 1u) == 8);
    __syncwarp();
}

static void barriers()
{
    __shared__ unsigned count;
    int rank = static_cast<int>(threadIdx.x);

    for (unsigned round = 1; round <= 20; round++) {
        if (rank == 0)
            count = 0;
        __syncthreads();
        atomicAdd_block(&count, 1u);
        __syncthreads();
        expect(count == blockDim.x);
        expect(__syncthreads_count(rank % 5 == 0) == 20);
        expect(__syncthreads_and(rank < 100) && !__syncthreads_and(rank < 99));
        expect(__syncthreads_or(rank == 99) && !__syncthreads_or(0));
    }
}

static int sum, low = 1000, high = -1000;
static unsigned wrapped, down = 3, bits, toggled, lock;
static unsigned long long wide;
static float real_sum;
static double double_sum;
static half half_sum;
static half2 pair_sum;
static nv_bfloat16 brain_sum;
static unsigned guarded;
static cuda::atomic<int, cuda::thread_scope_device> shared_object(0);
static int referred;

static void atomics()
{
    int rank = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);

    atomicAdd(&sum, rank);
    atomicSub_system(&sum, 1);
    atomicMin(&low, rank - 5);
    atomicMax(&high, rank);
    atomicInc(&wrapped, 6);
    atomicDec(&down, 6);
    atomicOr(&bits, 1u << rank % 32);
    atomicXor(&toggled, 1u);
    atomicAdd(&wide, 1ull << 33);
    atomicAdd(&real_sum, 0.5f);
    atomicAdd(&double_sum, 0.25);
    atomicAdd(&half_sum, half(1));
    atomicAdd(&pair_sum, __floats2half2_rn(1, 2));
    atomicAdd(&brain_sum, nv_bfloat16(1));
    shared_object.fetch_add(2, cuda::memory_order_relaxed);
    shared_object++;
    cuda::atomic_ref<int, cuda::thread_scope_system>(referred).fetch_max(rank);
    while (atomicCAS(&lock, 0u, 1u) != 0)
        __nanosleep(10);
    guarded++;
    __threadfence();
    atomicExch(&lock, 0u);
}

static void test_atomics()
{
    kernel("atomics run in 4 blocks of 64 threads", atomics, 4, 64);
    tap_ok(sum == 255 * 128 - 256 && low == -5 && high == 255, "add, sub, min and max are right");
    tap_ok(wrapped == 256 % 7 && down == (3 + 7 * 256 - 256) % 7, "inc and dec wrap");
    tap_ok(bits == ~0u && toggled == 0 && wide == 256ull << 33, "or, xor and 64 bits are right");
    tap_ok(real_sum == 128 && double_sum == 64, "float and double sums lose nothing");
    tap_ok(half_sum == half(256) && __low2float(pair_sum) == 256 && __high2float(pair_sum) == 512 &&
               brain_sum == nv_bfloat16(256),
           "nor do those of 16 bits");
    tap_ok(guarded == 256 && lock == 0, "a lock of CAS and exchange guards");
    tap_ok(shared_object.load() == 768 && referred == 255, "cuda::atomic and atomic_ref likewise");
}

struct large {
    double a, b, c;
};

static void tiles()
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
    unsigned rank = block.thread_rank();
    unsigned in_tile = rank % 8;
    int same;

    expect(block.size() == 64 && warp.meta_group_rank() == rank / 32 && warp.size() == 32);
    expect(tile.thread_rank() == in_tile && tile.size() == 8);
    expect(tile.meta_group_rank() == rank % 32 / 8 && tile.meta_group_size() == 4);
    expect(tile.shfl(rank, 2) == rank / 8 * 8 + 2 && tile.shfl_xor(rank, 1) == (rank ^ 1));
    expect(tile.shfl_down(in_tile, 3) == (in_tile + 3 < 8 ? in_tile + 3 : in_tile));
    expect(tile.shfl_up(in_tile, 3) == (in_tile < 3 ? in_tile : in_tile - 3));
    expect(tile.ballot(in_tile == 1) == 2 && tile.any(in_tile == 7) && !tile.all(in_tile));
    expect(tile.match_any(in_tile / 4) == (in_tile < 4 ? 0xfu : 0xf0u));
    expect(tile.match_all(rank / 8, same) == 0xff && same);
    expect(cg::reduce(warp, rank % 32, cg::plus<unsigned>()) == 496);
    expect(cg::reduce(tile, in_tile, cg::greater<unsigned>()) == 7);
    expect(cg::reduce(tile, in_tile + 1, cg::less<unsigned>()) == 1);
    large mine = { 1.0 * rank, 2.0 * rank, 3.0 * rank };
    large other = tile.shfl(mine, 0);
    expect(other.a == rank / 8 * 8 && other.c == rank / 8 * 24);
    cg::sync(tile);
    cg::sync(block);
    if (rank < 5) {
        auto some = cg::coalesced_threads();
        expect(some.size() == 5 && some.thread_rank() == rank);
        expect(some.ballot(rank == 3) == 8 && some.shfl(rank, 4) == 4);
    }
}

static void small_block()
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    unsigned expected = threadIdx.x < 16 ? 16 : 4;

    expect(tile.size() == expected && tile.meta_group_size() == 2);
    expect(cg::reduce(tile, 1, cg::plus<int>()) == static_cast<int>(expected));
    tile.sync();
}

static unsigned arrived;

static void grids()
{
    auto grid = cg::this_grid();

    for (unsigned round = 1; round <= 5; round++) {
        atomicAdd(&arrived, 1u);
        grid.sync();
        expect(__ldcg(&arrived) == round * grid.num_threads());
        grid.sync();
    }
}

static int word = 5;
static half half_word = 2;

static void loads()
{
    int own = 3;

    expect(__ldg(&word) == 5 && __ldcv(&word) == 5 && __ldcs(&half_word) == half(2));
    __stcg(&own, 8);
    expect(own == 8);
    __stwt(&own, 9);
    expect(own == 9);
    expect(clock64() <= clock64());
}

static int heap_like;

static void spaces()
{
    __shared__ int shared;
    int local = 0;

    expect(__isShared(&shared) && !__isGlobal(&shared) && !__isLocal(&shared));
    expect(__isShared(gsh_cpu_dynamic_shared()));
    expect(__isLocal(&local) && !__isShared(&local) && !__isGlobal(&local));
    expect(__isGlobal(&heap_like) && !__isShared(&heap_like) && !__isLocal(&heap_like));
    expect(__cvta_shared_to_generic(__cvta_generic_to_shared(&shared)) == &shared);
}

int main()
{
    kernel("threads know their place", indices, dim3(2, 1, 3), dim3(4, 2));
    kernel("shuffles read the right lane for each width", shuffles, 1, 64);
    kernel("votes and matches are right", votes, 2, 64);
    kernel("reductions are right", reductions, 2, 64);
    kernel("barriers of a block count and vote", barriers, 3, 100);
    test_atomics();
    kernel("tiles rank, shuffle, vote and reduce", tiles, 2, 64);
    kernel("the last tile of a block may be smaller", small_block, 1, 20);
    kernel("the blocks of a grid meet", grids, 4, 40);
    kernel("loads and stores with hints load and store", loads, 1, 1);
    kernel("memory of a block, a thread and all is told apart", spaces, 2, 32);
    return tap_end();
}
