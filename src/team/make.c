/* make.c - make and destroy teams.
 *
 * The members of a new team must agree on a block that all of them have free. A
 * split is collective over the parent: its members combine their free blocks with
 * a reduction. nvshmemx_team_init() is collective over members that do not know
 * each other: each offers unique id, rank and free blocks in its own window and
 * reads the offers of all PEs until it has found every rank. Then all clear their
 * block and meet; from there on the team is in use.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "team/make.h"
#include "coll/kernels.h"
#include "core/init.h"
#include "core/log.h"
#include "core/remote.h"
#include "heap/team_heap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum gsh_offer_stage { NO_OFFER, OFFERED, CLEARED };

static const nvshmem_team_config_t fresh_config = NVSHMEM_TEAM_CONFIG_INITIALIZER;

/* The configuration the caller gives, of which only the masked parts count. */
static nvshmem_team_config_t config_of(const nvshmem_team_config_t *config, long mask)
{
    nvshmem_team_config_t made = fresh_config;

    if (config && mask & NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS)
        made.num_contexts = config->num_contexts;
    if (config && mask & NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID)
        made.uniqueid = config->uniqueid;
    return made;
}

/* Takes the lowest set bit out of bits; -1 when there is none. */
static int take_block(uint64_t *bits)
{
    for (int w = 0; w < GSH_AGREE_WORDS; w++) {
        if (!bits[w])
            continue;
        int bit = __builtin_ctzll(bits[w]);

        bits[w] &= bits[w] - 1;
        return w * 64 + bit;
    }
    return -1;
}

static int no_block(const char *call)
{
    return gsh_fail(-ENOSPC, "%s: all teams are in use; destroy some or raise NVSHMEM_MAX_TEAMS",
                    call);
}

/* The new team of this PE, with its block cleared; not met yet. */
static struct gsh_team *build(const char *call, const int *pes, int n, int block,
                              const nvshmem_team_config_t *config)
{
    struct gsh_team *team = gsh_team_create(pes, n, block, config);

    if (!team || gsh_team_enter(team, NVSHMEM_TEAMS_MIN))
        gsh_die("%s: no memory for a team of %d PEs", call, n);
    gsh_team_clear(team);
    return team;
}

static void build_axis(const char *call, const struct gsh_team *parent, const struct gsh_axis *axis,
                       int block)
{
    int *pes = malloc((size_t)axis->n * sizeof(*pes));
    struct gsh_team *team;

    if (!pes)
        gsh_die("%s: no memory for a team of %d PEs", call, axis->n);
    for (int i = 0; i < axis->n; i++)
        pes[i] = parent->pes[axis->ranks ? axis->ranks[i] : axis->start + i * axis->stride];
    team = build(call, pes, axis->n, block, &axis->config);
    free(pes);
    *axis->handle = team->handle;
}

static bool has_rank(const struct gsh_axis *axis, int rank)
{
    int distance = rank - axis->start;

    return axis->ranks || (distance % axis->stride == 0 && distance / axis->stride >= 0 &&
                           distance / axis->stride < axis->n);
}

int gsh_team_split(struct gsh_team *parent, struct gsh_call call, const struct gsh_axis *axes,
                   int n)
{
    uint64_t *bits = gsh_inner()->agree;
    int blocks[2];
    int err;

    gsh_quiet();
    gsh_team_free_blocks(bits);
    err = gsh_reduce(parent, &call, bits, bits, GSH_AGREE_WORDS, sizeof(*bits),
                     gsh_combine_and_uint64);
    for (int i = 0; i < n && !err; i++) {
        blocks[i] = take_block(bits);
        if (blocks[i] < 0)
            err = no_block(call.name);
    }
    if (err)
        return err;
    for (int i = 0; i < n; i++)
        if (has_rank(&axes[i], parent->my))
            build_axis(call.name, parent, &axes[i], blocks[i]);

    gsh_quiet();
    return gsh_meet(parent, &call);
}

int nvshmem_team_split_strided(nvshmem_team_t parent_team, int PE_start, int PE_stride, int PE_size,
                               const nvshmem_team_config_t *config, long config_mask,
                               nvshmem_team_t *new_team)
{
    static const char name[] = "nvshmem_team_split_strided";
    struct gsh_axis axis = { .start = PE_start,
                             .stride = PE_stride,
                             .n = PE_size,
                             .config = config_of(config, config_mask),
                             .handle = new_team };
    struct gsh_team *parent = gsh_ready(name) ? gsh_team_get(parent_team) : NULL;
    int64_t last = PE_start + (int64_t)(PE_size - 1) * PE_stride;

    *new_team = NVSHMEM_TEAM_INVALID;
    if (!parent)
        return gsh_miss(NVSHMEMX_ERROR_INVALID_VALUE, "%s: %d is no team", name, parent_team);
    if (PE_size == 1 && !PE_stride)
        axis.stride = 1;
    if (PE_size < 1 || !axis.stride || PE_start < 0 || PE_start >= parent->n || last < 0 ||
        last >= parent->n)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE,
                        "%s: start %d, stride %d, size %d do not lie in a team of %d PEs", name,
                        PE_start, PE_stride, PE_size, parent->n);

    struct gsh_call call = { .op = GSH_COLL_SPLIT,
                             .root = PE_start,
                             .bytes = (uint64_t)(int64_t)PE_stride,
                             .extra = (uint64_t)PE_size,
                             .name = name,
                             .where = __builtin_return_address(0) };
    return gsh_team_split(parent, call, &axis, 1) ? NVSHMEMX_ERROR_OUT_OF_MEMORY : 0;
}

