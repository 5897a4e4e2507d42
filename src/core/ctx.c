/* ctx.c - contexts of OpenSHMEM, fence and quiet under their OpenSHMEM names.
 *
 * A peer is reached by load and store, or through a transport that orders all that
 * this PE sends. So a context has no state but the PEs that it counts: fence and
 * quiet of one act on all, and its options ask for nothing that is not given.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/init.h"
#include "core/log.h"
#include "core/names.h"
#include "core/remote.h"
#include "team/team.h"

#include <gshmem/shmem/ctx.h>

#include <errno.h>
#include <stdlib.h>

struct gsh_ctx {
    nvshmem_team_t team;
    int n;
    int pes[]; /* [n]: copied, since the team may go before the context */
};

int gsh_ctx_pe_slow(const char *call, shmem_ctx_t ctx, int pe)
{
    if (ctx == SHMEM_CTX_INVALID)
        gsh_die("%s: the context is SHMEM_CTX_INVALID; was it created?", call);
    if (pe < 0 || pe >= ctx->n)
        gsh_die("%s: PE %d does not exist; the team of the context has PEs 0 to %d", call, pe,
                ctx->n - 1);
    return ctx->pes[pe];
}

static int create(const char *call, nvshmem_team_t handle, long options, shmem_ctx_t *ctx)
{
    static const long known = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE;
    struct gsh_team *team = gsh_ready(call) ? gsh_team_get(handle) : NULL;
    size_t bytes;

    *ctx = SHMEM_CTX_INVALID;
    if (!team)
        return gsh_miss(-EINVAL, "%s: %d is no team of this PE", call, handle);
    if (options & ~known)
        return gsh_fail(-EINVAL, "%s: options 0x%lx have more than the bits 0x%lx of SHMEM_CTX_*",
                        call, options, known);
    bytes = (size_t)team->n * sizeof(int);
    *ctx = malloc(sizeof(**ctx) + bytes);
    if (!*ctx)
        return gsh_fail(-ENOMEM, "%s: no memory for a context of %d PEs", call, team->n);
    (*ctx)->team = handle;
    (*ctx)->n = team->n;
    memcpy((*ctx)->pes, team->pes, bytes);
    return 0;
}

int pshmem_ctx_create(long options, shmem_ctx_t *ctx)
{
    return create("shmem_ctx_create", SHMEM_TEAM_WORLD, options, ctx);
}
OS_WEAK(ctx_create)

int pshmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx)
{
    return create("shmem_team_create_ctx", team, options, ctx);
}
OS_WEAK(team_create_ctx)

void pshmem_ctx_destroy(shmem_ctx_t ctx)
{
    if (ctx == SHMEM_CTX_INVALID)
        return;
    if (ctx == SHMEM_CTX_DEFAULT)
        gsh_die("shmem_ctx_destroy: SHMEM_CTX_DEFAULT cannot be destroyed");
    gsh_quiet();
    free(ctx);
}
OS_WEAK(ctx_destroy)

int pshmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t *team)
{
    *team = SHMEM_TEAM_INVALID;
    if (ctx == SHMEM_CTX_INVALID)
        return -EINVAL;
    *team = ctx == SHMEM_CTX_DEFAULT ? SHMEM_TEAM_WORLD : ctx->team;
    return 0;
}
OS_WEAK(ctx_get_team)

void pshmem_ctx_session_start(shmem_ctx_t ctx, long options,
                              const shmem_ctx_session_config_t *config, long config_mask)
{
    (void)ctx, (void)options, (void)config, (void)config_mask;
}
OS_WEAK(ctx_session_start)

void pshmem_ctx_session_stop(shmem_ctx_t ctx)
{
    (void)ctx;
}
OS_WEAK(ctx_session_stop)

void pshmem_fence(void)
{
    gsh_fence();
}
OS_WEAK(fence)

void pshmem_ctx_fence(shmem_ctx_t ctx)
{
    if (ctx != SHMEM_CTX_INVALID)
        gsh_fence();
}
OS_WEAK(ctx_fence)

void pshmem_quiet(void)
{
    gsh_quiet();
}
OS_WEAK(quiet)

void pshmem_ctx_quiet(shmem_ctx_t ctx)
{
    if (ctx != SHMEM_CTX_INVALID)
        gsh_quiet();
}
OS_WEAK(ctx_quiet)

void pshmem_pe_quiet(const int *target_pes, size_t npes)
{
    (void)target_pes;
    if (npes)
        gsh_quiet();
}
OS_WEAK(pe_quiet)

void pshmem_ctx_pe_quiet(shmem_ctx_t ctx, const int *target_pes, size_t npes)
{
    (void)target_pes;
    if (npes && ctx != SHMEM_CTX_INVALID)
        gsh_quiet();
}
OS_WEAK(ctx_pe_quiet)
