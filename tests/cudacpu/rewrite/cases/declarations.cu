/* Kernels and shared memory are declared in every order and form that C++ has. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <type_traits>
#include <utility>

/* --- Kernels --- */

__global__ static void static_behind(int *p) { *p = 1; }
inline __global__ void inline_before(int *p) { *p = 2; }
void __launch_bounds__(2 * 32) __global__ bounds_first(int *p) { *p = 3; }
template <int N> __global__ __launch_bounds__((N > 1) ? N : 32, 1) void bounds_of(int *p)
{
    *p = N;
}
__global__ auto trailing(int *p, int v) -> void { *p = v; }
[[gnu::noinline]] __global__ void attribute([[gnu::unused]] int unused, int *p) { *p = 5; }
extern "C" {
__global__ void in_c(int *p) { *p = 6; }
}
__global__ void defaults(int *p, dim3 d = { 1, 2, 3 }, std::pair<int, int> s = std::pair<int, int>(4, 5),
                         int last = sizeof(int) > 2 ? 7 : 8)
{
    *p = int(d.z) + s.second + last;
}
__global__ void pointers(int *p, int (*f)(int, int), int (*const table[])(int, int), const char *const *names)
{
    *p = f(1, 2) + table[0](3, 4) + names[0][0];
}
template <class T, typename std::enable_if<(sizeof(T) > 1), int>::type = 0>
__global__ void enabled(T *p)
{
    *p = 10;
}
template <class T, typename std::enable_if<!(sizeof(T) > 1), int>::type = 0>
__global__ void enabled(T *p)
{
    *p = 11;
}
class hidden {
    int v;
    friend __global__ void friendly(int *p, hidden h);

  public:
    explicit hidden(int n) : v(n) {}
};
__global__ void friendly(int *p, hidden h) { *p = h.v; }
__global__ void later(int *p, int v = 13);
__global__ void later(int *p, int v) { *p = v; }
namespace a { namespace b {
template <class T> __global__ void deep(T *p) { *p = T(14); }
}} // namespace a::b
__global__ void conditional(int *p)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" : : "l"(p));
#else
    if (threadIdx.x != 0) return;
    *p = 15;
#endif
}
__global__ void unrolled(int *p)
{
    int sum = 0;
    _Pragma("unroll") for (int i = 0; i < 4; ++i) sum += i;
#pragma unroll 4
    for (int i = 0; i < 4; ++i) sum += i;
    *p = sum + 4;
}

/* --- Shared memory --- */

struct alignas(16) element {
    float x;
    int n[3];
};
extern __shared__ __align__(16) unsigned char raw_bytes[];
extern __shared__ element elements[];
__device__ static int uses_elements(int i) { return elements[i].n[2]; }
__device__ static int shadows(int raw_bytes) { return raw_bytes + 1; }

