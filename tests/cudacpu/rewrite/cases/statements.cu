/* Launches are statements and expressions of every kind, and stand wherever calls may. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <stdexcept>
#include <tuple>
#include <utility>

#define LAUNCH_AS(kernel, ...) kernel<<<__VA_ARGS__>>>
#define NESTED(kernel, p, v) \
    do { \
        if (v) \
            LAUNCH_AS(kernel, 1, 1)(p, v); \
        else \
            kernel<<<1, 1>>>(p, -1); \
    } while (0)
#define NAME(a, b) a##b<<<1, 1>>>
#define TEXT(...) #__VA_ARGS__

#if 0
put<<<1, 1>>>(nothing);
extern __shared__ int nothing[];
__global__ void
#endif

__global__ void put(int *p, int v)
{
    *p = v;
}
__global__ void add(int *p, int v)
{
    atomicAdd(p, v);
}
namespace ns
{
struct type {
    int v;
};
} // namespace ns
template <class T> __global__ void take(int *p, T t)
{
    *p = t.v;
}
template <class T> struct box {
    T v;
};
template <int N> struct number {
    int v = N;
};
template <class T, class U = T, int N = 1> __global__ void many(int *p, T t)
{
    *p = int(t.v.v) + N + int(sizeof(U) > 0);
}
template <class F> __global__ void call(int *p, int n, F f)
{
    for (int i = 0; i < n; i++)
        *p += f(i);
}
template <class F, class... A> __global__ void call_with(int *p, F f, A... a)
{
    *p = f(a...);
}

static int branches(int *p, int what)
{
    if (what == 0)
        put<<<1, 1>>>(p, 10);
    else if (what == 1)
        put<<<1, 1>>>(p, 11);
    else
        put<<<1, 1>>>(p, 12);
    cudaDeviceSynchronize();
    return *p;
}

static int cases(int *p, int what)
{
    switch (what) {
    case 0: put<<<1, 1>>>(p, 20); break;
    case 1:
    default: put<<<1, 1>>>(p, 21);
    }
    goto end;
end:
    cudaDeviceSynchronize();
    return *p;
}

static int returns(int *p)
{
    return put<<<1, 1>>>(p, 30), cudaDeviceSynchronize(), *p;
}
static void nothing(int *p)
{
    return put<<<1, 1>>>(p, 31);
}

static int statements(int *p)
{
    CHECK(branches(p, 0) == 10 && branches(p, 1) == 11 && branches(p, 2) == 12);
    CHECK(cases(p, 0) == 20 && cases(p, 1) == 21);
    CHECK(returns(p) == 30);
    nothing(p);
    cudaDeviceSynchronize();
    CHECK(*p == 31);
    do
        put<<<1, 1>>>(p, 1);
    while (cudaDeviceSynchronize());
    CHECK(*p == 1);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (k)
                add<<<1, 2>>>(p, 1);
            else
                add<<<2, 1>>>(p, 2);
    cudaDeviceSynchronize();
    CHECK(*p == 13);
    *p == 13 ? put<<<1, 1>>>(p, 2) : put<<<1, 1>>>(p, 3);
    cudaDeviceSynchronize();
    CHECK(*p == 2);
    (put<<<1, 1>>>(p, 4), add<<<1, 1>>>(p, 1));
    cudaDeviceSynchronize();
    CHECK(*p == 5);
    try {
        put<<<1, 1>>>(p, 6);
        throw std::runtime_error("put<<<1, 1>>>(p, 7)");
    } catch (const std::exception &) {
        add<<<1, 1>>>(p, 1);
    }
    cudaDeviceSynchronize();
    CHECK(*p == 7);
    while (*p == 7)
        put<<<1, 1>>>(p, 8), cudaDeviceSynchronize();
    CHECK(*p == 8);
    for (put<<<1, 1>>>(p, 9); *p != 9; cudaDeviceSynchronize())
        ;
    cudaDeviceSynchronize();
    CHECK(*p == 9);
    NESTED(put, p, 14);
    cudaDeviceSynchronize();
    CHECK(*p == 14);
    NAME(pu, t)(p, 15);
    cudaDeviceSynchronize();
    CHECK(*p == 15 && sizeof(TEXT(put<<<1, 1>>>(p))) == sizeof("put<<<1, 1>>>(p)"));
    return 0;
}

static int nested_templates(int *p)
{
    std::tuple<void (*)(int *, int)> kernels(put);

    take<ns::type><<<1, 1>>>(p, { 1 });
    cudaDeviceSynchronize();
    CHECK(*p == 1);
    take<::ns::type><<<1, 1>>>(p, ::ns::type{ 2 });
    cudaDeviceSynchronize();
    CHECK(*p == 2);
    take<number<3>><<<1, 2>>>(p, {});
    cudaDeviceSynchronize();
    CHECK(*p == 3);
    many<box<number<3>>><<<1, 2>>>(p, {});
    cudaDeviceSynchronize();
    CHECK(*p == 5);
    many<box<number<(3 > 2)>>, box<box<box<int>>>, (8 >> 1)><<<1, 2>>>(p, {});
    cudaDeviceSynchronize();
    CHECK(*p == 6);
    std::get<0>(kernels)<<<1, 1>>>(p, 7);
    cudaDeviceSynchronize();
    CHECK(*p == 7);
    put<<<std::pair<int, int>(1, 2).first, std::pair<int, int>{ 1, 2 }.first>>>(
        p, std::pair<int, int>(1, 8).second);
    cudaDeviceSynchronize();
    CHECK(*p == 8);
    return 0;
}

static int lambdas(int *p)
{
    int by = 2;
    auto host = [p](int v) {
        auto inner = [=] { put<<<1, 1>>>(p, v); };
        inner();
    };

    *p = 0;
    call<<<1, 1>>>(p, 3, [=] __device__(int i) { return i * by; });
    cudaDeviceSynchronize();
    CHECK(*p == 6);
    call<<<1, 1>>>(p, 2, [by] __host__ __device__(int i) mutable -> int {
        by++;
        return i < by ? by >> 1 : by << 1;
    });
    cudaDeviceSynchronize();
    CHECK(*p == 6 + 1 + 2);
    call_with<<<1, 1>>>(
        p, [=] __device__(auto a, auto b) { return int(a) + int(b) + by; }, 1.5, 'a');
    cudaDeviceSynchronize();
    CHECK(*p == 1 + 'a' + 2);
    host(9);
    cudaDeviceSynchronize();
    CHECK(*p == 9);
    [&]() { put<<<1, [] { return 1; }()>>>(p, [&] { return by * 5; }()); }();
    cudaDeviceSynchronize();
    CHECK(*p == 10);
    return 0;
}

static int over_lines(int *p)
{
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    add
        <<<dim3(2, // x
                1),
           dim3(
               2),
           0 * sizeof(int),
           stream>>>(
            p,
#ifdef NOT_DEFINED
            wrong<<<1, 1>>>(p),
#else
            3
#endif
        );
    cudaStreamDestroy(stream);
    cudaDeviceSynchronize();
    CHECK(*p == 22);
    put<\
<<1, 1>\
>>(p, 23);
    cudaDeviceSynchronize();
    CHECK(*p == 23);
    return 0;
}

int main()
{
    int p = 0, line = statements(&p);

    if (!line)
        line = nested_templates(&p);
    if (!line)
        line = lambdas(&p);
    return line ? line : over_lines((p = 10, &p));
}
