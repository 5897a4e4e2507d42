/* shmem.c - set-up, queries, memory and teams under their OpenSHMEM names.
 *
 * Each is the call of NVSHMEM with that name, where the two differ in nothing; a tail
 * call, so that messages show the place in the program.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/init.h"
#include "core/log.h"
#include "core/names.h"
#include "core/remote.h"
#include "heap/heap.h"
#include "team/team.h"

#include <gshmem/memory.h>
#include <gshmem/setup.h>
#include <gshmem/shmem/deprecated.h>
#include <gshmem/shmem/memory.h>
#include <gshmem/shmem/setup.h>
#include <gshmem/shmem/team.h>

#include <errno.h>
#include <stdlib.h>

/* X(name, parameters, arguments): calls without a result, and X(result, name, ...): with one. */
/* clang-format off */
#define VOIDS(X) \
    X(finalize, (void), ()) \
    X(free, (void *ptr), (ptr)) \
    X(global_exit, (int status), (status)) \
    X(init, (void), ()) \
    X(query_thread, (int *provided), (provided)) \
    X(team_destroy, (shmem_team_t team), (team))

#define RESULTS(X) \
    X(void *, align, (size_t alignment, size_t size), (alignment, size)) \
    X(void *, calloc, (size_t count, size_t size), (count, size)) \
    X(int, init_thread, (int requested, int *provided), (requested, provided)) \
    X(void *, malloc, (size_t size), (size)) \
    X(int, my_pe, (void), ()) \
    X(int, n_pes, (void), ()) \
    X(void *, ptr, (const void *dest, int pe), (dest, pe)) \
    X(int, team_my_pe, (shmem_team_t team), (team)) \
    X(int, team_n_pes, (shmem_team_t team), (team)) \
    X(int, team_translate_pe, (shmem_team_t from, int pe, shmem_team_t to), (from, pe, to))
/* clang-format on */

#define DEF(name, params, args) \
    void OS_NAME(name) params \
    { \
        nvshmem_##name args; \
    } \
    OS_WEAK(name)
VOIDS(DEF)
#undef DEF

#define DEF(result, name, params, args) \
    result OS_NAME(name) params \
    { \
        return nvshmem_##name args; \
    } \
    OS_WEAK(name)
RESULTS(DEF)
#undef DEF

void pshmem_query_initialized(int *initialized)
{
    *initialized = gsh.n_init > 0;
}
OS_WEAK(query_initialized)

int pshmem_pe_accessible(int pe)
{
    return gsh_ready("shmem_pe_accessible") && pe >= 0 && pe < gsh.n_pes;
}
OS_WEAK(pe_accessible)

int pshmem_addr_accessible(const void *addr, int pe)
{
    return gsh_ready("shmem_addr_accessible") && pe >= 0 && pe < gsh.n_pes &&
           nvshmem_ptr(addr, gsh.my_pe);
}
OS_WEAK(addr_accessible)

void *pshmem_team_ptr(shmem_team_t team, const void *dest, int pe)
{
    return nvshmem_ptr(dest, nvshmem_team_translate_pe(team, pe, NVSHMEM_TEAM_WORLD));
}
OS_WEAK(team_ptr)

void pshmem_info_get_version(int *major, int *minor)
{
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}
OS_WEAK(info_get_version)

void pshmem_info_get_name(char *name)
{
    strcpy(name, SHMEM_VENDOR_STRING);
}
OS_WEAK(info_get_name)

void pshmem_pcontrol(int level, ...)
{
    (void)level;
}
OS_WEAK(pcontrol)

void *pshmem_malloc_with_hints(size_t size, long hints)
{
    (void)hints; /* all of the heap is good for all */
    return nvshmem_malloc(size);
}
OS_WEAK(malloc_with_hints)

