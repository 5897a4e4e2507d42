/* moe_dispatch.cu - a layer of a mixture of experts: experts are spread over the PEs, tokens are
 * sent to theirs and come back, without a barrier. A warp chooses the experts of a token, and puts
 * the token into a place at each of them by put_nbi_warp. The last warp to do so raises a signal
 * per expert, which says how many there are. A block for each expert and sender waits for it,
 * computes, and puts each result back with a signal that is added to; who has got all back adds
 * them up by weight.
 *
 *     gshcc --target=cpu moe_dispatch.cu -o moe_dispatch && gshrun -n 4 ./moe_dispatch
 *     nvcc -arch=sm_90 -I$PREFIX/include -L$PREFIX/lib -lgshmem moe_dispatch.cu -o moe_dispatch
 *
 *     moe_dispatch [-t tokens a PE] [-e experts a PE] [-i layers]
 *
 * The output of a layer is the input of the next. Each PE compares that of the last one, and the
 * number of tokens of each expert, with those of a serial computation.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <vector>

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

constexpr unsigned ALL = 0xffffffffu;
constexpr int HIDDEN = 128; /* numbers of a token */
constexpr int TOP = 2;      /* experts of a token */
constexpr int WARPS = 4;    /* of a block */
constexpr int BLOCKS = 4;   /* of the kernels that go over tokens */

/* What is sent: 16 bytes that say where the result goes, then the token. */
struct alignas(16) message {
    int place; /* among the results of the sender */
    int unused[3];
    half2 x[HIDDEN / 2];
};

/* What a kernel has to know. [2] is for odd and even layers: when a PE sends a layer, it has had
 * signals of the layer before from all others, which have then received all of the one before
 * that. So two are enough. */
struct layer {
    int tokens, experts_per_pe;
    float2 *x;           /* the tokens of this PE; input and output */
    int *expert;         /* [token][TOP] */
    float *weight;       /* [token][TOP] */
    int *places;         /* [expert of all]: how many of its places are taken */
    unsigned *done;      /* warps that have sent */
    int *load;           /* symmetric, [expert of all]: tokens so far; then the same of all PEs */
    message *out;        /* symmetric, [token][TOP] */
    message *in[2];      /* symmetric, [expert of this PE][sender][token] */
    uint64_t *in_n;      /* symmetric, [2][expert of this PE][sender]: layer << 32 | how many */
    message *result;     /* symmetric, [token][TOP] */
    uint64_t *results_n; /* symmetric: how many have come, in all layers */
};

struct options {
    int tokens = 96;
    int experts_per_pe = 4;
    int layers = 4;
};

