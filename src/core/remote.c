/* remote.c - the slow sides of remote.h: refusals, and peers behind a transport. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/remote.h"
#include "core/escape.h"
#include "core/init.h"
#include "core/log.h"
#include "heap/device.h"
#include "proxy/proxy.h"

#include <stdio.h>

void gsh_remote_explain(const void *sym, size_t bytes, int pe, char *text, size_t room)
{
    size_t off = (size_t)((const char *)sym - gsh.base);
    size_t end = off < gsh.device_off ? gsh.span : gsh.device_off + gsh.device_span;
    char why[300] = "";

    if (pe < 0 || pe >= gsh.n_pes) {
        snprintf(text, room, "PE %d does not exist; the job has PEs 0 to %d", pe, gsh.n_pes - 1);
        return;
    }
    if (off < end && bytes > end - off) {
        snprintf(text, room, "%zu bytes at %p reach %zu bytes beyond the symmetric heap", bytes,
                 sym, bytes - (end - off));
        return;
    }
    gsh_data_explain(sym, bytes, why, sizeof(why));
    if (*why)
        snprintf(text, room, "%p is not a symmetric address: %s", sym, why);
    else
        snprintf(text, room, "%p is not a symmetric address; the heap of this PE is %p to %p", sym,
                 (void *)(gsh.base + gsh.heap_off), (void *)(gsh.base + gsh.span));
}

void gsh_remote_refuse(const char *call, const void *sym, size_t bytes, int pe)
{
    char text[512];

    if (!gsh.n_init) {
        gsh_ready(call);
        gsh_die("%s was called after an init that failed: %s", call, gsh_last_error());
    }
    gsh_remote_explain(sym, bytes, pe, text, sizeof(text));
    gsh_die("%s: %s", call, text);
}

size_t gsh_offset_static(const char *call, const void *sym, size_t bytes, int pe)
{
    size_t off;

    if ((unsigned)pe >= (unsigned)gsh.n_pes ||
        (!gsh_data_offset(sym, bytes, &off) && !gsh_gpu_offset(sym, bytes, &off)))
        gsh_remote_refuse(call, sym, bytes, pe);
    return off;
}

void gsh_place(const void *sym, char *text, size_t bytes)
{
    size_t off = (size_t)((const char *)sym - gsh.base);

    if (gsh_device_heap_has(sym, 0))
        snprintf(text, bytes, "device heap offset %zu",
                 (size_t)((const char *)sym - gsh_device_heap.base));
    else if (off - gsh.device_off < gsh.device_span)
        snprintf(text, bytes, "device heap offset %zu", off - gsh.device_off);
    else if (!gsh_data_place(sym, text, bytes))
        snprintf(text, bytes, "offset %zu", off - gsh.heap_off);
}

static void check(int err, int pe)
{
    if (err)
        gsh_escape_or_die("transport %s to PE %d failed: %s", gsh.peers[pe].tr->name, pe,
                          gsh_last_error());
}

void gsh_tr_put(int pe, size_t off, const void *src, size_t bytes)
{
    struct gsh_tr *tr = gsh.peers[pe].tr;

    if (bytes)
        check(tr->ops.put(tr, pe, off, src, bytes), pe);
}

void gsh_tr_put_pieces(int pe, const struct gsh_piece *pieces, size_t n)
{
    struct gsh_tr *tr = gsh.peers[pe].tr;

    check(tr->ops.put_pieces(tr, pe, pieces, n), pe);
}

void gsh_tr_get_pieces(int pe, const struct gsh_piece *pieces, size_t n)
{
    struct gsh_tr *tr = gsh.peers[pe].tr;

    check(tr->ops.get_pieces(tr, pe, pieces, n), pe);
}

void gsh_tr_get(int pe, void *dst, size_t off, size_t bytes)
{
    struct gsh_tr *tr = gsh.peers[pe].tr;

    if (bytes)
        check(tr->ops.get(tr, pe, dst, off, bytes), pe);
}

bool gsh_peek_at(int pe, void *dst, size_t off, size_t bytes)
{
    struct gsh_tr *tr = gsh.peers[pe].tr;

    if (!gsh.peers[pe].base)
        return !tr->ops.peek(tr, pe, dst, off, bytes);
    memcpy(dst, gsh.peers[pe].base + off, bytes);
    return true;
}

uint64_t gsh_tr_amo(int pe, size_t off, const struct gsh_amo_args *args)
{
    struct gsh_tr *tr = gsh.peers[pe].tr;
    uint64_t old = 0;

    check(tr->ops.amo(tr, pe, off, args, &old), pe);
    return old;
}

void gsh_tr_amo_post(int pe, size_t off, const struct gsh_amo_args *args)
{
    struct gsh_tr *tr = gsh.peers[pe].tr;

    check(tr->ops.amo_post(tr, pe, off, args), pe);
}

void gsh_tr_put_signal(int pe, size_t off, const void *src, size_t bytes, size_t sig_off,
                       const struct gsh_amo_args *signal)
{
    struct gsh_tr *tr = gsh.peers[pe].tr;

    check(tr->ops.put_signal(tr, pe, off, src, bytes, sig_off, signal), pe);
}

void gsh_tr_flag(int pe, size_t off, const void *src, size_t bytes, size_t flag_off, uint64_t value)
{
    struct gsh_tr *tr = gsh.peers[pe].tr;

    check(tr->ops.flag(tr, pe, off, src, bytes, flag_off, value), pe);
}

void gsh_complete_remote(void)
{
    gsh_proxy_drain();
    gsh_tr_quiet();
}
