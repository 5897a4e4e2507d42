/* The local operand of a put is any memory that the thread can read: constant memory, variables
 * of the device, the thread's own stack, even when it is gone before quiet, and string
 * literals; counts of zero move nothing and look at no address. */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

#define FAIL_UNLESS(condition) \
    if (!(condition)) \
    atomicAdd(a.wrong, 1u)

enum { N = 40 };

struct table {
    long words[N];
};

__constant__ table set_by_host;
__constant__ int set_at_once[4] = { 11, 22, 33, 44 };
__device__ table variable;
__device__ static int counter;

__global__ void from_constants(area a)
{
    long *dest = (long *)a.dest;
    int *ints = (int *)a.source;

    if (threadIdx.x == 0) {
        nvshmem_long_put(dest, set_by_host.words, N, next_pe());
        nvshmem_int_put_signal(ints, set_at_once, 4, a.words, 1, NVSHMEM_SIGNAL_SET, next_pe());
    }
    nvshmemx_long_put_nbi_block(dest + N, set_by_host.words, N, next_pe());
    nvshmemx_barrier_all_block();
    for (int i = threadIdx.x; i < N; i += BLOCK)
        FAIL_UNLESS(dest[i] == i * 3 && dest[N + i] == i * 3);
    FAIL_UNLESS(nvshmem_signal_wait_until(a.words, NVSHMEM_CMP_EQ, 1) == 1);
    FAIL_UNLESS(ints[0] == 11 && ints[3] == 44);
}

__global__ void from_variables(area a)
{
    long *dest = (long *)a.dest + 2 * N;

    for (int i = threadIdx.x; i < N; i += BLOCK)
        variable.words[i] = nvshmem_my_pe() * 1000 + i;
    __syncthreads();
    nvshmemx_long_put_block(dest, variable.words, N, next_pe());
    atomicAdd(&counter, 1);
    nvshmemx_barrier_all_block();
    for (int i = threadIdx.x; i < N; i += BLOCK)
        FAIL_UNLESS(dest[i] == last_pe() * 1000 + i);
    nvshmemx_barrier_all_block();
    nvshmemx_long_get_block(variable.words, dest, N, next_pe());
    for (int i = threadIdx.x; i < N; i += BLOCK)
        FAIL_UNLESS(variable.words[i] == nvshmem_my_pe() * 1000 + i);
}

/* The source dies with the call, and the next call has its place on the stack. */
static __device__ __noinline__ void put_own(long *dest, int salt)
{
    long own[8];

    for (int i = 0; i < 8; i++)
        own[i] = salt * 100 + i;
    nvshmem_long_put_nbi(dest, own, 8, next_pe());
}

__global__ void from_stacks(area a)
{
    long *dest = (long *)a.dest + threadIdx.x * 24, got[8];

    for (int k = 0; k < 3; k++)
        put_own(dest + 8 * k, threadIdx.x * 10 + k);
    nvshmem_quiet();
    nvshmemx_barrier_all_block();
    for (int i = 0; i < 24; i++)
        FAIL_UNLESS(dest[i] == (long)(threadIdx.x * 10 + i / 8) * 100 + i % 8);
    nvshmem_long_get_nbi(got, dest + 8, 8, next_pe());
    nvshmem_quiet();
    FAIL_UNLESS(got[7] == (long)(threadIdx.x * 10 + 1) * 100 + 7);
    nvshmemx_barrier_all_block();
    if (threadIdx.x == 0)
        nvshmem_putmem(a.dest, "a literal", 10, next_pe());
    nvshmemx_barrier_all_block();
    FAIL_UNLESS(a.dest[0] == 'a' && a.dest[8] == 'l' && a.dest[9] == 0);
}

__global__ void nothing(area a)
{
    int *dest = (int *)a.dest, *source = (int *)a.source;
    int before = dest[0];

    nvshmem_int_put(dest, source, 0, next_pe());
    nvshmem_int_put(NULL, NULL, 0, next_pe());
    nvshmem_putmem_nbi(NULL, NULL, 0, next_pe());
    nvshmem_int_get(NULL, NULL, 0, next_pe());
    nvshmem_getmem_nbi(dest, source, 0, next_pe());
    nvshmem_int_iput(NULL, NULL, 2, 3, 0, next_pe());
    nvshmem_int_iget(NULL, NULL, 2, 3, 0, next_pe());
    nvshmemx_int_put_block(NULL, NULL, 0, next_pe());
    nvshmemx_int_get_nbi_block(NULL, NULL, 0, next_pe());
    if (threadIdx.x < 32)
        nvshmemx_putmem_warp(NULL, NULL, 0, next_pe());
    nvshmem_quiet();
    nvshmemx_barrier_all_block();
    FAIL_UNLESS(dest[0] == before);
}

int main(void)
{
    table t;
    int count = -1;

    nvshmem_init();
    area a = make_area();

    for (int i = 0; i < N; i++)
        t.words[i] = i * 3;
    CHECK(!cudaMemcpyToSymbol(set_by_host, &t, sizeof(t)), "cudaMemcpyToSymbol");
    from_constants<<<1, BLOCK>>>(a);
    settle(a, "constants");
    fact("constant memory is the source of puts, set by the host or where it stands");
    from_variables<<<1, BLOCK>>>(a);
    settle(a, "variables");
    CHECK(!cudaMemcpyFromSymbol(&count, counter, sizeof(count)) && count == BLOCK, "%d", count);
    fact("variables of the device are the source of puts and take what gets bring");
    from_stacks<<<1, BLOCK>>>(a);
    settle(a, "stacks");
    fact("so are variables on stacks, which may be gone before quiet, and literals");
    nothing<<<1, BLOCK>>>(a);
    settle(a, "nothing");
    fact("counts of zero move nothing, whatever the addresses are");
    return finish();
}
