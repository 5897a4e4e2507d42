/* api_mpi.h - the benchmarks' names over MPI's one-sided operations and collectives.
 *
 * The symmetric memory is one window, locked by all for all the time, from which a
 * stack gives pieces. put is MPI_Put, quiet a flush of all, get and fetch_add are
 * flushed at once, and a barrier flushes before it meets. Peers' memory is not
 * loaded from or stored to, so that there are no raw limits.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_API_MPI_H
#define BENCH_API_MPI_H

#include <mpi.h>
#include <stddef.h>

#define NVSHMEM_TEAM_WORLD 0
#define NVSHMEM_MAX_NAME_LEN MPI_MAX_LIBRARY_VERSION_STRING
#define BENCH_ROOT_GETS_DATA 0
#define BENCH_SIGNALS 0
#define BENCH_WAITS 0

extern MPI_Win bench_win;
extern char *bench_base; /* of this process' part of the window */

void nvshmem_init(void);
void nvshmem_finalize(void);
int nvshmem_my_pe(void);
int nvshmem_n_pes(void);
void nvshmem_info_get_name(char *name);
void *nvshmem_align(size_t alignment, size_t bytes);
void nvshmem_free(void *memory); /* the one that was given last */

static inline void *nvshmem_malloc(size_t bytes)
{
    return nvshmem_align(16, bytes);
}

static inline void *nvshmem_ptr(const void *memory, int pe)
{
    (void)memory;
    (void)pe;
    return NULL;
}

static inline MPI_Aint bench_place(const void *memory)
{
    return (const char *)memory - bench_base;
}

static inline void nvshmem_putmem(void *dest, const void *source, size_t bytes, int pe)
{
    MPI_Put(source, (int)bytes, MPI_BYTE, pe, bench_place(dest), (int)bytes, MPI_BYTE, bench_win);
}
#define nvshmem_putmem_nbi nvshmem_putmem

static inline void nvshmem_getmem_nbi(void *dest, const void *source, size_t bytes, int pe)
{
    MPI_Get(dest, (int)bytes, MPI_BYTE, pe, bench_place(source), (int)bytes, MPI_BYTE, bench_win);
}

static inline void nvshmem_getmem(void *dest, const void *source, size_t bytes, int pe)
{
    nvshmem_getmem_nbi(dest, source, bytes, pe);
    MPI_Win_flush(pe, bench_win);
}

static inline long nvshmem_long_atomic_fetch_add(long *dest, long value, int pe)
{
    long old;

    MPI_Fetch_and_op(&value, &old, MPI_LONG, pe, bench_place(dest), MPI_SUM, bench_win);
    MPI_Win_flush(pe, bench_win);
    return old;
}

static inline void nvshmem_quiet(void)
{
    MPI_Win_flush_all(bench_win);
}

static inline void nvshmem_sync_all(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline void nvshmem_barrier_all(void)
{
    MPI_Win_flush_all(bench_win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(bench_win);
}

/* The root's data is in `source`, which is not written on the others. */
static inline int nvshmem_broadcastmem(int team, void *dest, const void *source, size_t bytes,
                                       int root)
{
    void *data = nvshmem_my_pe() == root ? (void *)(ptrdiff_t)source : dest;

    (void)team;
    return MPI_Bcast(data, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
}

static inline int nvshmem_fcollectmem(int team, void *dest, const void *source, size_t bytes)
{
    (void)team;
    return MPI_Allgather(source, (int)bytes, MPI_BYTE, dest, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static inline int nvshmem_alltoallmem(int team, void *dest, const void *source, size_t bytes)
{
    (void)team;
    return MPI_Alltoall(source, (int)bytes, MPI_BYTE, dest, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static inline int nvshmem_long_sum_reduce(int team, long *dest, const long *source, size_t nreduce)
{
    (void)team;
    return MPI_Allreduce(source, dest, (int)nreduce, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

#endif /* BENCH_API_MPI_H */
