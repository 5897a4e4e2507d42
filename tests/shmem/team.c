/* OpenSHMEM 1.5, section 9.4: teams have the PEs that were asked for in their order, translate
 * PEs, tell their configuration, and a team that cannot be is invalid on all. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

static int me, n_pes;

static void predefined(void)
{
    CHECK(shmem_team_my_pe(SHMEM_TEAM_WORLD) == me && shmem_team_n_pes(SHMEM_TEAM_WORLD) == n_pes,
          "world");
    CHECK(shmem_team_n_pes(SHMEM_TEAM_SHARED) >= 1, "shared");
    for (int i = 0; i < shmem_team_n_pes(SHMEM_TEAM_SHARED); i++)
        CHECK(shmem_team_translate_pe(SHMEM_TEAM_SHARED, i, SHMEM_TEAM_WORLD) >= 0, "rank %d", i);
    CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1 && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1,
          "invalid");
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID) == -1, "invalid");
    fact("the world and shared teams exist, the invalid one does not");
}

static void strided(void)
{
    shmem_team_config_t config = { .num_contexts = 3 }, got = { .num_contexts = -5 };
    shmem_team_t even;
    int n = (n_pes + 1) / 2;

    CHECK(!shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, n, &config, SHMEM_TEAM_NUM_CONTEXTS,
                                    &even),
          "split");
    CHECK((even == SHMEM_TEAM_INVALID) == (me % 2 == 1), "who is in it");
    if (even != SHMEM_TEAM_INVALID) {
        CHECK(shmem_team_my_pe(even) == me / 2 && shmem_team_n_pes(even) == n, "rank");
        CHECK(shmem_team_translate_pe(even, n - 1, SHMEM_TEAM_WORLD) == 2 * (n - 1), "last");
        CHECK(!shmem_team_get_config(even, SHMEM_TEAM_NUM_CONTEXTS, &got), "config");
        CHECK(got.num_contexts == 3, "%d contexts", got.num_contexts);
        CHECK(!shmem_team_get_config(even, 0, NULL), "config, nothing asked");
        CHECK(!shmem_team_sync(even), "sync");
        shmem_sync(even);
    }
    CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, 0, &got), "config of no team");
    shmem_team_destroy(even);
    shmem_barrier_all();
    fact("a strided team has every other PE, its configuration, and can be destroyed");
}

static void grid(void)
{
    shmem_team_t x, y, none = 5;
    int wide = n_pes < 3 ? n_pes : 3;

    CHECK(!shmem_team_split_2d(SHMEM_TEAM_WORLD, 3, NULL, 0, &x, NULL, 0, &y), "split");
    CHECK(shmem_team_my_pe(x) == me % wide && shmem_team_my_pe(y) == me / wide, "place");
    shmem_team_sync(x);
    shmem_team_sync(y);
    shmem_team_destroy(x);
    shmem_barrier_all();
    shmem_team_destroy(y);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &none), "no parent");
    CHECK(none == SHMEM_TEAM_INVALID, "%d", (int)none);
    fact("a grid has rows and columns; no team comes from the invalid one");
}

int main(void)
{
    int status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    predefined();
    strided();
    grid();
    status = finish();
    shmem_finalize();
    return status;
}
