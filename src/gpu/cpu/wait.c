/* wait.c - threads of kernels that wait for a word of symmetric memory: they let others
 * run, and now and then look whether the wait can still end, as the host's waits do
 * (core/wait.h). When it cannot, the line says which thread of which kernel waits where
 * for what, and what is there instead.
 *
 * The looks at other PEs are shared by all threads of a block; each has its own time.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/remote.h"
#include "gpu/cpu/block.h"
#include "gpu/cpu/report.h"
#include "gpu/state.h"
#include "watch/stuck.h"

#include <gshmem/impl/state.h>
#include <gshmem/types.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOOK_POLLS = 64 }; /* from one look of a thread to the next */

/* Of the running block. */
static _Thread_local struct gsh_wait view;
static _Thread_local const struct gsh_cpu_wait *looks_for;

/* The member of a team that writes the word, when it is one that kernels meet by. */
struct member {
    int team;
    int rank;
    int pe;
};

static bool find_member(const uint64_t *word, struct member *member)
{
    const struct gsh_device_state *state = &gsh_cpu_device_state;

    for (int i = 0; i < state->n_teams; i++) {
        const struct gsh_device_team *team = state->teams[i];

        if (!team || word < team->words || word >= team->words + team->n)
            continue;
        *member = (struct member){ .team = i, .rank = (int)(word - team->words) };
        member->pe = team->pes[member->rank];
        return true;
    }
    return false;
}

static long long as_signed(uint64_t value, int bytes)
{
    int unused = 64 - bytes * 8;

    return (long long)((int64_t)(value << unused) >> unused);
}

static uint64_t read_word(const struct gsh_cpu_wait *wait)
{
    switch (wait->bytes) {
    case 1:
        return __atomic_load_n((const uint8_t *)wait->address, __ATOMIC_ACQUIRE);
    case 2:
        return __atomic_load_n((const uint16_t *)wait->address, __ATOMIC_ACQUIRE);
    case 4:
        return __atomic_load_n((const uint32_t *)wait->address, __ATOMIC_ACQUIRE);
    default:
        return __atomic_load_n((const uint64_t *)wait->address, __ATOMIC_ACQUIRE);
    }
}

static void place_of(const struct gsh_cpu_wait *wait, char *text, size_t bytes)
{
    size_t off = (size_t)((const char *)wait->address - gsh.base);

    if (off < gsh.span || gsh_data_offset(wait->address, 0, &off) ||
        gsh_gpu_offset(wait->address, 0, &off))
        gsh_place(wait->address, text, bytes);
    else
        snprintf(text, bytes, "%p, which is not symmetric", wait->address);
}

static void describe(const struct gsh_cpu_wait *wait, char *text, size_t bytes)
{
    static const char *const names[] = {
#define ROW(name, value) [value] = #name,
        GSH_COMPARISONS(ROW)
#undef ROW
    };
    double seconds = (double)(gsh_cpu_globaltimer() - wait->since_ns) * 1e-9;
    uint64_t have = read_word(wait);
    struct member member;
    char place[128];

    if (gsh_proxy_describe(&gsh_device_proxy, wait->address, place, sizeof(place))) {
        snprintf(text, bytes, "waited %.1f s %s", seconds, place);
        return;
    }
    if (find_member(wait->address, &member)) {
        snprintf(text, bytes,
                 "waited %.1f s for PE %d (rank %d of team %d) to come to phase %llu; it has come "
                 "to %llu",
                 seconds, member.pe, member.rank, member.team, (unsigned long long)wait->value,
                 (unsigned long long)have);
        return;
    }
    place_of(wait, place, sizeof(place));
    snprintf(text, bytes, "waited %.1f s for the word at %s to be %s %lld; it is %lld", seconds,
             place, names[wait->cmp], as_signed(wait->value, wait->bytes),
             as_signed(have, wait->bytes));
}

/* For a member that has ended: all it has written was there before it did. */
static bool is_hopeless(const struct gsh_cpu_wait *wait, char *why, size_t bytes)
{
    struct member member;

    if (!find_member(wait->address, &member) || gsh_pe_state(member.pe) <= GSH_PE_RUNNING ||
        read_word(wait) >= wait->value)
        return false;
    snprintf(why, bytes, "PE %d has ended", member.pe);
    return true;
}

/* The job is stuck: one thread of each block says where it waits. */
static void speak(struct block *block)
{
    char text[400];

    view.told = true;
    if (!gsh_stuck_may_speak())
        return;
    describe(looks_for, text, sizeof(text));
    if (block->live > 1)
        snprintf(block->text, sizeof(block->text), "%s (one of %u threads of the block)", text,
                 block->live);
    else
        snprintf(block->text, sizeof(block->text), "%s", text);
    gsh_cpu_report_wait(block);
}

static void look(struct block *block)
{
    const struct gsh_cpu_wait *wait = looks_for;
    char why[256], text[400];

    if (gsh_stuck_is() && !view.told)
        speak(block);
    view.since_ns = (int64_t)wait->since_ns;
    if (!gsh_wait_is_lost(&view, why, sizeof(why)) && !is_hopeless(wait, why, sizeof(why)))
        return;
    if (view.told)
        _exit(EXIT_FAILURE); /* it is the job's end that comes */
    describe(wait, text, sizeof(text));
    snprintf(block->text, sizeof(block->text), "%s: %s", why, text);
    gsh_cpu_report_trap(block);
}

void gsh_cpu_pause(struct gsh_cpu_wait *wait)
{
    struct block *block = gsh_cpu_enter_block("a wait");

    if (wait->polls++ == 0) {
        wait->since_ns = gsh_cpu_globaltimer();
        gsh_cpu_fiber->polls = 0;
    } else if (wait->polls % LOOK_POLLS == 0 ||
               atomic_load_explicit(&gsh.alert, memory_order_relaxed)) {
        looks_for = wait;
        gsh_cpu_at_home(block, look);
    }
    gsh_cpu_pass(block);
    gsh_cpu_leave_block(block);
}
