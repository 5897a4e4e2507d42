/* NVSHMEM_SYMMETRIC_SIZE, read at init, is there as one block, in a heap that grows and in one
 * that does not. What is more than the heap, or the device, has gives NULL on every PE, with the
 * bytes that were asked for, are free and are committed; the program goes on, and memory that
 * was freed is taken again with its new size (B25, B56). */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>

#include "../conform/check.h"

#include <vector>

enum { BLOCK = 64 };

/* Memory of the CPU device is that of the machine, which others need, and come and go. */
#ifdef GSHMEM_TARGET_CPU
enum { OWN_MEMORY = 0 };
#else
enum { OWN_MEMORY = 1 };
#endif

/* The last bytes of the next PE's block, and all of its first ones. */
__global__ void write_next(char *at, size_t bytes, char value)
{
    int next = (nvshmem_my_pe() + 1) % nvshmem_n_pes();

    for (size_t i = threadIdx.x; i < bytes && i < 1000; i += BLOCK) {
        nvshmem_char_p(at + i, value, next);
        nvshmem_char_p(at + bytes - 1 - i, value, next);
    }
    nvshmemx_barrier_all_block();
}

static char byte_at(const char *at)
{
    char value;

    nvshmem_getmem(&value, at, 1, nvshmem_my_pe());
    return value;
}

static void use(char *at, size_t bytes)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    char want = (char)((me + n - 1) % n + 1);

    write_next<<<1, BLOCK>>>(at, bytes, (char)(me + 1));
    CHECK(!cudaDeviceSynchronize(), "the kernel");
    CHECK(byte_at(at) == want && byte_at(at + bytes - 1) == want, "%zu bytes: %d, %d", bytes,
          byte_at(at), byte_at(at + bytes - 1));
    nvshmem_barrier_all();
}

static void init_with(const char *size)
{
    if (size)
        setenv("NVSHMEM_SYMMETRIC_SIZE", size, 1);
    nvshmem_init();
    cudaSetDevice(0);
}

static void whole(size_t bytes)
{
    char *p = (char *)nvshmem_malloc(bytes);

    CHECK(p, "%zu bytes: %s", bytes, nvshmemx_last_error());
    if (p)
        use(p, bytes);
    nvshmem_free(p);
}

static void too_much(size_t bytes)
{
    char text[64];

    CHECK(!nvshmem_malloc(bytes), "%zu bytes", bytes);
    snprintf(text, sizeof(text), "no room for %zu bytes", bytes);
    CHECK(strstr(nvshmemx_last_error(), text), "%s", nvshmemx_last_error());
    CHECK(strstr(nvshmemx_last_error(), "committed bytes are free"), "%s", nvshmemx_last_error());
}

/* All that the device has, but a little, is the program's. */
static void fill_device(std::vector<void *> *taken)
{
    size_t left = 0, all = 0;
    void *at;

    for (size_t piece = (size_t)1 << 34; piece >= (size_t)1 << 28; piece /= 2)
        while (!cudaMemGetInfo(&left, &all) && left > piece + ((size_t)1 << 30) &&
               !cudaMalloc(&at, piece))
            taken->push_back(at);
}

/* The same on all PEs. */
static size_t more_than_free(void)
{
    size_t *most = (size_t *)nvshmem_malloc(sizeof(*most)), left = 0, all = 0, bytes;

    cudaMemGetInfo(&left, &all);
    bytes = (OWN_MEMORY ? left : all) + ((size_t)2 << 30);
    nvshmem_putmem(most, &bytes, sizeof(bytes), nvshmem_my_pe());
    nvshmem_barrier_all();
    nvshmem_getmem(&bytes, most, sizeof(bytes), 0);
    nvshmem_barrier_all();
    nvshmem_free(most);
    return bytes;
}

/* PE 0 fills the device; then there is not what was free. */
static void full_device(void)
{
    std::vector<void *> taken;
    char *p;

    too_much(more_than_free());
    fact("2 GiB more than is free");
    p = (char *)nvshmem_malloc(1 << 20);
    use(p, 1 << 20);
    fact("the program goes on");
    if (OWN_MEMORY && nvshmem_my_pe() == 0)
        fill_device(&taken);
    nvshmem_barrier_all();
    too_much(more_than_free());
    nvshmem_barrier_all();
    for (void *at : taken)
        cudaFree(at);
    nvshmem_barrier_all();
    use(p, 1 << 20);
    nvshmem_free(p);
    fact("so it is on a device that the program has filled");
}

static void again(void)
{
    char *small = (char *)nvshmem_malloc(4096 + 1), *large;

    use(small, 4096 + 1);
    nvshmem_free(small);
    large = (char *)nvshmem_malloc(65536 + 3);
    CHECK(large == small, "%p, was %p", (void *)large, (void *)small);
    use(large, 65536 + 3);
    nvshmem_free(large);
    fact("4 KiB freed, 64 KiB at the same address: kernels reach its tail");
}

int main(void)
{
    int status;

    init_with("20000001");
    whole(20000001);
    fact("all of NVSHMEM_SYMMETRIC_SIZE is one block");
    full_device();
    again();
    nvshmem_finalize();

    setenv("NVSHMEM_DISABLE_CUDA_VMM", "1", 1);
    init_with("30000001");
    whole(30000001);
    fact("so it is in a heap that does not grow");
    too_much(64 << 20);
    whole(30000001);
    fact("which is full beyond it, and has it again");
    again();
    status = finish();
    nvshmem_finalize();
    return status;
}
