/* stage.c - take a GPU on each PE, open the device heap, and tell kernels of the job. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "gpu/stage.h"
#include "core/env.h"
#include "core/log.h"
#include "gpu/bind.h"
#include "gpu/gpu.h"
#include "gpu/kernels.h"
#include "gpu/state.h"
#include "heap/device.h"
#include "heap/heap.h"
#include "heap/segment.h"
#include "team/make.h"

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
    void **teams;   /* [n_teams], host's copy of the table: addresses in device memory */
    void *table;    /* the table in device memory */
    int32_t *slots; /* in device memory, or NULL */
    uint32_t *alert;
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

/* All PEs tell what they have; true when all have chosen a device, or some have and the
 * others shall take the first one, as the CUDA runtime does. */
static int ask_all(const struct vote *mine, struct vote *all, bool *go)
{
    int err = gsh.boot.ops.allgather(&gsh.boot, mine, all, sizeof(*mine));

    *go = false;
    for (int pe = 0; pe < gsh.n_pes && !err; pe++) {
        *go |= all[pe].chosen;
        if (all[pe].err)
            err = mine->err ? mine->err : gsh_miss(all[pe].err, "PE %d could not use its GPU", pe);
    }
    return err;
}

/* The PEs whose windows this one can map: those of this machine whose GPU this one reaches.
 * *regular: all of them, at pe - my_pe. */
static int find_slots(const struct vote *all, bool *regular)
{
    int32_t *slots = malloc((size_t)gsh.n_pes * sizeof(*slots));
    int at = 0, err = 0;

    if (!slots)
        return gsh_fail(-ENOMEM, "no memory for the slots of %d PEs", gsh.n_pes);
    for (int i = 0; i < gsh_segment.n_here; i++)
        at = gsh_segment.here[i] == gsh.my_pe ? i : at;
    *regular = gsh_segment.n_here == gsh.n_pes;
    for (int pe = 0; pe < gsh.n_pes; pe++)
        slots[pe] = GSH_UNREACHABLE;
    for (int i = 0; i < gsh_segment.n_here; i++) {
        int pe = gsh_segment.here[i];

        if (gsh_gpu_reaches(all[pe].card.uuid))
            slots[pe] = i - at;
        *regular &= slots[pe] == pe - gsh.my_pe;
    }
    if (!*regular)
        err = gsh_gpu_take((size_t)gsh.n_pes * sizeof(*slots), (void **)&stage.slots);
    if (!*regular && !err)
        err = gsh_gpu_copy(stage.slots, slots, (size_t)gsh.n_pes * sizeof(*slots));
    free(slots);
    return err;
}

/* Words of all teams, at the start of the device window. */
static size_t words_bytes(void)
{
    size_t row = (size_t)gsh.n_pes * sizeof(uint64_t);
    size_t bytes = (size_t)gsh_device_state_get()->n_teams * row;

    return (bytes + (2u << 20) - 1) / (2u << 20) * (2u << 20);
}

static int open_heap(const struct vote *all)
{
    size_t unit = gsh_gpu_granularity(), window = gsh_env.MAX_MEMORY_PER_GPU;
    size_t words = (words_bytes() + unit - 1) / unit * unit;
    int err;

    for (int pe = 0; pe < gsh.n_pes; pe++)
        if (all[pe].card.memory < window)
            window = all[pe].card.memory;
    err = gsh_device_heap_open(window + words);
    if (!err)
        err = gsh_device_heap_make(words);
    if (!err)
        err = gsh_device_heap_map();
    if (!err)
        err = gsh_gpu_set(gsh_device_heap.base, 0, words);
    return err ? err : gsh_heap_open_device(words);
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

static int tell_kernels(const struct vote *all)
{
    bool regular = false;
    int err = find_slots(all, &regular);

    if (!err)
        err = gsh_gpu_page((void **)&stage.alert);
    if (!err)
        err = tell_teams();
    if (err)
        return err;
    stage.state = *gsh_device_state_get();
    stage.state.windows[GSH_WINDOW_HOST] = (struct gsh_device_window){ 0 };
    stage.state.windows[GSH_WINDOW_DEVICE] =
        (struct gsh_device_window){ .base = (uintptr_t)gsh_device_heap.base,
                                    .bytes = gsh_device_heap.window,
                                    .stride = gsh_device_heap.window };
    stage.state.slots = regular ? NULL : stage.slots;
    stage.state.teams = stage.table;
    stage.state.alert = stage.alert;
    err = gsh_bind_upload(&stage.state);
    return err ? err : gsh_kernels_open(&stage.state);
}

const struct gsh_device_state *gsh_gpu_stage_state(void)
{
    return gsh.gpu == GSH_GPU_DONE ? &stage.state : NULL;
}

/* All PEs have chosen to go on: from here on a failure of one is the end for all. */
static int go(const struct vote *all)
{
    int err = open_heap(all);

    if (!err)
        err = tell_kernels(all);
    if (!err)
        gsh_log(GSH_INFO, GSH_INIT, "GPU %s, %d multiprocessors, %zu MiB", all[gsh.my_pe].card.name,
                all[gsh.my_pe].card.multiprocessors, (size_t)all[gsh.my_pe].card.memory >> 20);
    return err;
}

void gsh_gpu_stage_slow(const char *call)
{
    struct vote mine = { .chosen = gsh_gpu_is_chosen() || gsh_bind_any() };
    struct vote *all = calloc((size_t)gsh.n_pes, sizeof(*all));
    bool all_go = false;
    int err = all ? ask_all(&mine, all, &all_go)
                  : gsh_fail(-ENOMEM, "no memory to agree with %d PEs", gsh.n_pes);

    if (!err && all_go) {
        mine.err = gsh_gpu_select();
        if (!mine.err)
            mine.err = gsh_gpu_describe(&mine.card);
        err = ask_all(&mine, all, &all_go);
        if (!err)
            err = go(all);
        if (!err)
            gsh.gpu = GSH_GPU_DONE;
    }
    free(all);
    if (err)
        gsh_die("%s: the GPU cannot be used: %s", call, gsh_last_error());
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
        gsh_heap_close_device();
        for (int i = 0; i < gsh_device_state_get()->n_teams; i++)
            gsh_gpu_team_leave(i);
        gsh_gpu_give(stage.table);
        gsh_gpu_give(stage.slots);
        gsh_gpu_page_free(stage.alert);
        free(stage.teams);
        gsh_device_heap_close();
        gsh_gpu_close();
        memset(&stage, 0, sizeof(stage));
    }
    gsh.gpu = GSH_GPU_NONE;
}

/* In device memory, one behind the other: the team, its phase, its PEs. */
struct entry {
    struct gsh_device_team team;
    uint64_t phase[2];
    int32_t pes[];
};

int gsh_gpu_team_enter(int handle, int block, const struct gsh_device_team *team)
{
    size_t bytes = sizeof(struct entry) + (size_t)team->n * sizeof(int32_t);
    size_t row = (size_t)gsh.n_pes * sizeof(uint64_t);
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
        entry->team.pes = there->pes;
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
