/* call.c - collective calls as the members of a team see each other's. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/coll.h"
#include "coll/kernels.h"
#include "core/log.h"
#include "core/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const op_names[] = {
#define ROW(op, text) text,
    GSH_COLL_OPS(ROW)
#undef ROW
};

static const char *const type_names[] = { "bytes",
#define ROW(name, type, a) #name,
                                          GSH_COLL_TYPES(ROW, _)
#undef ROW
};

static const char *const reduction_names[] = {
#define ROW(op) #op,
    GSH_REDUCTION_OPS(ROW)
#undef ROW
};

static uint16_t sign(const struct gsh_call *c)
{
    uint64_t h = (uint64_t)c->op << 48 ^ (uint64_t)c->type << 32 ^ (uint32_t)c->root;

    h = (h ^ c->bytes * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 32 ^ c->extra) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint16_t)(h >> 48);
}

/* Where the race checker lets the members of a team meet. Calls take turns at two places, so
 * that members who are in the next call already are not heard in this one. */
static const void *race_place(const struct gsh_team *team, const struct gsh_call *call)
{
    return gsh.peers[team->pes[0]].base + team->block_off + call->seq % 2;
}

void gsh_call_met(const struct gsh_team *team, const struct gsh_call *call)
{
    if (gsh_unlikely(gsh_race_on))
        gsh_race_acquire(race_place(team, call));
}

void gsh_call_begin(struct gsh_team *team, struct gsh_call *call)
{
    struct gsh_call *record;

    call->seq = ++team->seq;
    if (gsh_unlikely(gsh_race_on))
        gsh_race_release(race_place(team, call));
    record = &team->block->calls[call->seq % GSH_TEAM_CALLS];
    call->sign = sign(call);
    record->sign = call->sign;
    record->op = call->op;
    record->type = call->type;
    record->root = call->root;
    record->bytes = call->bytes;
    record->extra = call->extra;
    __atomic_store_n(&record->seq, call->seq, __ATOMIC_RELEASE);
}

/* What a member has published in the place of this call; false, and nothing, when it does not
 * answer. */
static bool read_record(const struct gsh_team *team, int rank, uint64_t seq,
                        struct gsh_call *theirs)
{
    size_t off = team->block_off + offsetof(struct gsh_team_block, calls) +
                 seq % GSH_TEAM_CALLS * sizeof(*theirs);

    if (gsh_peek_at(team->pes[rank], theirs, off, sizeof(*theirs)))
        return true;
    *theirs = (struct gsh_call){ 0 };
    return false;
}

void gsh_call_text(const struct gsh_call *c, char *text, size_t bytes)
{
    unsigned long long n = c->bytes;

    switch (c->op) {
    case GSH_COLL_MALLOC:
    case GSH_COLL_CALLOC:
    case GSH_COLL_REGISTER:
    case GSH_COLL_TEAM_MALLOC:
        snprintf(text, bytes, "%s(%llu bytes)", op_names[c->op], n);
        break;
    case GSH_COLL_MALLOC_KIND:
        snprintf(text, bytes, "%s(%llu bytes of %s memory)", op_names[c->op], n,
                 c->root ? "host" : "device");
        break;
    case GSH_COLL_ALIGN:
        snprintf(text, bytes, "%s(%llu bytes at a multiple of %llu)", op_names[c->op], n,
                 (unsigned long long)c->extra);
        break;
    case GSH_COLL_FREE:
    case GSH_COLL_TEAM_FREE:
        snprintf(text, bytes, "%s(heap offset %llu)", op_names[c->op],
                 (unsigned long long)c->extra);
        break;
    case GSH_COLL_SPLIT:
        snprintf(text, bytes, "%s(start %d, stride %lld, size %llu)", op_names[c->op], c->root,
                 (long long)c->bytes, (unsigned long long)c->extra);
        break;
    case GSH_COLL_SPLIT_2D:
        snprintf(text, bytes, "%s(xrange %d)", op_names[c->op], c->root);
        break;
    case GSH_COLL_TEAM_CREATE:
        snprintf(text, bytes, "%s(flags %d, heap of %llu bytes)", op_names[c->op], c->root, n);
        break;
    case GSH_COLL_BROADCAST:
        snprintf(text, bytes, "%s(%s, %llu bytes, root %d)", op_names[c->op], type_names[c->type],
                 n, c->root);
        break;
    case GSH_COLL_FCOLLECT:
    case GSH_COLL_ALLTOALL:
    case GSH_COLL_ALLTOALLS:
    case GSH_COLL_SCAN:
        snprintf(text, bytes, "%s(%s, %llu bytes)", op_names[c->op], type_names[c->type], n);
        break;
    case GSH_COLL_REDUCE:
    case GSH_COLL_REDUCESCATTER:
        snprintf(text, bytes, "%s(%s, %s, %llu bytes)", op_names[c->op], reduction_names[c->root],
                 type_names[c->type], n);
        break;
    default:
        snprintf(text, bytes, "%s", op_names[c->op]);
    }
}

