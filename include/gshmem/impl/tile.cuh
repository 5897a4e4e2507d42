/* tile.cuh - bodies of tile.h.
 *
 * A tile is runs of elements, along the dimension in which both tensors are contiguous
 * where there is one. The threads of the group share its units: wide words where runs are
 * contiguous and aligned, else single elements. Nothing needs multicast hardware.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_TILE_CUH
#define GSHMEM_IMPL_TILE_CUH

#include <gshmem/impl/reduce.cuh>

#include <cuda/std/tuple>

namespace gsh_impl {

/* Entries of a tuple; 0 for what is none. */
template <class Tuple, class = void> struct entries {
    enum { n = 0 };
};
template <class Tuple> struct entries<Tuple, decltype((void)cuda::std::tuple_size<Tuple>::value)> {
    enum { n = (int)cuda::std::tuple_size<Tuple>::value };
};

template <int I, class Tuple> GSH_DEVICE int64_t entry(const Tuple &tuple, int64_t missing)
{
    using cuda::std::get;

    if constexpr (I < entries<Tuple>::n)
        return (int64_t)get<I>(tuple);
    else
        return missing;
}

/* What is copied or combined, after the bounds: `runs` times `length` elements. */
template <class T> struct tile {
    const T *source;
    T *dest;
    unsigned runs, length;
    int64_t source_run, source_step; /* elements from one run, and element, to the next */
    int64_t dest_run, dest_step;

    GSH_DEVICE bool is_wide() const
    {
        const int64_t per_wide = 16 / sizeof(T);

        return source_step == 1 && dest_step == 1 && (number(source) | number(dest)) % 16 == 0 &&
               source_run % per_wide == 0 && dest_run % per_wide == 0;
    }

    /* visit(source offset, dest offset, elements) for the units of one of `size` threads. */
    template <class Visit> GSH_DEVICE void each(unsigned rank, unsigned size, Visit visit) const
    {
        const unsigned per_wide = 16 / sizeof(T);
        const unsigned words = is_wide() ? length / per_wide : 0;
        const unsigned rest = length - words * per_wide;

        for (unsigned i = rank; i < runs * words; i += size) {
            unsigned run = i / words, at = i % words * per_wide;

            visit(run * source_run + at, run * dest_run + at, per_wide);
        }
        for (unsigned i = rank; i < runs * rest; i += size) {
            unsigned run = i / rest, at = i % rest + words * per_wide;

            visit(run * source_run + at * source_step, run * dest_run + at * dest_step, 1u);
        }
    }

    /* Bytes from the first element of dest to the end of the last. */
    GSH_DEVICE size_t dest_bytes() const
    {
        return ((runs - 1) * dest_run + (length - 1) * dest_step + 1) * sizeof(T);
    }

    GSH_DEVICE size_t source_bytes() const
    {
        return ((runs - 1) * source_run + (length - 1) * source_step + 1) * sizeof(T);
    }
};

template <int I, class Tensor, class Tuple>
GSH_DEVICE int64_t extent(const Tensor &tensor, const Tuple &start, const Tuple &boundary)
{
    int64_t all = entry<I>(tensor.shape(), 1);
    int64_t left = entry<I>(boundary, all) - entry<I>(start, 0);

    return left < 0 ? 0 : left < all ? left : all;
}

template <class Src, class Dst, class Tuple>
GSH_DEVICE auto tile_of(const Src &src, const Dst &dst, const Tuple &start, const Tuple &boundary)
{
    typedef typename Dst::value_type T;
    static_assert(sizeof(typename Src::value_type) == sizeof(T), "elements of one type");
    tile<T> t;
    int64_t n0 = extent<0>(src, start, boundary), n1 = extent<1>(src, start, boundary);
    int64_t s0 = entry<0>(src.stride(), 1), s1 = entry<1>(src.stride(), 0);
    int64_t d0 = entry<0>(dst.stride(), 1), d1 = entry<1>(dst.stride(), 0);

    t.source = src.data();
    t.dest = dst.data();
    if (s1 == 1 && d1 == 1) {
        t.runs = (unsigned)n0, t.length = (unsigned)n1;
        t.source_run = s0, t.dest_run = d0, t.source_step = s1, t.dest_step = d1;
    } else {
        t.runs = (unsigned)n1, t.length = (unsigned)n0;
        t.source_run = s1, t.dest_run = d1, t.source_step = s0, t.dest_step = d0;
    }
    if (!t.length)
        t.runs = 0;
    return t;
}

template <class T> GSH_DEVICE void copy_unit(T *to, const T *from, unsigned nelems)
{
    if (nelems > 1)
        store_wide(to, load_wide(from));
    else
        *to = *from;
}

/* The part of one of `size` threads. */
template <class T>
GSH_DEVICE_LARGE void push_tile(const char *call, const tile<T> t, int pe, unsigned rank,
                                unsigned size)
{
    if (!t.runs)
        return;
    T *there = checked(call, t.dest, t.dest_bytes(), sizeof(T), pe);

    t.each(rank, size, [&](int64_t from, int64_t to, unsigned nelems) {
        if (there)
            copy_unit(there + to, t.source + from, nelems);
        else
            remote_put(call, t.dest + to, t.source + from, nelems * sizeof(T), pe);
    });
}

