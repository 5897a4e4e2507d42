/* An example of sections 9.5 and 9.8: PEs take tasks from a counter with fetch_inc, put results
 * through a context of their own, and PE 0 waits for them in the order in which they come. */
// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 300 };

static int next_task;
static long results[TASKS];
static int done[TASKS];

static long solve(int task)
{
    long sum = 0;

    for (int i = 0; i <= task; i++)
        sum += i;
    return sum;
}

static void work(shmem_ctx_t ctx)
{
    for (int task; (task = shmem_atomic_fetch_inc(ctx, &next_task, 0)) < TASKS;) {
        long result = solve(task);

        shmem_put(ctx, &results[task], &result, 1, 0);
        shmem_ctx_fence(ctx);
        shmem_p(ctx, &done[task], 1, 0);
    }
    shmem_ctx_quiet(ctx);
}

/* Returns how many results are wrong. */
static int collect(void)
{
    int taken[TASKS] = { 0 }, wrong = 0;

    for (int i = 0; i < TASKS; i++) {
        size_t task = shmem_wait_until_any(done, TASKS, taken, SHMEM_CMP_EQ, 1);

        taken[task] = 1;
        wrong += results[task] != (long)task * ((long)task + 1) / 2;
    }
    return wrong;
}

int main(void)
{
    shmem_ctx_t ctx;
    int wrong = 0;

    shmem_init();
    if (shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx))
        shmem_global_exit(EXIT_FAILURE);
    work(ctx);
    if (shmem_my_pe() == 0) {
        wrong = collect();
        printf("%sok 1 - %d tasks are done, each once\n1..1\n", wrong ? "not " : "", TASKS);
    }
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return wrong != 0;
}
