/* put_block.cu - the blocks of a kernel put an array into the memory of the next PE, a slice
 * each; all threads of a block share the work of its put.
 *
 *     gshcc put_block.cu -o put_block && gshrun -n 4 ./put_block
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <vector>

constexpr int BLOCKS = 8, THREADS = 128, SLICE = 1000;

__global__ void put_slices(float *dest, const float *source, int to)
{
    int first = blockIdx.x * SLICE;

    nvshmemx_float_put_block(dest + first, source + first, SLICE, to);
}

int main()
{
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), devices;

    cudaGetDeviceCount(&devices);
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);

    size_t bytes = BLOCKS * SLICE * sizeof(float);
    float *source = (float *)nvshmem_malloc(bytes), *dest = (float *)nvshmem_malloc(bytes);
    std::vector<float> values(BLOCKS * SLICE), got(BLOCKS * SLICE);

    for (size_t i = 0; i < values.size(); i++)
        values[i] = 10000.f * me + i;
    cudaMemcpy(source, values.data(), bytes, cudaMemcpyHostToDevice);

    put_slices<<<BLOCKS, THREADS>>>(dest, source, (me + 1) % n);
    cudaDeviceSynchronize();
    nvshmem_barrier_all(); /* completes the puts of all PEs */
    cudaMemcpy(got.data(), dest, bytes, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (size_t i = 0; i < got.size(); i++)
        wrong += got[i] != 10000.f * ((me + n - 1) % n) + i;
    printf("PE %d: %d of %zu values are wrong\n", me, wrong, got.size());
    nvshmem_free(dest);
    nvshmem_free(source);
    nvshmem_finalize();
    return wrong ? 1 : 0;
}
