/* Tiles of tensors with all kinds of layouts are put, got, gathered, broadcast and reduced at
 * all scopes, within their bounds and nowhere else, for half, bfloat16 and float. */
// SPDX-License-Identifier: BSD-3-Clause
#include "teams.cuh"

#include <nvshmemx.h>

using namespace nvshmemx;

enum { EDGE = 32, TILES = 4 }; /* elements on a side of the tensors; scopes */

struct unbounded {};

/* Element (i, j) of what a rank gives. */
__device__ inline float given(int rank, int i, int j)
{
    return (float)((int)(device_mix((unsigned)rank, (unsigned)(i * EDGE + j)) % 16) - 8);
}

#define CALL_AT(scope, name, args, ...) \
    (scope == 0   ? name<__VA_ARGS__> args \
     : scope == 1 ? name##_warp<__VA_ARGS__> args \
     : scope == 2 ? name##_warpgroup<__VA_ARGS__> args \
                  : name##_block<__VA_ARGS__> \
                        args)

enum what { PUT, GET, GATHER, BROADCAST_0, SUM, MIN, MAX_TWO_SHOT, SUM_ROOTED, WHATS };

/* One call on tensors of a layout; expected: what dst gets at (i, j). */
template <class T, class Shape, class Stride, class Tuple>
__device__ int make_call(const struct place &at, int scope, enum what what, T *to, T *from,
                         Layout<Shape, Stride> layout, Tuple start, Tuple boundary, int pe)
{
    Tensor<T, Layout<Shape, Stride>> src(from, layout), dst(to, layout);
    typedef decltype(src) S;
    const int last = at.n - 1;

    switch (what) {
    case PUT:
        return CALL_AT(scope, tile_put, (src, dst, start, boundary, pe, 0), S, S, Tuple,
                       PEER_PUSH_NBI);
    case GET:
        return CALL_AT(scope, tile_get, (src, dst, start, boundary, pe, 0), S, S, Tuple,
                       PEER_PULL_NBI);
    case GATHER:
        return CALL_AT(scope, tile_allgather,
                       (at.team, src,
                        Tensor<T, Layout<Shape, Stride>>(to + at.rank * EDGE * EDGE, layout), start,
                        boundary, 0),
                       S, S, Tuple, NVLS_ONE_SHOT_PUSH_NBI);
    case BROADCAST_0:
        return at.rank ? 0
                       : CALL_AT(scope, tile_broadcast, (at.team, src, dst, start, boundary, 0), S,
                                 S, Tuple, NVLS_ONE_SHOT_PUSH_NBI);
    case SUM:
        return CALL_AT(scope, tile_sum_reduce, (at.team, src, dst, start, boundary, 0), S, S, Tuple,
                       NVLS_ONE_SHOT_PULL_NBI);
    case MIN:
        return CALL_AT(scope, tile_min_reduce, (at.team, src, dst, start, boundary, 0, 0), S, S,
                       Tuple, NVLS_ONE_SHOT_PULL_NBI);
    case MAX_TWO_SHOT:
        return CALL_AT(scope, tile_max_reduce, (at.team, src, dst, start, boundary, last, 0), S, S,
                       Tuple, NVLS_TWO_SHOT_PUSH_NBI);
    default:
        return CALL_AT(scope, tile_sum_rooted_reduce, (at.team, src, dst, start, boundary, last, 0),
                       S, S, Tuple, NVLS_ONE_SHOT_PULL_NBI);
    }
}

