/* Kernels reach symmetric memory of both kinds, the device's and the host's, of every PE: by
 * loads and stores through nvshmem_ptr, by put, get, p, g, atomics, signals and collectives,
 * from one kind to the other too; and host and kernel see what the other one wrote. */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

enum { N = 3000, KINDS = 2 };

static const char *const names[KINDS] = { "device", "host" };

/* Of one kind. */
struct kind_area {
    int *data, *out; /* symmetric, N each */
    uint64_t *words; /* symmetric, 4 of them, 0 */
};

/* What the headers do: their bodies are there where code for the device is made. */
#if defined(__CUDA_ARCH__) || defined(GSHMEM_TARGET_CPU)
static __device__ bool is_found_at(int *sym, int pe, int *there)
{
    return gsh_impl::at(sym, pe) == there;
}

static __device__ uint64_t moved(const int64_t *away, uint64_t own, int pe)
{
    gsh_device_window window = { 0, 1 << 20, 1 << 20, away };

    return gsh_impl::moved(window, own, pe);
}
#else
__device__ bool is_found_at(int *sym, int pe, int *there);
__device__ uint64_t moved(const int64_t *away, uint64_t own, int pe);
#endif

static __device__ int value(int pe, int turn, int i)
{
    return pe * 100003 + turn * 1009 + i;
}

static __device__ void expect_all(unsigned *wrong, const int *have, int pe, int turn)
{
    for (int i = threadIdx.x; i < N; i += BLOCK)
        if (have[i] != value(pe, turn, i))
            atomicAdd(wrong, 1u);
}

static __device__ void fill_mine(int *at, int turn)
{
    for (int i = threadIdx.x; i < N; i += BLOCK)
        at[i] = value(nvshmem_my_pe(), turn, i);
    __syncthreads();
}

/* By all PEs at once; out of `to` is written by the last PE, and read by the next. */
__global__ void one_sided(kind_area from, kind_area to, unsigned *wrong, int turn)
{
    fill_mine(from.data, turn);
    nvshmemx_barrier_all_block();
    nvshmemx_int_put_signal_block(to.out, from.data, N, to.words, turn + 1, NVSHMEM_SIGNAL_SET,
                                  next_pe());
    if (threadIdx.x == 0)
        nvshmem_signal_wait_until(to.words, NVSHMEM_CMP_EQ, turn + 1);
    __syncthreads();
    expect_all(wrong, to.out, last_pe(), turn);
    nvshmemx_barrier_all_block();

    nvshmemx_int_get_block(to.out, from.data, N, next_pe());
    expect_all(wrong, to.out, next_pe(), turn);
    if (threadIdx.x < 32 &&
        nvshmem_int_g(&from.data[threadIdx.x], last_pe()) != value(last_pe(), turn, threadIdx.x))
        atomicAdd(wrong, 1u);
    nvshmemx_barrier_all_block();

    nvshmem_int_p(&to.out[threadIdx.x], value(nvshmem_my_pe(), turn, threadIdx.x), next_pe());
    nvshmem_uint64_atomic_add(to.words + 1, 1, next_pe());
    nvshmemx_barrier_all_block();
    if (to.out[threadIdx.x] != value(last_pe(), turn, threadIdx.x))
        atomicAdd(wrong, 1u);
    if (threadIdx.x == 0 &&
        nvshmem_uint64_atomic_fetch(to.words + 1, nvshmem_my_pe()) != (uint64_t)BLOCK * (turn + 1))
        atomicAdd(wrong, 1u);
    nvshmemx_barrier_all_block();
}

__global__ void aliases(kind_area a, unsigned *wrong)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();

    for (int pe = threadIdx.x; pe < n; pe += BLOCK) {
        int *there = (int *)nvshmem_ptr(a.data, pe);
        bool shared = nvshmem_team_translate_pe(NVSHMEM_TEAM_WORLD, pe, NVSHMEM_TEAM_SHARED) >= 0;

        if (shared != (there != NULL) || shared != (nvshmemx_ptr_accessible(a.data, pe) != 0) ||
            (pe == me && there != a.data) || !is_found_at(a.data, pe, there))
            atomicAdd(wrong, 1u);
        else if (shared)
            there[me] = 1000 + me;
        else
            nvshmem_int_p(&a.data[me], 1000 + me, pe);
    }
    nvshmemx_barrier_all_block();
    for (int pe = threadIdx.x; pe < n; pe += BLOCK)
        if (a.data[pe] != 1000 + pe)
            atomicAdd(wrong, 1u);
    nvshmemx_barrier_all_block();
}