int nvshmem_team_split_2d(nvshmem_team_t parent_team, int xrange,
                          const nvshmem_team_config_t *xaxis_config, long xaxis_mask,
                          nvshmem_team_t *xaxis_team, const nvshmem_team_config_t *yaxis_config,
                          long yaxis_mask, nvshmem_team_t *yaxis_team)
{
    static const char name[] = "nvshmem_team_split_2d";
    struct gsh_team *parent = gsh_ready(name) ? gsh_team_get(parent_team) : NULL;

    *xaxis_team = *yaxis_team = NVSHMEM_TEAM_INVALID;
    if (!parent)
        return gsh_miss(NVSHMEMX_ERROR_INVALID_VALUE, "%s: %d is no team", name, parent_team);
    if (xrange < 1)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE, "%s: xrange %d is less than 1", name, xrange);

    int width = xrange < parent->n ? xrange : parent->n;
    int row = parent->my / width, column = parent->my % width;
    int rest = parent->n - row * width;
    struct gsh_axis axes[] = {
        { .start = row * width,
          .stride = 1,
          .n = rest < width ? rest : width,
          .config = config_of(xaxis_config, xaxis_mask),
          .handle = xaxis_team },
        { .start = column,
          .stride = width,
          .n = (parent->n - column + width - 1) / width,
          .config = config_of(yaxis_config, yaxis_mask),
          .handle = yaxis_team },
    };
    struct gsh_call call = {
        .op = GSH_COLL_SPLIT_2D, .root = width, .name = name, .where = __builtin_return_address(0)
    };
    return gsh_team_split(parent, call, axes, 2) ? NVSHMEMX_ERROR_OUT_OF_MEMORY : 0;
}

/* What is being made by nvshmemx_team_init(). */
struct joining {
    uint64_t uniqueid;
    int n;
    int rank;
    int *pes; /* [n]: who has which rank; -1 not seen yet */
    int found;
    uint32_t stage; /* that is waited for */
};

static bool describe_joining(const struct gsh_wait *wait, char *text, size_t bytes)
{
    const struct joining *j = wait->arg;
    int at = snprintf(text, bytes, "for the other members of team id %llx: %d of %d have come",
                      (unsigned long long)j->uniqueid, j->found, j->n);

    for (int i = 0, named = 0; i < j->n && named < 8 && at < (int)bytes; i++)
        if (j->pes[i] < 0)
            at += snprintf(text + at, bytes - (size_t)at, "%s %d", named++ ? "" : "; missing ranks",
                           i);
    return false;
}

#define OFFER_AT(field) (offsetof(struct gsh_inner, offer) + offsetof(struct gsh_offer, field))

/* Enters pe among the members when its offer is for this team. */
static void look_at(struct joining *j, int pe)
{
    struct gsh_offer offer;
    uint32_t stage;

    gsh_get_at(pe, &stage, OFFER_AT(stage), sizeof(stage));
    atomic_thread_fence(memory_order_acquire);
    if (stage < j->stage)
        return;
    gsh_get_at(pe, &offer, offsetof(struct gsh_inner, offer), sizeof(offer));
    if (offer.uniqueid != j->uniqueid)
        return;
    if (offer.n != j->n || offer.rank < 0 || offer.rank >= j->n ||
        (j->pes[offer.rank] >= 0 && j->pes[offer.rank] != pe))
        gsh_die("nvshmemx_team_init: PE %d asks to be rank %d of %d in team id %llx, PE %d to be "
                "rank %d of %d",
                pe, offer.rank, offer.n, (unsigned long long)j->uniqueid, gsh.my_pe, j->rank, j->n);
    if (j->pes[offer.rank] < 0) {
        j->pes[offer.rank] = pe;
        j->found++;
    }
}

/* Publishes this PE's offer at a stage and waits until all members have reached
 * it. The store pairs with the acquire in look_at(). */
