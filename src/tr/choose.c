/* choose.c - open the transports and choose one for each peer. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/env.h"
#include "core/log.h"
#include "core/state.h"
#include "topo/host.h"
#include "tr/transport.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define EXTERN(name) extern const struct gsh_tr_driver gsh_tr_##name;
GSH_TR_BUILT(EXTERN)
#undef EXTERN

const struct gsh_tr_driver *const gsh_tr_drivers[] = {
#define ROW(name) &gsh_tr_##name,
    GSH_TR_BUILT(ROW) NULL,
#undef ROW
};

#define ONE(name) +1
enum { N_TRANSPORTS = GSH_TR_BUILT(ONE) };
#undef ONE

static struct gsh_tr transports[N_TRANSPORTS];
static char passed_over[N_TRANSPORTS][160]; /* why one is not open; "" when it is */

static int unsupported(struct gsh_tr *tr, const char *op)
{
    return gsh_fail(-EOPNOTSUPP, "transport %s has no %s", tr->name, op);
}

static int no_amo(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args,
                  uint64_t *old)
{
    (void)pe, (void)off, (void)args, (void)old;
    return unsupported(tr, "amo");
}

/* An answer that nobody wants can be had from an operation that gives one. */
static int no_amo_post(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args)
{
    uint64_t old;

    return tr->ops.amo(tr, pe, off, args, &old);
}

static void no_close(struct gsh_tr *tr)
{
    (void)tr;
}

static int no_fence(struct gsh_tr *tr)
{
    return tr->ops.quiet(tr);
}

static int no_flag(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes,
                   size_t flag_off, uint64_t value)
{
    const struct gsh_amo_args set = { .op = GSH_AMO_set, .bytes = 8, .operand = value };
    int err = bytes ? tr->ops.put(tr, pe, off, src, bytes) : 0;

    if (!err)
        err = tr->ops.fence(tr);
    return err ? err : tr->ops.amo_post(tr, pe, flag_off, &set);
}

static int no_get(struct gsh_tr *tr, int pe, void *dst, size_t off, size_t bytes)
{
    (void)pe, (void)dst, (void)off, (void)bytes;
    return unsupported(tr, "get");
}

static void no_leave(struct gsh_tr *tr)
{
    tr->ops.quiet(tr);
}

static char *no_map(struct gsh_tr *tr, int pe)
{
    (void)tr, (void)pe;
    return NULL;
}

static int no_open(struct gsh_tr *tr)
{
    (void)tr;
    return 0;
}

static int no_peek(struct gsh_tr *tr, int pe, void *dst, size_t off, size_t bytes)
{
    return tr->ops.get(tr, pe, dst, off, bytes);
}

static int no_progress(struct gsh_tr *tr)
{
    (void)tr;
    return 0;
}

static int no_put(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes)
{
    (void)pe, (void)off, (void)src, (void)bytes;
    return unsupported(tr, "put");
}

static int put_each(struct gsh_tr *tr, int pe, const struct gsh_piece *pieces, size_t n)
{
    int err = 0;

    for (size_t i = 0; i < n && !err; i++)
        err = tr->ops.put(tr, pe, pieces[i].off, pieces[i].at.from, pieces[i].bytes);
    return err;
}

static int get_each(struct gsh_tr *tr, int pe, const struct gsh_piece *pieces, size_t n)
{
    int err = 0;

    for (size_t i = 0; i < n && !err; i++)
        err = tr->ops.get(tr, pe, pieces[i].at.to, pieces[i].off, pieces[i].bytes);
    return err;
}

static int no_put_signal(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes,
                         size_t sig_off, const struct gsh_amo_args *signal)
{
    int err = tr->ops.put(tr, pe, off, src, bytes);

    if (!err)
        err = tr->ops.fence(tr);
    return err ? err : tr->ops.amo_post(tr, pe, sig_off, signal);
}

static int no_quiet(struct gsh_tr *tr)
{
    (void)tr;
    return 0;
}

static int no_reaches(struct gsh_tr *tr, int pe, char *why, size_t bytes)
{
    (void)tr, (void)pe;
    snprintf(why, bytes, "cannot be reached");
    return 0;
}

static void no_rest(struct gsh_tr *tr)
{
    (void)tr;
}

/* By position, not by name: a new op without a default is a build error
 * (-Werror=missing-field-initializers). */
