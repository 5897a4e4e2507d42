/* unique_id.c - rank 0 makes a unique id and MPI carries it to the others, as
 * frameworks do that have a channel of their own. Any channel that moves 128 bytes
 * will do; gshmem does not know of it.
 *
 *     $ CC=mpicc.openmpi gshcc unique_id.c -o unique_id
 *     $ mpirun.openmpi -n 4 ./unique_id
 *     $ CC=mpicc.mpich gshcc unique_id.c -o unique_id
 *     $ mpiexec.hydra -n 4 ./unique_id
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    int rank, n_ranks;
    int *count;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);

    if (rank == 0)
        nvshmemx_get_uniqueid(&id);
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    nvshmemx_set_attr_uniqueid_args(rank, n_ranks, &id, &attr);
    if (nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr)) {
        fprintf(stderr, "%s\n", nvshmemx_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    count = nvshmem_calloc(1, sizeof(*count));
    nvshmem_int_atomic_inc(count, 0);
    nvshmem_barrier_all();
    if (nvshmem_my_pe() == 0)
        printf("PE 0 has counted %d of %d PEs\n", *count, nvshmem_n_pes());
    nvshmem_free(count);
    nvshmem_finalize();
    MPI_Finalize();
    return 0;
}
