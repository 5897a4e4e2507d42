/* team.c - the table of teams, the predefined ones, and what can be asked. */
// SPDX-License-Identifier: BSD-3-Clause
#include "team/team.h"
#include "coll/checked.h"
#include "core/env.h"
#include "core/init.h"
#include "core/log.h"
#include "gpu/state.h"
#include "heap/segment.h"
#include "team/make.h"
#include "topo/gpus.h"
#include "topo/host.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct gsh_team **table; /* by handle */
static int n_table;

/* As many as the agreement on a free block has bits. */
int gsh_team_most(void)
{
    long most = GSH_AGREE_WORDS * 64;

    if (gsh_env.MAX_TEAMS < NVSHMEM_TEAMS_MIN)
        return NVSHMEM_TEAMS_MIN;
    return (int)(gsh_env.MAX_TEAMS < most ? gsh_env.MAX_TEAMS : most);
}

size_t gsh_team_mail_off(void)
{
    size_t words = 2 * (size_t)gsh.n_pes * sizeof(uint64_t);

    return (words + GSH_LINE - 1) / GSH_LINE * GSH_LINE;
}

size_t gsh_team_words_bytes(void)
{
    size_t members = (size_t)(gsh.n_pes < GSH_MAIL_MEMBERS ? gsh.n_pes : GSH_MAIL_MEMBERS);

    return gsh_team_mail_off() + members * 2 * GSH_MAIL_BYTES / 4 * sizeof(uint64_t);
}

/* What must be zero when a team is made; the slots follow. */
static size_t words_end(void)
{
    size_t bytes = 2 * sizeof(struct gsh_team_block) + gsh_team_words_bytes();

    return (bytes + GSH_LINE - 1) / GSH_LINE * GSH_LINE;
}

/* A multiple of a line. */
static size_t slot_room(size_t partners)
{
    size_t room = GSH_TEAM_SET_BYTES / partners / GSH_LINE * GSH_LINE;

    if (room > GSH_TEAM_SLOT_BYTES)
        return GSH_TEAM_SLOT_BYTES;
    return room ? room : GSH_LINE;
}

/* Enough for any number of partners: each slot has a line beside its room. */
static size_t slots_bytes(void)
{
    return GSH_TEAM_SETS * (GSH_TEAM_SET_BYTES + 2 * (size_t)gsh.n_pes * GSH_LINE);
}

size_t gsh_team_block_bytes(void)
{
    return words_end() + 2 * slots_bytes();
}

size_t gsh_team_bytes(void)
{
    return (size_t)gsh_team_most() * gsh_team_block_bytes();
}

uint64_t *gsh_team_words(const struct gsh_team *team)
{
    return (uint64_t *)(void *)(team->block + 2);
}

struct gsh_team *gsh_team_get(nvshmem_team_t handle)
{
    return handle >= 0 && handle < n_table ? table[handle] : NULL;
}

int gsh_team_pe(const char *call, nvshmem_team_t handle, int rank)
{
    const struct gsh_team *team = gsh_ready(call) ? gsh_team_get(handle) : NULL;

    if (!team)
        gsh_die("%s: %d is no team of this PE", call, handle);
    if (rank < 0 || rank >= team->n)
        gsh_die("%s: there is no rank %d in a team of %d PEs", call, rank, team->n);
    return team->pes[rank];
}

/* Few PEs with a core each meet fastest by one flag each way; PEs that share
 * cores by as few wake-ups as can be. */
static enum gsh_sync_kind sync_kind(const struct gsh_team *team)
{
    if (team->nodes)
        return GSH_SYNC_NODES;
    if (!team->direct)
        return GSH_SYNC_ROUNDS;
    if (gsh.crowded && team->n > 2)
        return GSH_SYNC_COUNTER;
    return team->n <= GSH_TEAM_SLOTS ? GSH_SYNC_FLAT : GSH_SYNC_ROUNDS;
}

