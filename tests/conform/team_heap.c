/* Teams with a heap of their own allocate in it without the other PEs, on which the symmetric
 * heap stays in step; the memory comes back when all have destroyed their teams. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { HEAP = 1 << 20, BLOCK = 3000, LIVES = 100 };

static int me, n_pes;
static char *base; /* offsets count from here */

static nvshmem_team_t create(nvshmem_team_t parent, size_t heap)
{
    nvshmemx_team_config_t config = { .symmetric_heap_size = heap };
    nvshmem_team_t team = 12345;

    CHECK(!nvshmemx_team_create_simple(parent, &config, 0, &team), "%s", nvshmemx_last_error());
    return team;
}

/* The PEs of even and of odd numbers. */
static nvshmem_team_t half(void)
{
    nvshmem_team_t even, odd = NVSHMEM_TEAM_INVALID;

    CHECK(!nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, (n_pes + 1) / 2, NULL, 0, &even),
          "even");
    CHECK(n_pes < 2 ||
              !nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 1, 2, n_pes / 2, NULL, 0, &odd),
          "odd");
    return me % 2 ? odd : even;
}

/* All members have p at the same offset. */
static void check_offset(nvshmem_team_t team, const char *p, int64_t *to, int64_t *from)
{
    int n = nvshmem_team_n_pes(team);

    *from = p - base;
    nvshmem_int64_fcollect(team, to, from, 1);
    for (int i = 0; i < n; i++)
        CHECK(to[i] == *from, "offset %ld here, %ld on rank %d", (long)*from, (long)to[i], i);
    nvshmem_team_sync(team);
}

/* What the other members put arrives. */
static void check_use(nvshmem_team_t team, char *p)
{
    int n = nvshmem_team_n_pes(team), rank = nvshmem_team_my_pe(team);
    char out[BLOCK];

    fill(out, BLOCK, (unsigned)me + 1);
    nvshmemx_char_put_team(team, p, out, BLOCK, (rank + 1) % n);
    nvshmem_barrier(team);
    CHECK(
        differs(p, BLOCK,
                (unsigned)nvshmem_team_translate_pe(team, (rank + n - 1) % n, NVSHMEM_TEAM_WORLD) +
                    1) == BLOCK,
        "put into the heap of a team");
}

static void alone(int64_t *to, int64_t *from)
{
    nvshmem_team_t parent = half(), team = create(parent, HEAP);
    char *mine[8], *all;

    CHECK(nvshmem_team_n_pes(team) == nvshmem_team_n_pes(parent), "size");
    /* Members of one team allocate up to eight blocks that the other team does not. */
    for (int i = 0; i < (me % 2 ? 2 : 8); i++) {
        mine[i] = (char *)nvshmemx_team_malloc(team, BLOCK);
        CHECK(mine[i] && (size_t)mine[i] % 512 == 0, "block %d: %s", i, nvshmemx_last_error());
        check_offset(team, mine[i], to, from);
        check_use(team, mine[i]);
    }
    all = (char *)nvshmem_malloc(BLOCK);
    check_offset(NVSHMEM_TEAM_WORLD, all, to, from);
    memset(all, 0x77, BLOCK);
    nvshmemx_team_free(team, mine[1]);
    CHECK(nvshmemx_team_malloc(team, BLOCK) == mine[1], "a freed block is used anew");
    CHECK(differs_from(all, BLOCK, 0x77) == BLOCK, "a block of all PEs is apart");
    nvshmem_free(all);
    nvshmem_team_destroy(team);
    nvshmem_team_destroy(parent);
    fact("two teams allocate alone, each in a heap of its own, and all PEs stay in step");
}

static void full(void)
{
    nvshmem_team_t team = create(NVSHMEM_TEAM_WORLD, HEAP);
    char *p = (char *)nvshmemx_team_malloc(team, HEAP);

    CHECK(p != NULL, "%s", nvshmemx_last_error());
    if (p)
        memset(p, 1, HEAP);
    CHECK(!nvshmemx_team_malloc(team, 2 * HEAP) && *nvshmemx_last_error(), "too much");
    CHECK(!nvshmemx_team_malloc(team, SIZE_MAX) && *nvshmemx_last_error(), "SIZE_MAX");
    CHECK(!nvshmemx_team_malloc(team, 0), "nothing");
    nvshmemx_team_free(team, NULL);
    nvshmemx_team_free(team, p);
    CHECK(nvshmemx_team_malloc(team, HEAP) == p, "again");
    nvshmem_team_destroy(team);
    fact("the whole heap can be had; beyond it is NULL with a text, and the program goes on");
}

