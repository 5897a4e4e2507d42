/* topology.c - teams by the way in which their members are connected. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/coll.h"
#include "core/init.h"
#include "core/log.h"
#include "gpu/stage.h"
#include "heap/team_heap.h"
#include "team/make.h"
#include "topo/gpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The team of nvshmemx_get_team_from_spec("nvlink"). */
static nvshmem_team_t asked_for = NVSHMEM_TEAM_INVALID;

bool gsh_team_is_asked_for(nvshmem_team_t handle)
{
    return handle == asked_for;
}

void gsh_team_forget_asked_for(void)
{
    asked_for = NVSHMEM_TEAM_INVALID;
}

static bool fits(const int *pes, int rank, const int *ranks, int n, bool (*linked)(int a, int b))
{
    for (int i = 0; i < n; i++)
        if (!linked(pes[rank], pes[ranks[i]]))
            return false;
    return true;
}

int gsh_team_group(const int *pes, int n, int my, bool (*linked)(int a, int b), int *ranks)
{
    bool *taken = calloc((size_t)n, sizeof(*taken));
    int size = 0;

    if (!taken)
        return gsh_fail(-ENOMEM, "no memory for groups of %d PEs", n);
    for (int first = 0; !taken[my]; first++) {
        size = 0;
        for (int rank = first; !taken[first] && rank < n; rank++)
            if (!taken[rank] && fits(pes, rank, ranks, size, linked))
                ranks[size++] = rank;
        for (int i = 0; i < size; i++)
            taken[ranks[i]] = true;
    }
    free(taken);
    return size;
}

static bool always(int a, int b)
{
    (void)a, (void)b;
    return true;
}

static int split(struct gsh_team *parent, const struct gsh_call *call, nvshmem_team_t *handle)
{
    struct gsh_axis axis = { .config = NVSHMEM_TEAM_CONFIG_INITIALIZER, .handle = handle };
    int *ranks = malloc((size_t)parent->n * sizeof(*ranks));
    int err = ranks ? 0 : gsh_fail(-ENOMEM, "no memory for a team of %d PEs", parent->n);

    if (!err && call->root & NVSHMEMX_TEAM_NV_LINK && gsh.gpu == GSH_GPU_OPEN)
        err = gsh_fail(-ENODEV,
                       "%s: no GPU is in use yet; choose a device and allocate, or call "
                       "nvshmem_barrier_all, before",
                       call->name);
    if (!err) {
        axis.n =
            gsh_team_group(parent->pes, parent->n, parent->my,
                           call->root & NVSHMEMX_TEAM_NV_LINK ? gsh_topo_linked : always, ranks);
        err = axis.n < 0 ? axis.n : 0;
    }
    axis.ranks = ranks;
    if (!err)
        err = gsh_team_split(parent, *call, &axis, 1);
    free(ranks);
    return err;
}

/* call->root is the flags, call->bytes the size of the heap. No parent: this PE is in none, and
 * takes part in the allocation alone. */
static int create(struct gsh_team *parent, const struct gsh_call *call, nvshmem_team_t *handle)
{
    struct gsh_team_heap *part = NULL;
    int err = 0;

    if (call->bytes) {
        part = gsh_team_heap_take(call);
        if (!part)
            return -ENOMEM;
    } else if (parent->n == gsh.n_pes) {
        gsh_gpu_stage(call->name);
    }
    if (parent)
        err = split(parent, call, handle);
    if (part && (err || !parent))
        gsh_team_heap_leave(part);
    else if (part)
        gsh_team_get(*handle)->heap = part;
    return err;
}

static int status_of(int err)
{
    return err == -ENODEV ? NVSHMEMX_ERROR_GPU_NOT_SELECTED
           : err          ? NVSHMEMX_ERROR_OUT_OF_MEMORY
                          : NVSHMEMX_SUCCESS;
}

int nvshmemx_team_create_simple(nvshmem_team_t parent_team, const nvshmemx_team_config_t *config,
                                long config_mask, nvshmem_team_t *new_team)
{
    static const char name[] = "nvshmemx_team_create_simple";
    static const nvshmemx_team_config_t nothing;
    const nvshmemx_team_config_t *want = config ? config : &nothing;
    struct gsh_team *parent = gsh_ready(name) ? gsh_team_get(parent_team) : NULL;
    struct gsh_call call = { .op = GSH_COLL_TEAM_CREATE,
                             .root = (int32_t)want->flags,
                             .bytes = want->symmetric_heap_size,
                             .name = name,
                             .where = __builtin_return_address(0) };

    *new_team = NVSHMEM_TEAM_INVALID;
    if (!parent && (parent_team != NVSHMEM_TEAM_INVALID || !call.bytes))
        return gsh_miss(NVSHMEMX_ERROR_INVALID_VALUE, "%s: %d is no team", name, parent_team);
    if (want->flags & ~(unsigned)NVSHMEMX_TEAM_NV_LINK || config_mask)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE,
                        "%s: flags %#x, mask %#lx: NVSHMEMX_TEAM_NV_LINK (%#x) is the only flag, "
                        "and the mask is 0",
                        name, want->flags, config_mask, NVSHMEMX_TEAM_NV_LINK);
    return status_of(create(parent, &call, new_team));
}

/* NODE for NVSHMEMX_TEAM_NODE. */
static const char *bare(const char *name)
{
    return strstr(name, "_TEAM_") + strlen("_TEAM_");
}

static const struct {
    const char *name;
    nvshmem_team_t handle;
} predefined[] = {
#define ROW(name, value) { #name, value },
    GSH_PREDEFINED_TEAMS(ROW)
#undef ROW
};
enum { N_PREDEFINED = sizeof(predefined) / sizeof(predefined[0]) };

static int refuse(const char *spec)
{
    char names[256] = "nvlink";

    for (size_t i = 0, at; i < N_PREDEFINED; i++) {
        at = strlen(names);
        snprintf(names + at, sizeof(names) - at, ", %s", bare(predefined[i].name));
    }
    return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE,
                    "nvshmemx_get_team_from_spec: there is no team '%s'; they are: %s, in any case",
                    spec ? spec : "", names);
}

int nvshmemx_get_team_from_spec(const char *spec, nvshmem_team_t *team)
{
    static const nvshmemx_team_config_t linked = { .flags = NVSHMEMX_TEAM_NV_LINK };
    int status = 0;

    *team = NVSHMEM_TEAM_INVALID;
    if (!gsh_ready("nvshmemx_get_team_from_spec"))
        return NVSHMEMX_ERROR_INTERNAL;
    if (!spec)
        return refuse(spec);
    if (!strcasecmp(spec, "nvlink")) {
        if (asked_for == NVSHMEM_TEAM_INVALID)
            status = nvshmemx_team_create_simple(NVSHMEM_TEAM_WORLD, &linked, 0, &asked_for);
        *team = asked_for;
        return status;
    }
    for (size_t i = 0; i < N_PREDEFINED; i++) {
        if (strcasecmp(spec, bare(predefined[i].name)))
            continue;
        if (gsh_team_get(predefined[i].handle))
            *team = predefined[i].handle;
        return 0;
    }
    return refuse(spec);
}
