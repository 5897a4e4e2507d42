/* nvshmemx_team_init makes a team of any PEs in any order, collective over its members only,
 * and other teams can be split from it. */
// SPDX-License-Identifier: BSD-3-Clause
#include "team.h"

static int me, n_pes;
static uint64_t *shared_id; /* symmetric: how the ids reach the PEs */

/* The first `size` of a shuffled world; the own rank among them, or -1. */
static int shuffle(unsigned seed, int size, int *members)
{
    unsigned state = seed;
    int rank = -1;

    for (int i = 0; i < n_pes; i++) {
        int j = (int)draw(&state, i + 1);

        members[i] = members[j];
        members[j] = i;
    }
    for (int i = 0; i < size; i++)
        rank = members[i] == me ? i : rank;
    return rank;
}

/* PE `maker` makes an id and hands it to all. */
static nvshmemx_team_uniqueid_t share_id(int maker)
{
    nvshmemx_team_uniqueid_t id = NVSHMEM_TEAM_UNIQUID_INITIALIZER;

    nvshmem_barrier_all();
    if (me == maker) {
        CHECK(nvshmemx_team_get_uniqueid(&id) == 0, "%s", nvshmemx_last_error());
        CHECK(id != NVSHMEM_TEAM_UNIQUID_INITIALIZER, "the id is set");
        for (int pe = 0; pe < n_pes; pe++)
            nvshmem_uint64_p(shared_id, id, pe);
    }
    nvshmem_barrier_all();
    return *shared_id;
}

static nvshmem_team_t make(nvshmemx_team_uniqueid_t id, int size, int rank)
{
    nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
    nvshmem_team_t team = 12345;

    config.uniqueid = id;
    CHECK(nvshmemx_team_init(&team, &config, NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID, size, rank) == 0,
          "%s", nvshmemx_last_error());
    return team;
}

static void any_order(int rounds)
{
    int members[TEAM_MAX];
    char what[60];

    for (int round = 0; round < rounds; round++) {
        int size = 1 + (int)(mix(round, 20) % n_pes), rank = shuffle(round, size, members);
        nvshmemx_team_uniqueid_t id = share_id(round % n_pes);
        nvshmem_team_t team;

        if (rank < 0)
            continue;
        snprintf(what, sizeof(what), "round %d size %d", round, size);
        team = make(id, size, rank);
        try_team(team, members, size, what);
        nvshmem_team_destroy(team);
    }
    fact("a team of any PEs in any order works; the others take no part");
}

/* Two disjoint teams are made at the same time. */
static void side_by_side(void)
{
    int members[TEAM_MAX], half = (n_pes + 1) / 2;
    nvshmemx_team_uniqueid_t ids[2];
    nvshmem_team_t team;
    int rank, upper;

    ids[0] = share_id(0);
    ids[1] = share_id(n_pes - 1);
    shuffle(99, n_pes, members);
    for (rank = 0; members[rank] != me; rank++)
        ;
    upper = rank >= half;
    team = make(ids[upper], upper ? n_pes - half : half, upper ? rank - half : rank);
    try_team(team, upper ? members + half : members, upper ? n_pes - half : half, "side by side");
    nvshmem_team_destroy(team);
    nvshmem_barrier_all();
    fact("two teams of different PEs are made at the same time");
}

/* Rank arithmetic on a parent that is no progression. A config with an id of its
 * own, as the reference wants it. */
static void split_of_list(void)
{
    nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
    nvshmem_team_t parent, child = 12345;
    int members[TEAM_MAX], part[TEAM_MAX], rank, size = (n_pes + 1) / 2;

    rank = shuffle(7, n_pes, members);
    parent = make(share_id(0), n_pes, rank);
    for (int i = 0; i < size; i++)
        part[i] = members[i * 2];
    config.uniqueid = share_id(0);
    CHECK(nvshmem_team_split_strided(parent, 0, 2, size, &config, NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID,
                                     &child) == 0,
          "%s", nvshmemx_last_error());
    if (rank % 2 == 0)
        try_team(child, part, size, "every second rank");
    else
        try_invalid(child, "every second rank");
    nvshmem_team_destroy(child);
    CHECK(nvshmem_team_split_strided(parent, 0, 1, size, NULL, 0, &child) == 0, "%s",
          nvshmemx_last_error());
    if (rank < size)
        try_team(child, members, size, "the first ranks");
    nvshmem_team_destroy(child);
    nvshmem_team_destroy(parent);
    nvshmem_barrier_all();
    fact("a team of listed PEs splits by rank, with and without a config");
}

/* The one who makes the id need not be a member, and a team may be made again. */
static void again(void)
{
    int members[TEAM_MAX], rank;

    for (int round = 0; round < 20; round++) {
        nvshmemx_team_uniqueid_t id = share_id(n_pes - 1);
        nvshmem_team_t team;

        rank = shuffle(3, n_pes, members);
        team = make(id, n_pes, rank);
        try_ranks(team, members, n_pes, "again");
        CHECK(nvshmem_team_sync(team) == 0, "round %d", round);
        nvshmem_team_destroy(team);
    }
    fact("the same PEs make and destroy their team 20 times");
}

static void refusals(void)
{
    nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
    nvshmem_team_t team = 12345;

    CHECK(nvshmemx_team_init(&team, NULL, 0, n_pes, me) != 0, "no config");
    CHECK(team == NVSHMEM_TEAM_INVALID, "no config: handle %d", (int)team);
    team = 12345;
    CHECK(nvshmemx_team_init(&team, &config, NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID, n_pes, me) != 0,
          "unset id");
    CHECK(team == NVSHMEM_TEAM_INVALID, "unset id: handle %d", (int)team);
    config.uniqueid = share_id(0);
    CHECK(nvshmemx_team_init(&team, &config, NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID, n_pes, -1) != 0,
          "rank -1");
    CHECK(nvshmemx_team_init(&team, &config, NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID, n_pes, n_pes) != 0,
          "rank n");
    CHECK(nvshmemx_team_init(&team, &config, NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID, 0, 0) != 0,
          "no PEs");
    CHECK(team == NVSHMEM_TEAM_INVALID && nvshmemx_last_error()[0], "handle and text");
    fact("wrong arguments give an error, a text and the invalid handle");
}

int main(void)
{
    int status;

    nvshmem_init();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    team_memory();
    shared_id = (uint64_t *)need(sizeof(*shared_id));
    any_order(40);
    side_by_side();
    split_of_list();
    again();
    refusals();
    status = finish();
    nvshmem_finalize();
    return status;
}
