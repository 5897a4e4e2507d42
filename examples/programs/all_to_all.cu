/* all_to_all.cu - every PE of a team sends a piece to every other, in three ways: the collective
 * called by a block of a kernel, the collective on a stream, and a persistent kernel written by
 * hand with put_signal. Teams are the world, every second PE, and the rows and columns of a
 * grid of PEs, which run at the same time on two streams.
 *
 *     gshcc --target=cpu all_to_all.cu -o all_to_all && gshrun -n 4 ./all_to_all
 *     nvcc -arch=sm_90 -I$PREFIX/include -L$PREFIX/lib -lgshmem all_to_all.cu -o all_to_all
 *
 *     all_to_all [-n elements a piece] [-r rounds]
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CUDA_CHECK(call) \
    do { \
        cudaError_t error_ = (call); \
        if (error_ != cudaSuccess) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                    cudaGetErrorString(error_)); \
            nvshmem_global_exit(1); \
        } \
    } while (0)

#define NVSHMEM_CHECK(call) \
    do { \
        int status_ = (call); \
        if (status_ != 0) { \
            fprintf(stderr, "%s:%d: %s returned %d\n", __FILE__, __LINE__, #call, status_); \
            nvshmem_global_exit(1); \
        } \
    } while (0)

constexpr int THREADS = 64;
constexpr int LANES = 2; /* exchanges under way at once, each with its stream and buffers */

struct lane {
    cudaStream_t stream;
    cudaEvent_t filled, done;
    int *send, *receive; /* symmetric */
    uint64_t *arrived;   /* symmetric: [i] is the round of the last piece of member i */
    uint64_t *consumed;  /* symmetric: [i] is the last round that member i has consumed */
    long long *sums;     /* [i] is the sum of what member i has sent in all rounds */
    int *host_out, *host_in;
    long long *host_sums;
    uint64_t rounds; /* so far: signals only go up, they are never reset */
};

/* The value at place `i` of the piece from one PE to another, by their numbers in the world. */
__host__ __device__ inline int value_of(int from, int to, size_t i)
{
    return (from * 131 + to) * 1009 + (int)(i % 997);
}

__global__ void exchange_by_collective(nvshmem_team_t team, int *receive, const int *send,
                                       size_t count)
{
    nvshmemx_int_alltoall_block(team, receive, send, count);
}

/* Block b is the connection to member b: it sends a piece, takes one, and tells the sender that
 * its place is free again. Elements grow by 1 a round, so that an old piece gives a wrong sum. */
__global__ void exchange_by_hand(nvshmem_team_t team, int *receive, int *send, size_t count,
                                 uint64_t *arrived, uint64_t *consumed, long long *sums,
                                 uint64_t first, int rounds)
{
    __shared__ long long of_thread[THREADS];
    const int me = nvshmem_team_my_pe(team), peer = blockIdx.x;
    const int pe = nvshmem_team_translate_pe(team, peer, NVSHMEM_TEAM_WORLD);
    int *out = send + peer * count;
    const int *in = receive + peer * count;
    long long sum = 0;

    for (int r = 0; r < rounds; r++) {
        const uint64_t round = first + r + 1;

        if (threadIdx.x == 0)
            nvshmem_signal_wait_until(&consumed[peer], NVSHMEM_CMP_GE, round - 1);
        __syncthreads();
        nvshmemx_int_put_signal_nbi_block(receive + me * count, out, count, &arrived[me], round,
                                          NVSHMEM_SIGNAL_SET, pe);
        if (threadIdx.x == 0) {
            nvshmem_signal_wait_until(&arrived[peer], NVSHMEM_CMP_EQ, round);
            nvshmem_quiet(); /* my own piece has been read: it may be changed */
        }
        __syncthreads();
        for (size_t i = threadIdx.x; i < count; i += blockDim.x) {
            sum += in[i];
            out[i]++;
        }
        __syncthreads();
        if (threadIdx.x == 0)
            nvshmemx_signal_op(&consumed[me], round, NVSHMEM_SIGNAL_SET, pe);
    }

    of_thread[threadIdx.x] = sum;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
            of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[peer] = of_thread[0];
}

