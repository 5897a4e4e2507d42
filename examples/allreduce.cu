/* allreduce.cu - steps of a training loop in one kernel: each computes gradients, sums them over
 * all PEs by a reduction that the kernel makes itself, and applies the sums.
 *
 *     gshcc allreduce.cu -o allreduce && gshrun -n 4 ./allreduce
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <vector>

constexpr int N = 5000, STEPS = 10;

/* One block: a team has one reduction under way at a time. */
__global__ void train(float *weights, float *gradients, float *sums)
{
    int me = nvshmem_my_pe();

    for (int step = 0; step < STEPS; step++) {
        for (int i = threadIdx.x; i < N; i += blockDim.x)
            gradients[i] = (me + 1) * (i % 8) + step;
        nvshmemx_float_sum_reduce_block(NVSHMEM_TEAM_WORLD, sums, gradients, N);
        for (int i = threadIdx.x; i < N; i += blockDim.x)
            weights[i] += sums[i];
    }
}

int main()
{
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), devices;

    cudaGetDeviceCount(&devices);
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);

    float *weights, *gradients = (float *)nvshmem_malloc(N * sizeof(float));
    float *sums = (float *)nvshmem_malloc(N * sizeof(float));
    cudaMalloc(&weights, N * sizeof(float)); /* only this PE uses them */
    cudaMemset(weights, 0, N * sizeof(float));

    void *args[] = { &weights, &gradients, &sums };
    if (nvshmemx_collective_launch((const void *)train, 1, 256, args, 0, 0) != 0)
        nvshmem_global_exit(1);
    cudaDeviceSynchronize();

    std::vector<float> got(N);
    cudaMemcpy(got.data(), weights, N * sizeof(float), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += got[i] != STEPS * (n * (n + 1) / 2) * (i % 8) + n * STEPS * (STEPS - 1) / 2;
    printf("PE %d: %d of %d weights are wrong after %d steps\n", me, wrong, N, STEPS);
    cudaFree(weights);
    nvshmem_free(sums);
    nvshmem_free(gradients);
    nvshmem_finalize();
    return wrong ? 1 : 0;
}
