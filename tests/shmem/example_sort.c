/* An example of sections 9.4 and 9.10: numbers are sorted over all PEs: an exclusive scan and
 * atomic operations say where each goes, in two teams at once, for odd and even PEs. */
// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { EACH = 1000, MOST = 16 };

static long counts[MOST], totals[MOST], before[MOST]; /* of each bucket */
static unsigned keys[EACH], sorted[EACH * MOST];

static int compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return (x > y) - (x < y);
}

/* Bucket b goes to rank b of the team. Returns how many keys are in the wrong place. */
static int sort(shmem_team_t team)
{
    int n = shmem_team_n_pes(team), rank = shmem_team_my_pe(team), wrong = 0;

    srand((unsigned)shmem_my_pe() + 1);
    for (int i = 0; i < EACH; i++) {
        keys[i] = (unsigned)rand() % 100000;
        counts[keys[i] * (unsigned)n / 100000]++;
    }
    shmem_sum_exscan(team, before, counts, n);
    shmem_sum_reduce(team, totals, counts, n);
    for (int i = 0; i < EACH; i++) {
        int b = (int)(keys[i] * (unsigned)n / 100000);
        int pe = shmem_team_translate_pe(team, b, SHMEM_TEAM_WORLD);

        shmem_put(&sorted[before[b]++], &keys[i], 1, pe);
    }
    shmem_quiet();
    shmem_sync(team);
    qsort(sorted, (size_t)totals[rank], sizeof(*sorted), compare);
    for (long i = 0; i < totals[rank]; i++)
        wrong +=
            (int)(sorted[i] * (unsigned)n / 100000) != rank || (i && sorted[i] < sorted[i - 1]);
    return wrong;
}

int main(void)
{
    shmem_team_t odd, even, mine;
    static int wrong, wrongs;
    static long all, sum;
    int n;

    shmem_init();
    n = shmem_n_pes();
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, NULL, 0, &even);
    odd = SHMEM_TEAM_INVALID;
    if (n > 1)
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, n / 2, NULL, 0, &odd);
    mine = even == SHMEM_TEAM_INVALID ? odd : even;
    wrong = sort(mine);
    all = totals[shmem_team_my_pe(mine)];
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &wrongs, &wrong, 1);
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &sum, &all, 1);
    wrongs += sum != (long)n * EACH;
    if (shmem_my_pe() == 0)
        printf("%sok 1 - two teams sort %ld numbers\n1..1\n", wrongs ? "not " : "", sum);
    shmem_team_destroy(mine);
    shmem_finalize();
    return wrongs != 0;
}