__host__ __device__ inline uint32_t hash(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t h = a * 0x9e3779b9u + b * 0x85ebca6bu + c * 0xc2b2ae35u;

    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

__host__ __device__ inline float start_value(int token, int d)
{
    return (float)(hash(token, d, 1) % 65) / 16.0f - 2.0f;
}

/* What the router says of a token and an expert; all scores of a token are different, as the
 * low bits are the expert. Low experts are preferred. */
__host__ __device__ inline uint32_t score_of(int token, int layer, int expert, int experts)
{
    return ((hash(token, layer, expert) % (3 * experts - expert)) << 10) + 1024 + expert;
}

/* What an expert computes of a number. */
__host__ __device__ inline float expert_of(float x, int expert)
{
    return (1.0f - expert % 5 * 0.125f) * x + (expert % 7 - 3) * 0.25f;
}

__device__ inline uint32_t warp_max(uint32_t value)
{
    for (int by = warpSize / 2; by > 0; by /= 2)
        value = max(value, __shfl_xor_sync(ALL, value, by));
    return value;
}

/* A warp for each token: the TOP experts with the highest scores, and their weights. */
__global__ void __launch_bounds__(WARPS * 32) route(layer l, int number, int first_token)
{
    const int experts = l.experts_per_pe * nvshmem_n_pes();
    const int lane = threadIdx.x % warpSize;

    for (int t = blockIdx.x * WARPS + threadIdx.x / warpSize; t < l.tokens;
         t += gridDim.x * WARPS) {
        uint32_t top[TOP], sum = 0, below = UINT32_MAX;

        for (int k = 0; k < TOP; k++) {
            uint32_t best = 0;

            for (int e = lane; e < experts; e += warpSize) {
                uint32_t score = score_of(first_token + t, number, e, experts);

                if (score < below)
                    best = max(best, score);
            }
            top[k] = below = warp_max(best);
            sum += top[k] >> 10;
        }
        if (lane < TOP) {
            uint32_t mine = lane == 0 ? top[0] : top[1];

            l.expert[t * TOP + lane] = mine & 1023;
            l.weight[t * TOP + lane] = (float)(mine >> 10) / (float)sum;
        }
    }
    static_assert(TOP == 2, "two lanes write what was chosen");
}

/* Called by a whole warp, when all have sent: tells every PE how many are there for its experts. */
__device__ void say_how_many(const layer &l, int number)
{
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();

    for (int e = threadIdx.x % warpSize; e < l.experts_per_pe * npes; e += warpSize) {
        const int n = atomicExch(&l.places[e], 0); /* for the next layer, too */
        const size_t at = ((number % 2) * l.experts_per_pe + e % l.experts_per_pe) * npes + me;

        l.load[e] += n;
        nvshmemx_signal_op(&l.in_n[at], (uint64_t)number << 32 | (uint32_t)n, NVSHMEM_SIGNAL_SET,
                           e / l.experts_per_pe);
    }
}

__global__ void __launch_bounds__(WARPS * 32) dispatch(layer l, int number)
{
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    const int lane = threadIdx.x % warpSize;

    for (int i = blockIdx.x * WARPS + threadIdx.x / warpSize; i < l.tokens * TOP;
         i += gridDim.x * WARPS) {
        const float2 *x = l.x + (size_t)(i / TOP) * (HIDDEN / 2);
        const int e = l.expert[i];
        message *out = &l.out[i];
        int place = 0;

        for (int d = lane; d < HIDDEN / 2; d += warpSize)
            out->x[d] = __float22half2_rn(x[d]);
        if (lane == 0) {
            out->place = i;
            place = atomicAdd(&l.places[e], 1);
        }
        place = __shfl_sync(ALL, place, 0);
        __syncwarp();
        message *in =
            l.in[number % 2] + ((size_t)(e % l.experts_per_pe) * npes + me) * l.tokens + place;
        nvshmemx_putmem_nbi_warp(in, out, sizeof(*out), e / l.experts_per_pe);
    }

    /* The last warp of the grid to come here knows that all has arrived. */
    unsigned before = 0;
    nvshmem_quiet();
    __syncwarp();
    if (lane == 0) {
        __threadfence();
        before = atomicAdd(l.done, 1);
        __threadfence();
    }
    if (__shfl_sync(ALL, before, 0) == gridDim.x * WARPS - 1) {
        if (lane == 0)
            *l.done = 0;
        say_how_many(l, number);
    }
}

/* A block for each expert of this PE and each sender. */
__global__ void __launch_bounds__(WARPS * 32) compute(layer l, int number)
{
    __shared__ int count;
    const int npes = nvshmem_n_pes();
    const int local = blockIdx.x, from = blockIdx.y;
    const int e = nvshmem_my_pe() * l.experts_per_pe + local;
    const int lane = threadIdx.x % warpSize;
    message *in = l.in[number % 2] + ((size_t)local * npes + from) * l.tokens;

    if (threadIdx.x == 0) {
        uint64_t *n = &l.in_n[((number % 2) * l.experts_per_pe + local) * npes + from];

        count = (int)nvshmem_signal_wait_until(n, NVSHMEM_CMP_GE, (uint64_t)number << 32);
    }
    __syncthreads();
    for (int i = threadIdx.x / warpSize; i < count; i += WARPS) {
        for (int d = lane; d < HIDDEN / 2; d += warpSize) {
            const float2 x = __half22float2(in[i].x[d]);

            in[i].x[d] = __floats2half2_rn(expert_of(x.x, e), expert_of(x.y, e));
        }
        __syncwarp();
        nvshmemx_putmem_signal_nbi_warp(&l.result[in[i].place], &in[i], sizeof(in[i]), l.results_n,
                                        1, NVSHMEM_SIGNAL_ADD, from);
    }
}

/* Waits for all results of this PE's tokens in this and all layers before; a warp for each
 * token adds them up. */
__global__ void __launch_bounds__(WARPS * 32) combine(layer l, int number)
{
    const int lane = threadIdx.x % warpSize;

    if (threadIdx.x == 0)
        nvshmem_signal_wait_until(l.results_n, NVSHMEM_CMP_GE, (uint64_t)number * l.tokens * TOP);
    __syncthreads();
    for (int t = blockIdx.x * WARPS + threadIdx.x / warpSize; t < l.tokens;
         t += gridDim.x * WARPS) {
        for (int d = lane; d < HIDDEN / 2; d += warpSize) {
            float2 sum = make_float2(0.0f, 0.0f);

#pragma unroll
            for (int k = 0; k < TOP; k++) {
                const float2 y = __half22float2(l.result[t * TOP + k].x[d]);

                sum.x += l.weight[t * TOP + k] * y.x;
                sum.y += l.weight[t * TOP + k] * y.y;
            }
            l.x[(size_t)t * (HIDDEN / 2) + d] = sum;
        }
    }
}

template <typename T> static T *symmetric(size_t count)
{
    T *memory = (T *)nvshmem_calloc(count, sizeof(T));

    if (!memory) {
        fprintf(stderr, "no symmetric memory for %zu elements of %zu bytes\n", count, sizeof(T));
        nvshmem_global_exit(1);
    }
    return memory;
}

template <typename T> static T *local(size_t count)
{
    T *memory;

    CUDA_CHECK(cudaMalloc((void **)&memory, count * sizeof(T)));
    CUDA_CHECK(cudaMemset(memory, 0, count * sizeof(T)));
    return memory;
}

static layer make_layer(const options &o, int npes)
{
    const size_t experts = (size_t)o.experts_per_pe * npes, sent = (size_t)o.tokens * TOP;
    layer l;

    l.tokens = o.tokens;
    l.experts_per_pe = o.experts_per_pe;
    l.x = local<float2>((size_t)o.tokens * HIDDEN / 2);
    l.expert = local<int>(sent);
    l.weight = local<float>(sent);
    l.places = local<int>(experts);
    l.done = local<unsigned>(1);
    l.load = symmetric<int>(2 * experts);
    l.out = symmetric<message>(sent);
    for (int i = 0; i < 2; i++)
        l.in[i] = symmetric<message>(experts * o.tokens);
    l.in_n = symmetric<uint64_t>(2 * experts);
    l.result = symmetric<message>(sent);
    l.results_n = symmetric<uint64_t>(1);
    return l;
}

static void destroy_layer(layer *l)
{
    nvshmem_free(l->results_n);
    nvshmem_free(l->result);
    nvshmem_free(l->in_n);
    for (int i = 1; i >= 0; i--)
        nvshmem_free(l->in[i]);
    nvshmem_free(l->out);
    nvshmem_free(l->load);
    CUDA_CHECK(cudaFree(l->done));
    CUDA_CHECK(cudaFree(l->places));
    CUDA_CHECK(cudaFree(l->weight));
    CUDA_CHECK(cudaFree(l->expert));
    CUDA_CHECK(cudaFree(l->x));
}

static void queue_layer(layer l, int number, cudaStream_t stream)
{
    const int npes = nvshmem_n_pes();
    void *args[] = { &l, &number };

    route<<<BLOCKS, WARPS * 32, 0, stream>>>(l, number, nvshmem_my_pe() * l.tokens);
    dispatch<<<BLOCKS, WARPS * 32, 0, stream>>>(l, number);
    CUDA_CHECK(cudaGetLastError());
    /* These wait for other PEs. */
    NVSHMEM_CHECK(nvshmemx_collective_launch((const void *)compute, dim3(l.experts_per_pe, npes),
                                             dim3(WARPS * 32), args, 0, stream));
    NVSHMEM_CHECK(nvshmemx_collective_launch((const void *)combine, dim3(BLOCKS), dim3(WARPS * 32),
                                             args, 0, stream));
}

/* The experts of a token on the host, and their weights. */
static void route_alone(int token, int number, int experts, int *expert, float *weight)
{
    uint32_t below = UINT32_MAX, sum = 0, top[TOP];

    for (int k = 0; k < TOP; k++) {
        top[k] = 0;
        for (int e = 0; e < experts; e++) {
            uint32_t score = score_of(token, number, e, experts);

            if (score < below && score > top[k])
                top[k] = score;
        }
        below = top[k];
        sum += top[k] >> 10;
        expert[k] = top[k] & 1023;
    }
    for (int k = 0; k < TOP; k++)
        weight[k] = (float)(top[k] >> 10) / (float)sum;
}

static void run_alone(const options &o, int token, int experts, float *x)
{
    int expert[TOP];
    float weight[TOP];

    for (int d = 0; d < HIDDEN; d++)
        x[d] = start_value(token, d);
    for (int number = 1; number <= o.layers; number++) {
        route_alone(token, number, experts, expert, weight);
        for (int d = 0; d < HIDDEN; d++) {
            float sum = 0.0f, sent = __half2float(__float2half(x[d]));

            for (int k = 0; k < TOP; k++)
                sum += weight[k] * __half2float(__float2half(expert_of(sent, expert[k])));
            x[d] = sum;
        }
    }
}

/* A sum may be rounded differently on the GPU, and then a half differs by one unit. */
static bool are_tokens_right(const options &o, const layer &l, int me, int npes)
{
    std::vector<float> got((size_t)o.tokens * HIDDEN), want(HIDDEN);

    CUDA_CHECK(cudaMemcpy(got.data(), l.x, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int t = 0; t < o.tokens; t++) {
        run_alone(o, me * o.tokens + t, o.experts_per_pe * npes, want.data());
        for (int d = 0; d < HIDDEN; d++) {
            if (!(fabsf(got[(size_t)t * HIDDEN + d] - want[d]) <= 4e-3f)) {
                printf("PE %d: token %d: number %d is %g, not %g\n", me, t, d,
                       got[(size_t)t * HIDDEN + d], want[d]);
                return false;
            }
        }
    }
    return true;
}

static bool are_loads_right(const options &o, const layer &l, int me, int npes)
{
    const int experts = o.experts_per_pe * npes;
    std::vector<int> got(experts), want(experts);
    int expert[TOP], least = 0, most = 0;
    float weight[TOP];

    CUDA_CHECK(
        cudaMemcpy(got.data(), l.load + experts, experts * sizeof(int), cudaMemcpyDeviceToHost));
    for (int number = 1; number <= o.layers; number++) {
        for (int token = 0; token < o.tokens * npes; token++) {
            route_alone(token, number, experts, expert, weight);
            for (int k = 0; k < TOP; k++)
                want[expert[k]]++;
        }
    }
    for (int e = 0; e < experts; e++) {
        if (got[e] != want[e]) {
            printf("PE %d: expert %d has had %d tokens, not %d\n", me, e, got[e], want[e]);
            return false;
        }
        least = e && least < got[e] ? least : got[e];
        most = most > got[e] ? most : got[e];
    }
    if (me == 0)
        printf("%d PEs, %d tokens each, %d layers, %d experts, which have had %d to %d tokens\n",
               npes, o.tokens, o.layers, experts, least, most);
    return true;
}

static options parse(int argc, char **argv)
{
    options o;
    int c;

    while ((c = getopt(argc, argv, "t:e:i:")) != -1) {
        if (c == 't')
            o.tokens = atoi(optarg);
        else if (c == 'e')
            o.experts_per_pe = atoi(optarg);
        else if (c == 'i')
            o.layers = atoi(optarg);
        else
            exit(2);
    }
    return o;
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);
    int devices = 0;
    cudaStream_t stream;

    nvshmem_init();
    const int me = nvshmem_my_pe(), npes = nvshmem_n_pes();
    const int experts = o.experts_per_pe * npes;
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices));
    if (o.tokens < 1 || o.layers < 1 || experts < TOP || experts > 1024) {
        fprintf(stderr, "tokens and layers must be 1 or more, experts %d to 1024 in all\n", TOP);
        nvshmem_global_exit(2);
    }
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    layer l = make_layer(o, npes);
    std::vector<float> x;
    for (int t = 0; t < o.tokens; t++)
        for (int d = 0; d < HIDDEN; d++)
            x.push_back(start_value(me * o.tokens + t, d));
    CUDA_CHECK(cudaMemcpy(l.x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaDeviceSynchronize());
    nvshmem_barrier_all();

    for (int number = 1; number <= o.layers; number++)
        queue_layer(l, number, stream);
    NVSHMEM_CHECK(nvshmemx_int_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, l.load + experts, l.load,
                                                    experts, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));

    bool right = are_tokens_right(o, l, me, npes);
    right &= are_loads_right(o, l, me, npes);
    printf("PE %d of %d: %s\n", me, npes, right ? "right" : "WRONG");

    destroy_layer(&l);
    CUDA_CHECK(cudaStreamDestroy(stream));
    nvshmem_finalize();
    return right ? 0 : 1;
}