template <class T>
GSH_DEVICE_LARGE void pull_tile(const char *call, const tile<T> t, int pe, unsigned rank,
                                unsigned size)
{
    if (!t.runs)
        return;
    const T *there = checked(call, t.source, t.source_bytes(), sizeof(T), pe);

    t.each(rank, size, [&](int64_t from, int64_t to, unsigned nelems) {
        if (there)
            copy_unit(t.dest + to, there + from, nelems);
        else
            remote_get(call, t.dest + to, t.source + from, nelems * sizeof(T), pe);
    });
}

template <class Group, class Src, class Dst, class Tuple>
GSH_DEVICE int tile_put(const char *call, const Src &src, const Dst &dst, const Tuple &start,
                        const Tuple &boundary, int pe)
{
    push_tile(call, tile_of(src, dst, start, boundary), pe, Group::rank(), Group::size());
    Group::sync();
    return 0;
}

template <class Group, class Src, class Dst, class Tuple>
GSH_DEVICE int tile_get(const char *call, const Src &src, const Dst &dst, const Tuple &start,
                        const Tuple &boundary, int pe)
{
    pull_tile(call, tile_of(src, dst, start, boundary), pe, Group::rank(), Group::size());
    Group::sync();
    return 0;
}

template <class Group, class T>
GSH_DEVICE int push_tile_all(const char *call, members team, const tile<T> &t)
{
    Group::sync();
    for (int i = 1; i <= team.n(); i++)
        push_tile(call, t, team_pe(team, (team.my() + i) % team.n()), Group::rank(), Group::size());
    Group::sync();
    return 0;
}

template <class Group, class Src, class Dst, class Tuple>
GSH_DEVICE int tile_broadcast(const char *call, nvshmem_team_t handle, const Src &src,
                              const Dst &dst, const Tuple &start, const Tuple &boundary)
{
    return push_tile_all<Group>(call, team_of(call, handle), tile_of(src, dst, start, boundary));
}

/* Elements from dst to the place of a rank: in the dimension that is larger than the tile. */
template <class Src, class Dst>
GSH_DEVICE int64_t place_in(const Src &src, const Dst &dst, members team)
{
    int64_t n0 = entry<0>(src.shape(), 1), n1 = entry<1>(src.shape(), 1);

    if (entry<0>(dst.shape(), 1) >= n0 * team.n())
        return team.n() > 1 ? team.my() * n0 * entry<0>(dst.stride(), 1) : 0;
    if (entry<1>(dst.shape(), 1) >= n1 * team.n())
        return team.my() * n1 * entry<1>(dst.stride(), 0);
    return 0;
}

template <class Group, class Src, class Dst, class Tuple>
GSH_DEVICE int tile_allgather(const char *call, nvshmem_team_t handle, const Src &src,
                              const Dst &dst, const Tuple &start, const Tuple &boundary)
{
    const members team = team_of(call, handle);
    auto t = tile_of(src, dst, start, boundary);

    t.dest += place_in(src, dst, team);
    return push_tile_all<Group>(call, team, t);
}

/* The units of one of r.size threads; source and dest of r are those of the tile. */
template <class Op, class R, class T>
GSH_DEVICE_LARGE void combine_tile(reduction<R> r, const tile<T> t)
{
    const bool direct = all_direct(r.team, t.source);

    t.each(r.rank, r.size, [&](int64_t from, int64_t to, unsigned nelems) {
        reduction<R> unit = { r.call, r.team, t.source + from, t.dest + to, nelems, r.everywhere,
                              0,      1 };

        if (!direct)
            combine_remote<Op>(unit);
        else if (nelems > 1)
            elements<Op, R>::template several<1>(unit, 0, 0);
        else
            elements<Op, R>::one(unit, 0);
    });
}

/* By all members for themselves, or by one: */
enum tile_worker { EACH, ROOT_FOR_ALL, ROOT };

template <class Op, class Group, class Src, class Dst, class Tuple>
GSH_DEVICE int tile_reduce(const char *call, nvshmem_team_t handle, const Src &src, const Dst &dst,
                           const Tuple &start, const Tuple &boundary, tile_worker worker, int root)
{
    typedef typename reduced<typename Dst::value_type, Op::order>::type R;
    collective<Group> c(call, handle);
    auto t = tile_of(src, dst, start, boundary);

    if (worker != EACH)
        c.need_rank(root);
    if (t.runs) {
        c.need_symmetric(t.source, t.source_bytes());
        c.need_symmetric(t.dest, t.dest_bytes());
    }
    c.meet();
    if (t.runs && (worker == EACH || root == c.team.my()))
        combine_tile<Op, R>({ call, c.team, t.source, t.dest, 0, worker == ROOT_FOR_ALL,
                              Group::rank(), Group::size() },
                            t);
    Group::sync();
    c.end();
    return 0;
}

/* After all that the members have pushed, and read. */
template <class Group> GSH_DEVICE int tile_wait(const char *call, nvshmem_team_t handle)
{
    return team_sync<Group>(call, handle);
}

GSH_DEVICE void need_no_flag(const char *call, uint64_t flag)
{
    if (flag)
        fail(call, "flag must be 0 (flag, 0)", (long long)flag, 0);
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_TILE_CUH */
