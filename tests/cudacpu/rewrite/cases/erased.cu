/* Launches by address find each kernel, and each instance of a template. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

__global__ void add(int *p, int a, const short b)
{
    if (threadIdx.x == 0)
        *p = a + b;
}
template <class T> __global__ void set(T *p, T v)
{
    *p = v;
}
static __global__ void never_launched_by_syntax(int *p)
{
    *p = 77;
}
static __global__ void no_parameters() {}
static void no_kernel(int *) {}

template <class F> static const void *address(F *f)
{
    return reinterpret_cast<const void *>(f);
}

int main()
{
    int q = 0;
    double d = 0;
    int *p = &q;
    double *dp = &d;
    int a = 4;
    short b = 5;
    double v = 2.5;
    void *arguments[] = { &p, &a, &b };
    void *arguments2[] = { &dp, &v };

    CHECK(cudaLaunchKernel(address(add), dim3(1), dim3(32), arguments, 0, 0) == cudaSuccess);
    a = b = 0;
    cudaDeviceSynchronize();
    CHECK(q == 9);
    CHECK(cudaLaunchKernel(address(set<double>), 1, 1, arguments2, 0, 0) == cudaSuccess);
    cudaDeviceSynchronize();
    CHECK(d == 2.5);
    CHECK(cudaLaunchCooperativeKernel(address(never_launched_by_syntax), 1, 1, arguments, 0, 0) ==
          cudaSuccess);
    cudaDeviceSynchronize();
    CHECK(q == 77);
    CHECK(cudaLaunchKernel(address(no_parameters), 1, 1, nullptr, 0, 0) == cudaSuccess);
    cudaDeviceSynchronize();
    CHECK(cudaLaunchKernel(address(no_kernel), 1, 1, arguments, 0, 0) ==
          cudaErrorInvalidDeviceFunction);
    return 0;
}
