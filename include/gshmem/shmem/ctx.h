/* ctx.h - communication contexts, and ordering.
 *
 * OpenSHMEM 1.5, sections 9.5 (contexts) and 9.12 (memory ordering). A call with
 * ctx_ in its name takes a context first, and its PEs are those of the context's team. An
 * invalid context ends the job with one line, but for destroy, fence and quiet, where it does
 * nothing. Contexts of this PE share one order here, which is stronger than the standard asks:
 * quiet of one completes all.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_CTX_H
#define GSHMEM_SHMEM_CTX_H

#include <gshmem/shmem/base.h>

GSH_BEGIN_C

/* A context over all PEs, or over a team; options: SHMEM_CTX_*. Return 0, or non-zero and
 * SHMEM_CTX_INVALID. Not collective. */
GSH_SHMEM(int, ctx_create, long options, shmem_ctx_t *ctx)
GSH_SHMEM(int, team_create_ctx, shmem_team_t team, long options, shmem_ctx_t *ctx)

/* Completes what was begun on it. */
GSH_SHMEM(void, ctx_destroy, shmem_ctx_t ctx)

/* The team of the context; non-zero and SHMEM_TEAM_INVALID for an invalid one. */
GSH_SHMEM(int, ctx_get_team, shmem_ctx_t ctx, shmem_team_t *team)

/* Hints on what comes until stop. */
GSH_SHMEM(void, ctx_session_start, shmem_ctx_t ctx, long options,
          const shmem_ctx_session_config_t *config, long config_mask)
GSH_SHMEM(void, ctx_session_stop, shmem_ctx_t ctx)

GSH_SHMEM(void, fence, void)
GSH_SHMEM(void, ctx_fence, shmem_ctx_t ctx)
GSH_SHMEM(void, quiet, void)
GSH_SHMEM(void, ctx_quiet, shmem_ctx_t ctx)

/* quiet of what went to these PEs. */
GSH_SHMEM_CTX(void, pe_quiet, const int *target_pes, size_t npes)

GSH_END_C

#endif /* GSHMEM_SHMEM_CTX_H */
