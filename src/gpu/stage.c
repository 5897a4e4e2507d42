/* stage.c - take a GPU on each PE, open the device heap, and tell kernels of the job. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "gpu/stage.h"
#include "core/log.h"
#include "gpu/bind.h"
#include "gpu/gpu.h"
#include "gpu/kernels.h"
#include "gpu/memory.h"
#include "gpu/state.h"
#include "heap/buffer.h"
#include "heap/device.h"
#include "team/make.h"
#include "topo/gpus.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What each PE tells the others of its GPU. */
struct vote {
    bool chosen; /* the program has chosen a device */
    int err;
    struct gsh_gpu_card card;
};

static struct {
    struct gsh_device_state state;
    void **teams; /* [n_teams], host's copy of the table: addresses in device memory */
    void *table;  /* the table in device memory */
    uint32_t *alert;
    struct gsh_device_team world;
    bool all_reach; /* every PE of the job reaches every other */
    struct gsh_proxy proxy;
} stage;

static bool driver_is_loaded(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

    if (library)
        dlclose(library);
    return library != NULL;
}

bool gsh_gpu_wanted(void)
{
    if (!gsh_bind_any() && !driver_is_loaded())
        return false;
    if (gsh_gpu_open()) {
        gsh_log(gsh_bind_any() && !gsh.my_pe ? GSH_WARN : GSH_INFO, GSH_INIT,
                "no GPU for this program's kernels: %s; gshcc --target=cpu compiles them for the "
                "CPU device",
                gsh_last_error());
        return false;
    }
    return true;
}

/* All PEs tell what they have; *n_chosen of them have chosen a device. */
static int ask_all(const struct vote *mine, struct vote *all, int *n_chosen)
{
    int err = gsh.boot.ops.allgather(&gsh.boot, mine, all, sizeof(*mine));

    *n_chosen = 0;
    for (int pe = 0; pe < gsh.n_pes && !err; pe++) {
        *n_chosen += all[pe].chosen;
        if (all[pe].err)
            err = mine->err ? mine->err : gsh_miss(all[pe].err, "PE %d could not use its GPU", pe);
    }
    return err;
}

/* Words of all teams, at the start of the device window. */
static size_t words_bytes(void)
{
    return (size_t)gsh_device_state_get()->n_teams * gsh_team_words_bytes();
}

static int tell_teams(void)
{
    const struct gsh_device_state *host = gsh_device_state_get();
    size_t bytes = (size_t)host->n_teams * sizeof(void *);
    int err = 0;

    stage.teams = calloc((size_t)host->n_teams, sizeof(void *));
    if (!stage.teams)
        return gsh_fail(-ENOMEM, "no memory for the table of %d teams", host->n_teams);
    err = gsh_gpu_take(bytes, &stage.table);
    for (int i = 0; i < host->n_teams && !err; i++) {
        const struct gsh_team *team = gsh_team_get(i);

        if (team)
            err = gsh_gpu_team_enter(i, gsh_team_block_of(team), host->teams[i]);
    }
    return err;
}

static bool all_reach_all(void)
{
    for (int from = 0; from < gsh.n_pes; from++)
        for (int to = 0; to < gsh.n_pes; to++)
            if (!gsh_way_reaches(gsh_topo_way(from, to)))
                return false;
    return true;
}

/* A ring to the host, where there are PEs that kernels do not reach. */
static int open_ring(void)
{
    struct gsh_device_state *state = &stage.state;
    int err;

    state->ring = NULL;
    state->ring_words = NULL;
    if (stage.all_reach)
        return 0;
    err = gsh_gpu_take_host(sizeof(*state->ring), (void **)&state->ring);
    if (!err)
        err = gsh_gpu_take(GSH_RING_WORDS * sizeof(uint64_t), (void **)&state->ring_words);
    return err ? err : gsh_proxy_open(&stage.proxy, state->ring, true);
}

static int tell_kernels(void)
{
    int err = gsh_gpu_take_host(sizeof(*stage.alert), (void **)&stage.alert);

    stage.all_reach = all_reach_all();
    stage.state = *gsh_device_state_get();
    if (!err)
        err = open_ring();
    if (!err)
        err = gsh_gpu_memory_describe(stage.state.windows);
    if (!err)
        err = tell_teams();
    if (err)
        return err;
    gsh_device_find_near(&stage.state);
    stage.state.world = stage.world;
    stage.state.all_reach = stage.all_reach;
    stage.state.teams = stage.table;
    stage.state.alert = stage.alert;
    err = gsh_bind_upload(&stage.state);
    return err ? err : gsh_kernels_open(&stage.state);
}

const struct gsh_device_state *gsh_gpu_stage_state(void)
{
    return gsh.gpu == GSH_GPU_DONE ? &stage.state : NULL;
}

/* What depends on the GPUs. The teams that do are made anew: no PE is past this stage before
 * all have. */
static int open_gpus(const struct vote *all)
{
    struct gsh_gpu_card *cards = calloc((size_t)gsh.n_pes, sizeof(*cards));
    int err;

    if (!cards)
        return gsh_fail(-ENOMEM, "no memory for the GPUs of %d PEs", gsh.n_pes);
    for (int pe = 0; pe < gsh.n_pes; pe++)
        cards[pe] = all[pe].card;
    err = gsh_topo_open_gpus(cards);
    if (!err)
        err = gsh_team_regroup();
    if (!err)
        err = gsh_gpu_memory_open(cards, words_bytes());
    free(cards);
    return err;
}

