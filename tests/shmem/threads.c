/* OpenSHMEM 1.5, section 9.2: with SHMEM_THREAD_MULTIPLE many threads of each PE put, get, add and
 * wait at once, through contexts of their own or the default one, and nothing is lost. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <pthread.h>

enum { THREADS = 6, ROUNDS = 150, WORDS = 40 };

static int me, n_pes, next, prev;
static long boxes[THREADS][WORDS], flags[THREADS], taken[THREADS]; /* symmetric */
static long total;                                                 /* symmetric */
static double real;                                                /* symmetric */
static int wrong[THREADS];

/* Thread i sends to thread i of the next PE, and receives from the one before. */
static void *work(void *arg)
{
    int i = (int)(intptr_t)arg;
    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
    long out[WORDS], back;

    if (i % 2 && shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx))
        wrong[i]++;
    for (long round = 1; round <= ROUNDS; round++) {
        for (int k = 0; k < WORDS; k++)
            out[k] = round * 1000 + me * 10 + i;
        shmem_long_wait_until(&taken[i], SHMEM_CMP_GE, round - 1);
        shmem_ctx_long_put_nbi(ctx, boxes[i], out, WORDS, next);
        shmem_ctx_fence(ctx);
        shmem_ctx_long_p(ctx, &flags[i], round, next);
        shmem_ctx_long_atomic_add(ctx, &total, i + 1, 0);
        nvshmem_double_atomic_add(&real, 1, 0);
        shmem_long_wait_until(&flags[i], SHMEM_CMP_GE, round);
        for (int k = 0; k < WORDS; k++)
            wrong[i] += boxes[i][k] != round * 1000 + prev * 10 + i;
        shmem_ctx_quiet(ctx);
        shmem_ctx_long_get(ctx, &back, &boxes[i][WORDS - 1], 1, next);
        wrong[i] += back != out[0];
        shmem_ctx_long_atomic_inc(ctx, &taken[i], prev);
        shmem_ctx_quiet(ctx);
    }
    if (i % 2)
        shmem_ctx_destroy(ctx);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int provided = -1, status;

    if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) || provided != SHMEM_THREAD_MULTIPLE)
        return 1;
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    next = (me + 1) % n_pes;
    prev = (me + n_pes - 1) % n_pes;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    shmem_barrier_all();
    for (int i = 0; i < THREADS; i++)
        CHECK(!wrong[i], "thread %d: %d wrong words", i, wrong[i]);
    fact("%d threads send %d messages each to their partners, complete and in order", THREADS,
         ROUNDS);
    CHECK(me || total == (long)ROUNDS * n_pes * THREADS * (THREADS + 1) / 2, "%ld", total);
    CHECK(me || real == (double)ROUNDS * n_pes * THREADS, "%g", real);
    fact("no atomic operation of a thread is lost");
    status = finish();
    shmem_finalize();
    return status;
}
