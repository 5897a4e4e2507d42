/* What an MPI communicator may be, and when: a case an argument. */
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int init_with(MPI_Comm *comm)
{
    nvshmemx_init_attr_t attr;

    nvshmemx_set_attr_mpi_comm_args(comm, &attr);
    return nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr);
}

/* The world has the ranks of comm, and the communicator may go at once. */
static int works(MPI_Comm comm)
{
    MPI_Comm own;
    int rank, size, good;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_dup(comm, &own);
    if (init_with(&own))
        return 0;
    MPI_Comm_free(&own);
    good = nvshmem_my_pe() == rank && nvshmem_n_pes() == size;
    nvshmem_barrier_all();
    nvshmem_finalize();
    return good;
}

static int refused(MPI_Comm *comm, const char *text)
{
    return init_with(comm) && strstr(nvshmemx_last_error(), text);
}

static int again(void)
{
    return works(MPI_COMM_WORLD) && works(MPI_COMM_SELF) && works(MPI_COMM_WORLD);
}

static int dup(void)
{
    MPI_Comm comm;
    int good;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    good = works(comm);
    MPI_Comm_free(&comm);
    return good;
}

static void *work(void *good)
{
    *(int *)good = works(MPI_COMM_WORLD);
    return NULL;
}

static int thread(void)
{
    pthread_t other;
    int good = 0;

    pthread_create(&other, NULL, work, &good);
    pthread_join(other, NULL);
    return good;
}

static int null(void)
{
    MPI_Comm comm = MPI_COMM_NULL;

    return refused(&comm, "MPI_COMM_NULL") && refused(NULL, "got NULL");
}

static int inter(void)
{
    MPI_Comm half, both;
    int rank, good;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &both);
    good = refused(&both, "inter-communicator");
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    return good;
}

static int early(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    return refused(&comm, "MPI_Init");
}

/* The process manager has two clients in each process. */
static int beside(void)
{
    int rank, good;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    nvshmem_init();
    good = nvshmem_my_pe() == rank && nvshmem_n_pes() == 4;
    nvshmem_barrier_all();
    nvshmem_finalize();
    return good;
}

static int second(void)
{
    int good;
    MPI_Comm comm = MPI_COMM_WORLD;

    good = !init_with(&comm);
    nvshmem_init();
    nvshmem_finalize();
    nvshmem_barrier_all();
    nvshmem_finalize();
    return good;
}

/* clang-format off */
static const struct fact {
    const char *name;
    int level; /* of MPI threads; -1: MPI is initialised behind the case */
    int (*holds)(void);
} facts[] = {
    { "again", MPI_THREAD_SINGLE, again }, /* worlds over MPI_COMM_WORLD and MPI_COMM_SELF follow one another */
    { "dup", MPI_THREAD_FUNNELED, dup }, /* a duplicate may be freed when init has returned */
    { "thread", MPI_THREAD_MULTIPLE, thread }, /* init may be called by any thread that may call MPI */
    { "null", MPI_THREAD_SINGLE, null }, /* MPI_COMM_NULL and a null pointer are refused */
    { "inter", MPI_THREAD_SINGLE, inter }, /* an inter-communicator is refused */
    { "early", -1, early }, /* init before MPI_Init is refused */
    { "beside", MPI_THREAD_SINGLE, beside }, /* an MPI program may leave the choice to the environment */
    { "second", MPI_THREAD_SINGLE, second }, /* a second init shares the world of the communicator */
};
/* clang-format on */

int main(int argc, char **argv)
{
    const struct fact *fact = facts;
    int good = 0;
    int provided;

    while (strcmp(fact->name, argv[1]))
        fact++;
    if (fact->level < 0)
        good = fact->holds();
    MPI_Init_thread(&argc, &argv, fact->level < 0 ? MPI_THREAD_SINGLE : fact->level, &provided);
    if (fact->level >= 0)
        good = fact->holds();
    printf("%s\n", good ? "fine" : "wrong");
    fflush(stdout);
    MPI_Finalize();
    return !good;
}
