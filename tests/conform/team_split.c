/* Every strided subset and every 2-D split of the world is a team with the right members, in
 * order, on which all collectives work; the other PEs get the invalid handle. */
// SPDX-License-Identifier: BSD-3-Clause
#include "team.h"

static int me, n_pes;

static int strided(int start, int stride, int size, int *members)
{
    int mine = 0;

    for (int i = 0; i < size; i++) {
        members[i] = start + i * stride;
        mine |= members[i] == me;
    }
    return mine;
}

static void one_strided(int start, int stride, int size)
{
    int members[TEAM_MAX], mine = strided(start, stride, size, members), status;
    nvshmem_team_t team = 12345;
    char what[60];

    snprintf(what, sizeof(what), "start %d stride %d size %d", start, stride, size);
    status = nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &team);
    CHECK(status == 0, "%s: %s", what, nvshmemx_last_error());
    if (!mine)
        try_invalid(team, what);
    else
        try_team(team, members, size, what);
    nvshmem_team_destroy(team);
}

static void all_strided(void)
{
    for (int start = 0; start < n_pes; start++)
        for (int stride = 1; stride <= n_pes; stride++)
            for (int size = 1; start + (size - 1) * stride < n_pes; size++)
                one_strided(start, stride, size);
    fact("every start, stride and size makes a team that works");
}

static void check_plane(nvshmem_team_t parent, int size, const int *members, int xrange)
{
    nvshmem_team_t x = 12345, y = 12345;
    int rank = nvshmem_team_my_pe(parent), width = xrange < size ? xrange : size;
    int line[TEAM_MAX], n = 0;
    char what[60];

    snprintf(what, sizeof(what), "xrange %d of %d", xrange, size);
    CHECK(nvshmem_team_split_2d(parent, xrange, NULL, 0, &x, NULL, 0, &y) == 0, "%s: %s", what,
          nvshmemx_last_error());
    for (int i = rank / width * width; i < size && i < (rank / width + 1) * width; i++)
        line[n++] = members[i];
    team_area(0);
    try_team(x, line, n, what);
    n = 0;
    for (int i = rank % width; i < size; i += width)
        line[n++] = members[i];
    team_area(1);
    try_team(y, line, n, what);
    team_area(0);
    nvshmem_team_destroy(x);
    nvshmem_team_destroy(y);
}

static void planes(void)
{
    int members[TEAM_MAX], size = (n_pes + 1) / 2;
    nvshmem_team_t odd;

    strided(0, 1, n_pes, members);
    for (int xrange = 1; xrange <= n_pes + 1; xrange++)
        check_plane(NVSHMEM_TEAM_WORLD, n_pes, members, xrange);
    fact("every xrange splits the world in rows and columns that work");

    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, size, NULL, 0, &odd) == 0, "split");
    if (strided(0, 2, size, members))
        for (int xrange = 1; xrange <= size; xrange++)
            check_plane(odd, size, members, xrange);
    nvshmem_team_destroy(odd);
    fact("every xrange splits a strided team in rows and columns that work");
}

/* A split of a split: ranks count in the parent. The halves split at the same time. */
static void nested(void)
{
    int members[TEAM_MAX], half = (n_pes + 1) / 2, low = me < half;
    int size = low ? half : n_pes - half, first = low ? 0 : half;
    nvshmem_team_t halves[2], mine, inner = 12345;

    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, half, NULL, 0, &halves[0]) == 0,
          "lower half");
    CHECK(n_pes == half || nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, half, 1, n_pes - half,
                                                      NULL, 0, &halves[1]) == 0,
          "upper half");
    mine = halves[!low];
    for (int stride = 1; stride <= size; stride++) {
        int inner_size = (size - 1) / stride + 1;
        int in = strided(first, stride, inner_size, members);

        CHECK(nvshmem_team_split_strided(mine, 0, stride, inner_size, NULL, 0, &inner) == 0, "%s",
              nvshmemx_last_error());
        if (in)
            try_team(inner, members, inner_size, "inner");
        else
            try_invalid(inner, "inner");
        nvshmem_team_destroy(inner);
    }
    nvshmem_team_destroy(mine);
    fact("a team splits into teams, while another team does the same");
    nvshmem_barrier_all();
}

/* All teams are kept and used in turn, so that they overlap in their members. */
static void overlapping(void)
{
    nvshmem_team_t teams[TEAM_MAX];
    int members[TEAM_MAX];

    for (int i = 0; i < n_pes; i++)
        CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, i + 1, NULL, 0, &teams[i]) == 0,
              "%s", nvshmemx_last_error());
    for (int round = 0; round < 10; round++)
        for (int i = 0; i < n_pes; i++) {
            team_area(i);
            if (strided(0, 1, i + 1, members))
                try_team(teams[i], members, i + 1, "overlapping");
        }
    team_area(0);
    for (int i = n_pes; i-- > 0;)
        nvshmem_team_destroy(teams[i]);
    fact("teams that share members work in turn");
    nvshmem_barrier_all();
}

int main(void)
{
    int status;

    nvshmem_init();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    team_memory();
    all_strided();
    planes();
    nested();
    overlapping();
    status = finish();
    nvshmem_finalize();
    return status;
}