static const struct gsh_tr_ops no_ops = {
    no_amo,   no_amo_post, no_close,      no_fence, no_flag,    no_get,
    get_each, no_leave,    no_map,        no_open,  no_peek,    no_progress,
    no_put,   put_each,    no_put_signal, no_quiet, no_reaches, no_rest,
};

/* Take over every op that `from` has; a table is nothing but pointers. */
static void fill_ops(struct gsh_tr_ops *to, const struct gsh_tr_ops *from)
{
    void (*op)(void);

    for (size_t at = 0; at < sizeof(*to); at += sizeof(op)) {
        memcpy(&op, (const char *)from + at, sizeof(op));
        if (op)
            memcpy((char *)to + at, &op, sizeof(op));
    }
}

/* Remote transports are those that NVSHMEM_REMOTE_TRANSPORT picks from. */
static bool is_remote(const struct gsh_tr_driver *driver)
{
    return !driver->ops.map;
}

/* One of the names of a list with commas. */
static bool is_named(const char *list, const char *name)
{
    size_t length = strlen(name);

    while (*list) {
        size_t here = strcspn(list, ",");

        if (here == length && !strncmp(list, name, length))
            return true;
        list += here + (list[here] == ',');
    }
    return false;
}

static bool is_known(const char *name)
{
    for (int i = 0; i < N_TRANSPORTS; i++)
        if (is_remote(gsh_tr_drivers[i]) && !strcmp(gsh_tr_drivers[i]->name, name))
            return true;
    return !strcmp(name, "none");
}

static int check_names(const char *list)
{
    char copy[256], all[128] = "";
    char *save = NULL;

    snprintf(copy, sizeof(copy), "%s", list);
    for (int i = 0; i < N_TRANSPORTS; i++)
        if (is_remote(gsh_tr_drivers[i]))
            snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s, ", gsh_tr_drivers[i]->name);
    for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save))
        if (!is_known(name))
            return gsh_fail(-EINVAL, "NVSHMEM_REMOTE_TRANSPORT is '%s'; this build has: %snone",
                            list, all);
    return 0;
}

/* Opens one transport; why[] is "", or the reason why it is passed over. */
static void try_open(const struct gsh_tr_driver *driver, struct gsh_tr *tr, char *why, size_t bytes)
{
    const char *wanted = gsh_env.REMOTE_TRANSPORT;
    const char *reason = "";

    *why = '\0';
    if (is_remote(driver) && *wanted && !is_named(wanted, driver->name))
        snprintf(why, bytes, "NVSHMEM_REMOTE_TRANSPORT is %s", wanted);
    else if (driver->usable && !driver->usable(&reason))
        snprintf(why, bytes, "%s", reason);
    else if (tr->ops.open(tr))
        snprintf(why, bytes, "could not be opened: %.120s", gsh_last_error());
}

static void open_one(int i)
{
    struct gsh_tr *tr = &transports[i];

    *tr = (struct gsh_tr){ .name = gsh_tr_drivers[i]->name, .ops = no_ops };
    fill_ops(&tr->ops, &gsh_tr_drivers[i]->ops);
    try_open(gsh_tr_drivers[i], tr, passed_over[i], sizeof(passed_over[i]));
    if (*passed_over[i]) {
        gsh_log(GSH_INFO, GSH_COMM, "transport %s is passed over: %s", tr->name, passed_over[i]);
        tr->ops = no_ops;
    }
}

/* The first transport that maps the peer, else the first that reaches it. */
static bool choose(int pe)
{
    struct gsh_peer *peer = &gsh.peers[pe];
    char why[160];

    for (int i = 0; i < N_TRANSPORTS; i++) {
        peer->tr = &transports[i];
        peer->base = peer->tr->ops.map(peer->tr, pe);
        if (peer->base) {
            peer->bell = &((struct gsh_inner *)(void *)peer->base)->bell;
            return true;
        }
    }
    gsh.remote = true;
    peer->bell = NULL;
    for (int i = 0; i < N_TRANSPORTS; i++) {
        peer->tr = &transports[i];
        if (peer->tr->ops.reaches(peer->tr, pe, why, sizeof(why)))
            return true;
    }
    peer->tr = NULL;
    return false;
}

