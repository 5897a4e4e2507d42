/* remote.c - threads of kernels reach PEs that they cannot load from and store to: by the
 * host's transports, in the thread's own name.
 *
 * The bodies of the device API have checked address and PE before. While a transport makes
 * the thread wait, its whole block does. A transport needs more stack than the thread has, and
 * works on that of the block.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/amo.h"
#include "gpu/cpu/block.h"

#include <gshmem/impl/state.h>
#include <gshmem/types.h>

/* The device headers cannot include transport.h: both lists are in the same order. */
_Static_assert(
    (int)GSH_DEVICE_FETCH == (int)GSH_AMO_fetch && (int)GSH_DEVICE_SET == (int)GSH_AMO_set &&
        (int)GSH_DEVICE_ADD == (int)GSH_AMO_add && (int)GSH_DEVICE_AND == (int)GSH_AMO_and &&
        (int)GSH_DEVICE_OR == (int)GSH_AMO_or && (int)GSH_DEVICE_XOR == (int)GSH_AMO_xor &&
        (int)GSH_DEVICE_FADD == (int)GSH_AMO_fadd && (int)GSH_DEVICE_CSWAP == (int)GSH_AMO_cswap,
    "enum gsh_device_amo is enum gsh_amo");

/* What a thread asks a transport to do. */
struct job {
    void (*run)(struct job *job);
    void *sym;
    union {
        const void *from;
        void *to;
    } at;
    size_t bytes;
    struct gsh_amo_args amo;
    uint64_t old;
    int pe;
};

static _Thread_local struct job *at_work;

static void run(struct block *block)
{
    (void)block;
    at_work->run(at_work);
}

static void at_home(struct job *job, const char *call)
{
    struct block *block = gsh_cpu_enter_block(call);

    at_work = job;
    gsh_cpu_at_home(block, run);
    gsh_cpu_leave_block(block);
}

static void put(struct job *job)
{
    gsh_put_at(job->pe, gsh_offset_of(job->sym), job->at.from, job->bytes);
}

void gsh_cpu_remote_put(void *sym, const void *src, size_t bytes, int pe)
{
    struct job job = { .run = put, .sym = sym, .at.from = src, .bytes = bytes, .pe = pe };

    at_home(&job, "a remote put");
}

static void get(struct job *job)
{
    gsh_get_at(job->pe, job->at.to, gsh_offset_of(job->sym), job->bytes);
}

void gsh_cpu_remote_get(void *dst, const void *sym, size_t bytes, int pe)
{
    struct job job = {
        .run = get, .sym = (void *)(uintptr_t)sym, .at.to = dst, .bytes = bytes, .pe = pe
    };

    at_home(&job, "a remote get");
}

static void amo(struct job *job)
{
    job->old = gsh_amo_at(job->pe, gsh_offset_of(job->sym), &job->amo);
}

uint64_t gsh_cpu_remote_amo(void *sym, size_t bytes, int op, uint64_t operand, uint64_t cond,
                            int pe)
{
    struct job job = {
        .run = amo,
        .sym = sym,
        .amo = { .op = (enum gsh_amo)op, .bytes = bytes, .operand = operand, .cond = cond },
        .pe = pe,
    };

    at_home(&job, "a remote atomic operation");
    return job.old;
}

static void signal(struct job *job)
{
    gsh_fence();
    gsh_amo_post_at(job->pe, gsh_offset_of(job->sym), &job->amo);
}

void gsh_cpu_remote_signal(uint64_t *sym, uint64_t value, int op, int pe)
{
    struct job job = { .run = signal,
                       .sym = sym,
                       .amo = { .op = op == NVSHMEM_SIGNAL_ADD ? GSH_AMO_add : GSH_AMO_set,
                                .bytes = sizeof(*sym),
                                .operand = value },
                       .pe = pe };

    at_home(&job, "a remote signal");
}

static void fence(struct job *job)
{
    (void)job;
    gsh_fence();
}

void gsh_cpu_remote_fence(void)
{
    struct job job = { .run = fence };

    at_home(&job, "a fence");
}

static void quiet(struct job *job)
{
    (void)job;
    gsh_quiet();
}

void gsh_cpu_remote_quiet(void)
{
    struct job job = { .run = quiet };

    at_home(&job, "quiet");
}
