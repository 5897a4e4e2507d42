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

GSH_DEVICE int team_pe(const gsh_device_team &team, int rank)
{
    return team.stride ? team.start + rank * team.stride : team.pes[rank];
}

/* -1 when pe is no member. */
GSH_DEVICE int team_rank(const gsh_device_team &team, int pe)
{
    if (team.stride) {
        int far = pe - team.start, rank = far / team.stride;

        return far % team.stride == 0 && rank >= 0 && rank < team.n ? rank : -1;
    }
    for (int rank = 0; rank < team.n; rank++)
        if (team.pes[rank] == pe)
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
    return team_rank(*dest, team_pe(*source, rank));
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_TEAM_CUH */
