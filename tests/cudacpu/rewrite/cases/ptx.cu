/* PTX that orders and looks at memory becomes code of the host; the host's own asm stays. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <cstdint>

static __device__ __forceinline__ uint32_t load_acquire(const uint32_t *p)
{
    uint32_t v;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
static __device__ __forceinline__ void store_release(uint64_t *p, uint64_t v)
{
    asm volatile("st.release.sys.u64 [%0], %1;" ::"l"((uint64_t)p), "l"(v) : "memory");
}
__global__ void words(uint32_t *p, uint64_t *q, float *f)
{
    uint32_t old, lane, sm, count;
    uint64_t time;
    float half;

    __asm__ __volatile__("mov.u64 %0, %%globaltimer;" : "=l"(time));
    asm("mov.u32 %0, %%laneid;\n\t" : "=r"(lane));
    asm volatile("mov.u32 %0, %smid;\n"
                 "mov.u32 %1, %nsmid;"
                 : "=r"(sm), "=r"(count));
    if (threadIdx.x == 1) {
        asm volatile("st.volatile.global.f32 [%0], %1;" : : "l"(f), "f"(2.5f));
        asm volatile("ld.relaxed.gpu.f32 %0, [%1];" : "=f"(half) : "l"(f));
        f[1] = half;
        store_release(q, time ? 7 : 0);
        asm volatile("fence.acq_rel.sys; nanosleep.u32 100;" ::: "memory");
        asm volatile("membar.sys;");
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(5));
        p[1] = old;
        asm volatile("red.release.sys.global.or.b32 [%0], %1;" ::"l"(p), "r"(16));
        asm volatile("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(p + 1), "r"(1), "r"(9));
        p[2] = load_acquire(p) + lane;
        p[3] = sm < count;
    }
    asm volatile("bar.sync 0;");
    asm volatile("barrier.sync %0, %1;" ::"r"(1), "r"(blockDim.x));
    asm volatile("" ::: "memory");
    if (threadIdx.x == 0)
        p[4] = p[3];
}

int main()
{
    uint32_t p[5] = { 1 };
    uint64_t q = 0;
    float f[2];

    words<<<1, 2>>>(p, &q, f);
    cudaDeviceSynchronize();
    CHECK(p[0] == 22 && p[1] == 9 && p[2] == 23 && p[3] == 1 && p[4] == 1);
    CHECK(q == 7 && f[1] == 2.5f);
    asm volatile("pause\n\tnop" : : : "memory");
    asm("movl $3, %0" : "=r"(p[0]));
    CHECK(p[0] == 3);
    return 0;
}
