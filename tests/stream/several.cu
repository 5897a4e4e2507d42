/* Works of a stream come one after the other; several streams and teams communicate at once,
 * and beside the host; memory that a stream still reads is not given away. */
// SPDX-License-Identifier: BSD-3-Clause
#include "stream.cuh"

enum { ROUNDS = 50, STREAMS = 3, N = 500 };

__global__ void add_one(int *at, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        at[i]++;
}

/* Kernel, put, wait, kernel ... around the ring: each element goes up by two a round. */
static void in_order(void)
{
    int *mine = (int *)source, *theirs = (int *)dest;

    cudaMemsetAsync(source, 0, N * sizeof(int), s);
    cudaMemsetAsync(words, 0, sizeof(uint64_t), s);
    nvshmemx_barrier_all_on_stream(s);
    for (int r = 1; r <= ROUNDS; r++) {
        add_one<<<1, 64, 0, s>>>(mine, N);
        nvshmemx_int_put_signal_on_stream(theirs, mine, N, words, (uint64_t)r, NVSHMEM_SIGNAL_SET,
                                          next_pe, s);
        nvshmemx_signal_wait_until_on_stream(words, NVSHMEM_CMP_GE, (uint64_t)r, s);
        add_one<<<1, 64, 0, s>>>(theirs, N);
        cudaMemcpyAsync(mine, theirs, N * sizeof(int), cudaMemcpyDefault, s);
        nvshmemx_barrier_all_on_stream(s);
    }
    expect<int>(source, N, "ring", [](size_t) { return 2 * ROUNDS; });
    fact("kernels, puts, waits and barriers of a stream come one after the other");
}

/* Each stream has a team of its own and sums what differs from stream to stream. */
static void at_once(void)
{
    cudaStream_t streams[STREAMS];
    nvshmem_team_t teams[STREAMS];
    int *to = (int *)dest, *from = (int *)source;
    int value[STREAMS];

    for (int k = 0; k < STREAMS; k++) {
        cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking);
        CHECK(!nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &teams[k]),
              "%s", nvshmemx_last_error());
        value[k] = (me + 1) * (k + 1);
    }
    to_device(from, value, sizeof(value));
    nvshmem_barrier_all();
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < STREAMS; i++) {
            int k = (i + me) % STREAMS; /* each PE in another order */

            CHECK(!nvshmemx_int_sum_reduce_on_stream(teams[k], &to[k * ROUNDS + r], &from[k], 1,
                                                     streams[k]),
                  "%s", nvshmemx_last_error());
        }
    }
    nvshmem_barrier_all(); /* of the host, meanwhile */
    for (int k = 0; k < STREAMS; k++)
        cudaStreamSynchronize(streams[k]);
    expect<int>(to, STREAMS * ROUNDS, "sums",
                [](size_t i) { return n_pes * (n_pes + 1) / 2 * (int)(i / ROUNDS + 1); });
    fact("streams reduce on different teams at once, each PE in another order");
    for (int k = 0; k < STREAMS; k++) {
        cudaStreamDestroy(streams[k]);
        nvshmem_team_destroy(teams[k]);
    }
}

/* Collectives of the host come between those of a stream on the same team. */
static void beside_the_host(void)
{
    void *at[5];

    fill<int>(source, 1, N);
    nvshmem_barrier_all();
    for (int r = 0; r < 5; r++) {
        nvshmemx_int_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, (int *)dest, (int *)source, N, s);
        at[r] = nvshmem_malloc(4096);
        nvshmem_barrier_all();
    }
    expect<int>(dest, N, "sum", [](size_t i) {
        int sum = 0;

        for (int pe = 0; pe < n_pes; pe++)
            sum += element<int>(pe, 1, i);
        return sum;
    });
    for (int r = 0; r < 5; r++)
        nvshmem_free(at[r]);
    fact("the host allocates and meets while streams reduce on the same team");
}

static void freed_at_once(void)
{
    for (int r = 0; r < 20; r++) {
        int *gone = (int *)nvshmem_malloc(AREA / 4), *next;

        fill<int>(gone, r, AREA / 16);
        nvshmem_barrier_all();
        nvshmemx_int_put_on_stream((int *)dest, gone, AREA / 16, next_pe, s);
        nvshmem_free(gone);
        next = (int *)nvshmem_calloc(AREA / 4, 1);
        nvshmemx_barrier_all_on_stream(s);
        expect<int>(dest, AREA / 16, "freed",
                    [=](size_t i) { return element<int>(last_pe, r, i); });
        nvshmem_free(next);
    }
    fact("a buffer that is freed right behind an on_stream put from it is put whole");
}

/* The default streams, and a value that is wanted at once. */
static void default_streams(void)
{
    cudaStream_t streams[] = { NULL, cudaStreamPerThread };

    for (int k = 0; k < 2; k++) {
        nvshmemx_barrier_all_on_stream(streams[k]);
        nvshmemx_int_p_on_stream((int *)dest, 5 + k + me, next_pe, streams[k]);
        nvshmemx_sync_all_on_stream(streams[k]);
        CHECK(nvshmemx_int_g_on_stream((int *)dest, me, streams[k]) == 5 + k + last_pe,
              "default stream %d", k);
        cudaDeviceSynchronize();
        nvshmem_barrier_all();
    }
    fact("the default streams communicate");
}

int main()
{
    begin();
    in_order();
    at_once();
    beside_the_host();
    freed_at_once();
    default_streams();
    return end();
}
