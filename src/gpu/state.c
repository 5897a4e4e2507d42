/* state.c - fills struct gsh_device_state, which kernels on the CPU device read. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/state.h"
#include "core/env.h"
#include "core/log.h"
#include "gpu/stage.h"
#include "team/make.h"

#include <gshmem/cpu/engine.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct gsh_device_state gsh_cpu_device_state;
struct gsh_proxy gsh_device_proxy;

/* A team with the words that are this PE's alone: see struct gsh_device_team. */
struct entry {
    struct gsh_device_team team;
    uint64_t phase[4];
};

static struct entry **entries; /* by handle */
static int64_t *away;          /* by PE */
static uint64_t ring_words[GSH_RING_WORDS];

const struct gsh_device_state *gsh_device_state_get(void)
{
    return &gsh_cpu_device_state;
}

bool gsh_device_find_away(const char *base, char *(*at)(const void *own, int pe), size_t stride,
                          int64_t *table)
{
    bool regular = true;

    for (int pe = 0; pe < gsh.n_pes; pe++) {
        const char *there = at(base, pe);

        table[pe] = there ? there - base : GSH_UNREACHABLE;
        regular &= table[pe] == (int64_t)stride * (pe - gsh.my_pe);
    }
    return regular;
}

char *gsh_device_host_at(const void *own, int pe)
{
    char *base = pe == gsh.my_pe ? gsh.base : gsh.peers[pe].base;

    return base ? base + ((const char *)own - gsh.base) : NULL;
}

void gsh_device_find_near(struct gsh_device_state *state)
{
    for (int k = 0; k < GSH_WINDOWS; k++) {
        struct gsh_device_window *window = &state->windows[k];

        window->near = state->check || window->away ? 0 : window->bytes;
    }
}

/* A ring to the host, where there are PEs that only its transports reach. */
static int open_ring(void)
{
    struct gsh_device_ring *ring;

    if (!gsh.remote)
        return 0;
    ring = calloc(1, sizeof(*ring));
    if (!ring)
        return gsh_fail(-ENOMEM, "no memory for the commands of kernels");
    memset(ring_words, 0, sizeof(ring_words));
    gsh_cpu_device_state.ring = ring;
    gsh_cpu_device_state.ring_words = ring_words;
    return gsh_proxy_open(&gsh_device_proxy, ring, false);
}

int gsh_device_open(void)
{
    int most = gsh_team_most();
    const int64_t *table;

    entries = calloc((size_t)most, sizeof(*entries));
    away = malloc((size_t)gsh.n_pes * sizeof(*away));
    if (!entries || !away) {
        gsh_device_close();
        return gsh_fail(-ENOMEM, "no memory for what kernels know of %d PEs", gsh.n_pes);
    }
    table = gsh_device_find_away(gsh.base, gsh_device_host_at, gsh.window, away) ? NULL : away;
    gsh_cpu_device_state = (struct gsh_device_state){
        .version = GSH_DEVICE_STATE_VERSION,
        .bytes = sizeof(struct gsh_device_state),
        .my_pe = gsh.my_pe,
        .n_pes = gsh.n_pes,
        .windows[GSH_WINDOW_HOST] = { .base = (uint64_t)(uintptr_t)gsh.base,
                                      .bytes = gsh.device_off,
                                      .stride = gsh.window,
                                      .away = table },
        .windows[GSH_WINDOW_DEVICE] = { .base = (uint64_t)(uintptr_t)gsh.base + gsh.device_off,
                                        .bytes = gsh.window - gsh.device_off,
                                        .stride = gsh.window,
                                        .away = table },
        .teams = (const struct gsh_device_team *const *)entries,
        .n_teams = most,
        .check = gsh_env.CHECK || gsh_env.ENABLE_ERROR_CHECKS,
        .all_reach = !table,
        .lanes = UINT32_MAX,
        .timeout_ns = (uint64_t)gsh_env.TIMEOUT * 1000000000u,
    };
    gsh_device_find_near(&gsh_cpu_device_state);
    return open_ring();
}

void gsh_device_close(void)
{
    gsh_proxy_close(&gsh_device_proxy);
    free(gsh_cpu_device_state.ring);
    gsh_cpu_device_state = (struct gsh_device_state){ 0 };
    free(entries);
    free(away);
    entries = NULL;
    away = NULL;
}

/* The distance from each member's PE to the next; 0 when it is not always the same. */
static int stride_of(const struct gsh_team *team)
{
    int stride = team->n > 1 ? team->pes[1] - team->pes[0] : 1;

    for (int i = 1; i < team->n; i++)
        if (team->pes[i] - team->pes[i - 1] != stride)
            return 0;
    return stride;
}

/* The same on all members. */
static bool has_mail(const struct gsh_team *team)
{
    return team->direct && team->n > 1 && team->n <= GSH_MAIL_MEMBERS;
}

int gsh_device_team_enter(const struct gsh_team *team)
{
    struct entry *entry;

    if (!entries)
        return 0;
    entry = calloc(1, sizeof(*entry));
    if (!entry)
        return gsh_fail(-ENOMEM, "no memory for a team of %d PEs", team->n);
    entry->team = (struct gsh_device_team){ .my = team->my,
                                            .n = team->n,
                                            .start = team->pes[0],
                                            .stride = stride_of(team),
                                            .pes = team->pes,
                                            .words = gsh_team_words(team),
                                            .phase = entry->phase };
    entry->phase[2] = 1;
    if (has_mail(team))
        entry->team.mail = entry->team.words + gsh_team_mail_off() / sizeof(uint64_t);
    entries[team->handle] = entry;
    if (team->handle == NVSHMEM_TEAM_WORLD)
        gsh_cpu_device_state.world = entry->team;
    return gsh_gpu_team_enter(team->handle, gsh_team_block_of(team), &entry->team);
}

void gsh_device_team_leave(nvshmem_team_t handle)
{
    if (!entries)
        return;
    gsh_gpu_team_leave(handle);
    free(entries[handle]);
    entries[handle] = NULL;
}