static void open_lane(lane *l, size_t count, int npes)
{
    const size_t bytes = npes * count * sizeof(int);

    CUDA_CHECK(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&l->filled, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&l->done, cudaEventDisableTiming));
    l->send = (int *)nvshmem_malloc(bytes);
    l->receive = (int *)nvshmem_malloc(bytes);
    l->arrived = (uint64_t *)nvshmem_calloc(npes, sizeof(uint64_t));
    l->consumed = (uint64_t *)nvshmem_calloc(npes, sizeof(uint64_t));
    if (!l->send || !l->receive || !l->arrived || !l->consumed) {
        fprintf(stderr, "no symmetric memory for pieces of %zu elements\n", count);
        nvshmem_global_exit(1);
    }
    CUDA_CHECK(cudaMalloc(&l->sums, npes * sizeof(long long)));
    CUDA_CHECK(cudaHostAlloc((void **)&l->host_out, bytes, cudaHostAllocDefault));
    CUDA_CHECK(cudaHostAlloc((void **)&l->host_in, bytes, cudaHostAllocDefault));
    CUDA_CHECK(cudaMallocHost((void **)&l->host_sums, npes * sizeof(long long)));
    l->rounds = 0;
}

static void close_lane(lane *l)
{
    CUDA_CHECK(cudaFreeHost(l->host_sums));
    CUDA_CHECK(cudaFreeHost(l->host_in));
    CUDA_CHECK(cudaFreeHost(l->host_out));
    CUDA_CHECK(cudaFree(l->sums));
    nvshmem_free(l->consumed);
    nvshmem_free(l->arrived);
    nvshmem_free(l->receive);
    nvshmem_free(l->send);
    CUDA_CHECK(cudaEventDestroy(l->done));
    CUDA_CHECK(cudaEventDestroy(l->filled));
    CUDA_CHECK(cudaStreamDestroy(l->stream));
}

enum { COLLECTIVE, ON_STREAM, BY_HAND, WAYS };
static const char *const way_name[WAYS] = { "alltoall_block", "alltoall_on_stream", "put_signal" };

/* Queues an exchange in the team; nothing here waits for it. The data goes up on the stream
 * `copies`, and comes down on the lane's. */
static void queue_exchange(int way, nvshmem_team_t team, lane *l, size_t count, int rounds,
                           cudaStream_t copies)
{
    const int size = nvshmem_team_n_pes(team), me = nvshmem_my_pe();
    const size_t bytes = size * count * sizeof(int);

    for (int i = 0; i < size; i++) {
        int to = nvshmem_team_translate_pe(team, i, NVSHMEM_TEAM_WORLD);

        for (size_t k = 0; k < count; k++)
            l->host_out[i * count + k] = value_of(me, to, k);
    }
    CUDA_CHECK(cudaMemcpyAsync(l->send, l->host_out, bytes, cudaMemcpyHostToDevice, copies));
    CUDA_CHECK(cudaEventRecord(l->filled, copies));
    CUDA_CHECK(cudaMemsetAsync(l->receive, 0xff, bytes, l->stream));
    CUDA_CHECK(cudaStreamWaitEvent(l->stream, l->filled, 0));
    nvshmemx_team_sync_on_stream(team, l->stream); /* all have cleared what is written to now */

    if (way == ON_STREAM) {
        NVSHMEM_CHECK(nvshmemx_int_alltoall_on_stream(team, l->receive, l->send, count, l->stream));
    } else if (way == COLLECTIVE) {
        const int *send = l->send;
        void *args[] = { &team, &l->receive, &send, &count };

        NVSHMEM_CHECK(nvshmemx_collective_launch((const void *)exchange_by_collective, 1, THREADS,
                                                 args, 0, l->stream));
    } else {
        exchange_by_hand<<<size, THREADS, 0, l->stream>>>(
            team, l->receive, l->send, count, l->arrived, l->consumed, l->sums, l->rounds, rounds);
        CUDA_CHECK(cudaGetLastError());
        l->rounds += rounds;
        CUDA_CHECK(cudaMemcpyAsync(l->host_sums, l->sums, size * sizeof(long long),
                                   cudaMemcpyDeviceToHost, l->stream));
    }
    CUDA_CHECK(cudaMemcpyAsync(l->host_in, l->receive, bytes, cudaMemcpyDeviceToHost, l->stream));
    CUDA_CHECK(cudaEventRecord(l->done, l->stream));
}

