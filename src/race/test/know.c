/* What is known of threads, blocks and grids is looked up, joined and shortened rightly. */
// SPDX-License-Identifier: BSD-3-Clause
#include "race/know.h"

#include <stdio.h>

static int n, failed;

static void ok(bool good, const char *fact)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++n, fact);
    failed |= !good;
}

static uint64_t thread(uint64_t grid, uint64_t block, uint64_t rank)
{
    return gsh_race_key(3, grid, block + 1, rank + 1);
}

static void look_up(void)
{
    struct gsh_race_know *know = NULL;

    ok(!gsh_race_know_has(know, thread(1, 0, 0), 1), "who knows nothing knows no moment");
    gsh_race_know_raise(&know, thread(1, 0, 5), 7);
    ok(gsh_race_know_has(know, thread(1, 0, 5), 7), "a thread is known up to its clock");
    ok(!gsh_race_know_has(know, thread(1, 0, 5), 8), "a thread is not known beyond its clock");
    ok(!gsh_race_know_has(know, gsh_race_in_domain(thread(1, 0, 5), GSH_RACE_ASYNC), 1),
       "to know a thread is not to know that its puts are complete");
    gsh_race_know_complete(&know, 2);
    ok(!gsh_race_know_has(know, gsh_race_in_domain(thread(1, 0, 5), GSH_RACE_ASYNC), 7),
       "a quiet completes no puts of other PEs");
    gsh_race_know_complete(&know, 3);
    ok(gsh_race_know_has(know, gsh_race_in_domain(thread(1, 0, 5), GSH_RACE_ASYNC), 7),
       "a quiet completes the puts of the own PE that are known");
    gsh_race_know_drop(know);
}

static void cover(void)
{
    struct gsh_race_know *know = NULL;

    for (uint64_t rank = 0; rank < 64; rank++)
        gsh_race_know_raise(&know, thread(1, 0, rank), 3);
    gsh_race_know_raise(&know, thread(1, 1, 0), 3);
    gsh_race_know_cover(&know, gsh_race_warp_of(thread(1, 0, 33)), 4);
    ok(know->n == 34, "a warp takes the place of its 32 threads");
    ok(gsh_race_know_has(know, thread(1, 0, 63), 4) &&
           !gsh_race_know_has(know, thread(1, 0, 31), 4),
       "a warp stands for its own threads only");
    gsh_race_know_cover(&know, gsh_race_block_of(thread(1, 0, 0)), 4);
    ok(know->n == 2, "a block takes the place of its threads and warps");
    gsh_race_know_raise(&know, thread(1, 0, 9), 6);
    gsh_race_know_cover(&know, gsh_race_block_of(thread(1, 0, 0)), 5);
    ok(gsh_race_know_has(know, thread(1, 0, 9), 6) && !gsh_race_know_has(know, thread(1, 0, 8), 6),
       "a thread that is known further than its block stays");
    gsh_race_know_cover(&know, gsh_race_grid_of(thread(1, 0, 0)), GSH_RACE_ALL);
    ok(know->n == 1, "a grid takes the place of its blocks");
    gsh_race_know_drop(know);
}

static void rows(void)
{
    struct gsh_race_know *know = NULL;

    gsh_race_know_raise(&know, gsh_race_key(3, 0, 0, 0), 0);
    for (uint64_t grid = 1; grid <= 100; grid++)
        if (grid != 50)
            gsh_race_know_cover(&know, gsh_race_key(3, grid, 0, 0), GSH_RACE_ALL);
    ok(know->n == 51 && !gsh_race_know_has(know, thread(50, 0, 0), 1),
       "a row of ended grids stops at one that has not ended");
    gsh_race_know_cover(&know, gsh_race_key(3, 50, 0, 0), GSH_RACE_ALL);
    ok(know->n == 1 && gsh_race_know_has(know, thread(50, 8, 1), 1000) &&
           gsh_race_know_has(know, thread(100, 0, 0), 1) &&
           !gsh_race_know_has(know, thread(101, 0, 0), 1),
       "a hundred ended grids are one entry");
    gsh_race_know_drop(know);
}

static void share(void)
{
    struct gsh_race_know *a = NULL, *b = NULL, *both;

    gsh_race_know_raise(&a, thread(1, 0, 0), 5);
    gsh_race_know_raise(&a, thread(1, 0, 2), 1);
    gsh_race_know_raise(&b, thread(1, 0, 1), 2);
    gsh_race_know_raise(&b, thread(1, 0, 2), 4);
    both = gsh_race_know_use(a);
    gsh_race_know_add(&both, b);
    ok(both->n == 3 && gsh_race_know_has(both, thread(1, 0, 0), 5) &&
           gsh_race_know_has(both, thread(1, 0, 1), 2) &&
           gsh_race_know_has(both, thread(1, 0, 2), 4),
       "a sum knows what one of the two knows");
    ok(a->n == 2 && !gsh_race_know_has(a, thread(1, 0, 1), 1), "a shared value is not changed");
    gsh_race_know_drop(a);
    gsh_race_know_drop(b);
    gsh_race_know_drop(both);
}

static void cut(void)
{
    struct gsh_race_know *all = NULL, *part = NULL, *blocks;

    gsh_race_know_raise(&all, gsh_race_key(3, 0, 0, 0), 4);
    for (uint64_t rank = 0; rank < 8; rank++)
        gsh_race_know_raise(&all, thread(6, rank / 4, rank), 3 + (uint32_t)rank);
    gsh_race_know_raise(&part, thread(2, 0, 0), 100);
    gsh_race_know_raise(&part, thread(6, 0, 1), 4);
    ok(gsh_race_list_covers(gsh_race_know_list(all), gsh_race_know_list(part)) &&
           !gsh_race_list_covers(gsh_race_know_list(part), gsh_race_know_list(all)),
       "moments of grids in the row of those that have ended are covered");
    blocks = gsh_race_know_by_block(all);
    ok(blocks->n == 3 && gsh_race_know_has(blocks, thread(6, 1, 0), 10) &&
           !gsh_race_know_has(blocks, thread(6, 0, 0), 7),
       "a block stands for its threads up to the latest of them");
    gsh_race_know_cut(&all, gsh_race_block_of(thread(6, 0, 0)));
    ok(all->n == 5 && !gsh_race_know_has(all, thread(6, 0, 0), 1), "a block can be cut out");
    gsh_race_know_end(&all, thread(6, 0, 0), 6);
    ok(all->n == 1 && gsh_race_know_has(all, thread(6, 0, 0), 1000),
       "a row that goes on takes the place of what it covers");
    gsh_race_know_drop(blocks);
    gsh_race_know_drop(part);
    gsh_race_know_drop(all);
}

int main(void)
{
    look_up();
    cover();
    rows();
    share();
    cut();
    printf("1..%d\n", n);
    return failed;
}
