/* Copies by the copy engine move exactly the bytes asked for, whatever the alignments and sizes,
 * for one thread and for a warp, when all threads of a block want the engine at once, and
 * whatever was in shared memory when the kernel began; and loads and stores of nvshmemx_tma_
 * bring and take what they should. */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

#if defined(__CUDA_ARCH__) || defined(GSHMEM_TARGET_CPU)
#define IN_KERNELS(...) __VA_ARGS__
#else
#define IN_KERNELS(...)
#endif

enum {
    BYTES = 1 << 20,
    SHARE = 7168, /* of one of the threads that put at once */
    STAGE = 4096, /* of the loads and stores */
    STAGES = 3,
    PIECES = 20,
};

__device__ static char value(size_t i, int salt)
{
    return (char)(i * 2654435761u >> 13 ^ i ^ salt);
}

/* Copies of `size` bytes with all pairs of offsets that matter, beside which nothing is
 * written; by name, as the CPU device copies otherwise. */
template <class Group> __device__ void staged_copies(const area &a, int scope, int size, int every)
{
    for (int skew = 0; skew < 256; skew += every) {
        char *to = a.dest + 64 + skew % 16, *from = a.source + 64 + skew / 16;

        for (int i = threadIdx.x; i < size + 128; i += BLOCK) {
            a.dest[i] = 0x5a;
            a.source[i] = value(i, size);
        }
        __syncthreads();
        if (calls(scope))
            IN_KERNELS(gsh_impl::copy_staged<Group>(to, from, size));
        __syncthreads();
        for (int i = threadIdx.x; i < size + 128; i += BLOCK) {
            char *at = a.dest + i;

            expect(a, *at, at >= to && at < to + size ? from[at - to] : (char)0x5a);
        }
        __syncthreads();
    }
}

__global__ void all_sizes(area a)
{
    for (int size = 0; size < 40; size++) {
        IN_KERNELS(staged_copies<gsh_impl::thread>(a, 0, size, 3));
        IN_KERNELS(staged_copies<gsh_impl::warp>(a, 1, size, 5));
    }
    for (int size = 500; size < 300000; size = size * 5 / 2 + 1) {
        IN_KERNELS(staged_copies<gsh_impl::thread>(a, 0, size, 17));
        IN_KERNELS(staged_copies<gsh_impl::warp>(a, 1, size, 17));
    }
}

/* The word that says who has the stages, as another kernel may have left it. */
__global__ void any_first(area a, unsigned first)
{
    if (threadIdx.x == 0)
        IN_KERNELS(gsh_impl::stages_of_block().owner = first);
    __syncthreads();
    IN_KERNELS(staged_copies<gsh_impl::thread>(a, 0, 20000, 68));
    IN_KERNELS(staged_copies<gsh_impl::warp>(a, 1, 20000, 68));
}

/* Thread i moves share i, all at the same time: by put, by get, and as warps. */
__global__ void at_once(area a, int turn)
{
    int me = nvshmem_my_pe(), mine = turn == 2 ? threadIdx.x / 32 * 32 : threadIdx.x;
    size_t at = (size_t)mine * SHARE, bytes = SHARE * (turn == 2 ? 32 : 1);

    for (size_t i = threadIdx.x; i < (size_t)BLOCK * SHARE; i += BLOCK) {
        a.dest[i] = 0x5a;
        a.source[i] = value(i, me + 10 * turn);
    }
    nvshmemx_barrier_all_block();
    if (turn == 0)
        nvshmem_putmem(a.dest + at, a.source + at, bytes, next_pe());
    else if (turn == 1)
        nvshmem_getmem(a.dest + at, a.source + at, bytes, last_pe());
    else
        nvshmemx_putmem_warp(a.dest + at, a.source + at, bytes, next_pe());
    nvshmemx_barrier_all_block();
    for (size_t i = threadIdx.x; i < (size_t)BLOCK * SHARE; i += BLOCK)
        expect(a, a.dest[i], value(i, last_pe() + 10 * turn));
    nvshmemx_barrier_all_block();
}

/* Thread 0 loads pieces of the source in turn into stages; all threads change them, thread 0
 * stores them to the next PE, or puts them where it shares no memory. */
__global__ void pipeline(area a)
{
    alignas(128) __shared__ char stage[STAGES][STAGE];
    __shared__ uint64_t loaded[STAGES];
    int me = nvshmem_my_pe();
    char *there = (char *)nvshmem_ptr(a.dest, next_pe());

    for (size_t i = threadIdx.x; i < (size_t)PIECES * STAGE; i += BLOCK)
        a.source[i] = value(i, me);
    if (threadIdx.x < STAGES)
        nvshmemx_tma_init(&loaded[threadIdx.x]);
    nvshmemx_barrier_all_block();
    for (int k = 0; k < PIECES; k++) {
        int s = k % STAGES;

        if (threadIdx.x == 0) {
            nvshmemx_tma_wait_read();
            nvshmemx_tma_load(stage[s], a.source + k * STAGE, STAGE, &loaded[s]);
        }
        nvshmemx_tma_wait(&loaded[s], k / STAGES);
        for (int i = threadIdx.x; i < STAGE; i += BLOCK)
            stage[s][i] ^= 0x33;
        __syncthreads();
        if (threadIdx.x == 0 && there)
            nvshmemx_tma_store(there + k * STAGE, stage[s], STAGE);
        else if (threadIdx.x == 0)
            nvshmem_putmem(a.dest + k * STAGE, stage[s], STAGE, next_pe());
    }
    if (threadIdx.x == 0)
        nvshmemx_tma_wait_all();
    __syncthreads();
    if (threadIdx.x < STAGES)
        nvshmemx_tma_end(&loaded[threadIdx.x]);
    nvshmemx_barrier_all_block();
    for (size_t i = threadIdx.x; i < (size_t)PIECES * STAGE; i += BLOCK)
        expect(a, a.dest[i], (char)(value(i, last_pe()) ^ 0x33));
    nvshmemx_barrier_all_block();
}

int main(void)
{
    nvshmem_init();
    area a = make_area(BYTES);

    all_sizes<<<1, BLOCK>>>(a);
    settle(a, "staged copies");
    fact("staged copies are right for all alignments and sizes, and write nothing else");
    for (unsigned first : { 0u, 1u, 0x9a7e5eedu, ~0u }) {
        any_first<<<1, BLOCK>>>(a, first);
        settle(a, "the first owner");
    }
    fact("whatever shared memory holds at first, copies are right");
    for (int turn = 0; turn < 3; turn++) {
        at_once<<<1, BLOCK>>>(a, turn);
        settle(a, "at once");
    }
    fact("all threads and warps of a block put and get at once");
    pipeline<<<1, BLOCK>>>(a);
    settle(a, "pipeline");
    fact("nvshmemx_tma_load and _store bring and take whole pieces, stage after stage");
    return finish();
}
