/* Whoever sees the signal sees the data: thousands of put_signals at every scope, read by
 * other threads of the block after one of them has waited; signals set, add, and are plain
 * words. */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

enum { ROUNDS = 2000, DATA = 500 };

__device__ static void put(int scope, long *to, const long *from, uint64_t *word, uint64_t value)
{
    if (scope == 0)
        nvshmem_long_put_signal(to, from, DATA, word, value, NVSHMEM_SIGNAL_SET, next_pe());
    else if (scope == 1)
        nvshmemx_long_put_signal_nbi_warp(to, from, DATA, word, 1, NVSHMEM_SIGNAL_ADD, next_pe());
    else
        nvshmemx_putmem_signal_block(to, from, DATA * sizeof(long), word, value, NVSHMEM_SIGNAL_SET,
                                     next_pe());
}

/* The last threads wait, so that those that put are not the ones that see. words[0] counts
 * rounds for the data, words[1] says that it was read. */
__global__ void messages(area a, int scope)
{
    long *to = (long *)a.dest, *from = (long *)a.source;

    for (long round = 1; round <= ROUNDS; round++) {
        for (int i = threadIdx.x; i < DATA; i += BLOCK)
            from[i] = round * 1000 + i;
        __syncthreads();
        if (calls(scope))
            put(scope, to, from, a.words, round);
        if (threadIdx.x == BLOCK - 1 &&
            nvshmem_signal_wait_until(a.words, NVSHMEM_CMP_GE, round) != (uint64_t)round)
            atomicAdd(a.wrong, 1u);
        __syncthreads();
        for (int i = threadIdx.x; i < DATA; i += BLOCK)
            if (to[i] != round * 1000 + i)
                atomicAdd(a.wrong, 1u);
        __syncthreads();
        if (threadIdx.x == 0) {
            nvshmemx_signal_op(a.words + 1, 1, NVSHMEM_SIGNAL_ADD, last_pe());
            nvshmem_uint64_wait_until(a.words + 1, NVSHMEM_CMP_GE, round);
        }
        __syncthreads();
    }
    nvshmemx_barrier_all_block();
    if (threadIdx.x < 2)
        a.words[threadIdx.x] = 0;
    nvshmemx_barrier_all_block();
}

/* Signal values 0 and all ones, no data, and stores of the owner. */
__global__ void plain(area a)
{
    uint64_t *word = a.words + 2;

    nvshmemx_signal_op(word, ~(uint64_t)0, NVSHMEM_SIGNAL_SET, next_pe());
    nvshmem_signal_wait_until(word, NVSHMEM_CMP_EQ, ~(uint64_t)0);
    nvshmem_barrier_all();
    nvshmem_int_put_signal((int *)a.dest, (int *)a.source, 0, word, 1, NVSHMEM_SIGNAL_ADD,
                           next_pe());
    nvshmem_signal_wait_until(word, NVSHMEM_CMP_EQ, 0);
    *word = 5; /* the only later signal comes after a barrier */
    if (nvshmem_signal_fetch(word) != 5)
        atomicAdd(a.wrong, 1u);
    nvshmem_barrier_all();
    nvshmem_int_put_signal_nbi(NULL, NULL, 0, word, 2, NVSHMEM_SIGNAL_ADD, next_pe());
    nvshmem_signal_wait_until(word, NVSHMEM_CMP_NE, 5);
    if (nvshmem_signal_fetch(word) != 7)
        atomicAdd(a.wrong, 1u);
}

int main(void)
{
    static const char *const scopes[] = { "one thread", "a warp", "a block" };

    nvshmem_init();
    area a = make_area();

    for (int scope = 0; scope < SCOPES; scope++) {
        messages<<<1, BLOCK>>>(a, scope);
        settle(a, scopes[scope]);
        fact("data put by %s is there before its signal, %d times", scopes[scope], ROUNDS);
    }
    plain<<<1, 1>>>(a);
    settle(a, "plain words");
    fact("signals set and add, without data too, and the owner may store to the word");
    return finish();
}
