/* team.h - teams: ordered sets of PEs.
 *
 * OpenSHMEM 1.5, section 9.4 (team management routines). A handle is valid on the
 * PE that holds it. Queries are local. The calls that make a team return 0, or
 * non-zero and NVSHMEM_TEAM_INVALID on every member with a text in
 * nvshmemx_last_error(); the PEs that are in no new team get
 * NVSHMEM_TEAM_INVALID as well.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_TEAM_H
#define GSHMEM_TEAM_H

#include <gshmem/types.h>

GSH_BEGIN_C

/* X(name, value): the teams that exist from the start. Which GPU a PE has is known from the first
 * allocation or barrier on; before that, and without GPUs, a host counts as one GPU. */
/* clang-format off */
#define GSH_PREDEFINED_TEAMS(X) \
    X(NVSHMEM_TEAM_WORLD, 0)           /* all PEs */ \
    X(NVSHMEM_TEAM_SHARED, 1)          /* PEs that load and store each other's memory */ \
    X(NVSHMEMX_TEAM_NODE, 2)           /* PEs of the same host */ \
    X(NVSHMEMX_TEAM_SAME_MYPE_NODE, 3) /* PEs of equal rank on their hosts */ \
    X(NVSHMEMI_TEAM_SAME_GPU, 4)       /* PEs that use the same GPU */ \
    X(NVSHMEMI_TEAM_GPU_LEADERS, 5)    /* the first PE of each GPU; the others are in none */
/* clang-format on */

enum {
    NVSHMEM_TEAM_INVALID = -1,
#define GSH_ROW(name, value) name = value,
    GSH_PREDEFINED_TEAMS(GSH_ROW)
#undef GSH_ROW
        NVSHMEM_TEAM_WORLD_INDEX = 0,
    NVSHMEM_TEAM_SHARED_INDEX = 1,
    NVSHMEM_TEAM_NODE_INDEX = 2,
    NVSHMEM_TEAM_SAME_MYPE_NODE_INDEX = 3,
    NVSHMEM_TEAM_SAME_GPU_INDEX = 4,
    NVSHMEM_TEAM_GPU_LEADERS_INDEX = 5,
    NVSHMEM_TEAMS_MIN = 6,
    NVSHMEM_TEAM_INDEX_MAX = 0x7fffffff
};

typedef uint64_t nvshmemx_team_uniqueid_t;

typedef struct {
    int version;
    int num_contexts;
    char padding[56];
} nvshmem_team_config_v1;

typedef struct {
    int version;
    int num_contexts;
    nvshmemx_team_uniqueid_t uniqueid;
    char padding[48];
} nvshmem_team_config_v2;
typedef nvshmem_team_config_v2 nvshmem_team_config_t;

#define NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS 1
#define NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID 2
#define NVSHMEM_TEAM_UNIQUID_INITIALIZER ((nvshmemx_team_uniqueid_t)-1)
#define NVSHMEMI_TEAM_CONFIG_VERSION_1_IDENTIFIER ((1 << 16) + sizeof(nvshmem_team_config_v1))
#define NVSHMEMI_TEAM_CONFIG_VERSION_2_IDENTIFIER ((2 << 16) + sizeof(nvshmem_team_config_v2))
#define NVSHMEMI_TEAM_CONFIG_INITIALIZER \
    { \
        (2 << 16) + (int)sizeof(nvshmem_team_config_v2), -1, NVSHMEM_TEAM_UNIQUID_INITIALIZER, \
        { \
            0 \
        } \
    }
#define NVSHMEM_TEAM_CONFIG_INITIALIZER NVSHMEMI_TEAM_CONFIG_INITIALIZER

GSH_STATIC_ASSERT(sizeof(nvshmem_team_config_t) == 64, "layout");

/* Own rank in, and size of, the team; -1 for NVSHMEM_TEAM_INVALID. */
GSH_ANY int nvshmem_team_my_pe(nvshmem_team_t team);
GSH_ANY int nvshmem_team_n_pes(nvshmem_team_t team);

