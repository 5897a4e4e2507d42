/* schedule.c - the arithmetic of the collectives. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/schedule.h"
#include "team/team.h"

enum { PULL_BYTES = 64 << 10 };

int gsh_rounds(int n)
{
    int rounds = 0;

    while (1 << rounds < n)
        rounds++;
    return rounds;
}

int gsh_round_to(int rank, int round, int n)
{
    return (int)((rank + (1L << round)) % n);
}

int gsh_round_from(int rank, int round, int n)
{
    return (int)((rank - (1L << round) % n + n) % n);
}

int gsh_tree_children(int rank, int root, int n, int children[GSH_TREE_FAN])
{
    long place = (rank - root + n) % n; /* the root has place 0 */
    int count = 0;

    for (long child = place * GSH_TREE_FAN + 1;
         child <= place * GSH_TREE_FAN + GSH_TREE_FAN && child < n; child++)
        children[count++] = (int)((child + root) % n);
    return count;
}

size_t gsh_slice(size_t nelems, size_t unit, int rank, int n, size_t *first)
{
    size_t units = (nelems + unit - 1) / unit;
    size_t each = (units + (size_t)n - 1) / (size_t)n * unit;
    size_t start = each * (size_t)rank;

    *first = start < nelems ? start : nelems;
    return nelems - *first < each ? nelems - *first : each;
}

enum gsh_path gsh_broadcast_path(size_t bytes, int n, int crowded)
{
    if (n > 2 && bytes >= PULL_BYTES && !crowded)
        return GSH_PULL;
    return n <= GSH_TEAM_SLOTS ? GSH_PUSH : GSH_TREE;
}

enum gsh_path gsh_reduce_path(size_t bytes, int n, int crowded)
{
    if (bytes > GSH_TEAM_SMALL)
        return GSH_TWO_SHOT;
    return n <= GSH_TEAM_SLOTS && !(crowded && n > 2) ? GSH_SLOTS : GSH_READ_ALL;
}
