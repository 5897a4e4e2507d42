/* OpenSHMEM 1.5, section 9.1 (finalize), and 1.6: after the last finalize a program can start
 * again, and active sets, contexts, locks and the heap are as new. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

static long lock, counter, sync_words[SHMEM_SYNC_SIZE]; /* symmetric */

static void use(int round)
{
    int me = shmem_my_pe(), n = shmem_n_pes(), half = n > 1 ? n / 2 : 1;
    int start = me < half ? 0 : half, size = me < half ? half : n - half;
    long *heap = shmem_calloc(2, sizeof(*heap));
    shmem_ctx_t ctx;

    heap[0] = me + round;
    shmem_fcollect64(heap + 1, heap, 0, start, 0, size, sync_words);
    shmem_long_sum_to_all(heap + 1, heap, 1, start, 0, size, NULL, sync_words);
    for (int pe = start; pe < start + size; pe++)
        heap[1] -= pe + round;
    CHECK(heap[1] == 0, "round %d: %ld too much", round, heap[1]);
    CHECK(!shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx), "context");
    shmem_set_lock(&lock);
    shmem_ctx_long_p(ctx, &counter, shmem_long_g(&counter, 0) + 1, 0);
    shmem_ctx_quiet(ctx);
    shmem_clear_lock(&lock);
    shmem_ctx_destroy(ctx);
    shmem_barrier_all();
    CHECK(me || counter == (long)n * round, "round %d: %ld", round, counter);
    shmem_free(heap);
}

int main(void)
{
    int status, initialized;

    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        sync_words[i] = SHMEM_SYNC_VALUE;
    for (int round = 1; round < 4; round++) {
        shmem_init();
        use(round);
        shmem_finalize();
        shmem_query_initialized(&initialized);
        CHECK(!initialized, "after finalize");
    }
    shmem_init();
    use(4);
    fact("four times init, active sets, contexts, locks, heap and finalize");
    status = finish();
    shmem_finalize();
    return status;
}
