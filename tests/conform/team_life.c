/* Predefined teams are as promised, teams come and go without using up the limit, the limit
 * and wrong arguments give errors, and the world works on after all of it. */
// SPDX-License-Identifier: BSD-3-Clause
#include "team.h"

static int me, n_pes, everyone[TEAM_MAX];

static void world_works(const char *when)
{
    try_team(NVSHMEM_TEAM_WORLD, everyone, n_pes, when);
}

static void predefined(void)
{
    int members[TEAM_MAX], n;

    world_works("world");
    fact("the world team is all PEs");
    for (n = 0; n < n_pes; n++) {
        members[n] = nvshmem_team_translate_pe(NVSHMEMX_TEAM_NODE, n, NVSHMEM_TEAM_WORLD);
        if (members[n] < 0)
            break;
    }
    try_team(NVSHMEMX_TEAM_NODE, members, n, "node");
    nvshmem_barrier_all();
    fact("the node team works");
    n = nvshmem_team_n_pes(NVSHMEM_TEAM_SHARED);
    CHECK(n >= 1 && n <= n_pes, "%d PEs", n);
    for (int i = 0; i < n && i < TEAM_MAX; i++) {
        members[i] = nvshmem_team_translate_pe(NVSHMEM_TEAM_SHARED, i, NVSHMEM_TEAM_WORLD);
        CHECK(nvshmem_ptr(team_dest, members[i]) != NULL, "pe %d can be loaded from", members[i]);
    }
    try_team(NVSHMEM_TEAM_SHARED, members, n, "shared");
    nvshmem_barrier_all();
    fact("the members of the shared team load and store each other's memory");
    n = nvshmem_team_n_pes(NVSHMEMX_TEAM_SAME_MYPE_NODE);
    CHECK(n >= 1, "%d PEs", n);
    for (int i = 0; i < n && i < TEAM_MAX; i++)
        members[i] = nvshmem_team_translate_pe(NVSHMEMX_TEAM_SAME_MYPE_NODE, i, NVSHMEM_TEAM_WORLD);
    try_team(NVSHMEMX_TEAM_SAME_MYPE_NODE, members, n, "same rank");
    fact("the team of equal ranks on their nodes works");
    nvshmem_barrier_all();
    n = nvshmem_team_n_pes(NVSHMEMI_TEAM_SAME_GPU);
    CHECK(n >= 1 && n <= nvshmem_team_n_pes(NVSHMEMX_TEAM_NODE), "%d PEs", n);
    for (int i = 0; i < n && i < TEAM_MAX; i++)
        members[i] = nvshmem_team_translate_pe(NVSHMEMI_TEAM_SAME_GPU, i, NVSHMEM_TEAM_WORLD);
    try_team(NVSHMEMI_TEAM_SAME_GPU, members, n, "same GPU");
    nvshmem_barrier_all();
    n = nvshmem_team_n_pes(NVSHMEMI_TEAM_GPU_LEADERS);
    CHECK((n < 0) == (nvshmem_team_my_pe(NVSHMEMI_TEAM_SAME_GPU) > 0), "%d leaders", n);
    for (int i = 0; i < n && i < TEAM_MAX; i++)
        members[i] = nvshmem_team_translate_pe(NVSHMEMI_TEAM_GPU_LEADERS, i, NVSHMEM_TEAM_WORLD);
    if (n > 0)
        try_team(NVSHMEMI_TEAM_GPU_LEADERS, members, n, "leaders");
    nvshmem_barrier_all();
    fact("the team of a GPU works, and that of the first PEs of each");
}

static void configs(void)
{
    nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER, got;
    nvshmem_team_t team;

    config.num_contexts = 3;
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, &config,
                                     NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS, &team) == 0,
          "%s", nvshmemx_last_error());
    memset(&got, 0x5a, sizeof(got));
    nvshmem_team_get_config(team, &got);
    CHECK(got.num_contexts == 3, "%d contexts", got.num_contexts);
    nvshmem_team_destroy(team);
    fact("get_config gives the configuration that the team was made with");
    nvshmem_team_destroy(NVSHMEM_TEAM_INVALID);
    try_invalid(NVSHMEM_TEAM_INVALID, "invalid");
    fact("the invalid handle has no ranks, and to destroy it does nothing");
}

static void come_and_go(int rounds)
{
    nvshmem_team_t first = NVSHMEM_TEAM_INVALID, team;

    for (int round = 0; round < rounds; round++) {
        CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &team) == 0,
              "round %d: %s", round, nvshmemx_last_error());
        first = round ? first : team;
        CHECK(team == first, "round %d: handle %d, at first %d", round, (int)team, (int)first);
        team_source[0] = (uint64_t)round;
        CHECK(nvshmem_uint64_max_reduce(team, team_dest, team_source, 1) == 0, "round %d", round);
        CHECK(team_dest[0] == (uint64_t)round, "round %d", round);
        nvshmem_team_destroy(team);
    }
    fact("a team is made, used and destroyed %d times, with the same handle", rounds);
}

