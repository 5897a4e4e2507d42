/* active.c - the deprecated collectives of OpenSHMEM, on active sets with pSync.
 *
 * An active set becomes a team when it is first used: its members, who all are in the
 * call, make it as by nvshmemx_team_init() with an id that names the set. It is kept
 * until finalize, so that sets take from NVSHMEM_MAX_TEAMS. All PEs are the world team.
 * pSync and pWrk are not needed then; with GSHMEM_CHECK they are looked at.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/checked.h"
#include "core/env.h"
#include "core/init.h"
#include "core/log.h"
#include "core/names.h"
#include "core/remote.h"

#include <gshmem/shmem/deprecated.h>

#include <pthread.h>
#include <stdlib.h>

/* The PEs of a call as the caller gave them, and its pSync. */
struct set {
    int start;
    int log_stride;
    int n;
    const long *sync;
};

struct known {
    struct set set;
    struct gsh_team *team;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *known; /* [n_known] */
static size_t n_known;

void gsh_active_close(void)
{
    free(known);
    known = NULL;
    n_known = 0;
}

static void check_set(const char *name, const struct set *set)
{
    int64_t last = set->start + ((int64_t)(set->n - 1) << (set->log_stride & 31));
    int distance = gsh.my_pe - set->start;

    if (set->n < 1 || set->log_stride < 0 || set->log_stride > 30 || set->start < 0 ||
        last >= gsh.n_pes)
        gsh_die("%s: PE_start %d, logPE_stride %d, PE_size %d do not lie in a job of %d PEs", name,
                set->start, set->log_stride, set->n, gsh.n_pes);
    if (distance < 0 || distance & ((1 << set->log_stride) - 1) ||
        distance >> set->log_stride >= set->n)
        gsh_die("%s: this PE is not in the active set of PE_start %d, logPE_stride %d, PE_size %d",
                name, set->start, set->log_stride, set->n);
}

/* A word that is not as it must be belongs to another call, or to nobody: the array is too
 * short, or was not set. */
static void check_sync(const char *name, const long *sync)
{
    if (!gsh_env.CHECK && !gsh_env.ENABLE_ERROR_CHECKS)
        return;
    gsh_offset(name, sync, SHMEM_SYNC_SIZE * sizeof(*sync), gsh.my_pe);
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        if (sync[i] != SHMEM_SYNC_VALUE)
            gsh_die("%s: word %d of pSync is %ld, and not SHMEM_SYNC_VALUE (%ld): set all of its "
                    "%d words first",
                    name, i, sync[i], SHMEM_SYNC_VALUE, SHMEM_SYNC_SIZE);
}

static struct gsh_team *make_team(const char *name, const struct set *set)
{
    nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
    nvshmem_team_t handle;

    config.uniqueid = UINT64_C(0xac) << 56 | (uint64_t)set->start << 32 |
                      (uint64_t)set->log_stride << 26 | (uint64_t)set->n;
    if (nvshmemx_team_init(&handle, &config, NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID, set->n,
                           (gsh.my_pe - set->start) >> set->log_stride))
        gsh_die("%s: no team for this active set: %s", name, gsh_last_error());
    return gsh_team_get(handle);
}

static struct gsh_team *find(const struct set *set)
{
    for (size_t i = 0; i < n_known; i++)
        if (known[i].set.start == set->start && known[i].set.log_stride == set->log_stride &&
            known[i].set.n == set->n)
            return known[i].team;
    return NULL;
}

static struct gsh_team *team_of(const char *name, const struct set *set)
{
    struct gsh_team *team;
    struct known *more;

