/* An example of sections 9.6 and 9.10: a rod that is hot at one end is divided among the PEs,
 * which exchange its borders with put, and its heat falls evenly in the end. */
// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <shmem.h>
#include <stdio.h>

enum { OWN = 8, STEPS = 20000 };

static double rod[OWN + 2], next_rod[OWN + 2]; /* a border cell at each end */
static double change, largest;

static double step(void)
{
    double most = 0;

    for (int i = 1; i <= OWN; i++) {
        double moved;

        next_rod[i] = (rod[i - 1] + rod[i + 1]) / 2;
        moved = fabs(next_rod[i] - rod[i]);
        most = moved > most ? moved : most;
    }
    for (int i = 1; i <= OWN; i++)
        rod[i] = next_rod[i];
    return most;
}

int main(void)
{
    int me, n, steps = 0, wrong = 0;
    static int wrongs;

    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    if (me == 0)
        rod[0] = 100;
    do {
        if (me > 0)
            shmem_p(&rod[OWN + 1], rod[1], me - 1);
        if (me < n - 1)
            shmem_p(&rod[0], rod[OWN], me + 1);
        shmem_barrier_all();
        change = step();
        shmem_max_reduce(SHMEM_TEAM_WORLD, &largest, &change, 1);
    } while (largest > 1e-7 && ++steps < STEPS);
    for (int i = 1; i <= OWN; i++) {
        double want = 100.0 * (n * OWN + 1 - (me * OWN + i)) / (n * OWN + 1);

        wrong += fabs(rod[i] - want) > 0.01;
    }
    shmem_atomic_add(&wrongs, wrong, 0);
    shmem_barrier_all();
    if (me == 0)
        printf("%sok 1 - the heat falls evenly along the rod\n1..1\n", wrongs ? "not " : "");
    shmem_finalize();
    return wrong != 0;
}
