/* gating.cu - the article's fused gate of a mixture of experts: one kernel weighs the experts,
 * sums the weights over a team, and reads the embedding of the best expert where it lies.
 *
 *     gshcc gating.cu -o gating && gshrun -n 4 ./gating
 *
 * The argument is the name of the team, node without one. Each PE has EXPERTS / (number of PEs) of
 * the embeddings, in a table of its own.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>

enum { EXPERTS = 64, WIDTH = 256, THREADS = 128, STEPS = 5 };

/* What a PE thinks of an expert; small whole numbers, so that sums are exact. */
__host__ __device__ inline float weight(int pe, int expert, int step)
{
    return (float)((expert * 31 + pe * 17 + step * 23) % 97);
}

/* Element i of the embedding of an expert. */
__host__ __device__ inline float embedding(int expert, int i)
{
    return 1000.0f * expert + i;
}

__device__ static void compute_local_experts(float *weights, int step)
{
    for (int expert = threadIdx.x; expert < EXPERTS; expert += blockDim.x)
        weights[expert] = weight(nvshmem_my_pe(), expert, step);
}

__device__ static int best_of(const float *sums)
{
    int best = 0;

    for (int expert = 1; expert < EXPERTS; expert++)
        best = sums[expert] > sums[best] ? expert : best;
    return best;
}

__device__ static void load_remote_embedding(const float *remote_embed, float *out)
{
    for (int i = threadIdx.x; i < WIDTH; i += blockDim.x)
        out[i] = remote_embed[i];
}

__global__ void fused_gating(nvshmem_team_t team, float *sums, float *weights,
                             const float *embed_table, float *out, int step)
{
    int each = EXPERTS / nvshmem_n_pes();

    compute_local_experts(weights, step);
    __syncthreads();
    /* A call of one thread; the sums are there for all when it is back. */
    if (threadIdx.x == 0)
        nvshmemx_float_sum_reduce_team(team, sums, weights, EXPERTS);
    __syncthreads();

    int best = best_of(sums), expert_pe = best / each;
    const float *embed = embed_table + best % each * WIDTH;
    bool use_remote_expert = expert_pe != nvshmem_my_pe();
    if (use_remote_expert) {
        float *remote_embed = (float *)nvshmem_ptr(embed, expert_pe);

        if (remote_embed)
            load_remote_embedding(remote_embed, out);
        else /* another node's */
            nvshmemx_float_get_block(out, embed, WIDTH, expert_pe);
    } else {
        load_remote_embedding(embed, out);
    }
}

static int best_on_host(nvshmem_team_t team, int step)
{
    int best = 0;
    float most = -1;

    for (int expert = 0; expert < EXPERTS; expert++) {
        float sum = 0;

        for (int rank = 0; rank < nvshmem_team_n_pes(team); rank++)
            sum += weight(nvshmem_team_translate_pe(team, rank, NVSHMEM_TEAM_WORLD), expert, step);
        if (sum > most) {
            most = sum;
            best = expert;
        }
    }
    return best;
}

static void fill_table(float *table, int me, int each)
{
    static float host[EXPERTS * WIDTH];

    for (int i = 0; i < each * WIDTH; i++)
        host[i] = embedding(me * each + i / WIDTH, i % WIDTH);
    cudaMemcpy(table, host, (size_t)each * WIDTH * sizeof(float), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
}

int main(int argc, char **argv)
{
    float host[WIDTH], *out;
    int wrong = 0, best = 0;
    nvshmem_team_t team;

    nvshmem_init();
    cudaSetDevice(0);
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), each = EXPERTS / n;
    if (each * n != EXPERTS || nvshmemx_get_team_from_spec(argc > 1 ? argv[1] : "node", &team)) {
        printf("%d experts cannot be dealt out evenly to %d PEs, or there is no such team\n",
               EXPERTS, n);
        nvshmem_finalize();
        return 1;
    }
    float *table = (float *)nvshmem_malloc((size_t)each * WIDTH * sizeof(float));
    float *sums = (float *)nvshmem_malloc(EXPERTS * sizeof(float));
    float *weights = (float *)nvshmem_malloc(EXPERTS * sizeof(float));
    cudaMalloc(&out, sizeof(host));
    fill_table(table, me, each);

    for (int step = 0; step < STEPS; step++) {
        void *args[] = { &team, &sums, &weights, &table, &out, &step };

        nvshmemx_collective_launch((const void *)fused_gating, 1, THREADS, args, 0, 0);
        cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
        best = best_on_host(team, step);
        for (int i = 0; i < WIDTH; i++)
            wrong += host[i] != embedding(best, i);
    }
    printf("PE %d of %d: the last expert was %d of PE %d, %s\n", me, n, best, best / each,
           wrong ? "WRONG" : "all values are right");

    cudaFree(out);
    nvshmem_free(weights);
    nvshmem_free(sums);
    nvshmem_free(table);
    nvshmem_finalize();
    return wrong != 0;
}
