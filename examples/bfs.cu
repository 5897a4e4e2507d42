/* bfs.cu - breadth-first search over a graph whose vertices are dealt out to the PEs. A level is
 * one kernel: who has a vertex of the frontier claims its neighbours by compare-and-swap on the
 * PEs that own them. The levels end when a sum over all PEs says that nothing new was found.
 *
 *     gshcc bfs.cu -o bfs && gshrun -n 4 ./bfs
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <vector>

constexpr int PER_PE = 1000, DEGREE = 4, UNSEEN = -1;

/* The graph: edge `e` of vertex `v` of `vertices`. */
__host__ __device__ int neighbour(int v, int e, int vertices)
{
    return e == 0 ? (v + 1) % vertices : (int)((v * 131ll + e * 7919ll * (v % 17 + 1)) % vertices);
}

/* Vertex v lives on PE v / PER_PE. found += the vertices that this PE was first to reach. */
__global__ void expand(int *level_of, int level, int *found)
{
    int me = nvshmem_my_pe(), vertices = nvshmem_n_pes() * PER_PE;
    int own = blockIdx.x * blockDim.x + threadIdx.x;

    if (own >= PER_PE || nvshmem_int_atomic_fetch(level_of + own, me) != level)
        return;
    for (int e = 0; e < DEGREE; e++) {
        int to = neighbour(me * PER_PE + own, e, vertices);

        if (nvshmem_int_atomic_compare_swap(level_of + to % PER_PE, UNSEEN, level + 1,
                                            to / PER_PE) == UNSEEN)
            atomicAdd(found, 1);
    }
}

/* The levels as one processor finds them. */
std::vector<int> search(int vertices)
{
    std::vector<int> level_of(vertices, UNSEEN), queue(1, 0);

    level_of[0] = 0;
    for (size_t i = 0; i < queue.size(); i++)
        for (int e = 0; e < DEGREE; e++) {
            int to = neighbour(queue[i], e, vertices);

            if (level_of[to] == UNSEEN) {
                level_of[to] = level_of[queue[i]] + 1;
                queue.push_back(to);
            }
        }
    return level_of;
}

int main()
{
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), devices;

    cudaGetDeviceCount(&devices);
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);

    int *level_of = (int *)nvshmem_malloc(PER_PE * sizeof(int));
    int *found = (int *)nvshmem_malloc(sizeof(int)), *all = (int *)nvshmem_malloc(sizeof(int));
    std::vector<int> host(PER_PE, UNSEEN);
    int level = 0, total = 1;

    if (me == 0)
        host[0] = 0;
    cudaMemcpy(level_of, host.data(), PER_PE * sizeof(int), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();

    for (int more = 1; more; level++) {
        cudaMemset(found, 0, sizeof(int));
        expand<<<(PER_PE + 127) / 128, 128>>>(level_of, level, found);
        nvshmemx_int_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, all, found, 1, 0);
        cudaMemcpy(&more, all, sizeof(int), cudaMemcpyDeviceToHost);
        total += more;
    }
    cudaMemcpy(host.data(), level_of, PER_PE * sizeof(int), cudaMemcpyDeviceToHost);

    std::vector<int> want = search(n * PER_PE);
    int wrong = 0;
    for (int v = 0; v < PER_PE; v++)
        wrong += host[v] != want[me * PER_PE + v];
    printf("PE %d: %d vertices in %d levels, %d levels of its own are wrong\n", me, total, level,
           wrong);
    nvshmem_free(all);
    nvshmem_free(found);
    nvshmem_free(level_of);
    nvshmem_finalize();
    return wrong ? 1 : 0;
}
