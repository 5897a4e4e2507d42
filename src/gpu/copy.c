/* copy.c - see copy.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/copy.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/gpu.h"
#include "heap/device.h"
#include "topo/gpus.h"

#include <stdlib.h>

bool gsh_gpu_offset(const void *sym, size_t bytes, size_t *off)
{
    size_t at = (size_t)((const char *)sym - gsh.base);

    if (at - gsh.device_off < gsh.device_span) {
        *off = at;
        return bytes <= gsh.device_off + gsh.device_span - at;
    }
    if (!gsh_device_heap_has(sym, bytes))
        return false;
    *off = gsh.window + (size_t)((const char *)sym - gsh_device_heap.base);
    return true;
}

/* Where the place is in this process; NULL when a transport has to carry the bytes. */
static char *find(int pe, size_t off)
{
    char *at;

    if (off < gsh.window)
        return gsh.peers[pe].base ? gsh.peers[pe].base + off : NULL;
    at = gsh_device_heap_at(gsh_device_heap.base + (off - gsh.window), pe);
    if (!at && gsh.peers[pe].base)
        gsh_die("the GPU memory of PE %d cannot be reached: %s", pe,
                gsh_way_words(gsh_topo_way(gsh.my_pe, pe)));
    return at;
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (!gsh_gpu_owns(to) && !gsh_gpu_owns(from))
        gsh_copy(to, from, bytes);
    else if (gsh_gpu_copy(to, from, bytes))
        gsh_die("%s", gsh_last_error());
}

/* A copy in host memory of `bytes` at `from`, for a transport; the caller frees it. */
static void *bounce(const void *from, size_t bytes)
{
    void *at = calloc(bytes ? bytes : 1, 1);

    if (!at)
        gsh_die("no memory for %zu bytes on their way through the host", bytes);
    if (from)
        copy(at, from, bytes);
    return at;
}

void gsh_gpu_put_at(int pe, size_t off, const void *src, size_t bytes)
{
    char *to = find(pe, off);
    void *carried;

    if (to) {
        copy(to, src, bytes);
        gsh_ring(gsh.peers[pe].bell);
        return;
    }
    carried = bounce(src, bytes);
    gsh_tr_put(pe, off, carried, bytes);
    free(carried);
}

void gsh_gpu_get_at(int pe, void *dst, size_t off, size_t bytes)
{
    const char *from = find(pe, off);
    void *carried;

    if (from) {
        copy(dst, from, bytes);
        return;
    }
    carried = bounce(NULL, bytes);
    gsh_tr_get(pe, carried, off, bytes);
    copy(dst, carried, bytes);
    free(carried);
}
