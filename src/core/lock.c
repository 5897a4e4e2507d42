/* lock.c - the distributed locks of OpenSHMEM: a queue of PEs, each of which waits on a
 * word of its own.
 *
 * The user's long is two words of 32 bits. `tail`, of which that on the lock's home PE
 * counts, is the last PE of the queue plus 1, 0 when the lock is free. `node`, on
 * each PE, is what stands in the queue for it: the next PE plus 1, and WAITS until the
 * one before hands the lock over. Both are 0 on a PE that has nothing to do with it.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/amo.h"
#include "core/init.h"
#include "core/log.h"
#include "core/names.h"

#include <gshmem/shmem/lock.h>

#include <stdio.h>

#define WAITS (UINT32_C(1) << 31)

enum { TAIL = 0, NODE = 4 };

/* One call on one lock. */
struct lock {
    const char *call;
    size_t off; /* of the long */
    int home;
    _Atomic uint32_t *node; /* own */
    uint32_t me;
};

static struct lock open_lock(const char *call, long *lock)
{
    struct lock l = { .call = call, .me = (uint32_t)gsh.my_pe + 1 };

    l.off = gsh_offset(call, lock, sizeof(*lock), gsh.my_pe);
    if (l.off % sizeof(*lock))
        gsh_die("%s: %p is not aligned to its %zu bytes", call, (void *)lock, sizeof(*lock));
    l.home = (int)(l.off / sizeof(*lock) % (size_t)gsh.n_pes);
    l.node = (_Atomic uint32_t *)(void *)(gsh.base + l.off + NODE);
    return l;
}

static uint32_t amo(int pe, size_t off, enum gsh_amo op, uint32_t operand, uint32_t cond)
{
    struct gsh_amo_args args = { .op = op, .bytes = 4, .operand = operand, .cond = cond };

    return (uint32_t)gsh_amo_at(pe, off, &args);
}

static bool describe(const struct gsh_wait *wait, char *text, size_t bytes)
{
    const struct lock *l = wait->arg;
    uint32_t tail;
    size_t at = (size_t)snprintf(text, bytes, "for the lock at offset %zu", l->off - gsh.heap_off);

    if (at < bytes && gsh_peek_at(l->home, &tail, l->off + TAIL, sizeof(tail)))
        snprintf(text + at, bytes - at, "; the last PE that asked for it is %d", (int)tail - 1);
    return false;
}

/* Waits until the bits of own node that `mask` has are all 0, or not. */
static uint32_t await(const struct lock *l, uint32_t mask, bool zero, const void *where)
{
    struct gsh_wait wait = { .call = l->call, .where = where, .describe = describe, .arg = l };
    uint32_t node;

    while (node = atomic_load(l->node), !(node & mask) != zero)
        gsh_pause(&wait);
    gsh_wait_end(&wait);
    return node;
}

void pshmem_set_lock(long *lock)
{
    struct lock l = open_lock("shmem_set_lock", lock);
    uint32_t before;

    atomic_store(l.node, WAITS);
    before = amo(l.home, l.off + TAIL, GSH_AMO_set, l.me, 0);
    if (before == l.me)
        gsh_die("shmem_set_lock: this PE has the lock at %p already", (void *)lock);
    if (!before) {
        atomic_fetch_and(l.node, ~WAITS);
        return;
    }
    if (before > (uint32_t)gsh.n_pes)
        gsh_die("shmem_set_lock: %p holds 0x%lx, which is no lock; it must be 0 at first",
                (void *)lock, (unsigned long)before);
    amo((int)before - 1, l.off + NODE, GSH_AMO_or, l.me, 0);
    await(&l, WAITS, true, __builtin_return_address(0));
}
OS_WEAK(set_lock)

void pshmem_clear_lock(long *lock)
{
    struct lock l = open_lock("shmem_clear_lock", lock);
    uint32_t next, last;

    gsh_quiet();
    if (!atomic_load(l.node)) {
        last = amo(l.home, l.off + TAIL, GSH_AMO_cswap, 0, l.me);
        if (last == l.me)
            return;
        if (!last)
            gsh_die("shmem_clear_lock: no PE has the lock at %p", (void *)lock);
    }
    next = await(&l, ~WAITS, false, __builtin_return_address(0));
    atomic_store(l.node, 0);
    amo((int)next - 1, l.off + NODE, GSH_AMO_and, ~WAITS, 0);
}
OS_WEAK(clear_lock)

int pshmem_test_lock(long *lock)
{
    struct lock l = open_lock("shmem_test_lock", lock);

    return amo(l.home, l.off + TAIL, GSH_AMO_cswap, l.me, 0) != 0;
}
OS_WEAK(test_lock)