/* Has a member come to this call, or will it never? */
static bool is_settled(const struct gsh_team *team, int rank, const struct gsh_call *call,
                       struct gsh_call *theirs)
{
    read_record(team, rank, call->seq, theirs);
    return theirs->seq >= call->seq || gsh_pe_state(team->pes[rank]) > GSH_PE_RUNNING;
}

/* Gives the members a second to come, so that the table is complete. */
static void await_members(const struct gsh_team *team, const struct gsh_call *call)
{
    struct gsh_call theirs;
    int rank = 0;

    for (int i = 0; i < 100 && rank < team->n; i++) {
        while (rank < team->n && is_settled(team, rank, call, &theirs))
            rank++;
        if (rank < team->n)
            usleep(10 * 1000);
    }
}

/* What a member does, as far as can be seen. */
static void member_text(const struct gsh_team *team, const struct gsh_call *call, int rank,
                        char *text, size_t bytes)
{
    static const char *const states[] = { "has not started", "has not come to this call",
                                          "has finalized", "has left without nvshmem_finalize",
                                          "is gone" };
    struct gsh_call theirs;

    read_record(team, rank, call->seq, &theirs);
    if (theirs.seq == call->seq)
        gsh_call_text(&theirs, text, bytes);
    else if (theirs.seq > call->seq)
        snprintf(text, bytes, "is in a later call");
    else
        snprintf(text, bytes, "%s", states[gsh_pe_state(team->pes[rank])]);
}

enum { TEXT = 160 };

/* Appends a line: the PEs whose text equals that of `rank`, the first one. */
static size_t add_row(const struct gsh_team *team, char (*texts)[TEXT], int rank, char *table,
                      size_t bytes)
{
    size_t at = (size_t)snprintf(table, bytes, "\n  PE");
    int n = 0;

    for (int i = rank; i < team->n && at < bytes; i++) {
        if (strcmp(texts[i], texts[rank]))
            continue;
        if (++n <= 16)
            at += (size_t)snprintf(table + at, bytes - at, " %d", team->pes[i]);
    }
    if (n > 16 && at < bytes)
        at += (size_t)snprintf(table + at, bytes - at, " and %d more", n - 16);
    if (at < bytes)
        at += (size_t)snprintf(table + at, bytes - at, ": %s", texts[rank]);
    return at;
}

_Noreturn void gsh_call_mismatch(const struct gsh_team *team, const struct gsh_call *call)
{
    char(*texts)[TEXT] = calloc((size_t)team->n, sizeof(*texts));
    char table[900] = "";
    size_t at = 0;

    await_members(team, call);
    for (int rank = 0; texts && rank < team->n; rank++)
        member_text(team, call, rank, texts[rank], sizeof(texts[rank]));
    for (int rank = 0; texts && rank < team->n && at < sizeof(table); rank++) {
        int first = 0;

        while (strcmp(texts[first], texts[rank]))
            first++;
        if (first == rank)
            at += add_row(team, texts, rank, table + at, sizeof(table) - at);
    }
    gsh_die("the PEs of a team of %d make different collective calls%s", team->n, table);
}