/* All PEs have chosen to go on: from here on a failure of one is the end for all. */
static int go(const struct vote *all)
{
    const struct gsh_gpu_card *mine = &all[gsh.my_pe].card;
    int err = open_gpus(all);

    if (!err)
        err = tell_kernels();
    if (!err)
        gsh_log(GSH_INFO, GSH_INIT, "GPU %d of this process: %s, %s, %d multiprocessors, %zu MiB",
                gsh_gpu_taken(), mine->name, mine->bus, mine->multiprocessors,
                (size_t)mine->memory >> 20);
    return err;
}

/* Does the stage when at least so many PEs have chosen a device; the others take the first one, as
 * the CUDA runtime does. */
static void try(const char *call, bool chosen, int enough)
{
    struct vote mine = { .chosen = chosen };
    struct vote *all = calloc((size_t)gsh.n_pes, sizeof(*all));
    int n_chosen = 0;
    int err = all ? ask_all(&mine, all, &n_chosen)
                  : gsh_fail(-ENOMEM, "no memory to agree with %d PEs", gsh.n_pes);

    if (!err && n_chosen >= enough) {
        mine.err = gsh_gpu_select();
        if (!mine.err)
            mine.err = gsh_gpu_describe(gsh_gpu_taken(), &mine.card);
        err = ask_all(&mine, all, &n_chosen);
        if (!err)
            err = go(all);
        if (!err) {
            gsh.gpu = GSH_GPU_DONE;
            gsh_buffer_open_device();
        }
    }
    free(all);
    if (err)
        gsh_die("%s: the GPU cannot be used: %s", call, gsh_last_error());
}

void gsh_gpu_stage_slow(const char *call)
{
    try(call, gsh_gpu_is_chosen() || gsh_bind_any(), 1);
}

int gsh_gpu_stage_try(void)
{
    if (gsh.gpu == GSH_GPU_OPEN)
        try("init", gsh_gpu_is_chosen(), gsh.n_pes);
    return 0;
}

void gsh_gpu_alert(void)
{
    if (gsh.gpu == GSH_GPU_DONE)
        __atomic_store_n(stage.alert, 1, __ATOMIC_RELAXED);
}

void gsh_gpu_stage_open(bool all_want)
{
    gsh.gpu = all_want ? GSH_GPU_OPEN : GSH_GPU_NONE;
}

void gsh_gpu_stage_close(void)
{
    if (gsh.gpu == GSH_GPU_DONE) {
        gsh_kernels_close();
        gsh_proxy_close(&stage.proxy);
        gsh_gpu_give(stage.state.ring_words);
        gsh_gpu_give_host(stage.state.ring);
        for (int i = 0; i < gsh_device_state_get()->n_teams; i++)
            gsh_gpu_team_leave(i);
        gsh_gpu_give(stage.table);
        gsh_gpu_give_host(stage.alert);
        free(stage.teams);
        gsh_gpu_memory_close();
        gsh_topo_close_gpus();
        gsh_gpu_close();
        memset(&stage, 0, sizeof(stage));
    }
    gsh.gpu = GSH_GPU_NONE;
}

/* In device memory, one behind the other: the team, its phase, its PEs. */
struct entry {
    struct gsh_device_team team;
    uint64_t phase[4];
    int32_t pes[];
};

int gsh_gpu_team_enter(int handle, int block, const struct gsh_device_team *team)
{
    size_t bytes = sizeof(struct entry) + (size_t)team->n * sizeof(int32_t);
    size_t row = gsh_team_words_bytes();
    struct entry *entry, *there;
    void *at = NULL;
    int err;

    if (!stage.teams)
        return 0;
    entry = calloc(1, bytes);
    err = entry ? gsh_gpu_take(bytes, &at) : gsh_fail(-ENOMEM, "no memory for a team");
    if (!err) {
        there = at;
        entry->team = *team;
        entry->team.words = (uint64_t *)(void *)(gsh_device_heap.base + (size_t)block * row);
        entry->team.phase = there->phase;
        entry->phase[2] = 1;
        entry->team.mail = NULL;
        if (team->mail && stage.all_reach)
            entry->team.mail = entry->team.words + gsh_team_mail_off() / sizeof(uint64_t);
        entry->team.pes = there->pes;
        if (handle == NVSHMEM_TEAM_WORLD)
            stage.world = entry->team;
        memcpy(entry->pes, team->pes, (size_t)team->n * sizeof(int32_t));
        err = gsh_gpu_copy(there, entry, bytes);
    }
    free(entry);
    if (!err)
        err = gsh_gpu_set(gsh_device_heap.base + (size_t)block * row, 0, row);
    stage.teams[handle] = at;
    return err ? err
               : gsh_gpu_copy((void **)stage.table + handle, &stage.teams[handle], sizeof(void *));
}

void gsh_gpu_team_leave(int handle)
{
    if (!stage.teams || !stage.teams[handle])
        return;
    gsh_gpu_give(stage.teams[handle]);
    stage.teams[handle] = NULL;
    gsh_gpu_copy((void **)stage.table + handle, &stage.teams[handle], sizeof(void *));
}
