/* Kernels are templates of every kind, called with given and with deduced arguments. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

template <typename T> __global__ void set(T *p, T v)
{
    *p = v;
}
template <int N, typename T = int, bool Big = (N > 3)> __global__ void scale(T *p)
{
    *p *= Big ? N : -N;
}
template <typename... A> __global__ void sum(int *out, A... values)
{
    int all[] = { 0, int(values)... };
    int total = 0;
    for (int v : all)
        total += v;
    *out = total;
}
template <template <class> class Box, class T> __global__ void unbox(T *p, Box<T> box)
{
    *p = box.value;
}
template <class T> struct one_value {
    T value;
};
template <typename T, typename = T, int = 4> __global__ void unnamed(T *p)
{
    *p = 4;
}
template <typename F> __global__ void each(int n, F f)
{
    if (int(threadIdx.x) < n)
        f(threadIdx.x);
}
template <> __global__ void set<float>(float *p, float)
{
    *p = -1.0f;
}
template <class T> __global__ void overloaded(T *p)
{
    *p = 1;
}
template <class T> __global__ void overloaded(T *p, T v)
{
    *p = v;
}
__global__ void overloaded(int *p, int a, int b)
{
    *p = a + b;
}
template <class T> __global__ void declared(T *p);
template <class T> __global__ void declared(T *p)
{
    *p = 6;
}
template __global__ void declared<long>(long *p);

template <class T> struct holder {
    template <class U> static __global__ void convert(T *to, U from) { *to = T(from); }
    static __global__ void zero(T *to) { *to = 0; }
    template <class U> void launch(T *to, U from) { convert<U><<<1, 1>>>(to, from); }
};

template <class H, class T> static void dependent(T *p)
{
    H h;
    h.template convert<double><<<1, 1>>>(p, 2.5);
    cudaDeviceSynchronize();
    *p += 1;
    H::template convert<float><<<1, 1>>>(p, *p + 0.5f);
}
template <class T, int N> static void launch_all(T *p)
{
    set<T><<<1, 1>>>(p, T(N));
    cudaDeviceSynchronize();
    scale<N><<<N, N / 1>>>(p);
}

int main()
{
    int i = 0;
    float f = 0;
    double d = 0;

    set<<<1, 1>>>(&d, 2.5);
    set<int><<<1, 1>>>(&i, 7);
    set<<<1, 1>>>(&f, 7.0f);
    cudaDeviceSynchronize();
    CHECK(d == 2.5 && i == 7 && f == -1.0f);
    scale<2><<<1, 1>>>(&i);
    scale<4, double><<<1, 1>>>(&d);
    cudaDeviceSynchronize();
    CHECK(i == -14 && d == 10);
    scale<(4 > 3) ? 5 : 6, double, (1 > 2)><<<1, 1>>>(&d);
    cudaDeviceSynchronize();
    CHECK(d == -50);
    sum<<<1, 1>>>(&i);
    cudaDeviceSynchronize();
    CHECK(i == 0);
    sum<<<1, 1>>>(&i, 1, 2.5f, 'a', 4ul);
    cudaDeviceSynchronize();
    CHECK(i == 1 + 2 + 'a' + 4);
    unbox<<<1, 1>>>(&i, one_value<int>{ 3 });
    cudaDeviceSynchronize();
    CHECK(i == 3);
    unbox<one_value, int><<<1, 1>>>(&i, { 8 });
    cudaDeviceSynchronize();
    CHECK(i == 8);
    unnamed<<<1, 1>>>(&i);
    cudaDeviceSynchronize();
    CHECK(i == 4);
    int many[4] = { 0, 0, 0, 0 };
    int *to = many;
    each<<<1, 4>>>(3, [=] __device__(int k) { to[k] = k + 1; });
    cudaDeviceSynchronize();
    CHECK(many[0] == 1 && many[2] == 3 && many[3] == 0);
    overloaded<<<1, 1>>>(&i);
    cudaDeviceSynchronize();
    CHECK(i == 1);
    overloaded<<<1, 1>>>(&i, 2);
    cudaDeviceSynchronize();
    CHECK(i == 2);
    overloaded<<<1, 1>>>(&i, 2, 3);
    cudaDeviceSynchronize();
    CHECK(i == 5);
    declared<<<1, 1>>>(&d);
    cudaDeviceSynchronize();
    CHECK(d == 6);
    holder<int>::zero<<<1, 1>>>(&i);
    cudaDeviceSynchronize();
    CHECK(i == 0);
    holder<int>::convert<float><<<1, 1>>>(&i, 3.5f);
    cudaDeviceSynchronize();
    CHECK(i == 3);
    holder<int>().launch(&i, 9.9);
    cudaDeviceSynchronize();
    CHECK(i == 9);
    dependent<holder<int>>(&i);
    cudaDeviceSynchronize();
    CHECK(i == 3);
    launch_all<int, 5>(&i);
    cudaDeviceSynchronize();
    return 0;
}
