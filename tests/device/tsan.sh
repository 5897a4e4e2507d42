# ThreadSanitizer, which sees no fences, says nothing of what fences and words without an order
# hand on between blocks, and names the line where nothing does.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

cat >pass.cu <<'END'
#include <cuda/atomic>
#include <nvshmem.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 20, THREADS = 32 };

__device__ int data[THREADS], word, counter, total;
__device__ cuda::atomic<int> cxx;

struct by_cuda {
    static __device__ int get() { return atomicAdd(&word, 0); }
    static __device__ void set(int value) { atomicExch(&word, value); }
};

struct by_ptx {
    static __device__ int get()
    {
        int value;
        asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(value) : "l"(&word) : "memory");
        return value;
    }
    static __device__ void set(int value)
    {
        asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(&word), "r"(value) : "memory");
    }
};

struct by_cxx {
    static __device__ int get() { return cxx.load(cuda::memory_order_relaxed); }
    static __device__ void set(int value) { cxx.store(value, cuda::memory_order_relaxed); }
};

/* Block 0 writes, block 1 reads, in turns. */
template <class Word> __global__ void pass()
{
    for (int turn = 0; turn < 2 * ROUNDS; turn++) {
        if (turn % 2 == (int)blockIdx.x) {
            if (threadIdx.x == 0)
                while (Word::get() != turn)
                    ;
            __syncthreads();
            __threadfence();
            data[threadIdx.x] = turn;
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0)
                Word::set(turn + 1);
        }
    }
}

/* The last block to come adds up, and sets the counter back. */
__global__ void last()
{
    data[blockIdx.x] = 1;
    __threadfence();
    if (atomicAdd(&counter, 1) == (int)gridDim.x - 1) {
        __threadfence();
        for (int i = 0; i < (int)gridDim.x; i++)
            total += data[i];
        counter = 0;
    }
}

/* All blocks have come before one of them writes, so none ends before another begins. */
__global__ void race()
{
    for (int round = 1; round <= ROUNDS; round++) {
        atomicAdd(&counter, 1);
        while (atomicAdd(&counter, 0) < round * (int)gridDim.x)
            ;
        data[1] += (int)blockIdx.x; // race
    }
}

int main(int, char **argv)
{
    void (*kernel)() = strcmp(argv[1], "cuda") == 0  ? pass<by_cuda>
                       : strcmp(argv[1], "ptx") == 0 ? pass<by_ptx>
                       : strcmp(argv[1], "cxx") == 0 ? pass<by_cxx>
                       : strcmp(argv[1], "last") == 0 ? last
                                                      : race;
    bool passes = kernel != last && kernel != race;

    nvshmem_init();
    cudaLaunchCooperativeKernel((const void *)kernel, dim3(kernel == last ? 8 : 2),
                                dim3(passes ? THREADS : 1), NULL, 0, 0);
    cudaDeviceSynchronize();
    nvshmem_finalize();
    return 0;
}
END
echo 'int main() { return 0; }' >empty.cc
if ! g++ -fsanitize=thread empty.cc -o empty || ! ./empty; then
    skip_all "no ThreadSanitizer here"
fi

run gshcc -g -O1 --target=cpu -fsanitize=thread -Wno-tsan pass.cu -o pass
ok "a program with kernels compiles for ThreadSanitizer" is "$status" 0
for case in cuda ptx cxx last; do
    run timeout 100 ./pass "$case"
    ok "nothing is said of $case" silent
done
run timeout 100 ./pass race
ok "a race is found, and its line is named" says "race\(\) .*pass.cu:$(sed -n '/\/\/ race/=' pass.cu)"
finish
