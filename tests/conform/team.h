/* team.h - what every team must be able to do, tried on the team given.
 *
 * try_team() is called by all members and by nobody else. `members` lists their
 * world PEs in rank order. Teams with common members that are tried in turn, with
 * nothing that all of their members wait for between them, need areas of their own:
 * a fast member may write to a slow one that is still in the other team.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_TEAM_H
#define GSH_TESTS_TEAM_H

#include "check.h"

enum { TEAM_MAX = 64, TEAM_WORDS = 50 };

static uint64_t *team_areas;              /* symmetric: as many as there are PEs, at least 2 */
static uint64_t *team_dest, *team_source; /* in the area in use, TEAM_MAX * TEAM_WORDS each */

static inline void team_area(int i)
{
    team_dest = team_areas + (size_t)i * 2 * TEAM_MAX * TEAM_WORDS;
    team_source = team_dest + (size_t)TEAM_MAX * TEAM_WORDS;
}

static inline void team_memory(void)
{
    size_t words = (size_t)(nvshmem_n_pes() + 1) * 2 * TEAM_MAX * TEAM_WORDS;

    team_areas = (uint64_t *)need(words * sizeof(uint64_t));
    team_area(0);
}

static inline void try_ranks(nvshmem_team_t team, const int *members, int n, const char *what)
{
    int me = nvshmem_my_pe(), rank = nvshmem_team_my_pe(team);

    CHECK(team != NVSHMEM_TEAM_INVALID, "%s: a valid handle", what);
    CHECK(nvshmem_team_n_pes(team) == n, "%s: %d of %d PEs", what, nvshmem_team_n_pes(team), n);
    CHECK(rank >= 0 && rank < n && members[rank] == me, "%s: rank %d", what, rank);
    for (int pe = 0; pe < nvshmem_n_pes(); pe++) {
        int expected = -1;

        for (int i = 0; i < n; i++)
            expected = members[i] == pe ? i : expected;
        CHECK(nvshmem_team_translate_pe(NVSHMEM_TEAM_WORLD, pe, team) == expected,
              "%s: rank of world pe %d", what, pe);
    }
    for (int i = 0; i < n; i++)
        CHECK(nvshmem_team_translate_pe(team, i, NVSHMEM_TEAM_WORLD) == members[i],
              "%s: world pe of rank %d", what, i);
    CHECK(nvshmem_team_translate_pe(team, n, NVSHMEM_TEAM_WORLD) == -1, "%s: rank n", what);
    CHECK(nvshmem_team_translate_pe(team, -1, NVSHMEM_TEAM_WORLD) == -1, "%s: rank -1", what);
}

static inline void try_gather(nvshmem_team_t team, const int *members, int n, size_t words,
                              const char *what)
{
    int rank = nvshmem_team_my_pe(team);
    size_t wrong = 0;

    for (size_t i = 0; i < words * n; i++)
        team_source[i] = (uint64_t)nvshmem_my_pe() * 100000 + i;
    CHECK(nvshmem_uint64_fcollect(team, team_dest, team_source, words) == 0, "%s", what);
    for (size_t i = 0; i < words * n; i++)
        wrong += team_dest[i] != (uint64_t)members[i / words] * 100000 + i % words;
    CHECK(wrong == 0, "%s: fcollect, %zu wrong", what, wrong);
    CHECK(nvshmem_team_sync(team) == 0, "%s", what);
    CHECK(nvshmem_uint64_alltoall(team, team_dest, team_source, words) == 0, "%s", what);
    for (size_t i = 0; i < words * n; i++)
        wrong += team_dest[i] != (uint64_t)members[i / words] * 100000 + rank * words + i % words;
    CHECK(wrong == 0, "%s: alltoall, %zu wrong", what, wrong);
    CHECK(nvshmem_barrier(team) == 0, "%s", what);
}