/* What (i, j) of the tile that comes from `from` holds afterwards; 99: as before. */
__device__ inline float expected(const struct place &at, enum what what, int block, int i, int j)
{
    const int before = (at.rank + at.n - 1) % at.n, after = (at.rank + 1) % at.n;
    float sum = 0, low = 1000, high = -1000;

    for (int rank = 0; rank < at.n; rank++) {
        float x = given(rank, i, j);

        sum += x;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    if (what == GATHER)
        return given(block, i, j);
    if (block)
        return 99;
    switch (what) {
    case PUT:
        return given(before, i, j);
    case GET:
        return given(after, i, j);
    case BROADCAST_0:
        return given(0, i, j);
    case SUM:
        return sum;
    case MIN:
        return low;
    case MAX_TWO_SHOT:
        return high;
    default:
        return at.rank == at.n - 1 ? sum : 99;
    }
}

/* rows and columns: the elements that the call may touch. */
template <class T, class Shape, class Stride, class Tuple>
__device__ void try_tile(const struct place &at, int scope, enum what what, int skew,
                         Layout<Shape, Stride> layout, Tuple start, Tuple boundary, int rows,
                         int columns, int next_pe)
{
    T *to = (T *)at.dest + skew, *from = (T *)at.source + skew;
    int s0 = cuda::std::get<0>(layout.stride()), s1 = cuda::std::get<1>(layout.stride());

    for (int i = threadIdx.x; i < EDGE * EDGE * (at.n + 1); i += BLOCK)
        to[i] = (T)99.0f;
    for (int i = threadIdx.x; i < EDGE * EDGE; i += BLOCK)
        from[i / EDGE * s0 + i % EDGE * s1] = (T)given(at.rank, i / EDGE, i % EDGE);
    nvshmemx_barrier_block(at.team);
    if (calls(scope))
        expect(at, !make_call(at, scope, what, to, from, layout, start, boundary, next_pe));
    __syncthreads();
    if (calls(scope))
        expect(at, !CALL_AT(scope, tile_collective_wait, (at.team, 0), NVLS_ONE_SHOT_PULL_NBI));
    nvshmemx_barrier_block(at.team);
    for (int i = threadIdx.x; i < EDGE * EDGE * at.n; i += BLOCK) {
        int block = i / (EDGE * EDGE), row = i / EDGE % EDGE, column = i % EDGE;
        float got = (float)to[block * EDGE * EDGE + row * s0 + column * s1];
        bool inside = row < rows && column < columns;

        expect(at, got == (inside ? expected(at, what, block, row, column) : 99.0f));
    }
    nvshmemx_barrier_block(at.team);
}

/* next_pe is the PE of the next rank. */
template <class T> __global__ void tiles(struct place at, int next_pe)
{
    typedef ConstInt<1> one;
    auto rows = make_layout(make_shape<ConstInt<24>, int>({}, 16), make_stride<int, one>(EDGE, {}));
    auto columns = make_layout(make_shape(24, 16), make_stride(one(), EDGE));

    for (int scope = 0; scope < TILES; scope++) {
        for (int w = 0; w < WHATS; w++) {
            enum what what = (enum what)w;

            try_tile<T>(at, scope, what, 0, rows, unbounded(), unbounded(), 24, 16, next_pe);
            try_tile<T>(at, scope, what, 0, columns, unbounded(), unbounded(), 24, 16, next_pe);
            try_tile<T>(at, scope, what, 1, rows, make_shape(10, 4), make_shape(31, 17), 21, 13,
                        next_pe);
            try_tile<T>(at, scope, what, 0, columns, make_shape(10, 4), make_shape(31, 17), 21, 13,
                        next_pe);
            try_tile<T>(at, scope, what, 0, columns, make_shape(10, 40), make_shape(31, 17), 0, 0,
                        next_pe);
        }
    }
}

template <class T> struct launch_tiles {
    void operator()(struct place at) const
    {
        int next = nvshmem_team_translate_pe(at.team, (at.rank + 1) % at.n, NVSHMEM_TEAM_WORLD);

        tiles<T><<<1, BLOCK>>>(at, next);
    }
};

/* A tensor of the tiles of all, side by side: each finds its place by itself. */
__global__ void side_by_side(struct place at)
{
    auto tile = make_layout(make_shape(8, 6), make_stride(ConstInt<1>(), 8));
    auto all = make_layout(make_shape(8, 6 * at.n), make_stride(ConstInt<1>(), 8));
    Tensor src((float *)at.source, tile);
    Tensor dst((float *)at.dest, all);

    for (int i = threadIdx.x; i < 48; i += BLOCK)
        src.data()[i] = given(at.rank, 0, i);
    nvshmemx_barrier_block(at.team);
    tile_allgather_block<decltype(src), decltype(dst), unbounded, NVLS_ONE_SHOT_PUSH_NBI>(
        at.team, src, dst, unbounded(), unbounded(), 0);
    tile_collective_wait_block<NVLS_ONE_SHOT_PUSH_NBI>(at.team, 0);
    for (int i = threadIdx.x; i < 48 * at.n; i += BLOCK)
        expect(at, dst.data()[i] == given(i / 48, 0, i % 48));
    nvshmemx_barrier_block(at.team);
}

struct launch_side_by_side {
    void operator()(struct place at) const { side_by_side<<<1, BLOCK>>>(at); }
};

int main()
{
    nvshmem_init();
    make_shapes();
    try_all(launch_tiles<__half>(), "half");
    fact("tiles of half");
    try_all(launch_tiles<__nv_bfloat16>(), "bfloat16");
    fact("tiles of bfloat16");
    try_all(launch_tiles<float>(), "float");
    fact("tiles of float");
    try_all(launch_side_by_side(), "side by side");
    fact("tiles are gathered side by side");
    int status = finish();
    nvshmem_finalize();
    return status;
}
