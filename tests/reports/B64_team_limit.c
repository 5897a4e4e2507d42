/* B64: a split beyond the limit of teams fails, gives no handle, and nothing breaks. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 3 NVSHMEM_MAX_TEAMS=10
#include "../conform/check.h"

int main(void)
{
    nvshmem_team_t team = 0;
    int made = 0, err;

    nvshmem_init();
    while (!(err = nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &team)) &&
           made < 100)
        made++;
    CHECK(err != 0 && team == NVSHMEM_TEAM_INVALID, "after %d teams: %d, handle %d", made, err,
          team);
    CHECK(made == 4, "%d teams besides the 6 numbers that are reserved", made);
    fact("the split that is one too many returns non-zero and NVSHMEM_TEAM_INVALID on all PEs");
    nvshmem_barrier_all();
    fact("the world goes on");

    int status = finish();
    nvshmem_finalize();
    return status;
}