template <class T> __global__ void in_template(T *p, int n)
{
    extern __shared__ __align__(16) unsigned char bytes[];
    T *mine = reinterpret_cast<T *>(bytes);
    mine[threadIdx.x] = T(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) *p = mine[n - 1];
}
template <class T, int N> __global__ void tiles(T *p)
{
    extern __shared__ T tile[][(N >> 1)][N];
    tile[threadIdx.x][N / 2 - 1][N - 1] = T(threadIdx.x + 1);
    __syncthreads();
    if (threadIdx.x == 0) *p = tile[blockDim.x - 1][(N >> 1) - 1][N - 1];
}
__global__ void of_structs(int *p)
{
    extern __shared__ struct element mine[];
    mine[threadIdx.x].n[2] = int(threadIdx.x) + 5;
    __syncthreads();
    if (threadIdx.x == 0) *p = uses_elements(2) + shadows(1);
}
__global__ void of_pairs(int *p)
{
    extern __shared__ std::pair<int, std::pair<char, int>> pairs[];
    auto set = [&](int i) { pairs[i].second.second = i; };
    set(3);
    *p = pairs[3].second.second;
}
__global__ void carved(int *p)
{
    int *ints = reinterpret_cast<int *>(raw_bytes);
    float *floats = reinterpret_cast<float *>(raw_bytes + 4 * sizeof(int));
    ints[3] = 4;
    floats[0] = 1.5f;
    *p = ints[3] + int(2 * floats[0]);
}
__global__ void fixed(int *p)
{
    __shared__ struct {
        int a[4];
        float b;
    } unnamed;
    __shared__ union { int i; unsigned u; } both;
    float __shared__ behind[4];
    alignas(32) __shared__ int aligned[4];
    __shared__ __align__(32) int aligned2[2][2], *pointer;
    const int n = 2;
    __shared__ int bound[n << 1 >> 1][(n > 1) ? 2 : 1];

    unnamed.a[3] = 1;
    both.i = 2;
    behind[3] = 3;
    aligned[0] = 4;
    pointer = &aligned2[1][1];
    *pointer = 5;
    bound[1][1] = 6;
    if (n == 2) {
        __shared__ int inner;
        inner = 7;
        *p = inner;
    }
    for (int i = 0; i < 1; i++) { __shared__ double d; d = 8; *p += int(d); }
    switch (n) { case 2: __shared__ short s; s = 9; *p += s; }
    *p += unnamed.a[3] + int(both.u) + int(behind[3]) + aligned[0] + aligned2[1][1] + bound[1][1];
}

static int plus(int a, int b) { return a + b; }

static int kernels(int *p)
{
    int (*const table[])(int, int) = { plus };
    const char *const names[] = { "a" };
    char c = 0;

#define RUN(launch, value) \
    launch; \
    cudaDeviceSynchronize(); \
    CHECK(*p == (value))
    RUN((static_behind<<<1, 1>>>(p)), 1);
    RUN((inline_before<<<1, 1>>>(p)), 2);
    RUN((bounds_first<<<1, 1>>>(p)), 3);
    RUN((bounds_of<64><<<1, 1>>>(p)), 64);
    RUN((trailing<<<1, 1>>>(p, 4)), 4);
    RUN((attribute<<<1, 1>>>(0, p)), 5);
    RUN((in_c<<<1, 1>>>(p)), 6);
    RUN((defaults<<<1, 1>>>(p)), 3 + 5 + 7);
    RUN((pointers<<<1, 1>>>(p, plus, table, names)), 3 + 7 + 'a');
    RUN((enabled<<<1, 1>>>(p)), 10);
    enabled<<<1, 1>>>(&c);
    cudaDeviceSynchronize();
    CHECK(c == 11);
    RUN((friendly<<<1, 1>>>(p, hidden(12))), 12);
    RUN((later<<<1, 1>>>(p)), 13);
    RUN((a::b::deep<int><<<1, 1>>>(p)), 14);
    RUN((conditional<<<1, 2>>>(p)), 15);
    RUN((unrolled<<<1, 1>>>(p)), 16);
    return 0;
}

static int shared(int *p)
{
    double d = 0;
    char c = 0;

    in_template<<<1, 8, 8 * sizeof(double)>>>(&d, 8);
    in_template<<<1, 8, 8>>>(&c, 8);
    cudaDeviceSynchronize();
    CHECK(d == 7 && c == 7);
    tiles<double, 4><<<1, 3, 3 * 8 * sizeof(double)>>>(&d);
    cudaDeviceSynchronize();
    CHECK(d == 3);
    RUN((of_structs<<<1, 4, 4 * sizeof(element)>>>(p)), 7 + 2);
    RUN((of_pairs<<<1, 1, 64>>>(p)), 3);
    RUN((carved<<<1, 1, 64>>>(p)), 4 + 3);
    RUN((fixed<<<1, 1>>>(p)), 7 + 8 + 9 + 1 + 2 + 3 + 4 + 5 + 6);
    return 0;
}

int main()
{
    int p = 0, line = kernels(&p);

    return line ? line : shared(&p);
}
