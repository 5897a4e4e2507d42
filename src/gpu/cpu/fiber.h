/* fiber.h - fibers: stacks that one operating-system thread switches between.
 *
 * A block's stacks lie side by side in one slab of address space. Each fiber's struct
 * lies at the upper end of its own stack, and ends with the canary of the next stack,
 * which grows down towards it: it is in the cache when it is looked at. The ends are at
 * varying distances from a page boundary, so that they do not share few cache lines'
 * places.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_CPU_FIBER_H
#define GSH_GPU_CPU_FIBER_H

#include "gpu/cpu/sanitize.h"

#include <gshmem/cpu/engine.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fiber {
    /* What it waits for, while it stands in a list of waiters. */
    alignas(64) const char *sync; /* the operation */
    const void *sync_where;       /* where in the program */
    uint32_t lanes;               /* it waits for, 0 for barriers; then those that came */
    uint32_t stack_bytes;         /* from bottom on */
    uint64_t *out;                /* gsh_cpu_exchange(): where it wants the values */
    const void *gathers;          /* gsh_cpu_activemask(): at which call; NULL: at none */
    char *bottom;                 /* low end of the stack */
    void *fake;                   /* the sanitizers' own */
    void *tsan;
    /* The line that switches touch. */
    alignas(64) void *context;
    struct fiber *next; /* in a list */
    struct gsh_cpu_fiber pub;
    uint64_t canary; /* of the next slot's stack; last */
};

_Static_assert(sizeof(struct fiber) == 128, "two lines, the second for switches");
_Static_assert(offsetof(struct fiber, canary) == 120, "the canary is next to the other stack");

struct slab {
    char *map;
    size_t bytes;
    size_t stride;
    uint32_t slots; /* stacks */
    uint32_t used;  /* slots that have been made ready once */
};

/* Room for `slots` stacks of the size in force. 0 or a negative errno. */
int gsh_cpu_slab_open(struct slab *slab, uint32_t slots);

/* True for an address in the pages below the lowest stack. */
bool gsh_cpu_slab_guards(const struct slab *slab, const void *address);

/* The fiber of a slot, ready to begin with gsh_cpu_fiber_main(). Slots must first be
 * taken in order, from 0 on. */
struct fiber *gsh_cpu_fiber_make(struct slab *slab, uint32_t slot);

/* What a fiber does; it ends with a gsh_cpu_fiber_switch() for good. */
void gsh_cpu_fiber_main(struct fiber *self);

/* A fiber for the stack that the calling thread runs on. */
void gsh_cpu_fiber_home(struct fiber *home);

/* Leaves `from`, which is running, for `to`; for good when it ends. */
void gsh_cpu_fiber_switch(struct fiber *from, struct fiber *to, bool ends);

#define GSH_CPU_CANARY 0x9e3779b97f4a7c15u

/* The stack has not grown into what lies below. */
static inline bool gsh_cpu_fiber_sound(const struct fiber *fiber)
{
    return ((const uint64_t *)(const void *)fiber->bottom)[-1] == GSH_CPU_CANARY;
}

static inline struct fiber *gsh_cpu_fiber_self(void)
{
    char *pub = (char *)gsh_cpu_fiber;

    return (struct fiber *)(void *)(pub - offsetof(struct fiber, pub));
}

#endif /* GSH_GPU_CPU_FIBER_H */