static inline void try_roots(nvshmem_team_t team, const int *members, int n, const char *what)
{
    for (int root = 0; root < n; root++) {
        team_source[0] = (uint64_t)nvshmem_my_pe() + 7;
        CHECK(nvshmem_uint64_broadcast(team, team_dest, team_source, 1, root) == 0, "%s", what);
        CHECK(team_dest[0] == (uint64_t)members[root] + 7, "%s: broadcast of root %d", what, root);
        CHECK(nvshmem_team_sync(team) == 0, "%s", what);
    }
}

static inline void try_reductions(nvshmem_team_t team, const int *members, int n, const char *what)
{
    uint64_t sum = 0, most = 0;
    int rank = nvshmem_team_my_pe(team);

    for (int i = 0; i < n; i++) {
        sum += (uint64_t)members[i] + 1;
        most = most > (uint64_t)members[i] ? most : (uint64_t)members[i];
    }
    team_source[0] = (uint64_t)nvshmem_my_pe() + 1;
    CHECK(nvshmem_uint64_sum_reduce(team, team_dest, team_source, 1) == 0, "%s", what);
    CHECK(team_dest[0] == sum, "%s: reduce", what);
    for (int i = 0; i < n; i++)
        team_source[i] = (uint64_t)nvshmem_my_pe() + i;
    CHECK(nvshmem_uint64_max_reducescatter(team, team_dest, team_source, 1) == 0, "%s", what);
    CHECK(team_dest[0] == most + rank, "%s: reducescatter", what);
    CHECK(nvshmem_team_sync(team) == 0, "%s", what);
}

/* A put by rank reaches the right PE, and a barrier of the team completes it. */
static inline void try_put(nvshmem_team_t team, const int *members, int n, const char *what)
{
    int rank = nvshmem_team_my_pe(team), next = (rank + 1) % n;
    static uint64_t out;

    out = (uint64_t)nvshmem_my_pe() + 3;
    team_dest[0] = 0;
    CHECK(nvshmem_barrier(team) == 0, "%s", what);
    nvshmem_uint64_put_nbi(team_dest, &out, 1,
                           nvshmem_team_translate_pe(team, next, NVSHMEM_TEAM_WORLD));
    CHECK(nvshmem_barrier(team) == 0, "%s", what);
    CHECK(team_dest[0] == (uint64_t)members[(rank + n - 1) % n] + 3, "%s: put", what);
    CHECK(nvshmem_team_sync(team) == 0, "%s", what);
}

static inline void try_team(nvshmem_team_t team, const int *members, int n, const char *what)
{
    if (team == NVSHMEM_TEAM_INVALID || nvshmem_team_n_pes(team) != n) {
        CHECK(0, "%s: handle %d has %d PEs, not %d", what, (int)team, nvshmem_team_n_pes(team), n);
        return;
    }
    try_ranks(team, members, n, what);
    /* The memory may still be in use in another team of a member. */
    CHECK(nvshmem_team_sync(team) == 0, "%s", what);
    try_gather(team, members, n, 1, what);
    try_gather(team, members, n, TEAM_WORDS, what);
    try_roots(team, members, n, what);
    try_reductions(team, members, n, what);
    try_put(team, members, n, what);
}

/* What a handle that names no team must answer. */
static inline void try_invalid(nvshmem_team_t team, const char *what)
{
    CHECK(team == NVSHMEM_TEAM_INVALID, "%s: handle %d", what, (int)team);
    CHECK(nvshmem_team_my_pe(team) == -1, "%s: own rank", what);
    CHECK(nvshmem_team_n_pes(team) == -1, "%s: size", what);
    CHECK(nvshmem_team_translate_pe(team, 0, NVSHMEM_TEAM_WORLD) == -1, "%s: from it", what);
    CHECK(nvshmem_team_translate_pe(NVSHMEM_TEAM_WORLD, 0, team) == -1, "%s: to it", what);
}

#endif /* GSH_TESTS_TEAM_H */
