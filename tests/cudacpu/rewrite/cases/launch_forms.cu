/* Launches take zero to two optional arguments, any blanks, and expressions of any form. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

__global__ void store(int *p, int v)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *p = v;
}
__global__ void nothing() {}
__global__ void count(int *blocks, int *threads)
{
    *blocks = gridDim.x * gridDim.y * gridDim.z;
    *threads = blockDim.x * blockDim.y * blockDim.z;
}

template <int N> struct number {
    static const int value = N;
};
template <class T> struct wrap {
    typedef T type;
    static constexpr int blocks() { return 2; }
};

template <class T> constexpr int three = sizeof(T) + 3 - sizeof(T);

struct holder {
    void (*kernel)(int *, int);
    holder *self() { return this; }
    void go(int *p, int v) { kernel<<<1, 1>>>(p, v); }
    void go_this(int *p, int v) { this->kernel<<<1, 1>>>(p, v); }
};

typedef void (*kernel_pointer)(int *, int);
static kernel_pointer get(int)
{
    return store;
}

namespace outer
{
namespace inner
{
__global__ void store9(int *p)
{
    *p = 9;
}
} // namespace inner
} // namespace outer

static int launches(int *p, int a)
{
    int blocks, threads;
    cudaStream_t stream = 0;

    nothing<<<1, 1>>>();
    store<<<1, 32>>>(p, 1);
    cudaDeviceSynchronize();
    CHECK(*p == 1);
    store<<<dim3(1, 1, 1), dim3(4, 2), 0>>>(p, 2);
    cudaDeviceSynchronize();
    CHECK(*p == 2);
    store<<<1, 1, 16, stream>>>(p, 3);
    cudaDeviceSynchronize();
    CHECK(*p == 3);
    store<<< 1 , 1 >>> (p , 4);
    cudaDeviceSynchronize();
    CHECK(*p == 4);
    store
        <<<
            1, /* comment with >>> inside */
            1  // and <<< here
        >>>
        (p,
         5);
    cudaDeviceSynchronize();
    CHECK(*p == 5);
    count<<<(a << 1) >> 1, 1 << 3>>>(&blocks, &threads);
    cudaDeviceSynchronize();
    CHECK(blocks == a && threads == 8);
    count<<<a >> 1, a << 1>>>(&blocks, &threads);
    cudaDeviceSynchronize();
    CHECK(blocks == a >> 1 && threads == a << 1);
    count<<<number<3>::value, wrap<wrap<int>>::blocks()>>>(&blocks, &threads);
    cudaDeviceSynchronize();
    CHECK(blocks == 3 && threads == 2);
    count<<<wrap<wrap<wrap<int>>>::blocks(), sizeof(wrap<int>)>>>(&blocks, &threads);
    cudaDeviceSynchronize();
    CHECK(blocks == 2 && threads == 1);
    count<<<1, three<wrap<int>>>>>(&blocks, &threads);
    cudaDeviceSynchronize();
    CHECK(blocks == 1 && threads == 3);
    count<<<{ 2, 3 }, { 2, 2, 2 }>>>(&blocks, &threads);
    cudaDeviceSynchronize();
    CHECK(blocks == 6 && threads == 8);
    return 0;
}

static int callees(int *p)
{
    void (*local)(int *, int) = store;
    void (**pointer)(int *, int) = &local;
    kernel_pointer table[2] = { store, store };
    holder h = { store };
    holder *hp = &h;

    outer::inner::store9<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    CHECK(*p == 9);
    *p = 0;
    ::outer::inner::store9<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    CHECK(*p == 9);
    local<<<1, 1>>>(p, 1);
    cudaDeviceSynchronize();
    CHECK(*p == 1);
    (*pointer)<<<1, 1>>>(p, 2);
    cudaDeviceSynchronize();
    CHECK(*p == 2);
    if (*p == 2) (*pointer)<<<1, 1>>>(p, 3);
    else (*pointer)<<<1, 1>>>(p, -1);
    cudaDeviceSynchronize();
    CHECK(*p == 3);
    for (int i = 0; i < 1; i++) (*pointer)<<<1, 1>>>(p, 4);
    cudaDeviceSynchronize();
    CHECK(*p == 4);
    table[1]<<<1, 1>>>(p, 5);
    cudaDeviceSynchronize();
    CHECK(*p == 5);
    get(0)<<<1, 1>>>(p, 6);
    cudaDeviceSynchronize();
    CHECK(*p == 6);
    h.kernel<<<1, 1>>>(p, 7);
    cudaDeviceSynchronize();
    CHECK(*p == 7);
    hp->self()->kernel<<<1, 1>>>(p, 8);
    cudaDeviceSynchronize();
    CHECK(*p == 8);
    h.go(p, 10);
    cudaDeviceSynchronize();
    CHECK(*p == 10);
    h.go_this(p, 11);
    cudaDeviceSynchronize();
    CHECK(*p == 11);
    *p == 11 ? (void)0 : store<<<1, 1>>>(p, 0);
    (void)store<<<1, 1>>>(p, 12);
    cudaDeviceSynchronize();
    CHECK(*p == 12);
    { store<<<1, 1>>>(p, 13); }
    cudaDeviceSynchronize();
    CHECK(*p == 13);
    auto run = [=](int v) { store<<<1, 1>>>(p, v); };
    run(14);
    cudaDeviceSynchronize();
    CHECK(*p == 14);
    return 0;
}

int main()
{
    int p = 0;
    int line = launches(&p, 4);

    return line ? line : callees(&p);
}