/* Windows at any distances, and out of reach. */
__global__ void translate(unsigned *wrong)
{
    const int64_t table[] = { -4096, GSH_UNREACHABLE };
    int me = nvshmem_my_pe();

    if (moved(NULL, 100, me + 2) != 2u * (1 << 20) + 100 || moved(table, 5000, 0) != 904 ||
        moved(table, 5000, 1) != 0)
        atomicAdd(wrong, 1u);
}

__global__ void collectives(kind_area from, kind_area to, unsigned *wrong, int turn)
{
    int n = nvshmem_n_pes();

    fill_mine(from.data, turn);
    nvshmemx_int_broadcast_block(NVSHMEM_TEAM_WORLD, to.out, from.data, N, n - 1);
    __syncthreads();
    expect_all(wrong, to.out, n - 1, turn);
    nvshmemx_barrier_all_block();
    nvshmemx_int_max_reduce_block(NVSHMEM_TEAM_WORLD, to.out, from.data, N);
    __syncthreads();
    expect_all(wrong, to.out, n - 1, turn);
    nvshmemx_barrier_all_block();
    nvshmemx_int_fcollect_block(NVSHMEM_TEAM_WORLD, to.out, from.data, 5);
    __syncthreads();
    for (int i = threadIdx.x; i < 5 * n; i += BLOCK)
        if (to.out[i] != value(i / 5, turn, i % 5))
            atomicAdd(wrong, 1u);
    nvshmemx_barrier_all_block();
}

/* Adds one to each, in host memory of the next PE. */
__global__ void add_one(int *data)
{
    for (int i = threadIdx.x; i < N; i += BLOCK)
        nvshmem_int_p(&data[i], nvshmem_int_g(&data[i], next_pe()) + 1, next_pe());
    nvshmem_quiet();
}

/* Host memory is the host's: it needs no copies. */
static void host_and_kernel(kind_area a)
{
    int me = nvshmem_my_pe(), next = (me + 1) % nvshmem_n_pes();
    int *alias = (int *)nvshmem_ptr(a.data, next);

    for (int i = 0; i < N; i++)
        a.data[i] = me + i;
    nvshmem_barrier_all();
    add_one<<<1, BLOCK>>>(a.data);
    CHECK(!cudaDeviceSynchronize(), "the kernel ends");
    nvshmem_barrier_all();
    for (int i = 0; i < N; i++)
        CHECK(a.data[i] == me + i + 1, "element %d is %d", i, a.data[i]);
    nvshmem_barrier_all();
    CHECK(!alias || alias[5] == next + 6, "through the host's alias");
    nvshmem_barrier_all();
}

static kind_area make(int kind)
{
    enum nvshmemx_kind which = kind ? NVSHMEMX_KIND_HOST : NVSHMEMX_KIND_DEVICE;
    uint64_t zeros[4] = {};
    kind_area a;

    a.data = (int *)nvshmemx_malloc_kind(N * sizeof(int), which);
    a.out = (int *)nvshmemx_malloc_kind(N * sizeof(int), which);
    a.words = (uint64_t *)nvshmemx_malloc_kind(sizeof(zeros), which);
    CHECK(a.data && a.out && a.words, "%s", nvshmemx_last_error());
    nvshmem_putmem(a.words, zeros, sizeof(zeros), nvshmem_my_pe());
    return a;
}

int main(void)
{
    nvshmem_init();
    cudaSetDevice(0);
    area common = make_area();
    kind_area a[KINDS] = { make(0), make(1) };
    int turn = 0, turns[KINDS] = {};

    nvshmem_barrier_all();
    for (int from = 0; from < KINDS; from++)
        for (int to = 0; to < KINDS; to++) {
            one_sided<<<1, BLOCK>>>(a[from], a[to], common.wrong, turns[to]++);
            settle(common, "one-sided");
            fact("put, get, p, g, atomics and signals from %s to %s memory", names[from],
                 names[to]);
            collectives<<<1, BLOCK>>>(a[from], a[to], common.wrong, turn++);
            settle(common, "collectives");
            fact("collectives from %s to %s memory", names[from], names[to]);
        }
    for (int kind = 0; kind < KINDS; kind++) {
        aliases<<<1, BLOCK>>>(a[kind], common.wrong);
        settle(common, "aliases");
        fact("nvshmem_ptr gives kernels aliases in %s memory of all PEs that share theirs",
             names[kind]);
    }
    translate<<<1, 1>>>(common.wrong);
    settle(common, "translation");
    fact("windows at one distance from each other, or at any, are found");
    host_and_kernel(a[1]);
    fact("host and kernels load and store the same host memory");
    for (int kind = 0; kind < KINDS; kind++) {
        nvshmem_free(a[kind].data);
        nvshmem_free(a[kind].out);
        nvshmem_free(a[kind].words);
    }
    return finish();
}
