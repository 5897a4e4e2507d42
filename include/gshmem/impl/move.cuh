/* move.cuh - broadcast, fcollect and alltoall in kernels, in bytes.
 *
 * Members push: each writes to the others what is theirs, then announces that it is there. dest is
 * ready on all members when they call, so that nothing is waited for before. Little data goes by
 * mail where all have some for all; a large broadcast is fetched by all from the root.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_MOVE_CUH
#define GSHMEM_IMPL_MOVE_CUH

#include <gshmem/impl/copy.cuh>
#include <gshmem/impl/mail.cuh>

namespace gsh_impl {

enum { FETCH_BYTES = 128 << 10 }; /* of the smallest broadcast that members fetch */

/* To symmetric `to` of pe; all threads of the group, no barrier, no order. What goes by
 * the host's transport is the leader's, which sees what the group wrote. */
template <class Group>
GSH_DEVICE_LARGE void push(const char *call, void *to, const void *from, size_t bytes, int pe)
{
    char *there = at(static_cast<char *>(to), pe);

    if (leads<Group>() && there != from) {
        note_touch(from, bytes, false);
        note_touch(there, bytes, true);
    }
    if (there && there != from)
        copy<Group>(there, from, bytes);
    else if (!there && leads<Group>() && bytes)
        remote_put(call, to, from, bytes, pe);
}

/* A block to all members: one read serves all. All are multiples of 16. */
template <class Group>
GSH_DEVICE_LARGE void copy_to_all(members team, char *to, const char *from, size_t bytes)
{
    const size_t step = (size_t)Group::size() * WIDE;

    for (size_t i = Group::rank() * WIDE; i < bytes; i += IN_FLIGHT * step) {
        unsigned many = bytes - i > (IN_FLIGHT - 1) * step
                            ? IN_FLIGHT
                            : (unsigned)((bytes - i + step - 1) / step);
        wide w[IN_FLIGHT];

        GSH_UNROLL
        for (unsigned k = 0; k < IN_FLIGHT; k++)
            if (k < many)
                w[k] = load_wide(from + i + k * step);
        GSH_ROLL
        for (int rank = 0; rank < team.n(); rank++) {
            char *there = at(to, team_pe(team, rank)) + i;

            GSH_UNROLL
            for (unsigned k = 0; k < IN_FLIGHT; k++)
                if (k < many)
                    store_wide(there + k * step, w[k]);
        }
    }
}

/* The same bytes to all members, beginning behind the own rank, so that not all write to
 * one. */
template <class Group>
GSH_DEVICE void push_all(const char *call, members team, void *to, const void *from, size_t bytes)
{
    if (!COPY_SLICES && Group::size() > 32 && all_reach() &&
        (number(to) | number(from) | bytes) % WIDE == 0)
        return copy_to_all<Group>(team, static_cast<char *>(to), static_cast<const char *>(from),
                                  bytes);
    for (int i = 1; i <= team.n(); i++)
        push<Group>(call, to, from, bytes, team_pe(team, (team.my() + i) % team.n()));
}

/* The root tells when all is there. */
template <class Group>
GSH_DEVICE void broadcast_flat(collective<Group> &c, void *dest, const void *source, size_t bytes,
                               int root)
{
    if (c.team.my() == root) {
        push_all<Group>(c.call, c.team, dest, source, bytes);
        c.announce();
        c.keep();
    } else {
        c.pass_and_await(root);
    }
}

/* Where a symmetric object is, in a way that is the same for all PEs. */
GSH_DEVICE uint64_t place_of(const void *sym)
{
    int kind = holds(state().windows[GSH_WINDOW_DEVICE], number(sym)) ? GSH_WINDOW_DEVICE
                                                                      : GSH_WINDOW_HOST;

    return (number(sym) - state().windows[kind].base) * GSH_WINDOWS + kind;
}

GSH_DEVICE char *at_place(uint64_t place, int pe)
{
    return at(address<char>(state().windows[place % GSH_WINDOWS].base + place / GSH_WINDOWS), pe);
}

/* The root tells where the source is, which others need not know, and they fetch, all at once:
 * the root's one group would be the limit. */
