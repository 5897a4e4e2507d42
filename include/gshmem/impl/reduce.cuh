/* reduce.cuh - reductions in kernels.
 *
 * All members meet, so that all sources are there; elements are combined by load and store; all
 * meet again, so that results are there and sources may be written.
 *
 *     by mail     each member sends its source to all others, see mail.cuh
 *     one-shot    each member reads all sources and writes its own dest
 *     two-shot    each member reads its part of all sources and writes it to the dest of all
 *
 * Mail is for the least data; no meetings are needed. One-shot is for little data, or two members;
 * dest must not be source, which others still read. In two-shot only one member touches a part, and
 * all that it writes of an element depends on all that it reads of it, so that dest may be source.
 * Elements are combined in the order of the ranks, by the same code on all members: results are
 * equal to the bit.
 *
 * Types that are combined in the same way share their code: see struct reduced. Below
 * the collective itself nothing depends on the group but rank and size, for the same reason.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_REDUCE_CUH
#define GSHMEM_IMPL_REDUCE_CUH

#include <gshmem/impl/mail.cuh>
#include <gshmem/impl/move.cuh>

namespace gsh_impl {

enum {
    ONE_SHOT_BYTES = 8 << 10, /* of the largest source of more than two members */
    BOUNCE_BYTES = 256,       /* fetched at once from a PE that cannot be loaded from */
};

/* --- How elements are combined --- */

template <int Bytes, bool Signed> struct whole;
#define GSH_WHOLE(bytes, is_signed, stored, combined) \
    template <> struct whole<bytes, is_signed> { \
        typedef stored type; \
        typedef combined acc; \
    };
GSH_WHOLE(1, true, int8_t, int32_t)
GSH_WHOLE(1, false, uint8_t, uint32_t)
GSH_WHOLE(2, true, int16_t, int32_t)
GSH_WHOLE(2, false, uint16_t, uint32_t)
GSH_WHOLE(4, true, int32_t, int32_t)
GSH_WHOLE(4, false, uint32_t, uint32_t)
GSH_WHOLE(8, true, int64_t, int64_t)
GSH_WHOLE(8, false, uint64_t, uint64_t)
#undef GSH_WHOLE

/* The type that stands for T, and the type in which its elements are combined: sums
 * and products of integers wrap, 16-bit floating point is rounded once, at the end. */
template <class T, bool Order> struct reduced {
    typedef whole<sizeof(T), Order && (T)-1 < (T)0> as;
    typedef typename as::type type;
    typedef typename as::acc acc;
};
#define GSH_REDUCED(stored, combined) \
    template <bool Order> struct reduced<stored, Order> { \
        typedef stored type; \
        typedef combined acc; \
    };
GSH_REDUCED(float, float)
GSH_REDUCED(double, double)
GSH_REDUCED(__half, float)
GSH_REDUCED(__nv_bfloat16, float)
GSH_REDUCED(double2, double2)
#undef GSH_REDUCED

/* `order`: signed and unsigned integers differ. */
#define GSH_OPERATION(name, is_order, expression) \
    struct op_##name { \
        enum { order = is_order }; \
        template <class A> static GSH_DEVICE A apply(A x, A y) { return expression; } \
    };
GSH_OPERATION(sum, false, (x) + (y))
GSH_OPERATION(prod, false, (x) * (y))
GSH_OPERATION(and, false, (x) & (y))
GSH_OPERATION(or, false, (x) | (y))
GSH_OPERATION(xor, false, (x) ^ (y))
GSH_OPERATION(min, true, y < x ? y : x)
GSH_OPERATION(max, true, y > x ? y : x)
/* x is the value, y where it is: the lower of equals. */
GSH_OPERATION(maxloc, true, y.x > x.x || (y.x == x.x && y.y < x.y) ? y : x)
#undef GSH_OPERATION

/* --- What one thread does --- */

