/* limit.cuh - what the hardware can do: copies and flags by hand, without a library.
 *
 * One thread copies through the bulk copy engine (sm_90), 4 stages of shared memory in turn;
 * a block by 16-byte words. Flags are plain words that are polled, with a fence after the
 * data and one after the poll.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_GPU_LIMIT_CUH
#define BENCH_GPU_LIMIT_CUH

#include "timed.cuh"

enum { STAGES = 4, STAGE = 8192 };

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ inline unsigned in_shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ inline void bulk_load(void *shared, const void *from, unsigned bytes, uint64_t *arrived)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(arrived)),
                 "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(in_shared(shared)),
        "l"(from), "r"(bytes), "r"(in_shared(arrived))
        : "memory");
}

__device__ inline void bulk_store(void *to, const void *shared, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(in_shared(shared)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ inline void bulk_await(uint64_t *arrived, unsigned phase)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(in_shared(arrived)),
                 "r"(phase)
                 : "memory");
}

/* One thread. bytes: a multiple of 16. The stores are complete for this thread at the end. */
__device__ inline void limit_copy_thread(float *to, const float *from, size_t bytes)
{
    __shared__ alignas(128) char stages[STAGES][STAGE];
    __shared__ uint64_t arrived[STAGES];
    char *dest = (char *)to;
    const char *source = (const char *)from;
    size_t pieces = (bytes + STAGE - 1) / STAGE, loaded = 0;

    if (bytes % 16) {
        for (size_t k = 0; k < bytes / sizeof(uint64_t); k++)
            ((uint64_t *)to)[k] = ((const uint64_t *)from)[k];
        return;
    }
    for (int s = 0; s < STAGES; s++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(in_shared(&arrived[s]))
                     : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (size_t piece = 0; piece < pieces; piece++) {
        for (; loaded < pieces && loaded < piece + STAGES - 1; loaded++) {
            size_t at = loaded * STAGE;

            /* The stage is free when its store, STAGES pieces ago, has read it. */
            if (loaded >= STAGES)
                asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            bulk_load(stages[loaded % STAGES], source + at,
                      (unsigned)(bytes - at < STAGE ? bytes - at : STAGE),
                      &arrived[loaded % STAGES]);
        }
        size_t at = piece * STAGE;
        bulk_await(&arrived[piece % STAGES], piece / STAGES % 2);
        bulk_store(dest + at, stages[piece % STAGES],
                   (unsigned)(bytes - at < STAGE ? bytes - at : STAGE));
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    for (int s = 0; s < STAGES; s++)
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(in_shared(&arrived[s]))
                     : "memory");
}
#else
__device__ inline void limit_copy_thread(float *to, const float *from, size_t bytes)
{
    for (size_t k = 0; k < bytes / sizeof(uint64_t); k++)
        ((uint64_t *)to)[k] = ((const uint64_t *)from)[k];
}
#endif

/* All threads of a group. bytes: a multiple of 8. */
template <class Group> __device__ inline void limit_copy(float *to, const float *from, size_t bytes)
{
    enum { AHEAD = 4 };
    const uint4 *source = (const uint4 *)from;
    uint4 *dest = (uint4 *)to;
    size_t words = bytes / sizeof(uint4), i = threadIdx.x;

    for (; i + (AHEAD - 1) * Group::threads < words; i += AHEAD * Group::threads) {
        uint4 w[AHEAD];

#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            w[k] = source[i + k * Group::threads];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            dest[i + k * Group::threads] = w[k];
    }
    for (; i < words; i += Group::threads)
        dest[i] = source[i];
    if (bytes % sizeof(uint4) && threadIdx.x == 0)
        ((uint64_t *)to)[bytes / 8 - 1] = ((const uint64_t *)from)[bytes / 8 - 1];
}

template <> __device__ inline void limit_copy<by_thread>(float *to, const float *from, size_t bytes)
{
    limit_copy_thread(to, from, bytes);
}

/* The whole group has stored: its leader tells the peer. */
template <class Group> __device__ inline void limit_post(const bench_at &at, uint64_t turn)
{
    Group::sync();
    if (threadIdx.x == 0) {
        __threadfence_system();
        *(volatile uint64_t *)&at.peer_flags[BENCH_LIMIT] = turn;
    }
}

template <class Group> __device__ inline void limit_await(const bench_at &at, uint64_t turn)
{
    if (threadIdx.x == 0) {
        while (*(volatile uint64_t *)&at.flags[BENCH_LIMIT] < turn)
            ;
        __threadfence_system();
    }
    Group::sync();
}

#endif /* BENCH_GPU_LIMIT_CUH */
