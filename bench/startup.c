/* startup.c - a program that only starts and ends; PE 0 prints the milliseconds of
 * init, and then of finalize. */
// SPDX-License-Identifier: BSD-3-Clause
#include "api.h"

#include <stdio.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(void)
{
    double start = now_ms(), up, down;
    int me;

    nvshmem_init();
    up = now_ms();
    me = nvshmem_my_pe();
    if (me == 0) {
        printf("%.3f\n", up - start);
        fflush(stdout);
    }
    down = now_ms();
    nvshmem_finalize();
    if (me == 0)
        printf("%.3f\n", now_ms() - down);
    return 0;
}