/* A subset works on its own for some rounds, the others do not; then all do. */
static void subset_then_all(void)
{
    int members[TEAM_MAX] = { 0, 1 }, size = n_pes < 2 ? 1 : 2;
    nvshmem_team_t team;
    void *p;

    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, size, NULL, 0, &team) == 0, "split");
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i <= round && me < size; i++)
            try_team(team, members, size, "subset");
        p = nvshmem_malloc(1000 + round);
        CHECK(p != NULL, "malloc after the subset, round %d", round);
        world_works("after the subset");
        nvshmem_free(p);
    }
    nvshmem_team_destroy(team);
    fact("collectives of a subset leave those of all in step");
}

static void until_the_limit(void)
{
    enum { MOST = 4096 };
    static nvshmem_team_t teams[MOST];
    nvshmem_team_t refused;
    int n = 0, status = 0;

    while (n < MOST) {
        teams[n] = 12345;
        status = nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &teams[n]);
        if (status)
            break;
        CHECK(teams[n] != NVSHMEM_TEAM_INVALID, "team %d has a handle", n);
        n++;
    }
    refused = n < MOST ? teams[n] : NVSHMEM_TEAM_INVALID;
    CHECK(n >= 20, "only %d teams: %s", n, nvshmemx_last_error());
    CHECK(refused == NVSHMEM_TEAM_INVALID, "after %d teams the handle is %d", n, (int)refused);
    CHECK(n == MOST || nvshmemx_last_error()[0], "the error has a text");
    fact("beyond the limit a split gives an error and the invalid handle");
    try_team(teams[n - 1], everyone, n_pes, "the last team");
    world_works("at the limit");
    nvshmem_team_destroy(teams[n / 2]);
    status = nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &teams[n / 2]);
    CHECK(status == 0, "one destroyed makes room for one: %s", nvshmemx_last_error());
    for (int i = 0; i < n; i++)
        nvshmem_team_destroy(teams[i]);
    come_and_go(5);
    world_works("after the limit");
    fact("at the limit and after it the world works, and a destroyed team makes room");
}

/* All PEs give the same wrong arguments and all get the error. */
static void refusals(void)
{
    static const struct {
        int start_of_n, start, stride, size_of_n, size; /* start_of_n * n_pes + start, ... */
    } wrong[] = {
        { 0, -1, 1, 0, 1 }, { 1, 0, 1, 0, 1 },  { 0, 0, 0, 0, 2 }, { 0, 0, 1, 1, 1 },
        { 0, 1, 1, 1, 0 },  { 0, 0, 1, 0, -1 }, { 0, 0, 2, 1, 1 }, { 0, 0, 1 << 30, 0, 5 },
    };
    nvshmem_team_t team, other;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        int start = wrong[i].start_of_n * n_pes + wrong[i].start;
        int size = wrong[i].size_of_n * n_pes + wrong[i].size;

        team = 12345;
        CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, start, wrong[i].stride, size, NULL, 0,
                                         &team) != 0,
              "start %d stride %d size %d", start, wrong[i].stride, size);
        CHECK(team == NVSHMEM_TEAM_INVALID && nvshmemx_last_error()[0], "handle %d", (int)team);
    }
    team = 12345;
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &team) != 0,
          "invalid parent");
    CHECK(team == NVSHMEM_TEAM_INVALID, "invalid parent: handle %d", (int)team);
    team = other = 12345;
    CHECK(nvshmem_team_split_2d(NVSHMEM_TEAM_WORLD, 0, NULL, 0, &team, NULL, 0, &other) != 0,
          "xrange 0");
    CHECK(team == NVSHMEM_TEAM_INVALID && other == NVSHMEM_TEAM_INVALID, "xrange 0: handles");
    CHECK(nvshmem_team_split_2d(NVSHMEM_TEAM_INVALID, 1, NULL, 0, &team, NULL, 0, &other) != 0,
          "2-D, invalid parent");
    fact("wrong arguments give an error, a text and the invalid handle on all PEs");
    CHECK(nvshmem_team_sync(NVSHMEM_TEAM_INVALID) != 0, "sync");
    CHECK(nvshmem_barrier(NVSHMEM_TEAM_INVALID) != 0, "barrier");
    CHECK(nvshmem_int_sum_reduce(NVSHMEM_TEAM_INVALID, (int *)team_dest, (int *)team_source, 1) !=
              0,
          "reduce");
    CHECK(nvshmem_broadcastmem(NVSHMEM_TEAM_WORLD, team_dest, team_source, 8, n_pes) != 0,
          "root n");
    CHECK(nvshmem_broadcastmem(NVSHMEM_TEAM_WORLD, team_dest, team_source, 8, -1) != 0, "root -1");
    world_works("after the refusals");
    fact("collectives on the invalid team or from a wrong root give an error");
}

int main(void)
{
    int status;

    nvshmem_init();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    for (int i = 0; i < n_pes && i < TEAM_MAX; i++)
        everyone[i] = i;
    team_memory();
    predefined();
    configs();
    come_and_go(200);
    subset_then_all();
    until_the_limit();
    refusals();
    status = finish();
    nvshmem_finalize();
    return status;
}