struct gsh_team *gsh_team_create(const int *pes, int n, int block,
                                 const nvshmem_team_config_t *config)
{
    struct gsh_team *team = calloc(1, sizeof(*team));

    if (!team)
        return NULL;
    team->handle = NVSHMEM_TEAM_INVALID;
    team->pes = malloc((size_t)n * sizeof(*pes));
    team->from = malloc((size_t)n * sizeof(*team->from));
    if (!team->pes || !team->from || gsh_nodes_create(pes, n, &team->nodes)) {
        gsh_team_drop(team);
        return NULL;
    }
    memcpy(team->pes, pes, (size_t)n * sizeof(*pes));
    team->n = n;
    team->my = -1;
    team->direct = true;
    for (int i = 0; i < n; i++) {
        if (pes[i] == gsh.my_pe)
            team->my = i;
        team->direct &= gsh.peers[pes[i]].base != NULL;
    }
    team->sync_kind = sync_kind(team);
    team->block_off = gsh.teams_off + (size_t)block * gsh_team_block_bytes();
    team->block = (struct gsh_team_block *)(void *)(gsh.base + team->block_off);
    team->slots_off = team->block_off + words_end();
    team->slot_room = slot_room((size_t)gsh_team_partners(team));
    team->config = *config;
    return team;
}

void gsh_team_drop(struct gsh_team *team)
{
    if (!team)
        return;
    if (gsh_team_get(team->handle) == team) {
        gsh_device_team_leave(team->handle);
        table[team->handle] = NULL;
    }
    free(team->pes);
    free(team->from);
    free(team->nodes);
    free(team->bounce);
    gsh_team_drop(team->stream);
    free(team);
}

struct gsh_team *gsh_team_stream(struct gsh_team *team)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct gsh_team *twin;

    pthread_mutex_lock(&lock);
    twin = team->stream;
    if (!twin) {
        twin = gsh_team_create(team->pes, team->n, gsh_team_block_of(team), &team->config);
        if (twin) {
            twin->block_off += sizeof(struct gsh_team_block);
            twin->block++;
            twin->slots_off += slots_bytes();
        }
        team->stream = twin;
    }
    pthread_mutex_unlock(&lock);
    return twin;
}

void gsh_team_clear(const struct gsh_team *team)
{
    memset((void *)team->block, 0, words_end());
    for (uint32_t round = 0; round < GSH_TEAM_SETS; round++)
        for (int k = 0; k < gsh_team_partners(team); k++) {
            char *slot = gsh.base + gsh_team_slot(team, round, k);

            memset(slot, 0, sizeof(struct gsh_slot));
            memset(slot + slots_bytes(), 0, sizeof(struct gsh_slot));
        }
}

int gsh_team_block_of(const struct gsh_team *team)
{
    return (int)((team->block_off - gsh.teams_off) / gsh_team_block_bytes());
}

int gsh_team_enter(struct gsh_team *team, nvshmem_team_t handle)
{
    for (; handle < n_table; handle++) {
        if (table[handle])
            continue;
        table[handle] = team;
        team->handle = handle;
        return gsh_device_team_enter(team);
    }
    return -ENOSPC;
}

void gsh_team_free_blocks(uint64_t *bits)
{
    memset(bits, 0, GSH_AGREE_WORDS * sizeof(*bits));
    for (int i = NVSHMEM_TEAMS_MIN; i < n_table; i++)
        bits[i / 64] |= UINT64_C(1) << i % 64;
    for (int i = 0; i < n_table; i++) {
        int block = table[i] ? gsh_team_block_of(table[i]) : 0;

        bits[block / 64] &= ~(UINT64_C(1) << block % 64);
    }
}

/* Members of the shared team all reach the same PEs; a PE for which that is not so is alone. */
static bool shares(int me, int pe)
{
    return me == pe || (gsh.peers[pe].base && gsh_topo_mutual(me, pe) && gsh_topo_closed());
}

static bool is_mine(nvshmem_team_t handle, int me, int pe)
{
    switch (handle) {
    case NVSHMEM_TEAM_SHARED:
        return shares(me, pe);
    case NVSHMEMX_TEAM_NODE:
        return gsh_host_of(pe) == gsh_host_of(me);
    case NVSHMEMX_TEAM_SAME_MYPE_NODE:
        return gsh_host_rank(pe) == gsh_host_rank(me);
    case NVSHMEMI_TEAM_SAME_GPU:
        return gsh_topo_gpu(pe) == gsh_topo_gpu(me);
    case NVSHMEMI_TEAM_GPU_LEADERS:
        return gsh_topo_gpu(pe) == pe;
    default:
        return true;
    }
}

