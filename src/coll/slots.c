/* slots.c - see slots.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/slots.h"
#include "coll/schedule.h"
#include "core/remote.h"

static int my_number(const struct gsh_team *team)
{
    return team->nodes ? team->nodes->my : team->my;
}

static int rank_of(const struct gsh_team *team, int partner)
{
    const struct gsh_nodes *nodes = team->nodes;

    return nodes ? gsh_nodes_rank(nodes, partner, nodes->place[team->my]) : partner;
}

static int pe_of(const struct gsh_team *team, int partner)
{
    return team->pes[rank_of(team, partner)];
}

/* The i-th after this one. */
static int next(const struct gsh_team *team, int i)
{
    return (my_number(team) + i) % gsh_team_partners(team);
}

static struct gsh_slot *slot(const struct gsh_team *team, uint32_t round, int partner)
{
    return (struct gsh_slot *)(void *)(gsh.base + gsh_team_slot(team, round, partner));
}

static void send(const struct gsh_team *team, const struct gsh_call *call, uint32_t round,
                 int partner, const void *data, size_t bytes)
{
    size_t off = gsh_team_slot(team, round, my_number(team));

    gsh_flag_put(pe_of(team, partner), off + offsetof(struct gsh_slot, data), data, bytes,
                 off + offsetof(struct gsh_slot, word), gsh_call_word(call));
}

/* Fills team->from with what all have sent in a round; `own` is this PE's. */
static void take(const struct gsh_team *team, const struct gsh_call *call, uint32_t round,
                 const void *own)
{
    for (int k = 0; k < gsh_team_partners(team); k++) {
        struct gsh_slot *from = slot(team, round, k);

        team->from[k] = k == my_number(team) ? own : from->data;
        if (k != my_number(team))
            gsh_flag_wait(team, call, &from->word, rank_of(team, k));
    }
}

void gsh_slots_reduce_small(struct gsh_team *team, const struct gsh_call *call, void *dest,
                            const void *source, size_t nelems, size_t elem_bytes,
                            gsh_combine *combine)
{
    uint32_t round = team->rounds++;

    for (int i = 1; i < gsh_team_partners(team); i++)
        send(team, call, round, next(team, i), source, nelems * elem_bytes);
    take(team, call, round, source);
    combine(dest, team->from, gsh_team_partners(team), nelems);
}

/* A reduction in rounds: each partner combines a share of the elements, a block of it in each
 * round. */
struct job {
    char *dest;
    const char *source;
    size_t nelems;
    size_t elem_bytes;
    gsh_combine *combine;
};

/* Where the block of a share begins, in bytes, and its elements. */
static size_t block(const struct gsh_team *team, const struct job *job, size_t i, int share,
                    size_t *at)
{
    size_t most = team->slot_room / job->elem_bytes, first;
    size_t n = gsh_slice(job->nelems, GSH_LINE, share, gsh_team_partners(team), &first);
    size_t done = i * most < n ? i * most : n;

    *at = (first + done) * job->elem_bytes;
    return n - done < most ? n - done : most;
}

static void send_blocks(const struct gsh_team *team, const struct gsh_call *call, uint32_t round,
                        const struct job *job, size_t i)
{
    for (int k = 1; k < gsh_team_partners(team); k++) {
        size_t at, n = block(team, job, i, next(team, k), &at);

        send(team, call, round, next(team, k), job->source + at, n * job->elem_bytes);
    }
}

/* What others have sent of this block is what dest held there, in place too. */
static void combine_block(struct gsh_team *team, const struct gsh_call *call, uint32_t round,
                          const struct job *job, size_t i)
{
    size_t flag = gsh_team_slot(team, round, my_number(team)) + offsetof(struct gsh_slot, result);
    size_t at, n = block(team, job, i, my_number(team), &at);

    take(team, call, round, job->source + at);
    job->combine(job->dest + at, team->from, gsh_team_partners(team), n);
    for (int k = 1; k < gsh_team_partners(team); k++)
        gsh_flag_put(pe_of(team, next(team, k)), gsh_offset_of(job->dest) + at, job->dest + at,
                     n * job->elem_bytes, flag, gsh_call_word(call));
}

static size_t rounds(const struct gsh_team *team, size_t nelems, size_t elem_bytes)
{
    size_t most = team->slot_room / elem_bytes, first;

    return nelems <= most
               ? 1
               : (gsh_slice(nelems, GSH_LINE, 0, gsh_team_partners(team), &first) + most - 1) /
                     most;
}

/* A block is on its way while the one before is combined. The results are there when the last
 * ones are: flags come in order. */
static void in_rounds(struct gsh_team *team, const struct gsh_call *call, size_t n,
                      const struct job *job)
{
    struct gsh_call calls[2] = { *call, *call };
    uint32_t round = team->rounds;

    for (size_t i = 0; i <= n; i++, round++) {
        if (i < n) {
            gsh_call_begin(team, &calls[i % 2]);
            send_blocks(team, &calls[i % 2], round, job, i);
        }
        if (i)
            combine_block(team, &calls[(i - 1) % 2], round - 1, job, i - 1);
    }
    team->rounds += (uint32_t)n;
    for (int i = 1; i < gsh_team_partners(team); i++)
        gsh_flag_wait(team, &calls[(n - 1) % 2],
                      &slot(team, team->rounds - 1, next(team, i))->result,
                      rank_of(team, next(team, i)));
}

void gsh_slots_reduce(struct gsh_team *team, struct gsh_call *call, void *dest, const void *source,
                      size_t nelems, size_t most, size_t elem_bytes, gsh_combine *combine)
{
    const struct job job = { dest, source, nelems, elem_bytes, combine };

    if (most * elem_bytes > team->slot_room) {
        in_rounds(team, call, rounds(team, most, elem_bytes), &job);
        return;
    }
    gsh_call_begin(team, call);
    gsh_slots_reduce_small(team, call, dest, source, nelems, elem_bytes, combine);
}

void gsh_slots_skip(struct gsh_team *team, struct gsh_call *call, size_t most, size_t elem_bytes)
{
    for (size_t n = rounds(team, most, elem_bytes); n; n--)
        gsh_call_begin(team, call);
}
