/* A job that ends in the way that its arguments say: WAY [PE [STATUS]]. */
// SPDX-License-Identifier: BSD-3-Clause
#include <nvshmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void again(void)
{
    for (int i = 0; i < 5; i++) {
        nvshmem_barrier_all();
        nvshmem_finalize();
        nvshmem_init();
    }
    nvshmem_finalize();
    printf("again\n");
}

int main(int argc, char **argv)
{
    const char *way = argv[1];
    int pe = argc > 2 ? atoi(argv[2]) : 0;

    nvshmem_init();
    nvshmem_barrier_all();
    if (!strcmp(way, "return"))
        return 0;
    if (!strcmp(way, "again")) {
        again();
        return 0;
    }
    if (nvshmem_my_pe() == pe && !strcmp(way, "kill"))
        kill(getpid(), SIGKILL);
    if (nvshmem_my_pe() == pe && !strcmp(way, "exit")) {
        printf("the last word\n");
        nvshmem_global_exit(atoi(argv[3]));
    }
    if (nvshmem_my_pe() == pe && !strcmp(way, "mistake"))
        nvshmem_int_p(NULL, 1, 77);
    nvshmem_barrier_all();
    nvshmem_finalize();
    return 0;
}
