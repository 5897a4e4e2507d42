/* mpi.c - the boot method over an MPI communicator: the ranks of the communicator
 * are the PEs.
 *
 * The program has MPI; this library does not depend on one. Open MPI and MPICH (and
 * what descends from them) differ in what a handle is: a pointer, or an int. Which
 * it is, the symbols of the library in the process tell.
 *
 * MPI is called by the thread that calls init, in init alone, so any thread level
 * will do, and the communicator may be freed when init has returned. Without a
 * communicator the method takes MPI_COMM_WORLD, loads an MPI if the process has
 * none, and initialises it if the program has not; then it also finalizes it, when
 * the process exits.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "boot/star.h"
#include "core/log.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Handles of MPICH are ints with these values. */
enum {
    MPICH_COMM_NULL = 0x04000000,
    MPICH_COMM_WORLD = 0x44000000,
    MPICH_BYTE = 0x4c00010d,
};

/* The calls that take no handle are the same in both. */
static struct {
    int (*finalize)(void);
    int (*finalized)(int *flag);
    int (*init)(int *argc, char ***argv);
    int (*initialized)(int *flag);
} common;

static struct {
    int (*barrier)(void *comm);
    int (*bcast)(void *at, int count, void *type, int root, void *comm);
    int (*is_inter)(void *comm, int *flag);
    int (*rank)(void *comm, int *rank);
    int (*size)(void *comm, int *size);
    void *byte;
    void *null;
    void *world;
} open_mpi;

static struct {
    int (*barrier)(int comm);
    int (*bcast)(void *at, int count, int type, int root, int comm);
    int (*is_inter)(int comm, int *flag);
    int (*rank)(int comm, int *rank);
    int (*size)(int comm, int *size);
} mpich;

/* One table says how the communicator is used. */
struct family {
    const char *name;
    int (*bcast)(const void *comm, void *at, int bytes);
    int (*barrier)(const void *comm);
    /* Reads rank and size; false when it is MPI_COMM_NULL or has two groups. */
    bool (*place)(const void *comm, int *rank, int *size);
};

/* ---- Open MPI; comm points to the handle ---- */

static void *pointer_of(const void *comm)
{
    return comm ? *(void *const *)comm : open_mpi.world;
}

static int pointer_bcast(const void *comm, void *at, int bytes)
{
    return open_mpi.bcast(at, bytes, open_mpi.byte, 0, pointer_of(comm));
}

static int pointer_barrier(const void *comm)
{
    return open_mpi.barrier(pointer_of(comm));
}

static bool pointer_place(const void *comm, int *rank, int *size)
{
    void *handle = pointer_of(comm);
    int inter = 0;

    return handle && handle != open_mpi.null && !open_mpi.is_inter(handle, &inter) && !inter &&
           !open_mpi.rank(handle, rank) && !open_mpi.size(handle, size);
}

/* ---- MPICH ---- */

static int number_of(const void *comm)
{
    return comm ? *(const int *)comm : MPICH_COMM_WORLD;
}

static int number_bcast(const void *comm, void *at, int bytes)
{
    return mpich.bcast(at, bytes, MPICH_BYTE, 0, number_of(comm));
}

static int number_barrier(const void *comm)
{
    return mpich.barrier(number_of(comm));
}

static bool number_place(const void *comm, int *rank, int *size)
{
    int handle = number_of(comm);
    int inter = 0;

    return handle && handle != MPICH_COMM_NULL && !mpich.is_inter(handle, &inter) && !inter &&
           !mpich.rank(handle, rank) && !mpich.size(handle, size);
}

static const struct family families[] = {
    { "Open MPI", pointer_bcast, pointer_barrier, pointer_place },
    { "MPICH", number_bcast, number_barrier, number_place },
};

/* ---- Finding the library ---- */

struct symbol {
    const char *name;
    void *at;
};

static const struct symbol common_symbols[] = {
    { "MPI_Finalize", &common.finalize },
    { "MPI_Finalized", &common.finalized },
    { "MPI_Init", &common.init },
    { "MPI_Initialized", &common.initialized },
    { NULL, NULL },
};

static const struct symbol open_mpi_symbols[] = {
    { "MPI_Barrier", &open_mpi.barrier },
    { "MPI_Bcast", &open_mpi.bcast },
    { "MPI_Comm_rank", &open_mpi.rank },
    { "MPI_Comm_size", &open_mpi.size },
    { "MPI_Comm_test_inter", &open_mpi.is_inter },
    { "ompi_mpi_byte", &open_mpi.byte },
    { "ompi_mpi_comm_null", &open_mpi.null },
    { "ompi_mpi_comm_world", &open_mpi.world },
    { NULL, NULL },
};

