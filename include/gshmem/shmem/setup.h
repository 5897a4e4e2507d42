/* setup.h - start, end, queries and the profiling switch.
 *
 * OpenSHMEM 1.5, sections 9.1 (setup, exit, query), 9.2 (thread support) and
 * 10 (profiling).
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_SETUP_H
#define GSHMEM_SHMEM_SETUP_H

#include <gshmem/shmem/base.h>

GSH_BEGIN_C

/* Collective over all PEs. They nest by counting. init ends the process with one line
 * when it fails. */
GSH_SHMEM(void, init, void)
GSH_SHMEM(void, finalize, void)

/* *provided is MULTIPLE when asked for, else SERIALIZED. */
GSH_SHMEM(int, init_thread, int requested, int *provided)
GSH_SHMEM(void, query_thread, int *provided)

/* Not 0 between init and finalize; may be called at any time. */
GSH_SHMEM(void, query_initialized, int *initialized)

GSH_SHMEM(int, my_pe, void)
GSH_SHMEM(int, n_pes, void)

/* Ends the whole job with this status. Not collective; does not return. */
GSH_SHMEM(void, global_exit, int status)

/* 1 when pe exists and can be reached; for addr also when that is symmetric. */
GSH_SHMEM(int, pe_accessible, int pe)
GSH_SHMEM(int, addr_accessible, const void *addr, int pe)

/* The address at which this PE can load and store the object dest of PE pe (of the
 * team); NULL when there is none. */
GSH_SHMEM(void *, ptr, const void *dest, int pe)
GSH_SHMEM(void *, team_ptr, shmem_team_t team, const void *dest, int pe)

GSH_SHMEM(void, info_get_version, int *major, int *minor)
GSH_SHMEM(void, info_get_name, char *name)

/* For profilers; does nothing here. */
GSH_SHMEM(void, pcontrol, int level, ...)

GSH_END_C

#endif /* GSHMEM_SHMEM_SETUP_H */
