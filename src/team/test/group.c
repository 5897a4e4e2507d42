/* Groups of linked PEs are the same whoever asks, each PE is in one, in order, and all in a group
 * are linked, whatever the links are. */
// SPDX-License-Identifier: BSD-3-Clause
#include "team/make.h"
#include "util/test/tap.h"

enum { MOST = 24 };

static int pes[MOST];

static bool always(int a, int b)
{
    (void)a, (void)b;
    return true;
}

static bool never(int a, int b)
{
    return a == b;
}

/* Two machines, eight PEs each. */
static bool by_host(int a, int b)
{
    return a / 8 == b / 8;
}

/* Fours in which each is linked with each, and each with one of the other four. */
static bool by_cube(int a, int b)
{
    return a / 4 == b / 4 || (a / 8 == b / 8 && a % 4 == b % 4);
}

static bool at_random(int a, int b)
{
    unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a + b) - low;

    return a == b || (low * 2654435761u ^ high * 40503u) >> 7 & 1;
}

static bool holds(const int *ranks, int n, int rank)
{
    for (int i = 0; i < n; i++)
        if (ranks[i] == rank)
            return true;
    return false;
}

static bool equal(const int *a, int n_a, const int *b, int n_b)
{
    for (int i = 0; n_a == n_b && i < n_a; i++)
        if (a[i] != b[i])
            return false;
    return n_a == n_b;
}

static bool is_group(const int *ranks, int n, bool (*linked)(int a, int b))
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (ranks[k] >= ranks[i] || !linked(pes[ranks[k]], pes[ranks[i]]))
                return false;
    return true;
}

static bool are_right(int n, bool (*linked)(int a, int b))
{
    for (int my = 0; my < n; my++) {
        int ranks[MOST], size = gsh_team_group(pes, n, my, linked, ranks);

        if (!holds(ranks, size, my) || !is_group(ranks, size, linked))
            return false;
        for (int i = 0; i < size; i++) {
            int theirs[MOST], n_theirs = gsh_team_group(pes, n, ranks[i], linked, theirs);

            if (!equal(ranks, size, theirs, n_theirs))
                return false;
        }
    }
    return true;
}

static void try_all(bool (*linked)(int a, int b), const char *what)
{
    bool right = true;

    for (int n = 1; n <= MOST; n++)
        right &= are_right(n, linked);
    tap_ok(right, "groups of 1 to %d PEs, %s", MOST, what);
}

int main(void)
{
    static const int upper[] = { 4, 5, 6, 7 };
    int ranks[MOST], n;

    for (int i = 0; i < MOST; i++)
        pes[i] = i;
    try_all(always, "all linked");
    try_all(never, "none linked");
    try_all(by_host, "linked in eights");
    try_all(by_cube, "linked in fours and across");
    try_all(at_random, "linked at random");
    n = gsh_team_group(pes, 8, 6, by_cube, ranks);
    tap_ok(equal(ranks, n, upper, 4), "two fours with links across are two groups of four");
    for (int i = 0; i < MOST; i++)
        pes[i] = (i * 7 + 3) % MOST;
    try_all(at_random, "linked at random, in another order");
    return tap_end();
}