/* `count` elements from source of all members, by one of `size` threads. */
template <class T> struct reduction {
    const char *call;
    members team;
    const T *source;
    T *dest;
    size_t count;
    bool everywhere; /* dest of all members, not only the own */
    unsigned rank, size;

    GSH_DEVICE int first_pe() const { return everywhere ? 0 : team.my(); }
    GSH_DEVICE int last_pe() const { return everywhere ? team.n() : team.my() + 1; }
};

template <class Op, class T> struct elements {
    typedef typename reduced<T, Op::order>::acc A;
    enum { PER_WIDE = 16 / sizeof(T), IN_FLIGHT_WIDE = sizeof(T) < 4 ? 2 : 4 };

    static GSH_DEVICE void one(const reduction<T> &r, size_t i)
    {
        A sum = A(*at(r.source + i, team_pe(r.team, 0)));

        GSH_ROLL
        for (int k = 1; k < r.team.n(); k++)
            sum = Op::apply(sum, A(*at(r.source + i, team_pe(r.team, k))));
        GSH_ROLL
        for (int k = r.first_pe(); k < r.last_pe(); k++)
            *at(r.dest + i, team_pe(r.team, k)) = T(sum);
    }

    /* N wide words at element i and each `stride` elements on. */
    template <int N> static GSH_DEVICE void several(const reduction<T> &r, size_t i, size_t stride)
    {
        A sum[N][PER_WIDE];
        wide words[N];

        load_several<N>(words, at(r.source + i, team_pe(r.team, 0)), stride);
        GSH_UNROLL
        for (int u = 0; u < N; u++)
            unpack(sum[u], words[u]);
        GSH_ROLL
        for (int k = 1; k < r.team.n(); k++) {
            load_several<N>(words, at(r.source + i, team_pe(r.team, k)), stride);
            GSH_UNROLL
            for (int u = 0; u < N; u++)
                add(sum[u], words[u]);
        }
        GSH_UNROLL
        for (int u = 0; u < N; u++)
            words[u] = packed(sum[u]);
        GSH_ROLL
        for (int k = r.first_pe(); k < r.last_pe(); k++) {
            T *to = at(r.dest + i, team_pe(r.team, k));

            GSH_UNROLL
            for (int u = 0; u < N; u++)
                store_wide(to + u * stride, words[u]);
        }
    }

    template <int N> static GSH_DEVICE void load_several(wide *words, const T *from, size_t stride)
    {
        GSH_UNROLL
        for (int u = 0; u < N; u++)
            words[u] = load_wide(from + u * stride);
    }

    /* The elements of one wide word, as an object. */
    struct pack {
        T v[PER_WIDE];
    };

    static GSH_DEVICE void unpack(A *sum, wide word)
    {
        pack p = bits<pack>(word);

        GSH_UNROLL
        for (int e = 0; e < PER_WIDE; e++)
            sum[e] = A(p.v[e]);
    }

    static GSH_DEVICE void add(A *sum, wide word)
    {
        pack p = bits<pack>(word);

        GSH_UNROLL
        for (int e = 0; e < PER_WIDE; e++)
            sum[e] = Op::apply(sum[e], A(p.v[e]));
    }

    static GSH_DEVICE wide packed(const A *sum)
    {
        pack p;

        GSH_UNROLL
        for (int e = 0; e < PER_WIDE; e++)
            p.v[e] = T(sum[e]);
        return bits<wide>(p);
    }
};

/* Elements before the first multiple of 16 bytes; all, when source and dest are not
 * misaligned alike. */
template <class T> GSH_DEVICE size_t before_wide(const reduction<T> &r)
{
    uint64_t from = number(r.source), to = number(r.dest);
    size_t head = (0 - from) % 16 / sizeof(T);

    return (from - to) % 16 || head > r.count ? r.count : head;
}