/* The configuration with which the team was made. */
GSH_API void nvshmem_team_get_config(nvshmem_team_t team, nvshmem_team_config_t *config);

/* The rank in dest_team of the PE with rank src_pe in src_team; -1 when it is not
 * a member or a team is invalid. */
GSH_ANY int nvshmem_team_translate_pe(nvshmem_team_t src_team, int src_pe,
                                      nvshmem_team_t dest_team);

/* The PEs start, start + stride, ... of the parent; stride is not 0. Collective
 * over the parent, which must not be in another collective. config may be NULL. */
GSH_API int nvshmem_team_split_strided(nvshmem_team_t parent_team, int PE_start, int PE_stride,
                                       int PE_size, const nvshmem_team_config_t *config,
                                       long config_mask, nvshmem_team_t *new_team);

/* Rows of xrange PEs and the columns across them; the last row may be short.
 * Collective over the parent. */
GSH_API int nvshmem_team_split_2d(nvshmem_team_t parent_team, int xrange,
                                  const nvshmem_team_config_t *xaxis_config, long xaxis_mask,
                                  nvshmem_team_t *xaxis_team,
                                  const nvshmem_team_config_t *yaxis_config, long yaxis_mask,
                                  nvshmem_team_t *yaxis_team);

/* A team of any PEs in any order. Collective over its members only: each gives
 * the same config->uniqueid and npes, and its own rank. */
GSH_API int nvshmemx_team_init(nvshmem_team_t *team, nvshmem_team_config_t *config,
                               long config_mask, int npes, int pe_idx_in_team);

/* A fresh id for nvshmemx_team_init(): one PE makes it and hands it on. */
GSH_API int nvshmemx_team_get_uniqueid(nvshmemx_team_uniqueid_t *uniqueid);

/* What nvshmemx_team_create_simple() makes; members that are 0 ask for nothing. It is not a
 * nvshmem_team_config_t, which the teams that it makes have as well, with the values of its
 * initializer. */
typedef struct {
    size_t symmetric_heap_size; /* bytes of the team's own heap; 0: none */
    unsigned int flags;         /* NVSHMEMX_TEAM_...; 0: all PEs of the parent are one team */
} nvshmemx_team_config_t;

enum {
    NVSHMEMX_TEAM_NV_LINK = 1 /* those that NVLink joins, or one GPU; a host without GPUs is one */
};

/* A team of the PEs of the parent that are connected to this one, in the order of their ranks; the
 * others make teams of their own. config may be NULL; config_mask is 0: all of config counts.
 * Collective over the parent. With a heap it is collective over all PEs, with equal sizes: each
 * gives a parent, or NVSHMEM_TEAM_INVALID when it shall be in no team, and all must be able to
 * have so much more. The heap is a part of the symmetric heap, for nvshmemx_team_malloc(); it is
 * free again when all PEs have destroyed their teams. */
GSH_API int nvshmemx_team_create_simple(nvshmem_team_t parent_team,
                                        const nvshmemx_team_config_t *config, long config_mask,
                                        nvshmem_team_t *new_team);

/* The team of a name, which may come from a file or a command line. The predefined teams have that
 * of their handle, without what comes before it, in any case: "node" is NVSHMEMX_TEAM_NODE; who is
 * not in it gets NVSHMEM_TEAM_INVALID. "nvlink" is the team of NVSHMEMX_TEAM_NV_LINK out of all
 * PEs; it is made by the first call, which is collective over all PEs, and always the same. These
 * teams stay: they cannot be destroyed. */
GSH_API int nvshmemx_get_team_from_spec(const char *spec, nvshmem_team_t *team);

/* Collective over the team. Predefined teams cannot be destroyed; INVALID does
 * nothing. */
GSH_API void nvshmem_team_destroy(nvshmem_team_t team);

GSH_END_C

#endif /* GSHMEM_TEAM_H */
