/* api_mpi.c - the window of api_mpi.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "api.h"

#ifdef BENCH_API_MPI_H

#include <string.h>

#define WINDOW ((MPI_Aint)200 << 20)

MPI_Win bench_win;
char *bench_base;

static size_t top;
static int me, n;

void nvshmem_init(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win_allocate(WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &bench_base, &bench_win);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, bench_win);
}

void nvshmem_finalize(void)
{
    MPI_Win_unlock_all(bench_win);
    MPI_Win_free(&bench_win);
    MPI_Finalize();
}

int nvshmem_my_pe(void)
{
    return me;
}

int nvshmem_n_pes(void)
{
    return n;
}

/* What comes before the details of the build, in one line. */
void nvshmem_info_get_name(char *name)
{
    int length;

    MPI_Get_library_version(name, &length);
    name[strcspn(name, ",\n")] = '\0';
    for (char *at = name; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
}

void *nvshmem_align(size_t alignment, size_t bytes)
{
    size_t at = (top + alignment - 1) / alignment * alignment;

    if (bytes > (size_t)WINDOW - at)
        return NULL;
    top = at + bytes;
    return bench_base + at;
}

void nvshmem_free(void *memory)
{
    top = (size_t)((char *)memory - bench_base);
}

#endif /* BENCH_API_MPI_H */