/* Of a heap of 1/4 of what there is, as often as you like. */
static void come_and_go(void)
{
    char *first = (char *)nvshmem_malloc(BLOCK), *again;

    nvshmem_free(first);
    for (int i = 0; i < LIVES; i++) {
        nvshmem_team_t team = create(NVSHMEM_TEAM_WORLD, (size_t)256 << 20);

        CHECK(nvshmemx_team_malloc(team, BLOCK) != NULL, "life %d", i);
        nvshmem_team_destroy(team);
    }
    again = (char *)nvshmem_malloc(BLOCK);
    CHECK(again == first, "what was allocated first is at %ld, then at %ld", (long)(first - base),
          (long)(again - base));
    nvshmem_free(again);
    fact("the heap of a team comes back with the end of the team, %d times", LIVES);
}

/* Of the second team only, after all have allocated. */
static void at_their_own_time(int64_t *to, int64_t *from)
{
    nvshmem_team_t parent = half(), team = create(parent, HEAP);
    char *mine = (char *)nvshmemx_team_malloc(team, BLOCK), *all, *later;

    if (me % 2 == 0)
        nvshmem_team_destroy(team);
    else
        memset(mine, 0x33, BLOCK);
    all = (char *)nvshmem_malloc(HEAP);
    memset(all, 0x44, HEAP);
    check_offset(NVSHMEM_TEAM_WORLD, all, to, from);
    if (me % 2) {
        CHECK(differs_from(mine, BLOCK, 0x33) == BLOCK, "the heap that is left is not used");
        nvshmem_team_destroy(team);
    }
    later = (char *)nvshmem_malloc(HEAP);
    check_offset(NVSHMEM_TEAM_WORLD, later, to, from);
    CHECK(n_pes == 1 || later < all, "free again when all have left");
    nvshmem_free(later);
    nvshmem_free(all);
    nvshmem_team_destroy(parent);
    fact("teams end at their own time, and all PEs stay in step");
}

static void outside(int64_t *to, int64_t *from)
{
    nvshmem_team_t some, team;
    char *all;

    CHECK(!nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, (n_pes + 1) / 2, NULL, 0, &some),
          "split");
    team = create(some, HEAP);
    CHECK((team == NVSHMEM_TEAM_INVALID) == (some == NVSHMEM_TEAM_INVALID), "handle %d", team);
    if (team != NVSHMEM_TEAM_INVALID)
        check_use(team, (char *)nvshmemx_team_malloc(team, BLOCK));
    all = (char *)nvshmem_malloc(BLOCK);
    check_offset(NVSHMEM_TEAM_WORLD, all, to, from);
    nvshmem_free(all);
    nvshmem_team_destroy(team);
    nvshmem_team_destroy(some);
    fact("a PE that is in no parent gets no team, and stays in step");
}

static void refusals(void)
{
    nvshmemx_team_config_t config = { .symmetric_heap_size = (size_t)1 << 50 };
    nvshmem_team_t team = 12345;

    CHECK(nvshmemx_team_create_simple(NVSHMEM_TEAM_WORLD, &config, 0, &team) &&
              team == NVSHMEM_TEAM_INVALID && *nvshmemx_last_error(),
          "2^50 bytes");
    config.symmetric_heap_size = SIZE_MAX;
    CHECK(nvshmemx_team_create_simple(NVSHMEM_TEAM_WORLD, &config, 0, &team), "SIZE_MAX bytes");
    config.symmetric_heap_size = 0;
    CHECK(nvshmemx_team_create_simple(NVSHMEM_TEAM_INVALID, &config, 0, &team), "no parent");
    CHECK(nvshmemx_team_create_simple(77, &config, 0, &team), "a parent that is none");
    CHECK(nvshmemx_team_create_simple(NVSHMEM_TEAM_WORLD, &config, 1, &team), "a mask");
    config.flags = 2;
    CHECK(nvshmemx_team_create_simple(NVSHMEM_TEAM_WORLD, &config, 0, &team), "a wrong flag");
    CHECK(!nvshmemx_team_malloc(NVSHMEM_TEAM_WORLD, 8) && *nvshmemx_last_error(), "no heap");
    CHECK(!nvshmemx_team_malloc(NVSHMEM_TEAM_INVALID, 8), "no team");
    fact("what cannot be gives an error with a text and no team");
    CHECK(!nvshmemx_team_create_simple(NVSHMEM_TEAM_WORLD, NULL, 0, &team), "no config");
    CHECK(nvshmem_team_n_pes(team) == n_pes && nvshmem_team_my_pe(team) == me, "as the parent");
    nvshmem_team_destroy(team);
    fact("without a config the team is as its parent");
}

int main(void)
{
    int64_t *to, *from;
    int status;

    nvshmem_init();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    base = (char *)need(8);
    to = (int64_t *)need((size_t)n_pes * sizeof(*to));
    from = (int64_t *)need(sizeof(*from));
    alone(to, from);
    full();
    come_and_go();
    at_their_own_time(to, from);
    outside(to, from);
    refusals();
    status = finish();
    nvshmem_finalize();
    return status;
}
