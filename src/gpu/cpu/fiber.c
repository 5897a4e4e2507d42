/* fiber.c - fibers on top of Boost.Context's two functions in assembler. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "gpu/cpu/fiber.h"
#include "core/env.h"
#include "core/log.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

GSH_CPU_TLS struct gsh_cpu_fiber *gsh_cpu_fiber;
GSH_CPU_TLS struct gsh_cpu_dim gsh_cpu_thread_idx;
GSH_CPU_TLS struct gsh_cpu_dim gsh_cpu_block_idx;
GSH_CPU_TLS struct gsh_cpu_dim gsh_cpu_block_dim;
GSH_CPU_TLS struct gsh_cpu_dim gsh_cpu_grid_dim;

/* Where a switch came from, and what that one gave. */
struct transfer {
    void *context;
    void *data;
};

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN void *make_fcontext(void *top, size_t bytes, void (*begin)(struct transfer));
HIDDEN struct transfer jump_fcontext(void *context, void *data);

enum { PAGE = 4096, GUARD = 16 * PAGE, LINE = 64, STAGGER = 32 };

/* The end of a slot, just above its struct: in the upper half of a page, at another line
 * than its neighbours. */
static char *slot_end(const struct slab *slab, uint32_t slot)
{
    return slab->map + GUARD + PAGE + (slot + 1) * slab->stride - PAGE / 2 +
           (size_t)LINE * (slot * 5 % STAGGER);
}

static struct fiber *slot_fiber(const struct slab *slab, uint32_t slot)
{
    return (struct fiber *)(void *)slot_end(slab, slot) - 1;
}

/* An odd number of pages: then the stacks' ends are spread over all of the TLB. */
static size_t stride_in_force(void)
{
    size_t pages = (gsh_env.CPU_STACK * GSH_CPU_STACK_FACTOR + PAGE - 1) / PAGE;

    return (pages | 1) * PAGE;
}

static void close_slab(struct slab *slab)
{
    for (uint32_t i = 0; i < slab->used; i++)
        gsh_san_destroy(slot_fiber(slab, i)->tsan);
    if (slab->map)
        munmap(slab->map, slab->bytes);
    memset(slab, 0, sizeof(*slab));
}

int gsh_cpu_slab_open(struct slab *slab, uint32_t slots)
{
    size_t stride = stride_in_force();
    size_t bytes = GUARD + 2 * PAGE + slots * stride;
    char *map;

    if (slab->slots >= slots && slab->stride == stride)
        return 0;
    map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map == MAP_FAILED)
        return gsh_fail(
            -ENOMEM,
            "no address space for the stacks of a block, %u of %zu bytes: %s; a smaller "
            "GSHMEM_CPU_STACK may help",
            slots, stride, strerror(errno));
    /* Huge pages would make the untouched parts of stacks real. */
    madvise(map, bytes, MADV_NOHUGEPAGE);
    if (mprotect(map, GUARD, PROT_NONE)) {
        munmap(map, bytes);
        return gsh_fail(-ENOMEM, "cannot protect the pages below the stacks of a block: %s",
                        strerror(errno));
    }
    close_slab(slab);
    gsh_san_clean(map + GUARD, bytes - GUARD);
    *slab = (struct slab){ .map = map, .bytes = bytes, .stride = stride, .slots = slots };
    return 0;
}

bool gsh_cpu_slab_guards(const struct slab *slab, const void *address)
{
    return (uintptr_t)address - (uintptr_t)slab->map < GUARD;
}

static void arrive(struct fiber *self, struct transfer from)
{
    struct fiber *other = from.data;
    const void *bottom;
    size_t bytes;

    other->context = from.context;
    gsh_san_arrive(self->fake, &bottom, &bytes);
}

static void begin(struct transfer from)
{
    struct fiber *self = gsh_cpu_fiber_self();

    self->fake = NULL;
    arrive(self, from);
    gsh_cpu_fiber_main(self);
}

struct fiber *gsh_cpu_fiber_make(struct slab *slab, uint32_t slot)
{
    struct fiber *fiber = slot_fiber(slab, slot);

    if (slot == slab->used) {
        fiber->bottom = slot ? slot_end(slab, slot - 1) : slab->map + GUARD + PAGE;
        ((uint64_t *)(void *)fiber->bottom)[-1] = GSH_CPU_CANARY;
        fiber->tsan = gsh_san_create();
        slab->used++;
    }
    fiber->canary = GSH_CPU_CANARY;
    fiber->stack_bytes = (uint32_t)((char *)fiber - fiber->bottom);
    gsh_san_clean((char *)fiber - PAGE, PAGE);
    fiber->context = make_fcontext(fiber, fiber->stack_bytes, begin);
    return fiber;
}

void gsh_cpu_fiber_home(struct fiber *home)
{
    pthread_attr_t attr;
    void *bottom;
    size_t bytes;

    memset(home, 0, sizeof(*home));
    home->tsan = gsh_san_current();
    if (pthread_getattr_np(pthread_self(), &attr))
        return;
    if (!pthread_attr_getstack(&attr, &bottom, &bytes)) {
        home->bottom = bottom;
        home->stack_bytes = (uint32_t)bytes;
    }
    pthread_attr_destroy(&attr);
}

void gsh_cpu_fiber_switch(struct fiber *from, struct fiber *to, bool ends)
{
    gsh_cpu_fiber = &to->pub;
    gsh_cpu_thread_idx = to->pub.tid;
    gsh_san_leave(ends ? NULL : &from->fake, to->bottom, to->stack_bytes);
    gsh_san_switch(to->tsan);
    arrive(from, jump_fcontext(to->context, from));
}