    if (!gsh_ready(name))
        gsh_die("%s was called after an init that failed: %s", name, gsh_last_error());
    check_set(name, set);
    check_sync(name, set->sync);
    if (set->n == gsh.n_pes)
        return gsh_team_get(NVSHMEM_TEAM_WORLD);
    pthread_mutex_lock(&lock);
    team = find(set);
    if (!team) {
        more = realloc(known, (n_known + 1) * sizeof(*known));
        if (!more)
            gsh_die("%s: no memory for %zu active sets", name, n_known + 1);
        known = more;
        team = make_team(name, set);
        known[n_known++] = (struct known){ *set, team };
    }
    pthread_mutex_unlock(&lock);
    return team;
}

/* These calls cannot return an error. */
static void end_if(int err)
{
    if (err)
        gsh_die("%s", gsh_last_error());
}

#define SET ((struct set){ PE_start, logPE_stride, PE_size, pSync })
#define SET_PARAMS int PE_start, int logPE_stride, int PE_size
#define CALL(call, OP, type, size) \
    &(struct gsh_coll) \
    { \
        OS_TEXT(call), __builtin_return_address(0), team_of(OS_TEXT(call), &SET), GSH_COLL_##OP, \
            GSH_TYPE_##type, size, false \
    }

void pshmem_barrier(SET_PARAMS, long *pSync)
{
    gsh_quiet();
    end_if(gsh_coll_meet(CALL(barrier, BARRIER, mem, 1), false));
}
OS_WEAK(barrier)

void pshmem_sync(SET_PARAMS, long *pSync)
{
    end_if(gsh_coll_meet(CALL(sync, SYNC, mem, 1), false));
}
OS_WEAK(sync)

#define DEF(bits) \
    void OS_NAME(broadcast##bits)(void *dest, const void *source, size_t nelems, int PE_root, \
                                  SET_PARAMS, long *pSync) \
    { \
        end_if(gsh_coll_broadcast(CALL(broadcast##bits, BROADCAST, mem, bits / 8), dest, source, \
                                  nelems, PE_root, false)); \
    } \
    OS_WEAK(broadcast##bits) \
    void OS_NAME(alltoalls##bits)(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
                                  size_t nelems, SET_PARAMS, long *pSync) \
    { \
        end_if(gsh_coll_alltoalls(CALL(alltoalls##bits, ALLTOALLS, mem, bits / 8), dest, source, \
                                  dst, sst, nelems)); \
    } \
    OS_WEAK(alltoalls##bits)
DEF(32)
DEF(64)
#undef DEF

#define DEF(call, OP, function, bits) \
    void OS_NAME(call##bits)(void *dest, const void *source, size_t nelems, SET_PARAMS, \
                             long *pSync) \
    { \
        end_if(function(CALL(call##bits, OP, mem, bits / 8), dest, source, nelems)); \
    } \
    OS_WEAK(call##bits)
DEF(collect, COLLECT, gsh_coll_collect, 32)
DEF(collect, COLLECT, gsh_coll_collect, 64)
DEF(fcollect, FCOLLECT, gsh_coll_exchange, 32)
DEF(fcollect, FCOLLECT, gsh_coll_exchange, 64)
DEF(alltoall, ALLTOALL, gsh_coll_exchange, 32)
DEF(alltoall, ALLTOALL, gsh_coll_exchange, 64)
#undef DEF

/* nreduce as a size; pWrk is not written to. */
static size_t count(const char *name, int nreduce)
{
    if (nreduce < 0)
        gsh_die("%s: nreduce is %d", name, nreduce);
    return (size_t)nreduce;
}

#define REDUCE(name, type, op, kernel) \
    void OS_NAME(name##_##op##_to_all)(type * dest, const type *source, int nreduce, SET_PARAMS, \
                                       type *pWrk, long *pSync) \
    { \
        (void)pWrk; \
        end_if(gsh_coll_reduction( \
            CALL(name##_##op##_to_all, REDUCE, name, sizeof(type)), GSH_RED_##op, dest, source, \
            count(OS_TEXT(name##_##op##_to_all), nreduce), gsh_combine_##op##_##kernel)); \
    } \
    OS_WEAK(name##_##op##_to_all)

#define DEF(name, type, op) REDUCE(name, type, op, name)
GSH_OLD_RED_TYPES(DEF, min)
GSH_OLD_RED_TYPES(DEF, max)
GSH_OLD_SUM_TYPES(DEF, sum)
GSH_OLD_SUM_TYPES(DEF, prod)
#undef DEF

/* The bits are those of the unsigned type. */
#define DEF(name, type, op) REDUCE(name, type, op, u##name)
GSH_OLD_INT_TYPES(DEF, and)
GSH_OLD_INT_TYPES(DEF, or)
GSH_OLD_INT_TYPES(DEF, xor)
#undef DEF
