/* openshmem.c - a program of another OpenSHMEM, here Open MPI's, uses gshmem beside
 * it: the PEs of the one are those of the other.
 *
 *     $ /usr/bin/oshcc openshmem.c -o openshmem -loshmem $(pkg-config --cflags --libs gshmem)
 *     $ mpirun.openmpi --mca btl ^uct -n 4 ./openshmem
 *
 * The shmem_ calls are those of the library that comes first when the program is
 * linked. The setting is for Debian 12, where without it every OpenSHMEM program of
 * Open MPI 4.1.4 crashes in shmem_finalize().
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <nvshmem.h>
#include <nvshmemx.h>
#include <shmem.h>
#include <stdio.h>

int main(void)
{
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    long *ours, *theirs;

    shmem_init();
    if (nvshmemx_init_attr(NVSHMEMX_INIT_WITH_SHMEM, &attr)) {
        fprintf(stderr, "%s\n", nvshmemx_last_error());
        shmem_global_exit(1);
    }
    theirs = shmem_malloc(sizeof(*theirs));
    ours = nvshmem_malloc(sizeof(*ours));
    shmem_long_p(theirs, shmem_my_pe(), (shmem_my_pe() + 1) % shmem_n_pes());
    nvshmem_long_p(ours, nvshmem_my_pe(), (nvshmem_my_pe() + 1) % nvshmem_n_pes());
    shmem_barrier_all();
    nvshmem_barrier_all();
    printf("PE %d of %d: %ld and %ld\n", nvshmem_my_pe(), nvshmem_n_pes(), *theirs, *ours);
    nvshmem_free(ours);
    shmem_free(theirs);
    nvshmem_finalize();
    shmem_finalize();
    return 0;
}
