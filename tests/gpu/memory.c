/* The library's memory on a GPU, over a pretended driver (fake/): device memory that the PEs
 * map, in pieces or shared by CUDA IPC; host memory that is registered as it grows; buffers that
 * the program registers; a device that is full. What kernels would do is not tried here. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "../conform/check.h"
#include "gpu/cuda/driver.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <sys/mman.h>

enum { MIB = 1 << 20, AREA = 3 * MIB + 77 };

static struct gsh_cuda cuda;
static bool grows, pins; /* as the script says */

/* As the CUDA runtime does: it loads the driver, and takes the device. */
static void take_device(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    struct CUctx_st *context;

    if (!library) {
        fprintf(stderr, "# %s\n", dlerror());
        exit(1);
    }
#define ROW(name, symbol, params) *(void **)&cuda.name = dlsym(library, #symbol);
    GSH_CUDA_CALLS(ROW)
#undef ROW
    cuda.primary_retain(&context, 0);
    cuda.context_push(context);
}

/* 1 host, 2 device, 0 neither. */
static unsigned kind_of(const void *at)
{
    static const int attribute = CUDA_POINTER_MEMORY_TYPE;
    unsigned kind = 9;
    void *value = &kind;

    cuda.pointer_attributes(1, &attribute, &value, (uintptr_t)at);
    return kind;
}

static int next(void)
{
    return (nvshmem_my_pe() + 1) % nvshmem_n_pes();
}

static int last(void)
{
    return (nvshmem_my_pe() + nvshmem_n_pes() - 1) % nvshmem_n_pes();
}

/* Round the ring from symmetric memory to other symmetric memory, by host memory. */
static void pass(char *to, size_t bytes, unsigned seed)
{
    char *mine = (char *)malloc(bytes);

    fill(mine, bytes, seed + (unsigned)nvshmem_my_pe());
    nvshmem_putmem(to, mine, bytes, next());
    nvshmem_barrier_all();
    memset(mine, 0, bytes);
    nvshmem_getmem(mine, to, bytes, nvshmem_my_pe());
    CHECK(differs(mine, bytes, seed + (unsigned)last()) == bytes, "put of %zu", bytes);
    nvshmem_getmem(mine, to, bytes, next());
    CHECK(differs(mine, bytes, seed + (unsigned)nvshmem_my_pe()) == bytes, "get of %zu", bytes);
    nvshmem_barrier_all();
    free(mine);
}

static void device_memory(void)
{
    char *p[5];

    for (int i = 0; i < 5; i++) {
        p[i] = (char *)nvshmem_malloc(AREA);
        CHECK(p[i] && kind_of(p[i]) == 2, "%p: %s", (void *)p[i], nvshmemx_last_error());
        for (int pe = 0; pe < nvshmem_n_pes(); pe++)
            CHECK(kind_of(nvshmem_ptr(p[i], pe)) == 2, "its alias at pe %d", pe);
    }
    for (int i = 0; i < 5; i++)
        pass(p[i], AREA, (unsigned)i * 100);
    nvshmem_putmem(p[1], p[0], AREA, next());
    nvshmem_barrier_all();
    for (int i = 0; i < 5; i++)
        nvshmem_free(p[i]);
    fact("nvshmem_malloc gives device memory, which the host puts to and gets from");
}

