/* sync.c - the members of a team meet. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/coll.h"
#include "coll/nodes.h"
#include "coll/schedule.h"
#include "core/amo.h"

#define AT(team, field) ((team)->block_off + offsetof(struct gsh_team_block, field))

/* Sets the same flag of all other members. On shared memory all stores go out
 * before one fence, which orders them before the look for sleepers. */
static void set_all(const struct gsh_team *team, size_t off, uint64_t word)
{
    if (!team->direct) {
        for (int i = 0; i < team->n; i++)
            if (i != team->my)
                gsh_flag_set(team->pes[i], off, word);
        return;
    }
    for (int i = 0; i < team->n; i++)
        if (i != team->my)
            __atomic_store_n((uint64_t *)(void *)(gsh.peers[team->pes[i]].base + off), word,
                             __ATOMIC_RELEASE);
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < team->n; i++)
        if (i != team->my)
            gsh_ring_flag(gsh.peers[team->pes[i]].bell);
}

static void sync_flat(struct gsh_team *team, const struct gsh_call *call)
{
    set_all(team, AT(team, flags) + (size_t)team->my * sizeof(struct gsh_flag),
            gsh_call_word(call));
    for (int i = 0; i < team->n; i++)
        if (i != team->my)
            gsh_flag_wait(team, call, &team->block->flags[i].word, i);
}

static void sync_rounds(struct gsh_team *team, const struct gsh_call *call)
{
    for (int r = 0; r < gsh_rounds(team->n); r++) {
        int to = gsh_round_to(team->my, r, team->n);

        gsh_flag_set(team->pes[to], AT(team, flags) + (size_t)r * sizeof(struct gsh_flag),
                     gsh_call_word(call));
        gsh_flag_wait(team, call, &team->block->flags[r].word,
                      gsh_round_from(team->my, r, team->n));
    }
}

/* The count goes up by n each time; who makes it a multiple is the last to come,
 * and releases the others. */
static void sync_counter(struct gsh_team *team, const struct gsh_call *call)
{
    const struct gsh_amo_args one = { .op = GSH_AMO_add, .bytes = 8, .operand = 1 };
    uint64_t come = gsh_amo_at(team->pes[0], AT(team, count), &one) + 1;

    if (come % (uint64_t)team->n == 0) {
        gsh_call_compare(team, call, true);
        set_all(team, AT(team, flags), gsh_call_word(call));
    } else {
        gsh_flag_wait(team, call, &team->block->flags[0].word, -1);
        /* Nobody can be released further than this: that takes the own arrival. */
        if (gsh_flag_read(&team->block->flags[0].word) > gsh_call_word(call))
            gsh_call_mismatch(team, call);
    }
}

int gsh_sync(struct gsh_team *team, const struct gsh_call *call)
{
    static void (*const kinds[])(struct gsh_team *, const struct gsh_call *) = {
        [GSH_SYNC_FLAT] = sync_flat,
        [GSH_SYNC_ROUNDS] = sync_rounds,
        [GSH_SYNC_COUNTER] = sync_counter,
        [GSH_SYNC_NODES] = gsh_nodes_sync,
    };

    kinds[team->sync_kind](team, call);
    team->bcast_from = 0;
    gsh_call_met(team, call);
    return 0;
}

int gsh_meet(struct gsh_team *team, struct gsh_call *call)
{
    gsh_call_begin(team, call);
    return gsh_sync(team, call);
}
