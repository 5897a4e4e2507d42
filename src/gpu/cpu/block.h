/* block.h - a running block: its fibers, who of them can run, and where the others wait.
 *
 * All of it belongs to one operating-system thread, so nothing here is atomic. Fibers
 * that can run stand in a queue; those that wait stand in the list of what they wait
 * for, and whoever completes that moves the whole list to the queue. Threads that have
 * not begun count as able to run and go first.
 *
 * `hold` is set while the engine works on all this: the timer (preempt.c) then leaves
 * the running fiber alone. Every function that kernels call sets it with
 * gsh_cpu_enter_block() and clears it with gsh_cpu_leave_block().
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_CPU_BLOCK_H
#define GSH_GPU_CPU_BLOCK_H

#include "gpu/cpu/fiber.h"

enum { GSH_CPU_WARPS = GSH_CPU_MAX_THREADS / GSH_CPU_WARP, GSH_CPU_BARRIERS = 16 };

struct fibers {
    struct fiber *head;
    struct fiber *tail;
};

struct barrier {
    struct fibers waiting;
    uint32_t arrived;
    uint32_t in_list;  /* of waiting */
    uint32_t expected; /* named barriers: threads, as the first one said */
    uint32_t yes;      /* predicates that were true */
    uint32_t last_arrived, last_yes;
    const void *where;    /* of the first one */
    struct fiber *leader; /* who goes on alone when the last thread has ended instead */
};

struct meeting;
struct job;

struct block {
    struct fibers ready;
    volatile int hold;
    uint32_t threads;
    uint32_t begun;   /* threads */
    uint32_t live;    /* threads that have not ended */
    uint32_t blocked; /* threads in lists of waiters */
    uint32_t yields;  /* since something happened, or the last idle round */
    uint32_t idle;    /* rounds in which all that can run only yielded */
    uint64_t stirs;   /* how often something happened but that waits were polled again */
    bool check;
    struct job *job;
    struct barrier all;  /* __syncthreads */
    struct barrier grid; /* those that wait for other blocks */
    struct barrier named[GSH_CPU_BARRIERS];
    struct meeting *meetings[GSH_CPU_WARPS];
    uint32_t alive[GSH_CPU_WARPS]; /* lanes that have not ended */
    struct gsh_cpu_dim next_tid;
    struct gsh_cpu_dim index; /* blockIdx */
    struct gsh_cpu_dim dim;   /* blockDim */
    struct slab slab;
    uint32_t slots; /* in use by this block */
    struct fiber home;
    void (*at_home)(struct block *block); /* what the thread's own stack is to do */
    struct fiber *caller;
    char text[768]; /* for at_home */
    const void *places[2];
    bool same_place;
    void *shared;
    size_t shared_bytes;
    struct fiber *by_rank[GSH_CPU_MAX_THREADS];
};

/* The block that this operating-system thread runs. */
extern _Thread_local struct block *gsh_cpu_block __attribute__((tls_model("initial-exec")));

/* Memory for a block of that many threads. 0 or a negative errno. */
int gsh_cpu_block_prepare(struct block *block, uint32_t threads, size_t shared_bytes);

/* Runs the block with that number to its end, in a thread with gsh_cpu_block set. */
void gsh_cpu_block_run(struct block *block, struct job *job, uint64_t number);

/* Enters the engine from a thread of a kernel; ends the job when there is none. */
struct block *gsh_cpu_enter_block(const char *call);
static inline void gsh_cpu_leave_block(struct block *block)
{
    block->hold = 0;
}

void gsh_cpu_push(struct fibers *list, struct fiber *fiber);
void gsh_cpu_ready(struct block *block, struct fiber *fiber);
/* So many fibers do not wait any more: something has happened. */
void gsh_cpu_woken(struct block *block, uint32_t fibers);
/* Leaves the running fiber for the next one that can run. The caller has put it in a
 * list before: of waiters, or in the queue. */
void gsh_cpu_wait(struct block *block);
void gsh_cpu_resched(struct block *block);
/* gsh_cpu_yield() inside the engine. */
void gsh_cpu_pass(struct block *block);

/* Runs call(block) on the operating-system thread's own stack, which has room. */
void gsh_cpu_at_home(struct block *block, void (*call)(struct block *block));

/* Arrives at a barrier of all threads, block->all or block->grid. Returns true to the
 * last one, who has to release the others; they return when it has. */
bool gsh_cpu_arrive(struct block *block, struct barrier *barrier, const char *sync,
                    const void *where, bool predicate);
void gsh_cpu_release(struct block *block, struct barrier *barrier);

/* A thread has ended: barriers need not wait for it any more. */
void gsh_cpu_barriers_ended(struct block *block);
/* The thread of that rank has ended: lanes of its warp need not wait for it any more. */
void gsh_cpu_warp_ended(struct block *block, uint32_t rank);
/* Calls each() for every fiber that waits for other lanes of its warp. */
void gsh_cpu_warp_waiting(struct block *block, void (*each)(struct fiber *fiber, void *arg),
                          void *arg);

#endif /* GSH_GPU_CPU_BLOCK_H */
