/* Arguments are converted like those of a call, and each thread has copies of its own. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <cstddef>

struct big {
    int values[100];
    double more;
};
struct counted {
    static int alive;
    int v;
    explicit counted(int n) : v(n) { alive++; }
    counted(const counted &o) : v(o.v) { alive++; }
    ~counted() { alive--; }
};
int counted::alive;
struct constants {
    static const int N = 5;
};

__global__ void null(float *p, int *q)
{
    *q = !p;
}
__global__ void by_value(big b, int *out)
{
    *out = b.values[99];
    b.values[99] = -1;
}
__global__ void own_copy(int n, const int m, int *wrong)
{
    if (n != 3 || m != 4)
        ++*wrong;
    n = 0;
}
__global__ void unnamed(int *p, int, float *, void (*)(int), big = big(), const char * = "x")
{
    *p = 2;
}
__global__ void odd(const int *__restrict__ a, int b[], void (*f)(int *), unsigned, unsigned int u,
    const volatile int *const c, int (*rows)[4], const __grid_constant__ big g)
{
    f(b);
    b[1] = *a + int(u) + *c + rows[0][3] + g.values[99];
}
__global__ void with_default(int *p, int v = 11)
{
    *p = v;
}
__global__ void objects(counted c, int *out)
{
    *out = c.v;
}
static __device__ void seven(int *p)
{
    *p = 7;
}
static int launch_inside(int *p)
{
    with_default<<<1, 1>>>(p, 5);
    cudaDeviceSynchronize();
    return *p;
}
__global__ __launch_bounds__(128, 2) void bounds(int *p) { *p = 8; }
static __global__ void __launch_bounds__(32) bounds2(int *p) { *p = 9; }
extern "C" __global__ void c_name(int *p) { *p = 10; }
void __global__ mark_behind(int *p) { *p = 11; }
namespace
{
__global__ void hidden(int *p) { *p = 12; }
} // namespace
__global__ void early(int *p, int v)
{
    if (v)
        return;
    *p = 13;
}

int main()
{
    int q = 0, r = 0;
    float f;

    null<<<1, 1>>>(NULL, &q);
    cudaDeviceSynchronize();
    CHECK(q == 1);
    null<<<1, 1>>>(0, &q);
    null<<<1, 1>>>(nullptr, &r);
    cudaDeviceSynchronize();
    CHECK(q == 1 && r == 1);
    null<<<1, 1>>>(&f, &q);
    cudaDeviceSynchronize();
    CHECK(q == 0);
    big b = {};
    b.values[99] = 42;
    by_value<<<1, 8>>>(b, &q);
    b.values[99] = 0;
    cudaDeviceSynchronize();
    CHECK(q == 42);
    q = 0;
    own_copy<<<2, 8>>>('3' - '0', 4ll, &q);
    cudaDeviceSynchronize();
    CHECK(q == 0);
    unnamed<<<1, 1>>>(&q, 1, nullptr, nullptr);
    cudaDeviceSynchronize();
    CHECK(q == 2);
    int a = 1, c = 3, two[2], rows[2][4] = { { 0, 0, 0, 5 } };
    b.values[99] = 100;
    odd<<<1, 1>>>(&a, two, seven, 0u, 2u, &c, rows, b);
    cudaDeviceSynchronize();
    CHECK(two[0] == 7 && two[1] == 111);
    with_default<<<1, 1>>>(&q);
    cudaDeviceSynchronize();
    CHECK(q == 11);
    with_default<<<1, 1>>>(&q, constants::N);
    cudaDeviceSynchronize();
    CHECK(q == 5);
    objects<<<1, 4>>>(counted(6), &q);
    cudaDeviceSynchronize();
    CHECK(q == 6 && counted::alive == 0);
    with_default<<<1, 1>>>(&q, launch_inside(&r) + 1);
    cudaDeviceSynchronize();
    CHECK(q == 6);
    bounds<<<1, 1>>>(&q);
    cudaDeviceSynchronize();
    CHECK(q == 8);
    bounds2<<<1, 1>>>(&q);
    cudaDeviceSynchronize();
    CHECK(q == 9);
    c_name<<<1, 1>>>(&q);
    cudaDeviceSynchronize();
    CHECK(q == 10);
    mark_behind<<<1, 1>>>(&q);
    cudaDeviceSynchronize();
    CHECK(q == 11);
    hidden<<<1, 1>>>(&q);
    cudaDeviceSynchronize();
    CHECK(q == 12);
    early<<<1, 1>>>(&q, 1);
    cudaDeviceSynchronize();
    CHECK(q == 12);
    early<<<1, 1>>>(&q, 0);
    cudaDeviceSynchronize();
    CHECK(q == 13);
    return 0;
}
