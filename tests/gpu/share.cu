/* share.cu - grids as large as nvshmemx_collective_launch_query_gridsize() allows run at once on
 * all PEs, also where several share a GPU: all of their blocks meet. Shows which multiprocessors
 * each PE was given. */
// SPDX-License-Identifier: BSD-3-Clause
#include "../device/device.cuh"

#include "../conform/check.h"

enum { MOST_SMS = 256 };
static const unsigned long long limit_ns = 5000000000ull;

static __device__ unsigned long long now_ns()
{
    unsigned long long ns;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/* A block that has waited too long for the others gives up, and counts itself as late. */
__global__ void meet(uint64_t *come, uint64_t total, unsigned *late, unsigned char *seen)
{
    unsigned sm;

    if (threadIdx.x)
        return;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    seen[sm % MOST_SMS] = 1;
    for (int pe = 0; pe < nvshmem_n_pes(); pe++)
        nvshmem_uint64_atomic_add(come, 1, pe);
    for (unsigned long long start = now_ns(); *(volatile uint64_t *)come < total;)
        if (now_ns() - start > limit_ns) {
            atomicAdd(late, 1u);
            break;
        }
}

/* As "0-15 40": those that are set. */
static void list(const unsigned char *seen, char *text, size_t bytes)
{
    size_t at = 0;

    for (int i = 0, last; i < MOST_SMS && at < bytes; i = last + 1) {
        last = i;
        if (!seen[i])
            continue;
        while (last + 1 < MOST_SMS && seen[last + 1])
            last++;
        at += snprintf(text + at, bytes - at, last > i ? " %d-%d" : " %d", i, last);
    }
}

static void try_blocks_of(int threads, uint64_t *come, uint64_t *sizes, unsigned *late,
                          unsigned char *seen)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), blocks = 0, all = 0, device = 0;
    unsigned char used[MOST_SMS];
    unsigned wrong = 0;
    uint64_t total = 0, mine;
    char text[512] = "";
    void *args[] = { &come, &total, &late, &seen };

    nvshmemx_collective_launch_query_gridsize((const void *)meet, dim3(threads), args, 0, &blocks);
    mine = blocks;
    for (int pe = 0; pe < n; pe++)
        nvshmem_uint64_p(sizes + me, mine, pe);
    cudaMemset(come, 0, sizeof(*come));
    cudaMemset(late, 0, sizeof(*late));
    cudaMemset(seen, 0, MOST_SMS);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++) {
        nvshmem_getmem(&mine, sizes + pe, sizeof(mine), me);
        total += mine;
    }
    CHECK(!nvshmemx_collective_launch((const void *)meet, dim3(blocks), dim3(threads), args, 0, 0),
          "%s", nvshmemx_last_error());
    cudaDeviceSynchronize();
    cudaMemcpy(&wrong, late, sizeof(wrong), cudaMemcpyDeviceToHost);
    cudaMemcpy(used, seen, MOST_SMS, cudaMemcpyDeviceToHost);
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, device);
    list(used, text, sizeof(text));
    printf("# PE %d: device %d, %d multiprocessors, %d blocks of %d threads, ran on%s\n", me,
           device, all, blocks, threads, text);
    CHECK(!wrong, "%u of %d blocks waited in vain", wrong, blocks);
    nvshmem_barrier_all();
    fact("all blocks of %d threads of all PEs run at once", threads);
}

int main()
{
    uint64_t *come, *sizes;
    unsigned *late;
    unsigned char *seen;

    nvshmem_init();
    choose_device();
    come = (uint64_t *)need(sizeof(*come));
    sizes = (uint64_t *)need(nvshmem_n_pes() * sizeof(*sizes));
    cudaMalloc((void **)&late, sizeof(*late));
    cudaMalloc((void **)&seen, MOST_SMS);
    try_blocks_of(256, come, sizes, late, seen);
    try_blocks_of(1024, come, sizes, late, seen);

    int status = finish();

    nvshmem_free(sizes);
    nvshmem_free(come);
    nvshmem_finalize();
    return status;
}
