/* More at once than what the host serves has room for; answers to all threads; memory that the
 * kernel alone sees; and order between threads that meet. Where PEs load from and store to each
 * other nobody serves, and the same holds. */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

enum { BLOCKS = 3, EACH = 12, ALL = BLOCKS * BLOCK * EACH, LONGEST = 700, ROUNDS = 300 };

/* All threads put, and nobody waits in between. */
__global__ void flood(area a, int turn)
{
    int *to = (int *)a.dest, first = (blockIdx.x * BLOCK + threadIdx.x) * EACH;

    for (int i = first; i < first + EACH; i++)
        nvshmem_int_p(to + i, element<int>(nvshmem_my_pe(), turn, i), next_pe());
    nvshmem_quiet();
}

__global__ void flooded(area a, int turn)
{
    const int *have = (const int *)a.dest;

    for (int i = threadIdx.x; i < ALL; i += BLOCK)
        expect(a, have[i], element<int>(last_pe(), turn, i));
}

/* Each thread gets numbers of its own. */
__global__ void tickets(area a)
{
    int *taken = (int *)a.source;

    for (int i = 0; i < EACH; i++) {
        uint64_t mine = nvshmem_uint64_atomic_fetch_inc(a.words, next_pe());

        if (mine < ALL)
            atomicAdd(taken + mine, 1);
        nvshmem_uint64_atomic_add(a.words + 1, mine, next_pe());
    }
}

__global__ void taken(area a)
{
    const int *taken = (const int *)a.source;

    for (int i = threadIdx.x; i < ALL; i += BLOCK)
        expect(a, taken[i], 1);
    if (threadIdx.x == 0 && (a.words[0] != ALL || a.words[1] != (uint64_t)ALL * (ALL - 1) / 2))
        atomicAdd(a.wrong, 1u);
}

/* From and to memory of the block and of the thread, all sizes. */
__global__ void hidden(area a)
{
    __shared__ char shared[LONGEST];
    char own[LONGEST];
    int me = nvshmem_my_pe(), last = last_pe();

    for (int bytes = 1; bytes <= LONGEST; bytes += 37) {
        for (int i = threadIdx.x; i < bytes; i += BLOCK)
            shared[i] = element<char>(me, bytes, i);
        __syncthreads();
        nvshmemx_char_put_block(a.dest, shared, bytes, next_pe());
        if (threadIdx.x == 0) {
            for (int i = 0; i < bytes; i++)
                own[i] = element<char>(me, bytes + 1, i);
            nvshmem_char_put(a.dest + 1001, own, bytes, next_pe());
        }
        nvshmemx_barrier_all_block();
        for (int i = threadIdx.x; i < bytes; i += BLOCK) {
            expect(a, a.dest[i], element<char>(last, bytes, i));
            expect(a, a.dest[1001 + i], element<char>(last, bytes + 1, i));
        }
        nvshmemx_char_get_warp(shared, a.dest + 1001, bytes, next_pe());
        __syncthreads();
        if (threadIdx.x == BLOCK - 1) {
            nvshmem_char_get(own, a.dest, bytes, next_pe());
            for (int i = 0; i < bytes; i++) {
                expect(a, own[i], element<char>(me, bytes, i));
                expect(a, shared[i], element<char>(me, bytes + 1, i));
            }
        }
        nvshmemx_barrier_all_block();
    }
}

/* Every thread puts, then one that met them signals. */
__global__ void ordered(area a)
{
    long *to = (long *)a.dest;

    for (long round = 1; round <= ROUNDS; round++) {
        nvshmem_long_p(to + threadIdx.x, round * 1000 + threadIdx.x, next_pe());
        __syncthreads();
        if (threadIdx.x == round % BLOCK)
            nvshmemx_signal_op(a.words + 2, round, NVSHMEM_SIGNAL_SET, next_pe());
        if (threadIdx.x == 0)
            nvshmem_signal_wait_until(a.words + 2, NVSHMEM_CMP_GE, round);
        __syncthreads();
        expect(a, to[threadIdx.x], round * 1000 + threadIdx.x);
        __syncthreads();
        if (threadIdx.x == 0) {
            nvshmemx_signal_op(a.words + 3, 1, NVSHMEM_SIGNAL_ADD, last_pe());
            nvshmem_signal_wait_until(a.words + 3, NVSHMEM_CMP_GE, round);
        }
        __syncthreads();
    }
}

int main(void)
{
    nvshmem_init();
    area a = make_area();

    for (int turn = 0; turn < 3; turn++) {
        flood<<<BLOCKS, BLOCK>>>(a, turn);
        cudaDeviceSynchronize();
        nvshmem_barrier_all();
        flooded<<<1, BLOCK>>>(a, turn);
        cudaDeviceSynchronize();
        nvshmem_barrier_all();
    }
    settle(a, "flood");
    fact("%d puts at once, more than there is room for", ALL);
    cudaMemset(a.source, 0, AREA);
    nvshmem_barrier_all();
    tickets<<<BLOCKS, BLOCK>>>(a);
    cudaDeviceSynchronize();
    nvshmem_barrier_all(); /* completes what kernels have begun, too */
    taken<<<1, BLOCK>>>(a);
    settle(a, "tickets");
    fact("%d answers come to the threads that asked", ALL);
    hidden<<<1, BLOCK>>>(a);
    settle(a, "hidden");
    fact("up to %d bytes of memory that only a block or a thread sees", LONGEST);
    ordered<<<1, BLOCK>>>(a);
    settle(a, "ordered");
    fact("a signal comes after the puts of the threads that met before it, %d times", ROUNDS);
    return finish();
}