/* Enters a predefined team, when this PE is in it; its block has the number of its handle. */
static int predefine(nvshmem_team_t handle, int *pes)
{
    static const nvshmem_team_config_t fresh = NVSHMEM_TEAM_CONFIG_INITIALIZER;
    struct gsh_team *team;
    int n = 0;

    if (!is_mine(handle, gsh.my_pe, gsh.my_pe))
        return 0;
    for (int pe = 0; pe < gsh.n_pes; pe++)
        if (is_mine(handle, gsh.my_pe, pe))
            pes[n++] = pe;
    team = gsh_team_create(pes, n, handle, &fresh);
    if (!team)
        return gsh_fail(-ENOMEM, "no memory for a team of %d PEs", n);
    return gsh_team_enter(team, handle);
}

static int predefine_all(const nvshmem_team_t *handles, size_t n)
{
    int *pes = malloc((size_t)gsh.n_pes * sizeof(*pes));
    int err = pes ? 0 : gsh_fail(-ENOMEM, "no memory for teams of %d PEs", gsh.n_pes);

    for (size_t i = 0; i < n && !err; i++)
        err = predefine(handles[i], pes);
    free(pes);
    return err;
}

int gsh_team_open(void)
{
#define ROW(name, value) name,
    static const nvshmem_team_t predefined[] = { GSH_PREDEFINED_TEAMS(ROW) };
#undef ROW
    int err;

    n_table = gsh_team_most();
    table = calloc((size_t)n_table, sizeof(*table));
    err = table ? predefine_all(predefined, sizeof(predefined) / sizeof(predefined[0]))
                : gsh_fail(-ENOMEM, "no memory for a table of %d teams", n_table);
    if (err)
        gsh_team_close();
    return err;
}

int gsh_team_regroup(void)
{
    static const nvshmem_team_t by_gpu[] = { NVSHMEM_TEAM_SHARED, NVSHMEMI_TEAM_SAME_GPU,
                                             NVSHMEMI_TEAM_GPU_LEADERS };
    enum { N = sizeof(by_gpu) / sizeof(by_gpu[0]) };
    int err;

    for (int i = 0; i < N; i++)
        gsh_team_drop(table[by_gpu[i]]);
    err = predefine_all(by_gpu, N);
    for (int i = 0; i < N && !err; i++)
        if (table[by_gpu[i]])
            gsh_team_clear(table[by_gpu[i]]);
    return err;
}

void gsh_team_close(void)
{
    gsh_active_close();
    gsh_team_forget_asked_for();
    for (int i = 0; i < n_table; i++)
        gsh_team_drop(gsh_team_get(i));
    free(table);
    table = NULL;
    n_table = 0;
}

int nvshmem_team_my_pe(nvshmem_team_t handle)
{
    struct gsh_team *team = gsh_ready("nvshmem_team_my_pe") ? gsh_team_get(handle) : NULL;

    return team ? team->my : -1;
}

int nvshmem_team_n_pes(nvshmem_team_t handle)
{
    struct gsh_team *team = gsh_ready("nvshmem_team_n_pes") ? gsh_team_get(handle) : NULL;

    return team ? team->n : -1;
}

void nvshmem_team_get_config(nvshmem_team_t handle, nvshmem_team_config_t *config)
{
    struct gsh_team *team = gsh_ready("nvshmem_team_get_config") ? gsh_team_get(handle) : NULL;

    if (!team)
        gsh_die("nvshmem_team_get_config: %d is no team", handle);
    *config = team->config;
}

int nvshmem_team_translate_pe(nvshmem_team_t src_team, int src_pe, nvshmem_team_t dest_team)
{
    struct gsh_team *src, *dest;

    if (!gsh_ready("nvshmem_team_translate_pe"))
        return -1;
    src = gsh_team_get(src_team);
    dest = gsh_team_get(dest_team);
    if (!src || !dest || src_pe < 0 || src_pe >= src->n)
        return -1;
    for (int i = 0; i < dest->n; i++)
        if (dest->pes[i] == src->pes[src_pe])
            return i;
    return -1;
}
