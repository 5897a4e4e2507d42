/* check.c - checks of the addresses and PEs that threads of kernels give to the device API.
 *
 * Always: both are of the job. With GSHMEM_CHECK also: the bytes lie in one live block of
 * the heap, or in static data, and the address is aligned for the type.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/remote.h"
#include "gpu/cpu/block.h"
#include "gpu/cpu/report.h"
#include "heap/heap.h"
#include "util/where.h"

#include <gshmem/impl/state.h>

#include <stdio.h>

struct request {
    const void *sym;
    size_t bytes;
    size_t align;
    int pe;
};

/* What is refused, for the report on the operating-system thread's own stack. */
static _Thread_local struct request refused;

static bool is_in_job(const struct request *r)
{
    size_t off = (size_t)((const char *)r->sym - gsh.base);

    if ((unsigned)r->pe >= (unsigned)gsh.n_pes)
        return false;
    if (off < gsh.span)
        return off >= gsh.heap_off && r->bytes <= gsh.span - off;
    return gsh_data_offset(r->sym, r->bytes, &off) || gsh_gpu_offset(r->sym, r->bytes, &off);
}

static bool is_aligned(const struct request *r)
{
    return r->align <= 1 || (uintptr_t)r->sym % r->align == 0;
}

static bool is_heap(const void *sym)
{
    size_t off = (size_t)((const char *)sym - gsh.base);

    return off < gsh.span || off - gsh.device_off < gsh.device_span;
}

static bool is_alive(const struct request *r)
{
    const char *start, *at = r->sym;
    const void *where;
    size_t bytes;

    return !is_heap(at) || (gsh_heap_block(at, &start, &bytes, &where) && at >= start &&
                            r->bytes <= bytes && (size_t)(at - start) <= bytes - r->bytes);
}

static void explain_block(const struct request *r, char *text, size_t room)
{
    char place[64], where[160];
    const char *start, *at = r->sym;
    const void *tag;
    size_t bytes;

    gsh_place(at, place, sizeof(place));
    if (!gsh_heap_block(at, &start, &bytes, &tag)) {
        snprintf(text, room, "%p (%s) is not allocated; was it freed before?", r->sym, place);
        return;
    }
    gsh_where(tag, where, sizeof(where));
    snprintf(text, room,
             "%zu bytes at %p (%s) are not inside the block of %zu bytes from %p on that was "
             "allocated in %s",
             r->bytes, r->sym, place, bytes, (const void *)start, where);
}

static void refuse(struct block *block)
{
    const struct request *r = &refused;
    char *text = block->text;
    size_t room = sizeof(block->text);

    if (!gsh_cpu_device_state.n_pes)
        snprintf(text, room, "there is no job: nvshmem_init was not called");
    else if (!is_in_job(r))
        gsh_remote_explain(r->sym, r->bytes, r->pe, text, room);
    else if (!is_aligned(r))
        snprintf(text, room, "%p is not aligned to its %zu bytes", r->sym, r->align);
    else
        explain_block(r, text, room);
    gsh_cpu_report_trap(block);
}

void gsh_cpu_check(const void *sym, size_t bytes, size_t align, int pe)
{
    struct request r = { sym, bytes, align, pe };
    struct block *block = gsh_cpu_enter_block("a check");

    if (!is_in_job(&r) || (gsh_cpu_device_state.check && (!is_aligned(&r) || !is_alive(&r)))) {
        refused = r;
        gsh_cpu_at_home(block, refuse);
    }
    gsh_cpu_leave_block(block);
}
