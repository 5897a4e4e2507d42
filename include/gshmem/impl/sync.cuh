/* sync.cuh - how the members of a team meet in kernels; barrier and sync.
 *
 * A collective is one or more phases, the same number on all members. The phases of a team
 * are counted on. In phase p a member
 *
 *     announces   stores p to words[own rank] of each other member, after all that its
 *                 group did so far, loads and stores
 *     waits       until its own words[j] is p or more: all that member j did before it
 *                 announced p is done, and visible
 *
 * The threads of the group share the members among them, with a barrier of the group on
 * both sides. Words are never reset, so that a member may be one or more phases ahead;
 * the count of the phases is kept beside the team from one collective to the next. One
 * collective at a time is in flight on a team.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_SYNC_CUH
#define GSHMEM_IMPL_SYNC_CUH

#include <gshmem/impl/peer.cuh>
#include <gshmem/impl/team.cuh>

namespace gsh_impl {

/* Tells pe, a member, that this member has come to a phase; behind a release fence. */
GSH_DEVICE void tell(const char *call, members team, uint64_t phase, int pe)
{
    uint64_t *word = team.words() + team.my();
    uint64_t *there = at(word, pe);

    if (!there)
        return remote_signal(call, word, phase, NVSHMEM_SIGNAL_SET, pe);
    note_release(there);
    store(there, phase);
}

/* An acquire fence has to follow. */
GSH_DEVICE void await_one(const char *call, members team, uint64_t phase, int rank)
{
    const uint64_t *word = team.words() + rank;

    for (waiting w(call, word, NVSHMEM_CMP_GE, phase); load(word) < phase;)
        w.pause();
    note_acquire(word);
}

/* One fence for all that a thread tells; with `full`, what the group has stored is complete as
 * well. */
template <class Group>
GSH_DEVICE_LARGE void tell_all(const char *call, members team, uint64_t phase, bool full)
{
    if ((int)Group::rank() < team.n())
        full ? fence_full() : fence_release();
    GSH_ROLL
    for (int i = (int)Group::rank(); i < team.n(); i += (int)Group::size())
        if (i != team.my())
            tell(call, team, phase, team_pe(team, i));
}

template <class Group>
GSH_DEVICE_LARGE void await_members(const char *call, members team, uint64_t phase)
{
    GSH_ROLL
    for (int i = (int)Group::rank(); i < team.n(); i += (int)Group::size())
        if (i != team.my())
            await_one(call, team, phase, i);
    if ((int)Group::rank() < team.n())
        fence_acquire();
}

/* A collective of this group from begin to end. Each member function is called by all
 * threads of the group.
 *
 * Before the first barrier of the group one of its threads may still be in the collective
 * before, made by a smaller group. The count is read behind that barrier, by those who tell and
 * await members, and written when they all have it, before the last barrier.
 */
template <class Group> class collective {
  public:
    const char *const call;
    members team;

    /* What threads of the group wrote is seen by all of it. */
    GSH_DEVICE collective(const char *name, nvshmem_team_t of)
        : call(name), team(team_of(name, of)), handle(of)
    {
        Group::sync();
        read_count();
        if (state().check && leads<Group>())
            take();
    }

    /* Begins the next phase: what the group did so far comes before it. `first`: nothing since the
     * collective began, but by the threads that tell it. */
    GSH_DEVICE void announce(bool first = false)
    {
        if (!first)
            Group::sync();
        tell_all<Group>(call, team, ++phase, false);
    }

    /* The same, and all that the PE has begun is complete. */
    GSH_DEVICE void complete()
    {
        if (leads<Group>()) {
            remote_quiet();
            note_quiet();
        }
        Group::sync();
        tell_all<Group>(call, team, ++phase, true);
    }

    /* The next phase, in which nobody waits for this member, and it for one. */
    GSH_DEVICE void pass_and_await(int rank)
    {
        phase++;
        if (leads<Group>()) {
            await_one(call, team, phase, rank);
            fence_acquire();
        }
        keep();
    }

    GSH_DEVICE void await_all()
    {
        await_members<Group>(call, team, phase);
        keep();
    }

    /* The count as it is now is that of the team. */
    GSH_DEVICE void keep()
    {
        if (leads<Group>())
            store(team.phase(), phase);
        Group::sync();
    }

    GSH_DEVICE void meet(bool first = false)
    {
        announce(first);
        await_all();
    }

    /* The number of this exchange by mail. No thread goes on before all have it. */
    GSH_DEVICE uint64_t next_mail()
    {
        uint64_t number = load(team.phase() + 2);

        Group::sync();
        if (leads<Group>())
            store(team.phase() + 2, number + 1);
        return number;
    }

    GSH_DEVICE void end()
    {
        if (!state().check)
            return;
        if (leads<Group>())
            store_release(team.phase() + 1, (uint64_t)0);
        Group::sync();
    }

    /* The rank must be one of the team. */
    GSH_DEVICE void need_rank(int rank) const { gsh_impl::need_rank(call, team, rank); }

    /* The bytes must be symmetric memory. */
    GSH_DEVICE void need_symmetric(const void *sym, size_t bytes) const
    {
        int me = state().my_pe;

        if (bytes && leads<Group>() && (state().check || !at(static_cast<const char *>(sym), me)))
            check(call, sym, bytes, 1, me);
    }

    /* For the race checker: what is read and written of this PE, by whomever. */
    GSH_DEVICE void note_operands(const void *dest, size_t dest_bytes, const void *source,
                                  size_t source_bytes) const
    {
        if (leads<Group>()) {
            note_touch(source, source_bytes, false);
            note_touch(dest, dest_bytes, true);
        }
    }

  private:
    const nvshmem_team_t handle;
    uint64_t phase = 0;

    /* As a rule the threads of one warp are enough for all members. */
    GSH_DEVICE void read_count()
    {
        phase = load(team.phase());
        if (team.n() > 32)
            Group::sync();
        else if (Group::size() > 1 && Group::rank() < 32)
            warp_sync();
    }

    GSH_DEVICE void take()
    {
        if (atomic_cas(team.phase() + 1, (uint64_t)0, (uint64_t)1))
            fail(call, "a second collective on a team in which this PE is in one (team, rank)",
                 handle, team.my());
        fence_acquire();
    }
};

template <class Group> GSH_DEVICE int team_sync(const char *call, nvshmem_team_t handle)
{
    collective<Group> c(call, handle);

    c.meet(true);
    c.end();
    return 0;
}

/* All that the PE has begun is complete before the others learn that it has come. */
template <class Group> GSH_DEVICE int barrier(const char *call, nvshmem_team_t handle)
{
    collective<Group> c(call, handle);

    c.complete();
    c.await_all();
    c.end();
    return 0;
}

/* Where the part of member `rank` begins when `count` elements are dealt out to n members
 * in multiples of `unit`; for rank n, the end. */
GSH_DEVICE size_t part_at(size_t count, size_t unit, int rank, int n)
{
    size_t units = count / unit + (count % unit != 0);
    size_t each = (units / n + (units % n != 0)) * unit;

    return (size_t)rank * each < count ? (size_t)rank * each : count;
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_SYNC_CUH */
