/* A program that returns from main without finalize, with memory and a team still
 * in use and with puts under way, ends with exit 0 on all PEs. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

int main(void)
{
    nvshmem_team_t team;
    int status;
    char *buf;

    nvshmem_init();
    buf = (char *)need(100000);
    status = nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, nvshmem_n_pes(), NULL, 0, &team);
    CHECK(status == 0 && nvshmem_team_sync(team) == 0, "a team of all");
    fact("main returns without finalize");
    status = finish();
    nvshmem_putmem_nbi(buf + 50000, buf, 50000, (nvshmem_my_pe() + 1) % nvshmem_n_pes());
    return status;
}
