/* mpi_comm.c - the ranks of an MPI communicator become PEs: first all of them, then
 * the two halves of the job, each a world of its own.
 *
 *     $ CC=mpicc.openmpi gshcc mpi_comm.c -o mpi_comm
 *     $ mpirun.openmpi -n 4 ./mpi_comm
 *     $ CC=mpicc.mpich gshcc mpi_comm.c -o mpi_comm
 *     $ mpiexec.hydra -n 4 ./mpi_comm
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>

/* Each PE writes its rank of MPI_COMM_WORLD to the next PE of the communicator. */
static void visit(MPI_Comm comm, int rank, const char *name)
{
    nvshmemx_init_attr_t attr;
    int me, n;
    int *from;

    nvshmemx_set_attr_mpi_comm_args(&comm, &attr);
    if (nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr)) {
        fprintf(stderr, "%s\n", nvshmemx_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    from = nvshmem_malloc(sizeof(*from));
    nvshmem_int_p(from, rank, (me + 1) % n);
    nvshmem_barrier_all();
    printf("%s: rank %d is PE %d of %d, rank %d is before it\n", name, rank, me, n, *from);
    nvshmem_free(from);
    nvshmem_finalize();
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    visit(MPI_COMM_WORLD, rank, "world");

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    visit(half, rank, rank % 2 ? "odd" : "even");
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
