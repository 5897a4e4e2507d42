/* All collectives move and combine exactly what they should, for 1 to 9 members, each way to
 * meet, sizes around all thresholds, every root, in place and through a transport. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/test/members.h"
#include "util/test/tap.h"

static const size_t sizes[] = { 4,     8,     56,    64,    2044,  2048,   2052,  8188,
                                16384, 16388, 32772, 65532, 65536, 307200, 307204 };

enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]), LARGE = 65532, MIXED_ROUNDS = 10000 };

/* Words that differ by call, member and place. */
static uint32_t word(uint32_t salt, int rank, size_t i)
{
    uint32_t x = salt * 2654435761u ^ (uint32_t)rank * 40503u ^ (uint32_t)i * 2246822519u;

    return x ^ x >> 15;
}

static void fill(void *at, uint32_t salt, int rank, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((uint32_t *)at)[i] = word(salt, rank, first + i);
}

static void check(const char *what, const void *at, uint32_t salt, int rank, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        EXPECT(((const uint32_t *)at)[i] == word(salt, rank, first + i),
               "%s: word %zu of rank %d is wrong on PE %d", what, first + i, rank, gsh.my_pe);
}

/* Depends on the order of its operands, so that any other order shows. */
static void in_order(void *to, const void *const *from, int n, size_t nelems)
{
    for (size_t i = 0; i < nelems; i++) {
        uint32_t value = ((const uint32_t *)from[0])[i];

        for (int k = 1; k < n; k++)
            value = value * 31 + ((const uint32_t *)from[k])[i];
        ((uint32_t *)to)[i] = value;
    }
}

static void check_combined(const char *what, const void *at, uint32_t salt, size_t first, size_t n,
                           int members)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t value = word(salt, 0, first + i);

        for (int k = 1; k < members; k++)
            value = value * 31 + word(salt, k, first + i);
        EXPECT(((const uint32_t *)at)[i] == value, "%s of %zu words: word %zu is wrong on PE %d",
               what, n, i, gsh.my_pe);
    }
}

/* What follows a call's result is not touched. */
static void guard(char *end)
{
    memset(end, 0x5a, 64);
}

static void check_guard(const char *what, const char *end)
{
    for (int i = 0; i < 64; i++)
        EXPECT(end[i] == 0x5a, "%s wrote beyond dest on PE %d", what, gsh.my_pe);
}

static void spoil(void *at, size_t bytes)
{
    memset(at, 0xdb, bytes);
}

static void broadcast(struct gsh_team *team, char *dest, uint32_t salt, size_t bytes, int root)
{
    struct gsh_call call = { .op = GSH_COLL_BROADCAST, .bytes = bytes, .root = root };
    size_t n = bytes / 4;

    fill(source_area, salt, team->my, 0, n);
    EXPECT(!gsh_broadcast(team, &call, dest, source_area, bytes, root), "broadcast fails");
    check("broadcast", dest, salt, root, 0, n);
    spoil(source_area, bytes);
}

static void fcollect(struct gsh_team *team, char *dest, uint32_t salt, size_t bytes)
{
    struct gsh_call call = { .op = GSH_COLL_FCOLLECT, .bytes = bytes };
    size_t n = bytes / 4;

    fill(source_area, salt, team->my, 0, n);
    EXPECT(!gsh_fcollect(team, &call, dest, source_area, bytes), "fcollect fails");
    for (int r = 0; r < team->n; r++)
        check("fcollect", dest + (size_t)r * bytes, salt, r, 0, n);
    spoil(source_area, bytes);
}

static void alltoall(struct gsh_team *team, char *dest, uint32_t salt, size_t bytes)
{
    struct gsh_call call = { .op = GSH_COLL_ALLTOALL, .bytes = bytes };
    size_t n = bytes / 4;

    fill(source_area, salt, team->my, 0, n * (size_t)team->n);
    EXPECT(!gsh_alltoall(team, &call, dest, source_area, bytes), "alltoall fails");
    for (int r = 0; r < team->n; r++)
        check("alltoall", dest + (size_t)r * bytes, salt, r, n * (size_t)team->my, n);
    spoil(source_area, bytes * (size_t)team->n);
}

static void reduce(struct gsh_team *team, char *dest, uint32_t salt, size_t bytes)
{
    struct gsh_call call = { .op = GSH_COLL_REDUCE, .bytes = bytes };
    bool in_place = !dest;
    size_t n = bytes / 4;

    fill(source_area, salt, team->my, 0, n);
    if (in_place)
        dest = source_area;
    EXPECT(!gsh_reduce(team, &call, dest, source_area, n, 4, in_order), "reduce fails");
    check_combined(in_place ? "reduce in place" : "reduce", dest, salt, 0, n, team->n);
    spoil(source_area, bytes);
}

static void reducescatter(struct gsh_team *team, char *dest, uint32_t salt, size_t bytes)
{
    struct gsh_call call = { .op = GSH_COLL_REDUCESCATTER, .bytes = bytes };
    size_t n = bytes / 4;

    fill(source_area, salt, team->my, 0, n * (size_t)team->n);
    EXPECT(!gsh_reducescatter(team, &call, dest, source_area, n, 4, in_order),
           "reducescatter fails");
    check_combined("reducescatter", dest, salt, n * (size_t)team->my, n, team->n);
    spoil(source_area, bytes * (size_t)team->n);
}

