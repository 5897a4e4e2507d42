/* A module that has MPI to itself: MPI is loaded with it, out of sight of the rest. */
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <stddef.h>

static MPI_Comm world;

void *module_begin(void);
void module_end(void);

void *module_begin(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    return &world;
}

void module_end(void)
{
    MPI_Comm_free(&world);
    MPI_Finalize();
}
