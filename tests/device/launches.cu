/* The first meetings of a launch are as good as later ones: in each of many launches each PE puts
 * its turn to all others, is quiet and meets them, at each scope, and each lane looks at another
 * PE's turn. LAUNCHES is the number of launches of each kind. */
// SPDX-License-Identifier: BSD-3-Clause
#include "device.cuh"

#include "../conform/check.h"

enum { TURNS = 4, BLOCK = 128 };
enum scope { THREAD, WARP, WHOLE };

template <enum scope S, bool SYNC> __device__ void meet()
{
    if (S == THREAD)
        SYNC ? nvshmem_sync_all() : nvshmem_barrier_all();
    else if (S == WARP)
        SYNC ? nvshmemx_sync_all_warp() : nvshmemx_barrier_all_warp();
    else
        SYNC ? nvshmemx_sync_all_block() : nvshmemx_barrier_all_block();
}

template <enum scope S, bool SYNC>
__global__ void turns(uint64_t *slots, uint64_t before, unsigned *wrong)
{
    const unsigned most = S == THREAD ? 1 : S == WARP ? 32 : BLOCK;
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();

    for (uint64_t turn = before + 1; turn <= before + TURNS; turn++) {
        if (threadIdx.x == 0) {
            for (int pe = 0; pe < n; pe++)
                nvshmem_uint64_p(slots + me, turn, pe);
            nvshmem_quiet();
        }
        __syncthreads();
        if (threadIdx.x < most)
            meet<S, SYNC>();
        for (int pe = threadIdx.x; threadIdx.x < most && pe < n; pe += most)
            if (*(volatile uint64_t *)(slots + pe) != turn)
                atomicAdd(wrong, 1u);
        nvshmemx_barrier_all_block();
    }
}

static uint64_t *slots, before;
static unsigned *wrong;

template <enum scope S, bool SYNC> static void launch_all(const char *name)
{
    const char *wish = getenv("LAUNCHES");
    int launches = wish ? atoi(wish) : 300, bad = 0;

    for (int i = 0; i < launches; i++, before += TURNS) {
        unsigned count = 1;

        cudaMemset(wrong, 0, sizeof(*wrong));
        turns<S, SYNC><<<1, S == WHOLE ? BLOCK : 32>>>(slots, before, wrong);
        cudaDeviceSynchronize();
        cudaMemcpy(&count, wrong, sizeof(count), cudaMemcpyDeviceToHost);
        bad += count != 0;
        nvshmem_barrier_all();
    }
    CHECK(!bad, "%s: %d of %d launches were wrong", name, bad, launches);
    fact("%s holds from the first turn of a launch on", name);
}

int main()
{
    nvshmem_init();
    choose_device();
    slots = (uint64_t *)need(nvshmem_n_pes() * sizeof(*slots));
    cudaMalloc((void **)&wrong, sizeof(*wrong));
    launch_all<THREAD, false>("barrier_all by a thread");
    launch_all<WARP, false>("barrier_all by a warp");
    launch_all<WHOLE, false>("barrier_all by a block");
    launch_all<THREAD, true>("sync_all by a thread");
    launch_all<WARP, true>("sync_all by a warp");
    launch_all<WHOLE, true>("sync_all by a block");

    int status = finish();

    nvshmem_finalize();
    return status;
}