/* Waits for the exchange and looks at what has come. */
static bool is_right(int way, nvshmem_team_t team, const lane *l, size_t count, int rounds,
                     const char *team_name)
{
    const int size = nvshmem_team_n_pes(team), me = nvshmem_my_pe();
    const int grown = way == BY_HAND ? rounds - 1 : 0;

    CUDA_CHECK(cudaEventSynchronize(l->done));
    for (int i = 0; i < size; i++) {
        int from = nvshmem_team_translate_pe(team, i, NVSHMEM_TEAM_WORLD);
        long long sum = 0;

        for (size_t k = 0; k < count; k++) {
            int got = l->host_in[i * count + k], want = value_of(from, me, k) + grown;

            sum += (long long)value_of(from, me, k) * rounds + rounds * (rounds - 1LL) / 2;
            if (got != want) {
                printf("PE %d, %s of %s: element %zu from PE %d is %d, not %d\n", me, way_name[way],
                       team_name, k, from, got, want);
                return false;
            }
        }
        if (way == BY_HAND && l->host_sums[i] != sum) {
            printf("PE %d, %s of %s: the sum of PE %d is %lld, not %lld\n", me, way_name[way],
                   team_name, from, l->host_sums[i], sum);
            return false;
        }
    }
    return true;
}

/* A team, or two at once: the second is exchanged in while the first is still under way. */
static bool exchange(const char *name, nvshmem_team_t team, nvshmem_team_t second, lane *lanes,
                     size_t count, int rounds, cudaStream_t copies)
{
    bool right = true;

    for (int way = 0; way < WAYS; way++) {
        if (team != NVSHMEM_TEAM_INVALID)
            queue_exchange(way, team, &lanes[0], count, rounds, copies);
        if (second != NVSHMEM_TEAM_INVALID)
            queue_exchange(way, second, &lanes[1], count, rounds, copies);
        if (team != NVSHMEM_TEAM_INVALID)
            right &= is_right(way, team, &lanes[0], count, rounds, name);
        if (second != NVSHMEM_TEAM_INVALID)
            right &= is_right(way, second, &lanes[1], count, rounds, "columns");
    }
    /* Signals belong to members of a team: start again with the next one. */
    CUDA_CHECK(cudaDeviceSynchronize());
    nvshmem_barrier_all();
    for (int i = 0; i < LANES; i++) {
        CUDA_CHECK(cudaMemset(lanes[i].arrived, 0, nvshmem_n_pes() * sizeof(uint64_t)));
        CUDA_CHECK(cudaMemset(lanes[i].consumed, 0, nvshmem_n_pes() * sizeof(uint64_t)));
        lanes[i].rounds = 0;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    nvshmem_barrier_all();
    if (nvshmem_my_pe() == 0)
        printf("%-16s %s\n", name, right ? "right" : "WRONG");
    return right;
}

int main(int argc, char **argv)
{
    int rounds = 8, c, devices = 0;
    size_t count = 1000;
    bool right = true;

    while ((c = getopt(argc, argv, "n:r:")) != -1) {
        if (c == 'n')
            count = strtoul(optarg, NULL, 10);
        else if (c == 'r')
            rounds = atoi(optarg);
        else
            return 2;
    }
    if (count < 1 || rounds < 1) {
        fprintf(stderr, "usage: %s [-n elements] [-r rounds], both 1 or more\n", argv[0]);
        return 2;
    }
    nvshmem_init();
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices));

    nvshmem_team_t halves = NVSHMEM_TEAM_INVALID, rows, columns;
    NVSHMEM_CHECK(
        nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, (npes + 1) / 2, NULL, 0, &halves));
    NVSHMEM_CHECK(nvshmem_team_split_2d(NVSHMEM_TEAM_WORLD, npes > 1 ? 2 : 1, NULL, 0, &rows, NULL,
                                        0, &columns));

    cudaStream_t copies;
    lane lanes[LANES];
    CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
    for (int i = 0; i < LANES; i++)
        open_lane(&lanes[i], count, npes);

    right &=
        exchange("world", NVSHMEM_TEAM_WORLD, NVSHMEM_TEAM_INVALID, lanes, count, rounds, copies);
    right &=
        exchange("every second PE", halves, NVSHMEM_TEAM_INVALID, lanes, count, rounds, copies);
    right &= exchange("rows and columns", rows, columns, lanes, count, rounds, copies);
    printf("PE %d of %d: %s\n", me, npes, right ? "right" : "WRONG");

    for (int i = LANES - 1; i >= 0; i--)
        close_lane(&lanes[i]);
    CUDA_CHECK(cudaStreamDestroy(copies));
    nvshmem_team_destroy(columns);
    nvshmem_team_destroy(rows);
    if (halves != NVSHMEM_TEAM_INVALID)
        nvshmem_team_destroy(halves);
    nvshmem_finalize();
    return right ? 0 : 1;
}