void *pshmem_realloc(void *ptr, size_t size)
{
    size_t old = ptr && gsh_ready("shmem_realloc") ? gsh_heap_bytes_of(ptr) : 0;
    void *made = nvshmem_malloc(size);

    if (!ptr || (size && !made))
        return made;
    if (made)
        memcpy(made, ptr, old < size ? old : size);
    nvshmem_free(ptr);
    return made;
}
OS_WEAK(realloc)

/* OpenSHMEM's configuration as NVSHMEM's; NULL stays NULL. */
static const nvshmem_team_config_t *config_of(const shmem_team_config_t *config,
                                              nvshmem_team_config_t *full)
{
    static const nvshmem_team_config_t fresh = NVSHMEM_TEAM_CONFIG_INITIALIZER;

    if (!config)
        return NULL;
    *full = fresh;
    full->num_contexts = config->num_contexts;
    return full;
}

static long mask_of(long mask)
{
    return mask & SHMEM_TEAM_NUM_CONTEXTS ? NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS : 0;
}

int pshmem_team_split_strided(shmem_team_t parent, int start, int stride, int size,
                              const shmem_team_config_t *config, long mask, shmem_team_t *made)
{
    nvshmem_team_config_t full;

    return nvshmem_team_split_strided(parent, start, stride, size, config_of(config, &full),
                                      mask_of(mask), made);
}
OS_WEAK(team_split_strided)

int pshmem_team_split_2d(shmem_team_t parent, int xrange, const shmem_team_config_t *xconfig,
                         long xmask, shmem_team_t *xteam, const shmem_team_config_t *yconfig,
                         long ymask, shmem_team_t *yteam)
{
    nvshmem_team_config_t x, y;

    return nvshmem_team_split_2d(parent, xrange, config_of(xconfig, &x), mask_of(xmask), xteam,
                                 config_of(yconfig, &y), mask_of(ymask), yteam);
}
OS_WEAK(team_split_2d)

int pshmem_team_get_config(shmem_team_t handle, long mask, shmem_team_config_t *config)
{
    struct gsh_team *team = gsh_ready("shmem_team_get_config") ? gsh_team_get(handle) : NULL;

    if (!team)
        return gsh_miss(-EINVAL, "shmem_team_get_config: %d is no team", handle);
    if (mask & SHMEM_TEAM_NUM_CONTEXTS)
        config->num_contexts = team->config.num_contexts > 0 ? team->config.num_contexts : 0;
    return 0;
}
OS_WEAK(team_get_config)

/* The deprecated names; a program that begins with start_pes() may end without finalize. */
static void finalize_at_exit(void)
{
    if (gsh.n_init)
        nvshmem_finalize();
}

void pstart_pes(int npes)
{
    (void)npes;
    if (gsh.n_init)
        return;
    nvshmem_init();
    atexit(finalize_at_exit);
}
GSH_WEAK(start_pes, pstart_pes)

#define DEF(result, old, name, params, args) \
    result p##old params \
    { \
        return nvshmem_##name args; \
    } \
    GSH_WEAK(old, p##old)
DEF(int, _my_pe, my_pe, (void), ())
DEF(int, _num_pes, n_pes, (void), ())
DEF(void *, shmalloc, malloc, (size_t size), (size))
DEF(void *, shmemalign, align, (size_t alignment, size_t size), (alignment, size))
#undef DEF

void pshfree(void *ptr)
{
    nvshmem_free(ptr);
}
GSH_WEAK(shfree, pshfree)

void *pshrealloc(void *ptr, size_t size)
{
    return pshmem_realloc(ptr, size);
}
GSH_WEAK(shrealloc, pshrealloc)

#define DEF(name, ...) \
    void pshmem_##name(__VA_ARGS__) \
    { \
    } \
    OS_WEAK(name)
DEF(set_cache_inv, void)
DEF(clear_cache_inv, void)
DEF(udcflush, void)
#undef DEF

#define DEF(name) \
    void pshmem_##name(void *dest) \
    { \
        (void)dest; \
    } \
    OS_WEAK(name)
DEF(set_cache_line_inv)
DEF(clear_cache_line_inv)
DEF(udcflush_line)
#undef DEF