template <class Group>
GSH_DEVICE_LARGE int broadcast_fetched(collective<Group> &c, void *dest, const void *source,
                                       size_t bytes, int root)
{
    uint64_t *told = c.team.words() + c.team.n() + root;

    if (c.team.my() == root) {
        c.need_symmetric(source, bytes);
        for (int i = (int)Group::rank(); i < c.team.n(); i += (int)Group::size())
            if (i != root)
                store(at(told, team_pe(c.team, i)), place_of(source));
        c.announce(true);
    } else {
        c.pass_and_await(root);
        source = at_place(load(told), team_pe(c.team, root));
    }
    if (source != dest) {
        if (leads<Group>()) {
            note_touch(source, bytes, false);
            note_touch(dest, bytes, true);
        }
        copy<Group>(dest, source, bytes);
    }
    c.meet();
    c.end();
    return 0;
}

template <class Group>
GSH_DEVICE int broadcast(const char *call, nvshmem_team_t handle, void *dest, const void *source,
                         size_t bytes, int root)
{
    collective<Group> c(call, handle);

    c.need_rank(root);
    c.need_symmetric(dest, bytes);
    if (bytes >= FETCH_BYTES && all_reach())
        return broadcast_fetched(c, dest, source, bytes, root);
    broadcast_flat(c, dest, source, bytes, root);
    c.end();
    return 0;
}

/* What each member has for each other: the blocks of source are `step` bytes apart, or the same
 * one for all. */
struct posted {
    char *dest;
    const char *source;
    unsigned bytes, step;

    GSH_DEVICE uint64_t read(size_t u, int rank) const
    {
        return read_unit(source + rank * step + u * MAIL_UNIT, bytes - (unsigned)u * MAIL_UNIT);
    }

    GSH_DEVICE void take(size_t u, int rank, uint64_t data) const
    {
        char *to = dest + rank * bytes + u * MAIL_UNIT;
        unsigned left = bytes - (unsigned)u * MAIL_UNIT;

        if (left >= MAIL_UNIT && number(to) % MAIL_UNIT == 0) {
            *reinterpret_cast<uint64_t *>(to) = data;
            return;
        }
        GSH_ROLL
        for (int e = 0; e < MAIL_UNIT && (unsigned)e < left; e++)
            to[e] = (char)(data >> 8 * e);
    }
};

template <class Group>
GSH_DEVICE_LARGE int move_by_mail(collective<Group> &c, void *dest, const void *source,
                                  unsigned bytes, unsigned step)
{
    posted mail = { static_cast<char *>(dest), static_cast<const char *>(source), bytes, step };

    if (bytes)
        exchange<Group, posted>(c, mail, (bytes + MAIL_UNIT - 1) / MAIL_UNIT);
    c.end();
    return 0;
}

template <class Group>
GSH_DEVICE int fcollect(const char *call, nvshmem_team_t handle, void *dest, const void *source,
                        size_t bytes)
{
    collective<Group> c(call, handle);

    c.need_symmetric(dest, bytes * c.team.n());
    if (goes_by_mail<Group>(c.team, bytes))
        return move_by_mail(c, dest, source, (unsigned)bytes, 0);
    push_all<Group>(c.call, c.team, static_cast<char *>(dest) + bytes * c.team.my(), source, bytes);
    c.meet();
    c.end();
    return 0;
}

template <class Group>
GSH_DEVICE int alltoall(const char *call, nvshmem_team_t handle, void *dest, const void *source,
                        size_t bytes)
{
    collective<Group> c(call, handle);
    const members team = c.team;
    char *to = static_cast<char *>(dest) + bytes * team.my();
    const char *from = static_cast<const char *>(source);

    c.need_symmetric(dest, bytes * team.n());
    if (goes_by_mail<Group>(c.team, bytes))
        return move_by_mail(c, dest, source, (unsigned)bytes, (unsigned)bytes);
    for (int i = 1; i <= team.n(); i++) {
        int rank = (team.my() + i) % team.n();

        push<Group>(call, to, from + bytes * rank, bytes, team_pe(team, rank));
    }
    c.meet();
    c.end();
    return 0;
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_MOVE_CUH */