struct gsh_tr *gsh_tr_below(const struct gsh_tr *tr, int pe, char *why, size_t bytes)
{
    snprintf(why, bytes, "is on another machine");
    for (int i = (int)(tr - transports) + 1; i < N_TRANSPORTS; i++)
        if (!*passed_over[i] && transports[i].ops.reaches(&transports[i], pe, why, bytes))
            return &transports[i];
    return NULL;
}

static void tell_why(int i, int pe, char *why, size_t bytes)
{
    if (*passed_over[i])
        snprintf(why, bytes, "%s", passed_over[i]);
    else
        transports[i].ops.reaches(&transports[i], pe, why, bytes);
}

/* Does none reach either, for the same reasons? */
static bool share_reasons(int a, int b)
{
    char why[2][160];

    if (gsh.peers[a].tr || gsh.peers[b].tr)
        return false;
    for (int i = 0; i < N_TRANSPORTS; i++) {
        tell_why(i, a, why[0], sizeof(why[0]));
        tell_why(i, b, why[1], sizeof(why[1]));
        if (strcmp(why[0], why[1]))
            return false;
    }
    return true;
}

/* A row for each transport, for PEs `first` to `last`. */
static void add_rows(int first, int last, char *text, size_t bytes)
{
    char pes[32];
    char why[160];

    snprintf(pes, sizeof(pes), first == last ? "%d" : "%d-%d", first, last);
    for (int i = 0; i < N_TRANSPORTS; i++) {
        size_t at = strlen(text);

        tell_why(i, first, why, sizeof(why));
        snprintf(text + at, bytes - at, "\n  %-9s  %-9s  %s", pes, transports[i].name, why);
    }
}

/* One table: each peer that none reaches, and why each transport does not. */
static int refuse(void)
{
    char text[900] = "";
    int last;

    for (int pe = 0; pe < gsh.n_pes; pe = last + 1) {
        last = pe;
        if (gsh.peers[pe].tr)
            continue;
        while (last + 1 < gsh.n_pes && share_reasons(pe, last + 1))
            last++;
        add_rows(pe, last, text, sizeof(text));
    }
    return gsh_fail(-EHOSTUNREACH, "no transport reaches these PEs:\n  %-9s  %-9s  %s%s", "PE",
                    "transport", "why not", text);
}

static void say_what_is_used(void)
{
    for (int i = 0; i < N_TRANSPORTS; i++) {
        int n = 0;

        for (int pe = 0; pe < gsh.n_pes; pe++)
            n += gsh.peers[pe].tr == &transports[i];
        if (n)
            gsh_log(GSH_INFO, GSH_COMM, "transport %s carries to %d of %d PEs", transports[i].name,
                    n, gsh.n_pes);
    }
}

int gsh_tr_open_all(void)
{
    bool all = true;
    int err = check_names(gsh_env.REMOTE_TRANSPORT);

    if (err)
        return err;
    gsh.remote = false;
    for (int i = 0; i < N_TRANSPORTS; i++)
        open_one(i);
    for (int pe = 0; pe < gsh.n_pes; pe++)
        all &= choose(pe);
    if (!all) {
        err = refuse();
        gsh_tr_close_all();
        return err;
    }
    say_what_is_used();
    return 0;
}

/* Threads of one that is not closed yet may still call the operations of all. */
void gsh_tr_close_all(void)
{
    for (int i = 0; i < N_TRANSPORTS; i++)
        if (transports[i].name)
            transports[i].ops.close(&transports[i]);
    memset(transports, 0, sizeof(transports));
}

void gsh_tr_leave_all(void)
{
    for (int i = 0; i < N_TRANSPORTS; i++)
        transports[i].ops.leave(&transports[i]);
}

int gsh_tr_fence(void)
{
    int err = 0;

    for (int i = 0; i < N_TRANSPORTS && !err; i++)
        err = transports[i].ops.fence(&transports[i]);
    return err;
}

int gsh_tr_progress(void)
{
    int n = 0;

    for (int i = 0; i < N_TRANSPORTS; i++)
        n += transports[i].ops.progress(&transports[i]);
    return n;
}

int gsh_tr_quiet(void)
{
    int err = 0;

    for (int i = 0; i < N_TRANSPORTS && !err; i++)
        err = transports[i].ops.quiet(&transports[i]);
    return err;
}

void gsh_tr_rest(void)
{
    for (int i = 0; i < N_TRANSPORTS; i++)
        transports[i].ops.rest(&transports[i]);
}