/* dest is ready on all members. */
static void ready(struct gsh_team *team, size_t bytes)
{
    struct gsh_call call = { .op = GSH_COLL_BARRIER };

    spoil(dest_area, bytes);
    guard(dest_area + bytes);
    EXPECT(!gsh_meet(team, &call), "barrier fails");
}

static void all_sizes(struct gsh_team *team)
{
    uint32_t salt = 0;

    for (size_t s = 0; s < N_SIZES; s++) {
        size_t bytes = sizes[s], all = bytes * (size_t)team->n;
        int step = bytes >= LARGE ? 3 : 1;

        for (int root = (int)s % step; root < team->n; root += step) {
            ready(team, bytes);
            broadcast(team, dest_area, ++salt, bytes, root);
            check_guard("broadcast", dest_area + bytes);
        }
        ready(team, all);
        fcollect(team, dest_area, ++salt, bytes);
        check_guard("fcollect", dest_area + all);
        ready(team, all);
        alltoall(team, dest_area, ++salt, bytes);
        check_guard("alltoall", dest_area + all);
        ready(team, bytes);
        reduce(team, dest_area, ++salt, bytes);
        check_guard("reduce", dest_area + bytes);
        ready(team, bytes);
        reduce(team, NULL, ++salt, bytes);
        ready(team, bytes);
        reducescatter(team, dest_area, ++salt, bytes);
        check_guard("reducescatter", dest_area + bytes);
    }
}

/* A number that all members draw alike. */
static uint32_t draw(uint32_t round, uint32_t what)
{
    return word(round, (int)what + 100, round) >> 7;
}

/* Calls in any order, each into a place of its own, with nothing between them but
 * a barrier every eight. A member is late now and then. */
static void mixed(struct gsh_team *team, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        uint32_t round = (uint32_t)i;
        char *dest = dest_area + (size_t)(i % 8) * (MEMBERS_AREA / 8);
        size_t bytes = 4 + draw(round, 1) % (draw(round, 2) % 16 ? 64 : 5000) * 4;

        if (i % 8 == 0)
            ready(team, 64);
        if (word(round, team->my, 9) % 512 == 0)
            usleep(300);
        switch (draw(round, 3) % 6) {
        case 0:
            fcollect(team, dest, round, bytes);
            break;
        case 1:
            alltoall(team, dest, round, bytes);
            break;
        case 2:
            reduce(team, draw(round, 4) % 2 ? dest : NULL, round, bytes);
            break;
        case 3:
            reducescatter(team, dest, round, bytes);
            break;
        default:
            broadcast(team, dest, round, bytes, (int)(draw(round, 5) % (uint32_t)team->n));
        }
    }
}

static void mixed_rounds(struct gsh_team *team)
{
    mixed(team, team->n <= 2 ? MIXED_ROUNDS : MIXED_ROUNDS / (3 * team->n));
}

static void mixed_few(struct gsh_team *team)
{
    mixed(team, 500);
}

/* Many broadcasts in a row from changing roots: nothing else holds the members
 * together. */
static void broadcasts(struct gsh_team *team)
{
    for (int i = 0; i < 3000; i++) {
        uint32_t round = (uint32_t)i;
        int root = (int)(draw(round, 6) % (uint32_t)team->n);

        if (word(round, team->my, 9) % 64 == 0)
            usleep(200);
        broadcast(team, dest_area + (size_t)i * 64, round, 8, root);
    }
}

/* After very many meetings the flags of what was not used since must not look new. */
static void after_long(struct gsh_team *team)
{
    for (int i = 0; i < 20; i++)
        ready(team, 64);
    if (team->my == 0)
        usleep(50 * 1000);
    broadcast(team, dest_area, 1, 64, 0);
    ready(team, 64);
    if (team->my == 0)
        usleep(50 * 1000);
    reduce(team, dest_area, 2, 64);
}

static const struct {
    const char *name;
    enum gsh_sync_kind kind;
    bool remote;
    int least, most;
} ways[] = {
    { "flat", GSH_SYNC_FLAT, false, 1, GSH_TEAM_SLOTS },
    { "rounds", GSH_SYNC_ROUNDS, false, 1, MEMBERS_MOST },
    { "counter", GSH_SYNC_COUNTER, false, 1, MEMBERS_MOST },
    { "rounds through a transport", GSH_SYNC_ROUNDS, true, 1, MEMBERS_MOST },
};

static void run(int way, int n, uint64_t seq, void (*body)(struct gsh_team *), const char *fact)
{
    struct members m = { .n = n,
                         .kind = ways[way].kind,
                         .remote = ways[way].remote,
                         .seq = seq,
                         .met_only = body == after_long };
    const char *wrong = members_run(&m, body);

    tap_ok(!wrong, "%s, %d PEs: %s%s%s", ways[way].name, n, fact, wrong ? ": " : "",
           wrong ? wrong : "");
}

int main(void)
{
    for (int way = 0; way < (int)(sizeof(ways) / sizeof(ways[0])); way++) {
        for (int n = ways[way].least; n <= ways[way].most; n++)
            run(way, n, 0, all_sizes, "all operations, sizes and roots");
        for (int n = 2; n <= 8; n += n < 5 ? 1 : 3) {
            run(way, n, 0, mixed_rounds, "mixed calls in a row");
            run(way, n, 0, broadcasts, "broadcasts in a row from changing roots");
            run(way, n, UINT32_MAX - 200, mixed_few, "the number of the call passes 2^32");
            run(way, n, (UINT64_C(1) << 40 | INT32_MAX) - 10, after_long,
                "old flags do not look new after 2^40 calls");
        }
    }
    return tap_end();
}
