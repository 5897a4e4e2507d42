/* OpenSHMEM 1.5, section 9.5: contexts of all options work on all PEs and on teams, where PEs
 * are those of the team; they may be alive in a barrier, and each can be made complete. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

static int me, n_pes;
static long *words; /* symmetric, one a PE */
static long fixed;  /* symmetric */

static void options(void)
{
    static const long sets[] = { 0, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_NOSTORE,
                                 SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE };
    enum { N = sizeof(sets) / sizeof(sets[0]) };
    shmem_ctx_t ctx[N];
    shmem_team_t team;

    for (int i = 0; i < N; i++)
        CHECK(!shmem_ctx_create(sets[i], &ctx[i]) && ctx[i] != SHMEM_CTX_INVALID, "%ld", sets[i]);
    for (int i = 0; i < N; i++) {
        CHECK(!shmem_ctx_get_team(ctx[i], &team) && team == SHMEM_TEAM_WORLD, "team");
        shmem_ctx_long_p(ctx[i], &words[me], me + i, (me + 1) % n_pes);
        shmem_ctx_fence(ctx[i]);
        shmem_ctx_long_atomic_add(ctx[i], &fixed, 1, 0);
        shmem_barrier_all(); /* completes the default context only: */
        shmem_ctx_quiet(ctx[i]);
        shmem_sync_all();
        CHECK(words[(me + n_pes - 1) % n_pes] == (me + n_pes - 1) % n_pes + i, "put %d", i);
        CHECK(me || fixed == (long)n_pes * (i + 1), "%ld", fixed);
        shmem_barrier_all();
    }
    for (int i = 0; i < N; i++)
        shmem_ctx_destroy(ctx[i]);
    fact("contexts of all options put, add, fence and quiet, with barriers between");
    CHECK(shmem_ctx_create(1L << 20, &ctx[0]) && ctx[0] == SHMEM_CTX_INVALID, "odd options");
    fact("options that do not exist give the invalid context");
}

static void of_team(void)
{
    shmem_team_t odd, team = 3;
    shmem_ctx_t ctx;
    int n = n_pes / 2, rank;

    if (n)
        CHECK(!shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, n, NULL, 0, &odd), "split");
    else
        odd = SHMEM_TEAM_INVALID;
    fixed = -1;
    shmem_barrier_all();
    if (odd == SHMEM_TEAM_INVALID) {
        CHECK(shmem_team_create_ctx(odd, 0, &ctx) && ctx == SHMEM_CTX_INVALID, "no team");
    } else {
        rank = shmem_team_my_pe(odd);
        CHECK(!shmem_team_create_ctx(odd, SHMEM_CTX_PRIVATE, &ctx), "create");
        CHECK(!shmem_ctx_get_team(ctx, &team) && team == odd, "team");
        shmem_ctx_long_p(ctx, &fixed, me, (rank + 1) % n);
        shmem_ctx_quiet(ctx);
        shmem_team_sync(odd);
        CHECK(fixed == shmem_team_translate_pe(odd, (rank + n - 1) % n, SHMEM_TEAM_WORLD), "%ld",
              fixed);
        CHECK(shmem_ctx_long_g(ctx, &fixed, rank) == fixed, "g of own rank");
        shmem_team_sync(odd);
        shmem_ctx_destroy(ctx);
        shmem_team_destroy(odd);
    }
    shmem_barrier_all();
    CHECK(odd != SHMEM_TEAM_INVALID || fixed == -1, "%ld on a PE outside", fixed);
    shmem_barrier_all();
    fact("the PEs of a team's context are those of the team");
}

static void special(void)
{
    shmem_ctx_session_config_t config = { .total_ops = 10 };
    shmem_team_t team = 3;

    shmem_ctx_destroy(SHMEM_CTX_INVALID);
    shmem_ctx_quiet(SHMEM_CTX_INVALID);
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) && team == SHMEM_TEAM_INVALID, "team");
    fact("destroy, quiet, fence and get_team take the invalid context");
    CHECK(!shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &team) && team == SHMEM_TEAM_WORLD, "team");
    shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, &config,
                            SHMEM_CTX_SESSION_TOTAL_OPS);
    for (int i = 0; i < 10; i++) {
        shmem_ctx_long_p(SHMEM_CTX_DEFAULT, &words[me], i, (me + 1) % n_pes);
        shmem_ctx_fence(SHMEM_CTX_DEFAULT);
    }
    shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
    shmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, &(int){ (me + 1) % n_pes }, 1);
    shmem_pe_quiet(&(int){ (me + 1) % n_pes }, 1);
    shmem_sync_all();
    CHECK(words[(me + n_pes - 1) % n_pes] == 9, "%ld", words[(me + n_pes - 1) % n_pes]);
    fact("the default context has the world team, takes sessions and pe_quiet");
}

int main(void)
{
    int status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    words = need((size_t)n_pes * sizeof(*words));
    options();
    of_team();
    special();
    status = finish();
    shmem_finalize();
    return status;
}
