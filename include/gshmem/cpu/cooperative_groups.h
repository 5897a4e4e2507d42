/* cooperative_groups.h - groups of threads as objects, for the CPU device: blocks, tiles
 * and other parts of warps, grids.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_COOPERATIVE_GROUPS_H
#define GSHMEM_CPU_COOPERATIVE_GROUPS_H

#include <gshmem/cpu/cuda_lang.h>

namespace cooperative_groups {

inline unsigned gsh_volume(dim3 size)
{
    return size.x * size.y * size.z;
}

inline unsigned gsh_rank(uint3 index, dim3 size)
{
    return index.x + size.x * (index.y + size.y * index.z);
}

class thread_block {
  public:
    GSH_LANG_CALL static void sync()
    {
        GSH_LANG_ENTER("cooperative_groups::thread_block::sync");
        gsh_cpu_syncthreads(GSH_CPU_NONE, 0);
        GSH_LANG_LEAVE();
    }
    static unsigned thread_rank() { return gsh_rank(threadIdx, blockDim); }
    static unsigned num_threads() { return gsh_volume(blockDim); }
    static unsigned size() { return num_threads(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 dim_threads() { return blockDim; }
    static dim3 group_dim() { return blockDim; }
};

inline thread_block this_thread_block()
{
    return thread_block();
}

class grid_group {
  public:
    GSH_LANG_CALL static void sync()
    {
        GSH_LANG_ENTER("cooperative_groups::grid_group::sync");
        gsh_cpu_syncgrid();
        GSH_LANG_LEAVE();
    }
    /* sync() of a grid that is not cooperative says so. */
    static bool is_valid() { return true; }
    static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
    static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long block_rank() { return gsh_rank(blockIdx, gridDim); }
    static unsigned long long num_blocks() { return gsh_volume(gridDim); }
    static dim3 block_index() { return blockIdx; }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 group_dim() { return gridDim; }
};

inline grid_group this_grid()
{
    return grid_group();
}

/* Some lanes of a warp. Ranks count the lanes of the mask from the lowest. */
class gsh_lanes {
  public:
    unsigned thread_rank() const { return rank_of(gsh_lang::lane()); }
    unsigned num_threads() const { return static_cast<unsigned>(__popc(lanes)); }
    unsigned size() const { return num_threads(); }

    GSH_LANG_CALL void sync() const
    {
        GSH_LANG_ENTER("cooperative_groups::sync");
        gsh_cpu_syncwarp(lanes);
        GSH_LANG_LEAVE();
    }

    template <class T> GSH_LANG_CALL T shfl(T value, int rank) const
    {
        GSH_LANG_ENTER("cooperative_groups::shfl");
        return read(value, static_cast<unsigned>(rank) % num_threads());
    }
    template <class T> GSH_LANG_CALL T shfl_up(T value, unsigned delta) const
    {
        GSH_LANG_ENTER("cooperative_groups::shfl_up");
        return read(value, thread_rank() < delta ? thread_rank() : thread_rank() - delta);
    }
    template <class T> GSH_LANG_CALL T shfl_down(T value, unsigned delta) const
    {
        GSH_LANG_ENTER("cooperative_groups::shfl_down");
        return read(value, thread_rank() + delta);
    }

    GSH_LANG_CALL unsigned ballot(int predicate) const
    {
        GSH_LANG_ENTER("cooperative_groups::ballot");
        return pack(vote(predicate));
    }
    GSH_LANG_CALL int any(int predicate) const
    {
        GSH_LANG_ENTER("cooperative_groups::any");
        return vote(predicate) != 0;
    }
    GSH_LANG_CALL int all(int predicate) const
    {
        GSH_LANG_ENTER("cooperative_groups::all");
        return vote(predicate) == lanes;
    }
    template <class T> GSH_LANG_CALL unsigned match_any(T value) const
    {
        GSH_LANG_ENTER("cooperative_groups::match_any");
        uint64_t own = gsh_lang::to_bits(value);
        return pack(gsh_lang::exchange<uint64_t>(lanes, own).where([=](uint64_t other) {
            return other == own;
        }));
    }
    template <class T> GSH_LANG_CALL unsigned match_all(T value, int &same) const
    {
        GSH_LANG_ENTER("cooperative_groups::match_all");
        uint64_t own = gsh_lang::to_bits(value);
        same = !gsh_lang::exchange<uint64_t>(lanes, own).where([=](uint64_t other) {
            return other != own;
        });
        return same ? pack(lanes) : 0;
    }

