/* Kernels of a cubin that the program loads itself, as a module and as a library, know the job
 * after nvshmemx_cumodule_init and nvshmemx_culibrary_init, as often as it is loaded. The cubin
 * of module_kernels.cu is named by GSH_TEST_CUBIN. */
// SPDX-License-Identifier: BSD-3-Clause
#include "driver.cuh"

static void as_module(const ring &r, const char *path)
{
    CUmodule module;
    CUfunction kernel;
    int status;

    driver(cuModuleLoad, &module, path);
    status = nvshmemx_cumodule_init(module);
    CHECK(!status, "%d: %s", status, nvshmemx_last_error());
    driver(cuModuleGetFunction, &kernel, module, "ring");
    run_ring(r, kernel);
    CHECK(!nvshmemx_cumodule_finalize(module), "%s", nvshmemx_last_error());
    driver(cuModuleUnload, module);
}

static void as_library(const ring &r, const char *path)
{
    CUlibrary library;
    CUkernel kernel;
    int status;

    driver(cuLibraryLoadFromFile, &library, path, NULL, NULL, 0, NULL, NULL, 0);
    status = nvshmemx_culibrary_init(library);
    CHECK(!status, "%d: %s", status, nvshmemx_last_error());
    driver(cuLibraryGetKernel, &kernel, library, "ring");
    run_ring(r, (CUfunction)kernel);
    CHECK(!nvshmemx_culibrary_finalize(library), "%s", nvshmemx_last_error());
    driver(cuLibraryUnload, library);
}

int main(void)
{
    const char *path = getenv("GSH_TEST_CUBIN");
    bool gpu = has_gpu() && !cudaSetDevice(0) && !cudaFree(NULL);
    int status;

    nvshmem_init();
    if (!gpu || !path)
        return skip_all("needs a GPU, and the cubin that tests/gpu/run compiles");

    ring r = make_ring();

    for (int i = 0; i < 3; i++)
        as_module(r, path);
    fact("a module loaded three times runs");
    for (int i = 0; i < 3; i++)
        as_library(r, path);
    fact("so does a library");
    cudaFree(r.wrong);
    nvshmem_free(r.at);
    status = finish();
    nvshmem_finalize();
    return status;
}