/* Blocks that would lie across the places where the heap has grown. */
static void host_memory(void)
{
    char *device = (char *)nvshmem_malloc(AREA), *p[6];
    int n = nvshmem_n_pes(), from = (nvshmem_my_pe() + 3 * n - 3) % n;

    for (int i = 0; i < 6; i++) {
        p[i] = (char *)nvshmemx_malloc_kind((size_t)(i + 1) * 700001, NVSHMEMX_KIND_HOST);
        CHECK(p[i] && kind_of(p[i]) == 1, "%p: %s", (void *)p[i], nvshmemx_last_error());
        for (int pe = 0; pe < nvshmem_n_pes(); pe++)
            CHECK(kind_of(nvshmem_ptr(p[i], pe)) == 1, "its alias at pe %d", pe);
        memset(p[i], i, (size_t)(i + 1) * 700001);
    }
    nvshmem_barrier_all();
    fact("host memory is registered in the windows of all PEs");
    for (int i = 0; i < 4; i++) {
        size_t bytes = (size_t)(i + 1) * 700001;

        pass(p[i], bytes, (unsigned)i);
        nvshmem_putmem(device, p[i], bytes, next());
        nvshmem_barrier_all();
        nvshmem_getmem(p[i], device, bytes, last());
        nvshmem_barrier_all();
        /* What the last but one had. */
        CHECK(differs(p[i], bytes, (unsigned)i + (unsigned)from) == bytes, "block %d", i);
        nvshmem_barrier_all();
    }
    for (int i = 0; i < 6; i++)
        nvshmem_free(p[i]);
    p[0] = (char *)nvshmemx_malloc_kind(9 * MIB, NVSHMEMX_KIND_HOST);
    pass(p[0], 9 * MIB, 5);
    nvshmem_free(p[0]);
    nvshmem_free(device);
    fact("each block is copied as a whole, to and from device memory");
}

static void refused_host_memory(void)
{
    char *p;

    CHECK(!nvshmemx_malloc_kind(64 * MIB, NVSHMEMX_KIND_HOST), "64 MiB");
    CHECK(strstr(nvshmemx_last_error(), "no room for 67108864 bytes of host memory"), "%s",
          nvshmemx_last_error());
    p = (char *)nvshmemx_malloc_kind(1000, NVSHMEMX_KIND_HOST);
    CHECK(p, "%s", nvshmemx_last_error());
    pass(p, 1000, 3);
    nvshmem_free(p);
    fact("host memory that the driver does not register is NULL on all PEs, and all goes on");
}

/* PE 0 has taken most of its device for itself. */
static void full(void)
{
    char *p = (char *)nvshmem_malloc(AREA);
    uint64_t own = 0;

    if (nvshmem_my_pe() == 0)
        cuda.alloc(&own, (size_t)500 * MIB);
    CHECK(!nvshmem_malloc((size_t)700 * MIB), "700 MiB");
    CHECK(strstr(nvshmemx_last_error(), "no room for 734003200 bytes of GPU memory"), "%s",
          nvshmemx_last_error());
    CHECK(strstr(nvshmemx_last_error(), "committed bytes are free"), "%s", nvshmemx_last_error());
    pass(p, AREA, 8);
    nvshmem_free(p);
    cuda.free(own);
    fact("a GPU that is full gives NULL with the sizes on all PEs, and all goes on");
}

static char *make(size_t bytes)
{
    struct cuda_allocation what = { .type = CUDA_PINNED,
                                    .handles = CUDA_FILE_DESCRIPTOR,
                                    .location = { CUDA_DEVICE, 0 } };
    struct cuda_access access = { { CUDA_DEVICE, 0 }, CUDA_READ_WRITE };
    uint64_t at = 0, handle = 0;

    if (cuda.reserve(&at, bytes, 0, 0, 0) || cuda.create(&handle, bytes, &what, 0) ||
        cuda.map(at, bytes, 0, handle, 0) || cuda.set_access(at, bytes, &access, 1) ||
        cuda.release(handle))
        exit(1);
    return (char *)at;
}

static void unmake(char *at, size_t bytes)
{
    cuda.unmap((uintptr_t)at, bytes);
    cuda.unreserve((uintptr_t)at, bytes);
}

