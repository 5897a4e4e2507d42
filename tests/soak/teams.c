/* teams.c - teams come and go: strided, rows and columns, and any PEs in any order. */
// SPDX-License-Identifier: BSD-3-Clause
#include "soak.h"

struct soak_team soak_teams[SOAK_TEAMS];
int soak_n_teams;

static nvshmemx_team_uniqueid_t *id; /* symmetric */

int soak_rank(const struct soak_team *team)
{
    for (int i = 0; i < team->n; i++)
        if (team->pes[i] == me)
            return i;
    return -1;
}

/* What this PE sees of the team is what the model says. */
static void verify(const struct soak_team *team)
{
    int rank = soak_rank(team);

    if (rank < 0) {
        if (team->handle != SHMEM_TEAM_INVALID)
            soak_fail("a team of %d that this PE is not in has handle %d", team->n, team->handle);
        return;
    }
    if (shmem_team_n_pes(team->handle) != team->n || shmem_team_my_pe(team->handle) != rank)
        soak_fail("rank %d of %d, not %d of %d", shmem_team_my_pe(team->handle),
                  shmem_team_n_pes(team->handle), rank, team->n);
    for (int i = 0; i < team->n; i++)
        if (shmem_team_translate_pe(team->handle, i, SHMEM_TEAM_WORLD) != team->pes[i])
            soak_fail("rank %d of %d is not PE %d", i, team->n, team->pes[i]);
}

static struct soak_team *add(shmem_team_t handle)
{
    struct soak_team *team = &soak_teams[soak_n_teams++];

    *team = (struct soak_team){ .handle = handle };
    return team;
}

void teams_setup(void)
{
    struct soak_team *world = add(SHMEM_TEAM_WORLD);

    for (int i = 0; i < n_pes; i++)
        world->pes[world->n++] = i;
    verify(world);
    id = need_symmetric(sizeof(*id));
}

static void split_strided(struct dice *dice, const struct soak_team *parent)
{
    int start = (int)draw(dice, (unsigned)parent->n);
    int stride = 1 + (int)draw(dice, (unsigned)parent->n);
    int size = 1 + (int)draw(dice, (unsigned)((parent->n - 1 - start) / stride + 1));
    shmem_team_t handle = SHMEM_TEAM_INVALID;
    struct soak_team *team;

    if (soak_rank(parent) >= 0 &&
        shmem_team_split_strided(parent->handle, start, stride, size, NULL, 0, &handle) &&
        handle != SHMEM_TEAM_INVALID)
        soak_fail("split_strided: %s", nvshmemx_last_error());
    team = add(handle);
    for (int i = 0; i < size; i++)
        team->pes[team->n++] = parent->pes[start + i * stride];
}

/* The PEs of the parent at first, first + by, ... below end. */
static void add_line(const struct soak_team *parent, int first, int by, int end,
                     shmem_team_t handle)
{
    struct soak_team *team = add(SHMEM_TEAM_INVALID);

    for (int i = first; i < end; i += by)
        team->pes[team->n++] = parent->pes[i];
    if (soak_rank(team) >= 0)
        team->handle = handle;
}

static void split_2d(struct dice *dice, const struct soak_team *parent)
{
    int width = 1 + (int)draw(dice, (unsigned)parent->n), n = parent->n;
    shmem_team_t row = SHMEM_TEAM_INVALID, column = SHMEM_TEAM_INVALID;

    if (soak_n_teams + width + (n - 1) / width + 1 > SOAK_TEAMS)
        return;
    if (soak_rank(parent) >= 0 &&
        shmem_team_split_2d(parent->handle, width, NULL, 0, &row, NULL, 0, &column))
        soak_fail("split_2d: %s", nvshmemx_last_error());
    for (int first = 0; first < n; first += width)
        add_line(parent, first, 1, first + width < n ? first + width : n, row);
    for (int first = 0; first < width; first++)
        add_line(parent, first, width, n, column);
}

static void init_any(struct dice *dice)
{
    struct soak_team *team = add(SHMEM_TEAM_INVALID);
    nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
    int all[SOAK_PES], rank;

    for (int i = 0; i < n_pes; i++)
        all[i] = i;
    team->n = 1 + (int)draw(dice, (unsigned)n_pes);
    for (int i = 0; i < team->n; i++) {
        int pick = i + (int)draw(dice, (unsigned)(n_pes - i));

        team->pes[i] = all[pick];
        all[pick] = all[i];
    }
    if (me == 0 && nvshmemx_team_get_uniqueid(id))
        soak_fail("get_uniqueid: %s", nvshmemx_last_error());
    shmem_barrier_all();
    shmem_getmem(&config.uniqueid, id, sizeof(*id), 0);
    rank = soak_rank(team);
    if (rank >= 0 && nvshmemx_team_init(&team->handle, &config, NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID,
                                        team->n, rank))
        soak_fail("team_init: %s", nvshmemx_last_error());
}

static void destroy(struct soak_team *team)
{
    if (soak_rank(team) >= 0)
        shmem_team_destroy(team->handle);
    *team = soak_teams[--soak_n_teams];
}

void team_round(void)
{
    struct dice dice = soak_dice(-1);
    struct soak_team parent = soak_teams[draw(&dice, (unsigned)soak_n_teams)];
    unsigned what = draw(&dice, 5);

    if (soak_n_teams > 1 && (what >= 3 || soak_n_teams == SOAK_TEAMS))
        destroy(&soak_teams[1 + draw(&dice, (unsigned)soak_n_teams - 1)]);
    else if (what == 0)
        split_2d(&dice, &parent);
    else if (what == 1)
        init_any(&dice);
    else
        split_strided(&dice, &parent);
    for (int i = 0; i < soak_n_teams; i++)
        verify(&soak_teams[i]);
    shmem_barrier_all();
}
