/* Memory that the program made by cuMemCreate is symmetric once it is registered: under its
 * alias for kernels and host, under its own address as before, counted, and the program's again
 * at the end. Other memory of a GPU is refused with a text. Host memory that is registered is
 * there for kernels at its own address. */
// SPDX-License-Identifier: BSD-3-Clause
#include "driver.cuh"

enum { N = 1000 };

static CUmemAllocationProp properties()
{
    CUmemAllocationProp what = {};

    what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    what.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return what;
}

/* Memory of the program: `bytes` becomes a multiple of the granularity. */
static int *make(size_t *bytes)
{
    CUmemAllocationProp what = properties();
    CUmemAccessDesc access = { what.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    CUmemGenericAllocationHandle handle;
    CUdeviceptr at;
    size_t unit;

    driver(cuMemGetAllocationGranularity, &unit, &what, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    *bytes = (*bytes + unit - 1) / unit * unit;
    driver(cuMemCreate, &handle, *bytes, &what, 0);
    driver(cuMemAddressReserve, &at, *bytes, 0, 0, 0);
    driver(cuMemMap, at, *bytes, 0, handle, 0);
    driver(cuMemSetAccess, at, *bytes, &access, 1);
    driver(cuMemRelease, handle);
    cudaMemset((void *)at, 0, *bytes);
    cudaDeviceSynchronize();
    return (int *)at;
}

static void unmake(int *at, size_t bytes)
{
    driver(cuMemUnmap, (CUdeviceptr)at, bytes);
    driver(cuMemAddressFree, (CUdeviceptr)at, bytes);
}

/* Puts into the next PE's, by the alias, what `from` has. */
__global__ void pass_on(int *alias, const int *from)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();

    nvshmemx_int_put_block(alias, from, N, (me + 1) % n);
    nvshmemx_barrier_all_block();
}

/* Each element is `pe` * N + i, by this address. */
__global__ void look(const int *at, int pe, unsigned *wrong)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        if (at[i] != pe * N + i)
            atomicAdd(wrong, 1u);
}

static void expect(const ring &r, const int *at, int pe, const char *what)
{
    unsigned wrong = 1;

    look<<<1, 64>>>(at, pe, r.wrong);
    CHECK(!cudaDeviceSynchronize(), "%s", what);
    cudaMemcpy(&wrong, r.wrong, sizeof(wrong), cudaMemcpyDeviceToHost);
    CHECK(!wrong, "%s: %u elements", what, wrong);
    cudaMemset(r.wrong, 0, sizeof(wrong));
    cudaDeviceSynchronize();
}

/* `from` is memory of the host that kernels can read. */
static void target(const ring &r, const int *from)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), last = (me + n - 1) % n;
    size_t bytes = 1;
    int *buffer = make(&bytes), *copy, *again;
    int *alias = (int *)nvshmemx_buffer_register_symmetric(buffer, bytes, 0);

    CHECK(alias, "%s", nvshmemx_last_error());
    if (!alias)
        exit(1);
    CHECK(nvshmem_ptr(alias, me) == alias, "its own alias");
    pass_on<<<1, 64>>>(alias, from);
    expect(r, alias, last, "by the alias");
    expect(r, buffer, last, "by its own address");
    fact("kernels put to buffers of cuMemCreate at all PEs");
    nvshmem_barrier_all();
    again = (int *)nvshmemx_buffer_register_symmetric(buffer, bytes, 0);
    CHECK(again == alias, "%p, was %p", (void *)again, (void *)alias);
    CHECK(!nvshmemx_buffer_unregister_symmetric(alias, bytes), "%s", nvshmemx_last_error());
    nvshmem_putmem(alias, from, N * sizeof(int), (me + n - 1) % n);
    nvshmem_barrier_all();
    expect(r, buffer, (me + 1) % n, "put by the host");
    copy = (int *)malloc(N * sizeof(int));
    nvshmem_int_get(copy, alias, N, (me + 1) % n);
    CHECK(copy[7] == (me + 2) % n * N + 7, "got %d", copy[7]);
    nvshmem_barrier_all();
    fact("the host puts and gets, and the second registration is counted");
    CHECK(!nvshmemx_buffer_unregister_symmetric(alias, bytes), "%s", nvshmemx_last_error());
    CHECK(!nvshmem_ptr(alias, me), "its alias is gone");
    expect(r, buffer, (me + 1) % n, "after its end");
    unmake(buffer, bytes);
    free(copy);
    fact("after its end the buffer is the program's");
}

static void refusals(void)
{
    void *plain, *pinned, *managed, *heap = nvshmem_malloc(2 << 20);

    cudaMalloc(&plain, 2 << 20);
    cudaMallocHost(&pinned, 2 << 20);
    cudaMallocManaged(&managed, 4096);
    CHECK(!nvshmemx_buffer_register_symmetric(plain, 2 << 20, 0), "cudaMalloc");
    CHECK(strstr(nvshmemx_last_error(), "cuMemCreate"), "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_register_symmetric(pinned, 2 << 20, 0), "cudaMallocHost");
    CHECK(!nvshmemx_buffer_register_symmetric(managed, 4096, 0), "cudaMallocManaged");
    CHECK(!nvshmemx_buffer_register_symmetric(heap, 2 << 20, 0), "the heap");
    CHECK(nvshmemx_buffer_register(managed, 4096), "managed memory is no local buffer");
    CHECK(!nvshmemx_buffer_register(plain, 2 << 20), "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_register(pinned, 2 << 20), "%s", nvshmemx_last_error());
    nvshmemx_buffer_unregister_all();
    fact("memory that others cannot map is refused, and named");
    cudaFree(plain);
    cudaFreeHost(pinned);
    cudaFree(managed);
    nvshmem_free(heap);
}

int main(void)
{
    bool gpu = has_gpu() && !cudaSetDevice(0) && !cudaFree(NULL);
    int status, *from;

    nvshmem_init();
    if (!gpu)
        return skip_all("needs a GPU");

    ring r = make_ring();

    from = (int *)malloc(N * sizeof(int));
    for (int i = 0; i < N; i++)
        from[i] = nvshmem_my_pe() * N + i;
    CHECK(!nvshmemx_buffer_register(from, N * sizeof(int)), "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_register(from + 10, 40), "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_register(from + 500, N * sizeof(int) - 2000), "%s",
          nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_unregister(from + 10), "%s", nvshmemx_last_error());
    expect(r, from, nvshmem_my_pe(), "malloc'd memory");
    fact("kernels read host memory that is registered");
    target(r, from);
    CHECK(!nvshmemx_buffer_unregister(from), "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_unregister(from + 500), "%s", nvshmemx_last_error());
    free(from);
    refusals();
    cudaFree(r.wrong);
    nvshmem_free(r.at);
    status = finish();
    nvshmem_finalize();
    return status;
}
