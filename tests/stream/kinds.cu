/* Streams of each kind communicate in their order: with priorities, non-blocking, the legacy
 * default stream, which waits for the blocking ones, and those of threads. */
// SPDX-License-Identifier: BSD-3-Clause
#include "stream.cuh"

#include <thread>

enum { ROUNDS = 30, KINDS = 3 };

__global__ void set(int *at, int value)
{
    *at = value;
}

/* A sum on the stream and its team, of what a kernel just set. */
static void round_on(cudaStream_t stream, nvshmem_team_t team, int k, int round)
{
    int *from = (int *)source + 16 * k, *to = (int *)dest + 16 * k;

    set<<<1, 1, 0, stream>>>(from, (me + 1) * (round + 1));
    nvshmemx_int_sum_reduce_on_stream(team, to, from, 1, stream);
    nvshmemx_int_put_signal_on_stream((int *)result + 16 * k, to, 1, &words[k], 1,
                                      NVSHMEM_SIGNAL_ADD, next_pe, stream);
    nvshmemx_signal_wait_until_on_stream(&words[k], NVSHMEM_CMP_GE, (uint64_t)round + 1, stream);
    nvshmemx_barrier_on_stream(team, stream);
}

static void check_on(cudaStream_t stream, int k, int rounds, const char *what)
{
    int had = 0;

    cudaMemcpyAsync(&had, (int *)result + 16 * k, sizeof(had), cudaMemcpyDefault, stream);
    CHECK(!cudaStreamSynchronize(stream), "%s", what);
    CHECK(had == rounds * n_pes * (n_pes + 1) / 2, "%s: %d", what, had);
}

static nvshmem_team_t new_team(void)
{
    nvshmem_team_t team = NVSHMEM_TEAM_INVALID;

    CHECK(!nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &team), "%s",
          nvshmemx_last_error());
    return team;
}

static void clear(void)
{
    cudaMemset(words, 0, WORDS * sizeof(*words));
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
}

static void priorities(void)
{
    int least = 0, greatest = 0;
    cudaStream_t streams[KINDS];
    nvshmem_team_t teams[KINDS];

    CHECK(!cudaDeviceGetStreamPriorityRange(&least, &greatest), "the range");
    for (int k = 0; k < KINDS; k++) {
        int priority = k == 0 ? least : k == 1 ? greatest : (least + greatest) / 2, is = 1;

        cudaStreamCreateWithPriority(&streams[k], k ? cudaStreamNonBlocking : cudaStreamDefault,
                                     priority);
        cudaStreamGetPriority(streams[k], &is);
        CHECK(is == priority, "priority %d is %d", priority, is);
        teams[k] = new_team();
    }
    clear();
    for (int r = 0; r < ROUNDS; r++)
        for (int k = 0; k < KINDS; k++)
            round_on(streams[(k + me) % KINDS], teams[(k + me) % KINDS], (k + me) % KINDS, r);
    for (int k = 0; k < KINDS; k++)
        check_on(streams[k], k, ROUNDS, "a stream with a priority");
    fact("streams of different priorities communicate at once");
    for (int k = 0; k < KINDS; k++) {
        cudaStreamDestroy(streams[k]);
        nvshmem_team_destroy(teams[k]);
    }
}

/* The legacy stream comes after a blocking stream's work, and before what that gets later. */
static void legacy(void)
{
    cudaStream_t blocking;
    int *at = (int *)source;

    cudaStreamCreate(&blocking);
    for (int r = 0; r < ROUNDS; r++) {
        set<<<1, 1, 0, blocking>>>(at, r);
        nvshmemx_int_put_on_stream((int *)dest, at, 1, next_pe, cudaStreamLegacy);
        nvshmemx_barrier_all_on_stream(cudaStreamLegacy);
        set<<<1, 1, 0, blocking>>>(at, -1);
        nvshmemx_int_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, (int *)result, (int *)dest, 1,
                                          blocking);
        cudaStreamSynchronize(blocking);
        expect<int>(dest, 1, "put", [=](size_t) { return r; });
        expect<int>(result, 1, "sum", [=](size_t) { return r * n_pes; });
        nvshmem_barrier_all();
    }
    fact("the legacy default stream and blocking streams wait for one another");
    cudaStreamDestroy(blocking);
}

/* Two threads, each with its own default stream and its own team. */
static void of_threads(void)
{
    nvshmem_team_t teams[2] = { new_team(), new_team() };
    std::thread threads[2];

    clear();
    for (int k = 0; k < 2; k++) {
        threads[k] = std::thread([&, k]() {
            for (int r = 0; r < ROUNDS; r++)
                round_on(cudaStreamPerThread, teams[k], k, r);
            check_on(cudaStreamPerThread, k, ROUNDS, "the default stream of a thread");
        });
    }
    threads[0].join();
    threads[1].join();
    fact("threads communicate at once, each in its own default stream");
    nvshmem_team_destroy(teams[0]);
    nvshmem_team_destroy(teams[1]);
}

int main()
{
    begin();
    priorities();
    legacy();
    of_threads();
    return end();
}
