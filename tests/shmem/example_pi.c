/* An example of section 9.10: each PE integrates a part of a quarter circle, and a reduction adds
 * the parts to pi. */
// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>

int main(void)
{
    enum { STEPS = 1000000 };
    double *part, *pi;
    int good;

    shmem_init();
    part = shmem_calloc(2, sizeof(*part));
    pi = part + 1;
    for (int i = shmem_my_pe(); i < STEPS; i += shmem_n_pes()) {
        double x = (i + 0.5) / STEPS;

        *part += 4 / (1 + x * x) / STEPS;
    }
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, pi, part, 1);
    good = *pi > 3.14159265 && *pi < 3.14159266;
    if (shmem_my_pe() == 0)
        printf("%sok 1 - pi is %.8f\n1..1\n", good ? "" : "not ", *pi);
    shmem_free(part);
    shmem_finalize();
    return !good;
}