static void brought(void)
{
    char *a = make(4 * MIB), *b = make(2 * MIB), *alias, *other, byte;
    uint64_t plain = 0;

    cuda.alloc(&plain, 2 * MIB);
    CHECK(!nvshmemx_buffer_register_symmetric((void *)plain, 2 * MIB, 0), "cuMemAlloc");
    CHECK(strstr(nvshmemx_last_error(), grows ? "cuMemCreate" : "fixed size"), "%s",
          nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_register_symmetric(a + 2 * MIB, 2 * MIB, 0), "not its start");
    cuda.free(plain);
    fact("device memory that cannot be mapped elsewhere is refused");
    if (grows) {
        alias = (char *)nvshmemx_buffer_register_symmetric(a, 4 * MIB, 0);
        other = (char *)nvshmemx_buffer_register_symmetric(b, 1000, 0);
        CHECK(alias && other && kind_of(alias) == 2 && alias != a, "%s", nvshmemx_last_error());
        CHECK(nvshmemx_buffer_register_symmetric(a, 2 * MIB, 0) == alias, "again");
        pass(alias + 1, AREA, 9);
        pass(other, 1000, 9);
        cuda.copy((uintptr_t)&byte, (uintptr_t)b, 1, NULL);
        CHECK(byte == (char)byte_of(9 + (unsigned)last(), 0), "by its own address");
        CHECK(nvshmem_ptr(alias, next()) && !nvshmem_ptr(a, next()), "nvshmem_ptr");
        CHECK(!nvshmemx_buffer_unregister_symmetric(alias, 4 * MIB), "once");
        pass(alias + 1, AREA, 10);
        CHECK(!nvshmemx_buffer_unregister_symmetric(alias, 4 * MIB), "twice");
        CHECK(!nvshmem_ptr(alias, next()), "it has ended");
        CHECK((char *)nvshmemx_buffer_register_symmetric(a, 4 * MIB, 0) == alias, "its place");
        fact("memory of cuMemCreate is symmetric by its alias, and counted");
    }
    nvshmem_barrier_all();
    /* What is registered still finalize ends. */
    nvshmem_finalize();
    unmake(a, 4 * MIB);
    unmake(b, 2 * MIB);
    nvshmem_init();
}

static void local(void)
{
    char *p =
        (char *)mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(!nvshmemx_buffer_register(p + 100, 9000), "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_register(p + 5000, 20000), "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_register(p + 200, 300), "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_register(p + 40000, 10), "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_register(p, 16 * 4096), "%s", nvshmemx_last_error());
    for (int i = 0; i < 16; i++)
        CHECK(kind_of(p + i * 4096) == 1, "page %d", i);
    CHECK(!nvshmemx_buffer_unregister(p), "all of it");
    for (int i = 0; i < 16; i++)
        CHECK(kind_of(p + i * 4096) == (i < 7 || i == 9), "page %d then", i);
    CHECK(!nvshmemx_buffer_unregister(p + 100), "the first");
    CHECK(kind_of(p) == 1 && kind_of(p + 6 * 4096) == 1, "the others stay");
    nvshmemx_buffer_unregister_all();
    for (int i = 0; i < 16; i++)
        CHECK(kind_of(p + i * 4096) == 0, "page %d at the end", i);
    cuda.host_register(p + 4096, 4096, CUDA_HOST_PORTABLE_MAPPED);
    CHECK(nvshmemx_buffer_register(p, 3 * 4096) == NVSHMEMX_ERROR_OUT_OF_MEMORY, "a part is");
    CHECK(!nvshmemx_buffer_register(p + 4096, 4096), "%s", nvshmemx_last_error());
    CHECK(kind_of(p) == 0 && kind_of(p + 2 * 4096) == 0, "nothing stays of what failed");
    nvshmemx_buffer_unregister_all();
    CHECK(kind_of(p + 4096) == 1, "what the program registered stays");
    cuda.host_unregister(p + 4096);
    munmap(p, 16 * 4096);
    fact("host memory is registered page by page, once, as long as a range is on it");
}

int main(void)
{
    char early[100];
    int status;

    grows = !getenv("NVSHMEM_DISABLE_CUDA_VMM") && !getenv("FAKE_NO_DESCRIPTORS");
    pins = !getenv("FAKE_PINNED");
    take_device();
    for (int round = 0; round < 2; round++) {
        nvshmem_init();
        nvshmemx_buffer_register(early, sizeof(early));
        device_memory();
        if (pins)
            host_memory();
        else
            refused_host_memory();
        full();
        CHECK(kind_of(early) == 1, "registered before the first allocation");
        nvshmem_finalize();
        CHECK(kind_of(early) == 0, "finalize ends it");
    }
    nvshmem_init();
    brought();
    local();
    status = finish();
    nvshmem_finalize();
    return status;
}
