/* Put and get by rank in a team move the same elements as by PE, for every type, and the
 * reductions have a second name that does the same, on teams of all shapes. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { AREA = 4096, N = 100, SKIPPED = 3 };

static unsigned char *dest, *source, *other; /* symmetric, AREA bytes each */

/* SKIPPED elements of each area stay as they are. */
#define MOVE(name, type, dir) \
    static void name##_##dir(nvshmem_team_t team, int pe) \
    { \
        nvshmemx_##name##_##dir##_team(team, (type *)(void *)dest + SKIPPED, \
                                       (const type *)(const void *)source + 1, N, pe); \
    }
GSH_RMA_TYPES(MOVE, put)
GSH_RMA_TYPES(MOVE, get)

static const struct type {
    const char *name;
    size_t size;
    void (*put)(nvshmem_team_t team, int pe);
    void (*get)(nvshmem_team_t team, int pe);
} types[] = {
#define ROW(name, type, a) { #name, sizeof(type), name##_put, name##_get },
    GSH_RMA_TYPES(ROW, _)
#undef ROW
};
enum { TYPES = sizeof(types) / sizeof(types[0]) };

#define REDUCE(name, type, op, a) \
    static int name##_##op(nvshmem_team_t team) \
    { \
        return nvshmemx_##name##_##op##_reduce_team(team, (type *)(void *)dest, \
                                                    (type *)(void *)source, N) || \
               nvshmem_##name##_##op##_reduce(team, (type *)(void *)other, (type *)(void *)source, \
                                              N); \
    }
GSH_REDUCTIONS(REDUCE, _)

static const struct reduction {
    const char *name;
    size_t size;
    int (*both)(nvshmem_team_t team);
} reductions[] = {
#define ROW(name, type, op, a) { #name " " #op, sizeof(type), name##_##op },
    GSH_REDUCTIONS(ROW, _)
#undef ROW
};
enum { REDUCTIONS = sizeof(reductions) / sizeof(reductions[0]) };

/* The elements that come from PE `from` are in place, and nothing else has changed. */
static void expect(const struct type *t, unsigned seed, int from, const char *what)
{
    unsigned char want[AREA], sent[AREA];

    memset(want, 0x5a, sizeof(want));
    fill(sent, sizeof(sent), mix(seed, (unsigned)from));
    memcpy(want + SKIPPED * t->size, sent + t->size, N * t->size);
    CHECK(!memcmp(dest, want, sizeof(want)), "%s: %s from PE %d", what, t->name, from);
}

static void try_moves(nvshmem_team_t team, const char *what)
{
    int n = nvshmem_team_n_pes(team), rank = nvshmem_team_my_pe(team), me = nvshmem_my_pe();
    int next = (rank + 1) % n, last = (rank + n - 1) % n;

    for (unsigned i = 0; i < 2 * TYPES; i++) {
        const struct type *t = &types[i / 2];
        int from = i % 2 ? next : last;

        memset(dest, 0x5a, AREA);
        fill(source, AREA, mix(i, (unsigned)me));
        nvshmem_barrier(team);
        (i % 2 ? t->get : t->put)(team, next);
        nvshmem_barrier(team);
        expect(t, i, nvshmem_team_translate_pe(team, from, NVSHMEM_TEAM_WORLD), what);
        nvshmem_team_sync(team);
    }
}

static void try_reductions(nvshmem_team_t team, const char *what)
{
    for (unsigned i = 0; i < REDUCTIONS; i++) {
        const struct reduction *r = &reductions[i];

        memset(dest, 1, AREA);
        memset(other, 2, AREA);
        for (int k = 0; k < AREA; k++) /* floating point that is neither zero nor NaN */
            source[k] = (unsigned char)(0x30 + mix((unsigned)k, (unsigned)nvshmem_my_pe()) % 15);
        CHECK(!r->both(team), "%s: %s", what, r->name);
        CHECK(!memcmp(dest, other, N * r->size), "%s: %s", what, r->name);
        nvshmem_team_sync(team);
    }
}

static void try_team(nvshmem_team_t team, const char *what)
{
    if (team != NVSHMEM_TEAM_INVALID)
        try_moves(team, what);
    nvshmem_barrier_all();
    fact("put_team and get_team of every type on %s", what);
    if (team != NVSHMEM_TEAM_INVALID)
        try_reductions(team, what);
    nvshmem_barrier_all();
    fact("every reduce_team gives what reduce gives on %s", what);
}

static void try_split(int start, int stride, int size, const char *what)
{
    nvshmem_team_t team;

    CHECK(!nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &team),
          "%s: %s", what, nvshmemx_last_error());
    try_team(team, what);
    nvshmem_team_destroy(team);
}

int main(void)
{
    int n, status;

    nvshmem_init();
    n = nvshmem_n_pes();
    dest = (unsigned char *)need(AREA);
    source = (unsigned char *)need(AREA);
    other = (unsigned char *)need(AREA);
    try_team(NVSHMEM_TEAM_WORLD, "the world");
    try_split(n - 1, 1, 1, "one PE");
    try_split(n - 1, -1, n, "all PEs backwards");
    try_split(n > 1, 2, n > 1 ? n / 2 : 1, "every other PE");
    status = finish();
    nvshmem_finalize();
    return status;
}
