/* The local side of the host's puts and gets is any memory, registered or not: of malloc,
 * cudaMalloc, cudaMallocHost and cudaMallocManaged, with symmetric memory of both kinds on the
 * other side. What cudaMemcpy writes into symmetric memory a kernel behind it puts on. Kernels
 * put to buffers of the host that were registered as symmetric (B32, B45). */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

#include <sys/mman.h>

enum { N = 5000, ROUNDS = 50, MEMORIES = 4 };

static const char *const names[MEMORIES] = { "malloc", "cudaMalloc", "cudaMallocHost",
                                             "cudaMallocManaged" };

static int *make(int memory)
{
    void *at = NULL;

    switch (memory) {
    case 0:
        at = malloc(N * sizeof(int));
        break;
    case 1:
        cudaMalloc(&at, N * sizeof(int));
        break;
    case 2:
        cudaMallocHost(&at, N * sizeof(int));
        break;
    default:
        cudaMallocManaged(&at, N * sizeof(int));
    }
    CHECK(at, "%s", names[memory]);
    return (int *)at;
}

static void unmake(int memory, int *at)
{
    if (memory == 0)
        free(at);
    else if (memory == 2)
        cudaFreeHost(at);
    else
        cudaFree(at);
}

static int number(int pe, int turn, int i)
{
    return pe * 1000003 + turn * 10007 + i;
}

static void try_memory(int memory, enum nvshmemx_kind kind, int turn)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n, last = (me + n - 1) % n;
    int *there = (int *)nvshmemx_malloc_kind(N * sizeof(int), kind), *local = make(memory);
    int *plain = (int *)malloc(N * sizeof(int));
    int wrong = 0;

    for (int i = 0; i < N; i++)
        plain[i] = number(me, turn, i);
    cudaMemcpy(local, plain, N * sizeof(int), cudaMemcpyDefault);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
    nvshmem_int_put(there, local, N, next);
    nvshmem_barrier_all();
    if (memory == 0)
        memset(local, 0, N * sizeof(int));
    else
        cudaMemset(local, 0, N * sizeof(int));
    cudaDeviceSynchronize();
    nvshmem_getmem(local, there, N * sizeof(int), next); /* what this PE put */
    cudaMemcpy(plain, local, N * sizeof(int), cudaMemcpyDefault);
    for (int i = 0; i < N; i++)
        wrong += plain[i] != number(me, turn, i);
    nvshmem_int_get(plain, there, N, me);
    for (int i = 0; i < N; i++)
        wrong += plain[i] != number(last, turn, i);
    CHECK(!wrong, "%d elements", wrong);
    nvshmem_barrier_all();
    nvshmem_free(there);
    unmake(memory, local);
    free(plain);
}

__global__ void put_on(int *to, const int *from)
{
    nvshmemx_int_put_block(to, from, N, next_pe());
    nvshmemx_barrier_all_block();
}

static void copies(void)
{
    int *from = (int *)nvshmem_malloc(N * sizeof(int)),
        *to = (int *)nvshmem_malloc(N * sizeof(int));
    int me = nvshmem_my_pe(), last = (me + nvshmem_n_pes() - 1) % nvshmem_n_pes(), wrong = 0;
    int *plain = (int *)malloc(N * sizeof(int));

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++)
            plain[i] = number(me, round, i);
        cudaMemcpy(from, plain, N * sizeof(int), cudaMemcpyHostToDevice);
        put_on<<<1, BLOCK>>>(to, from);
        cudaMemcpy(plain, to, N * sizeof(int), cudaMemcpyDeviceToHost);
        for (int i = 0; i < N; i++)
            wrong += plain[i] != number(last, round, i);
        nvshmem_barrier_all();
    }
    CHECK(!wrong, "%d elements", wrong);
    nvshmem_free(from);
    nvshmem_free(to);
    free(plain);
}

static void brought(void)
{
    int me = nvshmem_my_pe(), last = (me + nvshmem_n_pes() - 1) % nvshmem_n_pes(), wrong = 0;
    int *from = (int *)nvshmem_malloc(N * sizeof(int)), *plain = (int *)malloc(N * sizeof(int));
    size_t bytes = 1 << 16;
    int *buffer =
        (int *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int *alias = (int *)nvshmemx_buffer_register_symmetric(buffer, bytes, 0);

    CHECK(alias, "%s", nvshmemx_last_error());
    if (!alias)
        return;
    for (int i = 0; i < N; i++)
        plain[i] = number(me, 77, i);
    nvshmem_int_put(from, plain, N, me);
    nvshmem_barrier_all();
    put_on<<<1, BLOCK>>>(alias, from);
    CHECK(!cudaDeviceSynchronize(), "the kernel");
    for (int i = 0; i < N; i++)
        wrong += buffer[i] != number(last, 77, i);
    CHECK(!wrong, "%d elements", wrong);
    CHECK(!nvshmemx_buffer_unregister_symmetric(alias, bytes), "%s", nvshmemx_last_error());
    CHECK(buffer[N - 1] == number(last, 77, N - 1), "after its end: %d", buffer[N - 1]);
    munmap(buffer, bytes);
    nvshmem_free(from);
    free(plain);
}

int main(void)
{
    nvshmem_init();
    cudaSetDevice(0);
    for (int memory = 0; memory < MEMORIES; memory++) {
        try_memory(memory, NVSHMEMX_KIND_DEVICE, memory);
        try_memory(memory, NVSHMEMX_KIND_HOST, memory + MEMORIES);
        fact("the host puts from and gets to memory of %s", names[memory]);
    }
    copies();
    fact("a kernel behind cudaMemcpy puts what that wrote");

    brought();
    fact("kernels put to registered buffers of the host");

    int status = finish();
    nvshmem_finalize();
    return status;
}
