/* Macros make launches; comments, strings, shifts and operators that look alike stay. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <cstring>
#include <ostream>

#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define CONFIG <<<1, 1>>>
#define OPEN <<<
#define CLOSE >>>
#define KERNEL(name, v) \
    __global__ void name(int *p) \
    { \
        *p = v; \
    }

KERNEL(three, 3)
KERNEL(four, 4)
__global__ void put(int *p, int v)
{
    *p = v;
}

struct stream {
    int n;
    stream &operator<<(int v)
    {
        n += v;
        return *this;
    }
    template <class T> friend int operator<<(const stream &s, T *p) { return s.n + *p; }
};
template <class T> struct value;
template <class T> std::ostream &operator<<(std::ostream &s, const value<T> &v);
template <class T> struct value {
    T v;
    friend std::ostream &operator<< <>(std::ostream &s, const value<T> &v);
    template <int A, int B> struct both {
        static const int sum = A + B;
    };
};

// a comment: three<<<1, 1>>>(p); and __global__ void f() {
/* put<<<1, 1>>>(p, 1) */
static const char *const text = "put<<<1, 1>>>(p, 1) __global__ \"extern __shared__";
static const char *const raw = R"x("put<<<1, 1>>>(p)" __shared__
second line )" /* no comment */)x";

int main()
{
    int p = 0, one = 1'0 / 10;

    LAUNCH(three, 1, 1, &p);
    cudaDeviceSynchronize();
    CHECK(p == 3);
    LAUNCH(put, dim3(1, 1), 1, &p, 5);
    cudaDeviceSynchronize();
    CHECK(p == 5);
    four CONFIG (&p);
    cudaDeviceSynchronize();
    CHECK(p == 4);
    put OPEN 1, 1 CLOSE (&p, 6);
    cudaDeviceSynchronize();
    CHECK(p == 6);
    put<<<1, \
        1>>>(&p, \
        7);
    cudaDeviceSynchronize();
    CHECK(p == 7);
    CHECK(std::strstr(text, "put<<<1, 1>>>(p, 1) __global__ \"extern __shared__") == text);
    CHECK(std::strstr(raw, "put<<<1, 1>>>(p)\" __shared__\nsecond") && std::strstr(raw, "*/"));
    CHECK('<' + '"' == 94 && '\'' == 39);
    CHECK(one << 3 >> 1 == 4 && (16 >> one >> 1) == 4);
    one <<= 2;
    one >>= 1;
    CHECK(one == 2);
    stream s = { 0 };
    s << 1 << 2;
    CHECK(s.n == 3 && (s << &one) == 5);
    CHECK((value<value<value<int>>>::both<1, (8 >> 1)>::sum == 5));
    bool less = one < 3 && 3 > one;
    CHECK(less);
#pragma unroll
    for (int i = 0; i < 2; i++)
        p++;
#pragma unroll 4
    CHECK(p == 9);
#ifdef NEVER
    this is <<< not >>> read
#endif
    return 0;
}
