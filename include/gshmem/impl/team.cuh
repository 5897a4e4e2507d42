/* team.cuh - teams as kernels see them: who is in it, and which rank each has. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_TEAM_CUH
#define GSHMEM_IMPL_TEAM_CUH

#include <gshmem/impl/arch.cuh>
#include <gshmem/types.h>

namespace gsh_impl {

/* NULL when there is no such team. */
GSH_DEVICE const gsh_device_team *team(nvshmem_team_t handle)
{
    return handle >= 0 && handle < state().n_teams ? state().teams[handle] : NULL;
}

enum { WORLD = 0 }; /* NVSHMEM_TEAM_WORLD */

/* A team as bodies hold it. Of the world, which most calls are for, nothing has to be fetched, nor
 * kept in registers. */
class members {
  public:
    explicit GSH_DEVICE members(const gsh_device_team *of) : of(of) {}
#define GSH_FIELD(type, name) \
    GSH_DEVICE type name() const \
    { \
        return of ? of->name : state().world.name; \
    }
    GSH_FIELD(int, my)
    GSH_FIELD(int, n)
    GSH_FIELD(int, start)
    GSH_FIELD(int, stride)
    GSH_FIELD(const int32_t *, pes)
    GSH_FIELD(uint64_t *, words)
    GSH_FIELD(uint64_t *, phase)
    GSH_FIELD(uint64_t *, mail)
#undef GSH_FIELD

  private:
    const gsh_device_team *of; /* NULL: the world */
};

GSH_DEVICE int team_pe(members team, int rank)
{
    return team.stride() ? team.start() + rank * team.stride() : team.pes()[rank];
}

/* -1 when pe is no member. */
GSH_DEVICE int team_rank(members team, int pe)
{
    if (team.stride()) {
        int far = pe - team.start(), rank = far / team.stride();

        return far % team.stride() == 0 && rank >= 0 && rank < team.n() ? rank : -1;
    }
    for (int rank = 0; rank < team.n(); rank++)
        if (team.pes()[rank] == pe)
            return rank;
    return -1;
}

GSH_DEVICE int team_my_pe(nvshmem_team_t handle)
{
    const gsh_device_team *t = team(handle);

    return t ? t->my : -1;
}

GSH_DEVICE int team_n_pes(nvshmem_team_t handle)
{
    const gsh_device_team *t = team(handle);

    return t ? t->n : -1;
}

GSH_DEVICE int team_translate(nvshmem_team_t from, int rank, nvshmem_team_t to)
{
    const gsh_device_team *source = team(from), *dest = team(to);

    if (!source || !dest || rank < 0 || rank >= source->n)
        return -1;
    return team_rank(members(dest), team_pe(members(source), rank));
}

GSH_DEVICE members team_of(const char *call, nvshmem_team_t handle)
{
    if (handle == WORLD)
        return members(NULL);

    const gsh_device_team *t = team(handle);

    if (!t)
        fail(call, "no such team (team, most teams)", handle, state().n_teams);
    return members(t);
}

GSH_DEVICE void need_rank(const char *call, members team, int rank)
{
    if (rank < 0 || rank >= team.n())
        fail(call, "no such rank in the team (rank, PEs of the team)", rank, team.n());
}

/* The PE of a rank, for a public call. */
GSH_DEVICE int pe_of(const char *call, nvshmem_team_t handle, int rank)
{
    const members team = team_of(call, handle);

    need_rank(call, team, rank);
    return team_pe(team, rank);
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_TEAM_CUH */