/* All members can be loaded from and stored to. */
template <class Op, class T> GSH_DEVICE_LARGE void combine_direct(const reduction<T> r)
{
    typedef elements<Op, T> e;
    const size_t stride = (size_t)r.size * e::PER_WIDE;
    size_t head = before_wide(r), i = r.rank;

    for (; i < head; i += r.size)
        e::one(r, i);
    i = head + (size_t)r.rank * e::PER_WIDE;
    size_t end = r.count - (r.count - head) % e::PER_WIDE;
    for (; i + (e::IN_FLIGHT_WIDE - 1) * stride < end; i += e::IN_FLIGHT_WIDE * stride)
        e::template several<e::IN_FLIGHT_WIDE>(r, i, stride);
    for (; i < end; i += stride)
        e::template several<1>(r, i, stride);
    for (i = end + r.rank; i < r.count; i += r.size)
        e::one(r, i);
}

template <class T>
GSH_DEVICE_LARGE void fetch(const char *call, T *to, const T *from, size_t nelems, int pe)
{
    const T *there = at(from, pe);

    if (!there)
        return remote_get(call, to, from, nelems * sizeof(T), pe);
    GSH_ROLL
    for (size_t e = 0; e < nelems; e++)
        to[e] = there[e];
}

template <class T>
GSH_DEVICE_LARGE void deliver(const char *call, T *to, const T *from, size_t nelems, int pe)
{
    T *there = at(to, pe);

    if (!there)
        return remote_put(call, to, from, nelems * sizeof(T), pe);
    GSH_ROLL
    for (size_t e = 0; e < nelems; e++)
        there[e] = from[e];
}

/* Takes a piece of a member into the sum: the first one, or one more. */
template <class Op, class T, class A>
GSH_DEVICE_LARGE void take_piece(const char *call, A *sum, const T *from, size_t nelems, int pe,
                                 bool first)
{
    T piece[BOUNCE_BYTES / sizeof(T)];

    fetch(call, piece, from, nelems, pe);
    GSH_ROLL
    for (size_t e = 0; e < nelems; e++)
        sum[e] = first ? A(piece[e]) : Op::apply(sum[e], A(piece[e]));
}

template <class T, class A>
GSH_DEVICE_LARGE void deliver_sum(const char *call, T *to, const A *sum, size_t nelems, int pe)
{
    T piece[BOUNCE_BYTES / sizeof(T)];

    GSH_ROLL
    for (size_t e = 0; e < nelems; e++)
        piece[e] = T(sum[e]);
    deliver(call, to, piece, nelems, pe);
}

/* Some members need the host: pieces go through the thread's own memory. Several functions, each
 * of which needs few registers, for they count in kernels that never come here. */
template <class Op, class T> GSH_DEVICE_LARGE void combine_remote(const reduction<T> &r)
{
    typedef typename reduced<T, Op::order>::acc A;
    const size_t PIECE = BOUNCE_BYTES / sizeof(T);
    A sum[PIECE];

    GSH_ROLL
    for (size_t i = (size_t)r.rank * PIECE; i < r.count; i += (size_t)r.size * PIECE) {
        size_t n = r.count - i < PIECE ? r.count - i : PIECE;

        GSH_ROLL
        for (int k = 0; k < r.team.n(); k++)
            take_piece<Op>(r.call, sum, r.source + i, n, team_pe(r.team, k), k == 0);
        GSH_ROLL
        for (int k = r.first_pe(); k < r.last_pe(); k++)
            deliver_sum(r.call, r.dest + i, sum, n, team_pe(r.team, k));
    }
}

/* --- The collectives --- */

GSH_DEVICE bool all_direct(members team, const void *source)
{
    if (all_reach())
        return at(static_cast<const char *>(source), state().my_pe) != NULL;
    for (int k = 0; k < team.n(); k++)
        if (!at(static_cast<const char *>(source), team_pe(team, k)))
            return false;
    return true;
}

template <class Op, class T, class Group>
GSH_DEVICE void combine(const collective<Group> &c, T *dest, const T *source, size_t count,
                        bool everywhere)
{
    typedef typename reduced<T, Op::order>::type R;
    reduction<R> r = { c.call,
                       c.team,
                       reinterpret_cast<const R *>(source),
                       reinterpret_cast<R *>(dest),
                       count,
                       everywhere,
                       Group::rank(),
                       Group::size() };

    if (all_direct(c.team, source)) {
        combine_direct<Op, R>(r);
    } else {
        const reduction<R> in_memory = r;
        combine_remote<Op, R>(in_memory);
    }
}

