/* The arithmetic of the collectives is right for 1 to 64 ranks and every root: all hear of
 * all, every rank has one parent, slices cover all elements once. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/schedule.h"
#include "team/team.h"
#include "util/test/tap.h"

#include <stdint.h>
#include <string.h>

enum { MOST = 64 };

/* After the rounds each rank has heard, over others, of all. */
static bool all_hear_of_all(int n)
{
    uint64_t heard[MOST], next[MOST];
    uint64_t all = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;

    for (int i = 0; i < n; i++)
        heard[i] = UINT64_C(1) << i;
    for (int r = 0; r < gsh_rounds(n); r++) {
        memcpy(next, heard, sizeof(next));
        for (int i = 0; i < n; i++)
            next[gsh_round_to(i, r, n)] |= heard[i];
        memcpy(heard, next, sizeof(heard));
    }
    for (int i = 0; i < n; i++)
        if (heard[i] != all)
            return false;
    return true;
}

/* In each round each rank is signalled by one other rank, so that a flag for each
 * round suffices. */
static bool one_writer_a_flag(int n)
{
    for (int r = 0; r < gsh_rounds(n); r++) {
        uint64_t told = 0;

        for (int i = 0; i < n; i++) {
            int to = gsh_round_to(i, r, n);

            if (to < 0 || to >= n || to == i || told >> to & 1)
                return false;
            told |= UINT64_C(1) << to;
        }
    }
    return true;
}

/* From the root over children every rank is reached once. */
static bool is_tree(int n, int root)
{
    int queue[MOST] = { root };
    int parents[MOST] = { 0 };
    int first = 0, end = 1;

    parents[root] = 1;
    while (first < end) {
        int children[GSH_TREE_FAN];
        int count = gsh_tree_children(queue[first++], root, n, children);

        for (int i = 0; i < count; i++) {
            if (children[i] < 0 || children[i] >= n || parents[children[i]]++)
                return false;
            queue[end++] = children[i];
        }
    }
    return end == n;
}

static bool slices_cover(size_t nelems, size_t unit, int n)
{
    size_t next = 0;

    for (int rank = 0; rank < n; rank++) {
        size_t first;
        size_t count = gsh_slice(nelems, unit, rank, n, &first);

        if (first != next || (count && first % unit))
            return false;
        next = first + count;
    }
    return next == nelems;
}

/* The largest slice is at most a unit above the mean. */
static bool slices_are_fair(size_t nelems, size_t unit, int n)
{
    for (int rank = 0; rank < n; rank++) {
        size_t first;
        size_t count = gsh_slice(nelems, unit, rank, n, &first);

        if (count > nelems / (size_t)n + unit)
            return false;
    }
    return true;
}

/* Small data has to fit the slots of a team, or the buffer on the stack. */
static bool paths_fit(size_t bytes, int n, int crowded)
{
    enum gsh_path path = gsh_reduce_path(bytes, n, crowded);

    if (path == GSH_SLOTS && (n > GSH_TEAM_SLOTS || bytes > GSH_TEAM_SMALL))
        return false;
    if (path == GSH_READ_ALL && bytes > GSH_TEAM_SMALL)
        return false;
    if (path != GSH_SLOTS && path != GSH_READ_ALL && path != GSH_TWO_SHOT)
        return false;
    path = gsh_broadcast_path(bytes, n, crowded);
    return path == GSH_PUSH || path == GSH_TREE || path == GSH_PULL;
}

int main(void)
{
    static const size_t units[] = { 1, 8, 64 };
    bool hear = true, writer = true, tree = true, cover = true, fair = true, fit = true;

    for (int n = 1; n <= MOST; n++) {
        hear &= all_hear_of_all(n);
        writer &= one_writer_a_flag(n);
        for (int root = 0; root < n; root++)
            tree &= is_tree(n, root);
        for (size_t u = 0; u < 3; u++) {
            for (size_t nelems = 0; nelems < 1500; nelems += nelems < 300 ? 1 : 61) {
                cover &= slices_cover(nelems, units[u], n);
                fair &= slices_are_fair(nelems, units[u], n);
            }
            cover &= slices_cover((size_t)1 << 40 | 5, units[u], n);
        }
        for (size_t bytes = 0; bytes < 100000; bytes += 511)
            fit &= paths_fit(bytes, n, 0) && paths_fit(bytes, n, 1);
    }
    tap_ok(hear, "after the rounds of a dissemination every rank has heard of every other");
    tap_ok(writer, "no two ranks signal the same rank in one round, and none itself");
    tap_ok(gsh_rounds(65536) == GSH_TEAM_FLAGS, "the flags suffice for 65536 ranks");
    tap_ok(tree, "every rank is the child of one rank, whatever the root");
    tap_ok(cover, "slices cover all elements once, in order, from multiples of the unit");
    tap_ok(fair, "no slice is more than a unit above the mean");
    tap_ok(fit, "a way is chosen only for what fits it");
    return tap_end();
}
