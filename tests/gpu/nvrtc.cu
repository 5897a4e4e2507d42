/* Kernels that NVRTC compiles when the program runs, with our headers and CUDA's own, use the
 * job; a module that does not know our headers is refused with a text. Without a GPU they are
 * compiled only, for GSH_TEST_TARGET (90:17 is sm_90 and C++17). GSH_TEST_INCLUDE names our
 * include folder and CUDA's. */
// SPDX-License-Identifier: BSD-3-Clause
#include "driver.cuh"

#include <nvrtc.h>

#include <string>
#include <vector>

static const char source[] = R"(
#include <nvshmem.h>
#include <nvshmemx.h>

template <class T> __device__ void expect(T have, T want, unsigned *wrong)
{
    if (have != want)
        atomicAdd(wrong, 1u);
}

extern "C" __global__ void ring(int *at, unsigned *wrong)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), i = threadIdx.x;

    nvshmem_int_p(at + i, 1000 * me + i, (me + 1) % n);
    nvshmemx_barrier_all_block();
    expect(at[i], 1000 * ((me + n - 1) % n) + i, wrong);
    nvshmemx_barrier_all_block();
    if (i == 0)
        at[0] = 1 + me;
    __syncthreads();
    nvshmemx_int_sum_reduce_block(NVSHMEM_TEAM_WORLD, at + 1, at, 1);
    __syncthreads();
    expect(at[1], n * (n + 1) / 2, wrong);
    nvshmemx_barrier_all_block();
}
)";

static const char other[] = "extern \"C\" __global__ void alone(int *at) { *at = 1; }";

static std::string setting(const char *name, const char *preset)
{
    return getenv(name) ? getenv(name) : preset;
}

/* For a target as "90:17". GSH_TEST_INCLUDE is a list with colons. */
static std::vector<std::string> options(const std::string &target)
{
    std::string all = setting("GSH_TEST_INCLUDE", "");
    size_t colon = target.find(':');
    std::vector<std::string> list = { "-arch=sm_" + target.substr(0, colon),
                                      "-std=c++" + target.substr(colon + 1) };

    for (size_t at = 0, end; at < all.size(); at = end + 1) {
        end = all.find(':', at);
        if (end == std::string::npos)
            end = all.size();
        list.push_back("-I" + all.substr(at, end - at));
    }
    return list;
}

/* The cubin; empty when it does not compile. */
static std::vector<char> compile(const char *text, const std::string &target)
{
    std::vector<std::string> list = options(target);
    std::vector<const char *> words;
    std::vector<char> log, cubin;
    nvrtcProgram program;
    size_t bytes = 0;

    for (const std::string &word : list)
        words.push_back(word.c_str());
    nvrtcCreateProgram(&program, text, "test.cu", 0, NULL, NULL);
    if (nvrtcCompileProgram(program, (int)words.size(), words.data())) {
        nvrtcGetProgramLogSize(program, &bytes);
        log.resize(bytes + 1);
        nvrtcGetProgramLog(program, log.data());
        fprintf(stderr, "%.4000s\n", log.data());
    } else {
        nvrtcGetCUBINSize(program, &bytes);
        cubin.resize(bytes);
        nvrtcGetCUBIN(program, cubin.data());
    }
    nvrtcDestroyProgram(&program);
    return cubin;
}

static void run(const std::vector<char> &cubin, const std::vector<char> &alone)
{
    ring r = make_ring();
    CUmodule module;
    CUfunction kernel;

    driver(cuModuleLoadData, &module, cubin.data());
    CHECK(!nvshmemx_cumodule_init(module), "%s", nvshmemx_last_error());
    driver(cuModuleGetFunction, &kernel, module, "ring");
    run_ring(r, kernel);
    driver(cuModuleUnload, module);
    fact("they put, meet and reduce");
    driver(cuModuleLoadData, &module, alone.data());
    CHECK(nvshmemx_cumodule_init(module) == NVSHMEMX_ERROR_INVALID_VALUE, "a status");
    CHECK(strstr(nvshmemx_last_error(), "do not include nvshmem.h"), "%s", nvshmemx_last_error());
    driver(cuModuleUnload, module);
    fact("a module without our headers is refused");
    cudaFree(r.wrong);
    nvshmem_free(r.at);
}

int main(void)
{
    bool gpu = has_gpu() && !cudaSetDevice(0) && !cudaFree(NULL);
    std::string target = setting("GSH_TEST_TARGET", "90:17");
    int major, minor, status;

    if (gpu) {
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
        target = std::to_string(10 * major + minor) + ":17";
    }
    nvshmem_init();
    if (!getenv("GSH_TEST_INCLUDE"))
        return skip_all("GSH_TEST_INCLUDE names no folders");

    std::vector<char> cubin = compile(source, target);
    std::vector<char> alone = compile(other, target);

    CHECK(!cubin.empty() && !alone.empty(), "no cubin");
    fact("NVRTC compiles kernels with our headers");
    if (gpu && !cubin.empty())
        run(cubin, alone);
    status = finish();
    nvshmem_finalize();
    return status;
}
