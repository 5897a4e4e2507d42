/* Shared memory, static and dynamic, is the block's, in functions, templates and headers. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"
#include "kernels.h"

extern __shared__ float4 wide[];
extern __shared__ int everywhere[];
struct not_it {
    int everywhere;
};

__global__ void static_array(int *p)
{
    __shared__ int s[8];
    __shared__ int a, b[2];
    static __shared__ int c;
    volatile __shared__ int v;

    s[threadIdx.x] = threadIdx.x + 10 * blockIdx.x;
    if (threadIdx.x == 0)
        a = b[1] = c = 1;
    v = 1;
    __syncthreads();
    p[blockIdx.x * 8 + threadIdx.x] = s[7 - threadIdx.x] + a + b[1] + c + v - 4;
}
__global__ void outside(int *p)
{
    not_it n = { 5 };
    everywhere[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        float *f = (float *)&everywhere[4];
        f[0] = 1.5f;
        p[0] = everywhere[3] + n.everywhere + int(2 * *reinterpret_cast<float *>(everywhere + 4));
    }
}
__global__ void outside_wide(float *p)
{
    reinterpret_cast<float *>(wide)[threadIdx.x] = 2.0f;
    wide[0].y = 3.0f;
    __syncthreads();
    *p = wide[0].x + wide[0].y;
}
template <class T, int N> __global__ void rows(T *p)
{
    extern __shared__ T tile[][N];
    tile[threadIdx.x][1] = T(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        *p = tile[2][1] + T(sizeof(tile[0]) / sizeof(T));
}
__global__ void forms(int *p)
{
    extern __shared__ alignas(16) int first[];
    extern __shared__ int second[], third[];
    __shared__ extern __attribute__((aligned(8))) unsigned long long fourth[];
    extern volatile __shared__ int fifth[];
    extern __shared__ const char *pointers[];

    first[0] = 1;
    second[1] = 2;
    fifth[2] = 3;
    p[0] = third[0] + first[1] + third[2];
    p[1] = fourth[0] == (1ull | 2ull << 32);
    p[2] = sizeof(pointers[0]);
    auto by_reference = [&](int i) { return first[i]; };
    p[3] = by_reference(2);
}

int main()
{
    int p[16];
    float f;
    double d;

    static_array<<<2, 8>>>(p);
    cudaDeviceSynchronize();
    CHECK(p[0] == 7 && p[7] == 0 && p[8] == 17 && p[15] == 10);
    outside<<<1, 4, 64>>>(p);
    cudaDeviceSynchronize();
    CHECK(p[0] == 3 + 5 + 3);
    outside_wide<<<1, 4, 64>>>(&f);
    cudaDeviceSynchronize();
    CHECK(f == 5.0f);
    rows<double, 3><<<1, 4, 4 * 3 * sizeof(double)>>>(&d);
    cudaDeviceSynchronize();
    CHECK(d == 5);
    forms<<<1, 1, 64>>>(p);
    cudaDeviceSynchronize();
    CHECK(p[0] == 6 && p[1] == 1 && p[2] == sizeof(char *) && p[3] == 3);
    for (int i = 0; i < 8; i++)
        p[i] = i;
    launch_reverse(p, 8);
    cudaDeviceSynchronize();
    CHECK(p[0] == 7 && p[7] == 0);
    return 0;
}