static void reach(struct joining *j, uint32_t stage, const void *where)
{
    struct gsh_offer *mine = &gsh_inner()->offer;
    struct gsh_wait wait = {
        .call = "nvshmemx_team_init", .where = where, .describe = describe_joining, .arg = j
    };

    mine->uniqueid = j->uniqueid;
    mine->n = j->n;
    mine->rank = j->rank;
    atomic_store(&mine->stage, stage);
    for (int pe = 0; pe < gsh.n_pes; pe++)
        if (gsh.peers[pe].bell)
            gsh_ring(gsh.peers[pe].bell);

    j->stage = stage;
    j->found = 0;
    for (int i = 0; i < j->n; i++)
        j->pes[i] = -1;
    for (;;) {
        for (int pe = 0; pe < gsh.n_pes; pe++)
            look_at(j, pe);
        if (j->found == j->n)
            break;
        gsh_pause(&wait);
    }
    gsh_wait_end(&wait);
}

/* The lowest block that is free on all members. */
static int agree_on_block(const struct joining *j)
{
    uint64_t common[GSH_AGREE_WORDS];
    uint64_t theirs[GSH_AGREE_WORDS];

    memset(common, 0xff, sizeof(common));
    for (int i = 0; i < j->n; i++) {
        gsh_get_at(j->pes[i], theirs, offsetof(struct gsh_inner, agree), sizeof(theirs));
        for (int w = 0; w < GSH_AGREE_WORDS; w++)
            common[w] &= theirs[w];
    }
    return take_block(common);
}

static int join(struct joining *j, const nvshmem_team_config_t *config, const void *where,
                nvshmem_team_t *handle)
{
    struct gsh_call call = {
        .op = GSH_COLL_TEAM_INIT, .extra = j->uniqueid, .name = "nvshmemx_team_init", .where = where
    };
    struct gsh_team *team;
    int block, err;

    gsh_quiet();
    gsh_team_free_blocks(gsh_inner()->agree);
    reach(j, OFFERED, where);
    block = agree_on_block(j);
    if (block < 0) {
        /* All members find the same; none leaves before all have read. */
        reach(j, CLEARED, where);
        return no_block("nvshmemx_team_init");
    }
    team = build("nvshmemx_team_init", j->pes, j->n, block, config);
    reach(j, CLEARED, where);
    err = gsh_meet(team, &call);
    atomic_store(&gsh_inner()->offer.stage, NO_OFFER);
    *handle = team->handle;
    return err;
}

int nvshmemx_team_init(nvshmem_team_t *team, nvshmem_team_config_t *config, long config_mask,
                       int npes, int pe_idx_in_team)
{
    struct joining j = { .n = npes, .rank = pe_idx_in_team };
    nvshmem_team_config_t made = config_of(config, config_mask);
    int err;

    *team = NVSHMEM_TEAM_INVALID;
    if (!gsh_ready("nvshmemx_team_init"))
        return NVSHMEMX_ERROR_INTERNAL;
    j.uniqueid = made.uniqueid;
    if (j.uniqueid == NVSHMEM_TEAM_UNIQUID_INITIALIZER || npes < 1 || npes > gsh.n_pes ||
        pe_idx_in_team < 0 || pe_idx_in_team >= npes)
        return gsh_fail(NVSHMEMX_ERROR_INVALID_VALUE,
                        "nvshmemx_team_init: rank %d of %d in a job of %d PEs, %s: give a rank "
                        "below npes and a config with a uniqueid and its mask",
                        pe_idx_in_team, npes, gsh.n_pes,
                        j.uniqueid == NVSHMEM_TEAM_UNIQUID_INITIALIZER ? "no unique id"
                                                                       : "a unique id");
    j.pes = malloc((size_t)npes * sizeof(*j.pes));
    if (!j.pes)
        return gsh_fail(NVSHMEMX_ERROR_OUT_OF_MEMORY, "no memory for a team of %d PEs", npes);
    err = join(&j, &made, __builtin_return_address(0), team);
    free(j.pes);
    return err ? NVSHMEMX_ERROR_OUT_OF_MEMORY : 0;
}

int nvshmemx_team_get_uniqueid(nvshmemx_team_uniqueid_t *uniqueid)
{
    do {
        if (getrandom(uniqueid, sizeof(*uniqueid), 0) != sizeof(*uniqueid))
            return gsh_fail(NVSHMEMX_ERROR_INTERNAL, "the system gives no random number");
    } while (*uniqueid == NVSHMEM_TEAM_UNIQUID_INITIALIZER);
    return 0;
}

void nvshmem_team_destroy(nvshmem_team_t handle)
{
    struct gsh_call call = { .op = GSH_COLL_DESTROY,
                             .name = "nvshmem_team_destroy",
                             .where = __builtin_return_address(0) };
    struct gsh_team *team = gsh_ready("nvshmem_team_destroy") ? gsh_team_get(handle) : NULL;

    if (!team && handle == NVSHMEM_TEAM_INVALID)
        return;
    if (!team || handle < NVSHMEM_TEAMS_MIN || gsh_team_is_asked_for(handle)) {
        gsh_fail(-EINVAL, "nvshmem_team_destroy: %d is %s", handle,
                 team ? "a predefined team, which stays" : "no team");
        return;
    }
    gsh_quiet();
    gsh_meet(team, &call);
    if (team->heap)
        gsh_team_heap_leave(team->heap);
    gsh_team_drop(team);
}
