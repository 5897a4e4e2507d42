/* thread_groups.cu - one call, three scopes: a thread, a warp and a block each put a row of a
 * table into the memory of the next PE. All threads of a group make the call together.
 *
 *     gshcc thread_groups.cu -o thread_groups && gshrun -n 4 ./thread_groups
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <vector>

constexpr int ROW = 333, BY_THREAD = 0, BY_WARP = 1, BY_BLOCK = 2, ROWS = 3;

__global__ void put_rows(int *dest, const int *source, int to)
{
    if (threadIdx.x == 0)
        nvshmem_int_put(dest + BY_THREAD * ROW, source + BY_THREAD * ROW, ROW, to);
    if (threadIdx.x / warpSize == 1)
        nvshmemx_int_put_warp(dest + BY_WARP * ROW, source + BY_WARP * ROW, ROW, to);
    nvshmemx_int_put_block(dest + BY_BLOCK * ROW, source + BY_BLOCK * ROW, ROW, to);
}

int main()
{
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), devices;

    cudaGetDeviceCount(&devices);
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);

    size_t bytes = ROWS * ROW * sizeof(int);
    int *source = (int *)nvshmem_malloc(bytes), *dest = (int *)nvshmem_malloc(bytes);
    std::vector<int> values(ROWS * ROW), got(ROWS * ROW);

    for (size_t i = 0; i < values.size(); i++)
        values[i] = 10000 * me + i;
    cudaMemcpy(source, values.data(), bytes, cudaMemcpyHostToDevice);

    put_rows<<<1, 128>>>(dest, source, (me + 1) % n);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
    cudaMemcpy(got.data(), dest, bytes, cudaMemcpyDeviceToHost);

    int wrong[ROWS] = {};
    for (size_t i = 0; i < got.size(); i++)
        wrong[i / ROW] += got[i] != 10000 * ((me + n - 1) % n) + (int)i;
    printf("PE %d: wrong values of %d: %d by thread, %d by warp, %d by block\n", me, ROW,
           wrong[BY_THREAD], wrong[BY_WARP], wrong[BY_BLOCK]);
    nvshmem_free(dest);
    nvshmem_free(source);
    nvshmem_finalize();
    return wrong[BY_THREAD] || wrong[BY_WARP] || wrong[BY_BLOCK] ? 1 : 0;
}