/* The sum of what members send, unit by unit; no larger types go by mail. */
template <class Op, class T, bool Small = sizeof(T) <= MAIL_UNIT> struct summed {
    typedef unit<T> U;
    typedef typename reduced<T, Op::order>::acc A;
    T *dest;
    const T *source;
    size_t count;
    int last;
    A sum[U::PER];

    GSH_DEVICE uint64_t read(size_t u, int) const
    {
        return U::read(source + u * U::PER, count - u * U::PER);
    }

    GSH_DEVICE void take(size_t u, int rank, uint64_t data)
    {
        typename U::pack p = bits<typename U::pack>(data);

        GSH_UNROLL
        for (int e = 0; e < U::PER; e++)
            sum[e] = rank ? Op::apply(sum[e], A(p.v[e])) : A(p.v[e]);
        if (rank < last)
            return;
        GSH_UNROLL
        for (int e = 0; e < U::PER; e++)
            p.v[e] = T(sum[e]);
        U::write(dest + u * U::PER, bits<uint64_t>(p), count - u * U::PER);
    }

    template <class Group>
    static GSH_DEVICE_LARGE void run(collective<Group> &c, T *dest, const T *source, size_t count)
    {
        summed mail = { dest, source, count, c.team.n() - 1, {} };

        exchange<Group, summed>(c, mail, (count + U::PER - 1) / U::PER);
    }
};
template <class Op, class T> struct summed<Op, T, false> {
    template <class Group>
    static GSH_DEVICE void run(const collective<Group> &, T *, const T *, size_t)
    {
    }
};

template <class Op, class Group, class T>
GSH_DEVICE bool reduce_by_mail(collective<Group> &c, T *dest, const T *source, size_t count)
{
    typedef typename reduced<T, Op::order>::type R;

    if (sizeof(T) > MAIL_UNIT || !goes_by_mail<Group>(c.team, count * sizeof(T)))
        return false;
    if (count)
        summed<Op, R>::run(c, reinterpret_cast<R *>(dest), reinterpret_cast<const R *>(source),
                           count);
    c.end();
    return true;
}

template <class Op, class Group, class T>
GSH_DEVICE int reduce(const char *call, nvshmem_team_t handle, T *dest, const T *source,
                      size_t count)
{
    collective<Group> c(call, handle);
    const members team = c.team;

    c.need_symmetric(dest, count * sizeof(T));
    c.need_symmetric(source, count * sizeof(T));
    if (reduce_by_mail<Op>(c, dest, source, count))
        return 0;
    c.note_operands(dest, count * sizeof(T), source, count * sizeof(T));
    c.meet(true);
    if (dest != source && (team.n() <= 2 || count <= ONE_SHOT_BYTES / sizeof(T))) {
        combine<Op>(c, dest, source, count, false);
    } else {
        size_t first = part_at(count, 16, team.my(), team.n());

        combine<Op>(c, dest + first, source + first,
                    part_at(count, 16, team.my() + 1, team.n()) - first, true);
    }
    c.meet();
    c.end();
    return 0;
}

template <class Op, class Group, class T>
GSH_DEVICE int reducescatter(const char *call, nvshmem_team_t handle, T *dest, const T *source,
                             size_t count)
{
    collective<Group> c(call, handle);

    c.need_symmetric(dest, count * sizeof(T));
    c.need_symmetric(source, count * c.team.n() * sizeof(T));
    c.note_operands(dest, count * sizeof(T), source, count * c.team.n() * sizeof(T));
    c.meet(true);
    combine<Op>(c, dest, source + count * c.team.my(), count, false);
    c.meet();
    c.end();
    return 0;
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_REDUCE_CUH */