    /* All values combined; every thread of the group gets the same result. */
    template <class T, class F> T gsh_reduce(const T &value, F f) const
    {
        return gsh_lang::exchange<T>(lanes, value).reduce(f);
    }

  protected:
    explicit gsh_lanes(unsigned mask) : lanes(mask) {}

    unsigned rank_of(int lane) const
    {
        return static_cast<unsigned>(__popc(lanes & ((1u << lane) - 1)));
    }

    /* What the thread of that rank gives; the own value when there is none. */
    template <class T> T read(const T &value, unsigned rank) const
    {
        gsh_lang::exchange<T> given(lanes, value);

        for (int i = 0; i < GSH_CPU_WARP; i++)
            if (lanes >> i & 1 && rank_of(i) == rank)
                return given[i];
        return value;
    }

    unsigned vote(int predicate) const
    {
        return gsh_lang::exchange<int>(lanes, predicate != 0).where([](int yes) {
            return yes != 0;
        });
    }

    /* Bits by lane as bits by rank. */
    unsigned pack(unsigned bits) const
    {
        unsigned packed = 0;

        for (int i = 0; i < GSH_CPU_WARP; i++)
            if (bits >> i & 1)
                packed |= 1u << rank_of(i);
        return packed;
    }

    unsigned lanes;
};

/* The threads of a block, or of a larger tile, N by N; N is a power of two, and the last
 * tile of a block may be smaller. */
template <unsigned N> class gsh_tile : public gsh_lanes {
    static_assert(N >= 1 && N <= GSH_CPU_WARP && !(N & (N - 1)), "a tile is part of a warp");

  public:
    /* Of `threads` threads, among which the caller has this rank. */
    gsh_tile(unsigned rank, unsigned threads)
        : gsh_lanes(mask(rank, threads)), index(rank / N), count((threads + N - 1) / N)
    {
    }

    unsigned meta_group_rank() const { return index; }
    unsigned meta_group_size() const { return count; }

    template <class T> GSH_LANG_CALL T shfl_xor(T value, unsigned bits) const
    {
        GSH_LANG_ENTER("cooperative_groups::shfl_xor");
        return read(value, thread_rank() ^ bits);
    }

  private:
    static unsigned mask(unsigned rank, unsigned threads)
    {
        unsigned left = threads - rank / N * N; /* from the first of the tile on */
        unsigned n = left < N ? left : N;

        return 0xffffffff >> (GSH_CPU_WARP - n) << (gsh_lang::lane() - static_cast<int>(rank % N));
    }

    unsigned index, count;
};

/* Whose part a tile is makes no difference. */
template <unsigned N, class Parent = void> using thread_block_tile = gsh_tile<N>;

template <unsigned N, class Parent> thread_block_tile<N> tiled_partition(const Parent &group)
{
    return { static_cast<unsigned>(group.thread_rank()),
             static_cast<unsigned>(group.num_threads()) };
}

/* The threads of a warp that run together here. */
class coalesced_group : public gsh_lanes {
  public:
    explicit coalesced_group(unsigned mask) : gsh_lanes(mask) {}
};

GSH_LANG_CALL coalesced_group coalesced_threads()
{
    GSH_LANG_ENTER("cooperative_groups::coalesced_threads");
    return coalesced_group(gsh_cpu_activemask());
}

template <class Group> void sync(const Group &g)
{
    g.sync();
}

template <class Group> auto thread_rank(const Group &g) -> decltype(g.thread_rank())
{
    return g.thread_rank();
}

template <class Group> auto group_size(const Group &g) -> decltype(g.num_threads())
{
    return g.num_threads();
}

} // namespace cooperative_groups

#endif /* GSHMEM_CPU_COOPERATIVE_GROUPS_H */
