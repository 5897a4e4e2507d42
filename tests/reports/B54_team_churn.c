/* B54: teams that are made, used and destroyed 200 times do not exhaust the pool. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 3
// RUN: 2 NVSHMEM_MAX_TEAMS=8
#include "../conform/check.h"

int main(void)
{
    nvshmem_init();
    for (int i = 0; i < 200; i++) {
        nvshmem_team_t team;

        CHECK(
            !nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, nvshmem_n_pes(), NULL, 0, &team),
            "split %d: %s", i, nvshmemx_last_error());
        CHECK(!nvshmem_team_sync(team), "use %d", i);
        nvshmem_team_destroy(team);
    }
    fact("200 teams in a row");

    int status = finish();
    nvshmem_finalize();
    return status;
}
