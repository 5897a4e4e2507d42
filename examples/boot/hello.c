/* hello.c - a job that any launcher may start: init asks the environment who did.
 *
 *     $ gshcc hello.c -o hello
 *     $ gshrun -n 4 ./hello
 *     $ mpirun.openmpi -n 4 ./hello
 *     $ mpiexec.hydra -n 4 ./hello
 *     $ NVSHMEM_BOOTSTRAP_PMI=PMI-2 mpiexec.hydra -n 4 ./hello
 *     $ seq 0 3 | xargs -P4 -I% env RANK=% WORLD_SIZE=4 MASTER_ADDR=::1 MASTER_PORT=9999 ./hello
 *
 * Open MPI's mpirun starts the PEs through PMIx, MPICH's hydra through PMI. The last line sets
 * what torchrun does: torchrun --no-python --nproc-per-node 4 ./hello. The program needs nothing
 * of any of them. With NVSHMEM_DEBUG=INFO it says which it took.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <nvshmem.h>
#include <stdio.h>

int main(void)
{
    int *sum, *mine;

    nvshmem_init();
    mine = nvshmem_malloc(sizeof(*mine));
    sum = nvshmem_malloc(sizeof(*sum));
    *mine = nvshmem_my_pe() + 1;
    nvshmem_int_sum_reduce(NVSHMEM_TEAM_WORLD, sum, mine, 1);
    printf("PE %d of %d: the sum is %d\n", nvshmem_my_pe(), nvshmem_n_pes(), *sum);
    nvshmem_free(sum);
    nvshmem_free(mine);
    nvshmem_finalize();
    return 0;
}
