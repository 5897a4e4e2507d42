/* move.cuh - broadcast, fcollect and alltoall in kernels, in bytes.
 *
 * Members push: each writes to the others what is theirs, then announces that it is
 * there. dest is ready on all members when they call, so that nothing is waited for
 * before. A large broadcast is dealt out first, a part to each member, and all hand
 * their parts on: the root's links are not the limit then.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_MOVE_CUH
#define GSHMEM_IMPL_MOVE_CUH

#include <gshmem/impl/copy.cuh>
#include <gshmem/impl/sync.cuh>

namespace gsh_impl {

enum { DEAL_BYTES = 64 << 10 }; /* of the smallest broadcast that is dealt out */

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

/* The same bytes to all members but two, beginning behind the own rank, so that not all
 * write to one. */
template <class Group>
GSH_DEVICE void push_all(const collective<Group> &c, void *to, const void *from, size_t bytes,
                         int except, int except_too)
{
    for (int i = 1; i <= c.team.n; i++) {
        int rank = (c.team.my + i) % c.team.n;

        if (rank != except && rank != except_too)
            push<Group>(c.call, to, from, bytes, team_pe(c.team, rank));
    }
}

/* The root tells when all is there. */
template <class Group>
GSH_DEVICE void broadcast_flat(collective<Group> &c, char *dest, const char *source, size_t bytes,
                               int root)
{
    if (c.team.my == root) {
        push_all(c, dest, source, bytes, -1, -1);
        c.announce();
        Group::sync();
    } else {
        c.pass_and_await(root);
    }
}

template <class Group>
GSH_DEVICE void broadcast_dealt(collective<Group> &c, char *dest, const char *source, size_t bytes,
                                int root)
{
    const gsh_device_team &team = c.team;
    size_t mine = part_at(bytes, 16, team.my, team.n);
    size_t mine_bytes = part_at(bytes, 16, team.my + 1, team.n) - mine;

    if (team.my == root) {
        for (int i = 1; i < team.n; i++) {
            int rank = (root + i) % team.n;
            size_t first = part_at(bytes, 16, rank, team.n);

            push<Group>(c.call, dest + first, source + first,
                        part_at(bytes, 16, rank + 1, team.n) - first, team_pe(team, rank));
        }
        c.announce();
        push<Group>(c.call, dest, source, bytes, state().my_pe);
    } else {
        c.pass_and_await(root);
    }
    push_all(c, dest + mine, (team.my == root ? source : dest) + mine, mine_bytes, root, team.my);
    c.meet();
}

template <class Group>
GSH_DEVICE int broadcast(const char *call, nvshmem_team_t handle, void *dest, const void *source,
                         size_t bytes, int root)
{
    collective<Group> c(call, handle);
    char *to = static_cast<char *>(dest);
    const char *from = static_cast<const char *>(source);

    c.need_rank(root);
    c.need_symmetric(dest, bytes);
    if (bytes < DEAL_BYTES || c.team.n < 4)
        broadcast_flat(c, to, from, bytes, root);
    else
        broadcast_dealt(c, to, from, bytes, root);
    c.end();
    return 0;
}

template <class Group>
GSH_DEVICE int fcollect(const char *call, nvshmem_team_t handle, void *dest, const void *source,
                        size_t bytes)
{
    collective<Group> c(call, handle);

    c.need_symmetric(dest, bytes * c.team.n);
    push_all(c, static_cast<char *>(dest) + bytes * c.team.my, source, bytes, -1, -1);
    c.meet();
    c.end();
    return 0;
}

template <class Group>
GSH_DEVICE int alltoall(const char *call, nvshmem_team_t handle, void *dest, const void *source,
                        size_t bytes)
{
    collective<Group> c(call, handle);
    const gsh_device_team &team = c.team;
    char *to = static_cast<char *>(dest) + bytes * team.my;
    const char *from = static_cast<const char *>(source);

    c.need_symmetric(dest, bytes * team.n);
    for (int i = 1; i <= team.n; i++) {
        int rank = (team.my + i) % team.n;

        push<Group>(call, to, from + bytes * rank, bytes, team_pe(team, rank));
    }
    c.meet();
    c.end();
    return 0;
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_MOVE_CUH */