void gsh_call_compare(const struct gsh_team *team, const struct gsh_call *call, bool all)
{
    for (int rank = 0; rank < team->n; rank++) {
        struct gsh_call theirs;

        if (!all && !gsh.peers[team->pes[rank]].base)
            continue;
        read_record(team, rank, call->seq, &theirs);
        if (theirs.seq == call->seq && theirs.sign != call->sign)
            gsh_call_mismatch(team, call);
    }
}

/* Which members have not come to the call, and how they are. */
static bool describe(const struct gsh_wait *wait, char *text, size_t bytes)
{
    const struct gsh_team *team = ((const void *const *)wait->arg)[0];
    const struct gsh_call *call = ((const void *const *)wait->arg)[1];
    size_t at = (size_t)snprintf(text, bytes, "for");
    bool hopeless = false;
    int missing = 0;

    gsh_call_compare(team, call, true);
    for (int rank = 0; rank < team->n; rank++) {
        struct gsh_call theirs;
        enum gsh_pe_state state = gsh_pe_state(team->pes[rank]);

        if (!read_record(team, rank, call->seq, &theirs) && state <= GSH_PE_RUNNING)
            continue;
        if (theirs.seq >= call->seq)
            continue;
        if (call->op == GSH_COLL_FINALIZE && state == GSH_PE_LEFT)
            continue;
        hopeless |= state > GSH_PE_RUNNING;
        if (++missing <= 8 && at < bytes)
            at += (size_t)snprintf(text + at, bytes - at, "%s PE %d%s", missing > 1 ? "," : "",
                                   team->pes[rank],
                                   state == GSH_PE_LEFT        ? ", which has left"
                                   : state == GSH_PE_FINALIZED ? ", which has finalized"
                                   : state == GSH_PE_GONE      ? ", which is gone"
                                                               : "");
    }
    if (!missing && at < bytes)
        snprintf(text + at, bytes - at, " data of PEs that have all come");
    else if (missing > 8 && at < bytes)
        snprintf(text + at, bytes - at, " and %d more", missing - 8);
    return hopeless;
}

/* Finalize does not wait for PEs that have left without it. They set no flags, so
 * that the others go by what the members have published. */
static bool may_finalize(const struct gsh_team *team, const struct gsh_call *call)
{
    struct gsh_call theirs;

    if (call->op != GSH_COLL_FINALIZE || !atomic_load(&gsh.left))
        return false;
    for (int rank = 0; rank < team->n; rank++)
        if (!is_settled(team, rank, call, &theirs))
            return false;
    return true;
}

void gsh_flag_wait(const struct gsh_team *team, const struct gsh_call *call,
                   const _Atomic uint64_t *flag, int writer)
{
    const void *const about[] = { team, call };
    struct gsh_wait wait = {
        .call = call->name, .where = call->where, .describe = describe, .arg = about, .flag = true
    };
    struct gsh_call theirs;
    uint64_t word;

    while (word = gsh_flag_read(flag), word >> GSH_SIGN_BITS < call->seq) {
        if (gsh_unlikely(may_finalize(team, call)))
            break;
        gsh_pause(&wait);
    }
    gsh_wait_end(&wait);
    gsh_call_met(team, call);
    if (gsh_likely(word == gsh_call_word(call)) || word >> GSH_SIGN_BITS < call->seq)
        return;
    if (word >> GSH_SIGN_BITS == call->seq)
        gsh_call_mismatch(team, call);
    if (writer < 0)
        return;
    read_record(team, writer, call->seq, &theirs);
    if (theirs.seq == call->seq && theirs.sign != call->sign)
        gsh_call_mismatch(team, call);
}