static const struct symbol mpich_symbols[] = {
    { "MPI_Barrier", &mpich.barrier },          { "MPI_Bcast", &mpich.bcast },
    { "MPI_Comm_rank", &mpich.rank },           { "MPI_Comm_size", &mpich.size },
    { "MPI_Comm_test_inter", &mpich.is_inter }, { NULL, NULL },
};

/* By the names that distributions give them; the last two are MPICH's. */
static const char *const libraries[] = { "libmpi.so.40", "libmpich.so.12", "libmpi.so.12" };

static int fill(void *library, const struct symbol *symbols)
{
    for (; symbols->name; symbols++) {
        void *symbol = dlsym(library, symbols->name);

        if (!symbol)
            return gsh_fail(-ELIBBAD, "the MPI in this process has no %s", symbols->name);
        memcpy(symbols->at, &symbol, sizeof(symbol));
    }
    return 0;
}

static void *open_any(int flags)
{
    /* The launcher's own MPI first. */
    size_t n = sizeof(libraries) / sizeof(libraries[0]);
    size_t first = getenv("OMPI_COMM_WORLD_SIZE") ? 0 : 1;
    void *library = NULL;

    for (size_t i = 0; i < n && !library; i++)
        library = dlopen(libraries[(first + i) % n], flags);
    return library;
}

/* The MPI that the program is linked with, else one that was loaded apart (as a
 * module of Python does), else, when `load`, any there is. */
static bool find_library(bool load, void **library)
{
    *library = RTLD_DEFAULT;
    if (dlsym(*library, "MPI_Comm_rank"))
        return true;
    *library = open_any(RTLD_LAZY | RTLD_NOLOAD);
    if (!*library && load)
        *library = open_any(RTLD_LAZY | RTLD_GLOBAL); /* Open MPI's plug-ins need it so */
    return *library != NULL;
}

static int find_family(bool load, const struct family **family)
{
    bool is_open_mpi;
    void *library;
    int err;

    if (!find_library(load, &library))
        return gsh_fail(-ELIBACC, "there is no MPI in this process%s",
                        load ? ", and none can be loaded (libmpi.so.40, libmpich.so.12)"
                             : ": link the program with the MPI whose communicator it passes");
    is_open_mpi = dlsym(library, "ompi_mpi_comm_world") != NULL;
    *family = &families[is_open_mpi ? 0 : 1];
    err = fill(library, common_symbols);
    return err ? err : fill(library, is_open_mpi ? open_mpi_symbols : mpich_symbols);
}

/* ---- The method ---- */

static void finalize(void)
{
    int over = 1;

    common.finalized(&over);
    if (!over)
        common.finalize();
}

/* MPI must be between its init and its finalize. */
static int make_ready(bool may_init)
{
    int begun = 0;
    int over = 0;

    common.initialized(&begun);
    common.finalized(&over);
    if (over)
        return gsh_fail(-EINVAL, "MPI has been finalized in this process; init gshmem before");
    if (begun)
        return 0;
    if (!may_init)
        return gsh_fail(-EINVAL, "call MPI_Init before nvshmemx_init_attr() with a communicator");
    if (common.init(NULL, NULL))
        return gsh_fail(-EPROTO, "MPI_Init failed");
    atexit(finalize);
    return 0;
}

struct world {
    const struct family *family;
    const void *comm;
};

/* The barrier keeps PE 0 in MPI until all have the block: many an MPI delivers only
 * while it is called. */
static int broadcast(void *ctx, void *block, size_t bytes)
{
    const struct world *world = ctx;

    if (world->family->bcast(world->comm, block, (int)bytes) || world->family->barrier(world->comm))
        return gsh_fail(-EPROTO, "%s could not broadcast the unique id", world->family->name);
    return 0;
}

static int open_job(struct gsh_boot *boot, const void *arg)
{
    static const struct gsh_starter starter = { .broadcast = broadcast };
    static struct world world;
    int err = find_family(!arg, &world.family);

    world.comm = arg;
    if (!err)
        err = make_ready(!arg);
    if (err)
        return err;
    if (!world.family->place(arg, &boot->rank, &boot->n_ranks))
        return gsh_fail(-EINVAL,
                        "the communicator is MPI_COMM_NULL, an inter-communicator, or none of %s, "
                        "which is the MPI in this process",
                        world.family->name);
    gsh_log(GSH_INFO, GSH_BOOT, "communicator of %s", world.family->name);
    return gsh_star_open(boot, &starter, &world);
}

static int usable(const char **why_not)
{
    *why_not = "only for a program that passes a communicator to init, or by NVSHMEM_BOOTSTRAP";
    return 0;
}

const struct gsh_boot_driver gsh_boot_mpi = {
    .name = "mpi",
    .usable = usable,
    .ops = GSH_STAR_OPS(open_job),
};
