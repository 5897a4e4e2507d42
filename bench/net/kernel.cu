/* kernel - how many messages a kernel of the CPU device sends to another node: 8-byte puts of
 * PE 0 to 512 words of PE 1 in turn, by all threads of a block, each of which completes its own by
 * one quiet.
 *
 *     kernel THREADS
 *
 * PE 0 prints min, median and p99 of the rate in millions a second, the words that PE 1 has
 * looked at, and how many of them were wrong.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>

#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PLACES = 512, PUTS = 8192, BATCHES = 20 };

__global__ void send(long *to, const long *from)
{
    for (int i = threadIdx.x; i < PUTS; i += blockDim.x)
        nvshmem_long_put_nbi(to + i % PLACES, from + i % PLACES, 1, 1);
    nvshmem_quiet();
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Words of the batch before that are not as PE 0 has put them. */
static long look(const long *to, int batch)
{
    long wrong = 0;

    for (int i = 0; nvshmem_my_pe() == 1 && i < PLACES; i++)
        wrong += to[i] != batch * 1000 + i;
    return wrong;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    double rates[BATCHES];

    nvshmem_init();
    long *to = (long *)nvshmem_calloc(PLACES, sizeof(long));
    long *from = (long *)nvshmem_malloc(PLACES * sizeof(long));
    long *wrong = (long *)nvshmem_calloc(1, sizeof(long));

    for (int batch = 0; batch < BATCHES; batch++) {
        for (int i = 0; i < PLACES; i++)
            from[i] = batch * 1000 + i;
        nvshmem_barrier_all();
        double start = now();
        if (nvshmem_my_pe() == 0)
            send<<<1, threads>>>(to, from);
        cudaDeviceSynchronize();
        rates[batch] = PUTS / (now() - start) * 1e-6;
        nvshmem_barrier_all();
        *wrong += look(to, batch);
    }
    std::sort(rates, rates + BATCHES);
    if (nvshmem_my_pe() == 0)
        printf("%g %g %g %d %ld\n", rates[BATCHES - 1], rates[BATCHES / 2], rates[0],
               BATCHES * PLACES, nvshmem_long_g(wrong, 1));
    nvshmem_barrier_all();
    nvshmem_finalize();
    return 0;
}
