/* B11: a second init of the process that asks for another world is an error that
 * says so, and the first world goes on. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 0
#include "../conform/check.h"

static int init(int rank, int n, nvshmemx_uniqueid_t *id)
{
    nvshmemx_init_attr_t attr;

    nvshmemx_set_attr_uniqueid_args(rank, n, id, &attr);
    return nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr);
}

int main(void)
{
    nvshmemx_uniqueid_t id;

    nvshmemx_get_uniqueid(&id);
    CHECK(init(0, 1, &id) == 0, "init of one PE");
    CHECK(init(0, 2, &id) != 0, "a second one as PE 0 of 2");
    CHECK(strstr(nvshmemx_last_error(), "PE 0 of 1 already"), "%s", nvshmemx_last_error());
    fact("a second init with another size is refused, and the text says why");
    CHECK(init(0, 1, &id) == 0, "the same again");
    nvshmem_finalize();
    CHECK(nvshmem_n_pes() == 1, "n_pes is %d", nvshmem_n_pes());
    fact("an equal one shares the world, which lives until the last finalize");

    int status = finish();
    nvshmem_finalize();
    return status;
}
