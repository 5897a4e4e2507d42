/* tile.h - tiles of tensors in kernels; comes with nvshmemx.h where C++17 kernels are compiled.
 *
 * A tensor is an address and a layout: a shape and a stride of one or two dimensions, of
 * whole numbers or ConstInt. start_coord is where the tile lies in a larger tensor and
 * boundary where that ends: elements beyond are left out. An empty struct in their place
 * means that there are none. flag is 0.
 *
 * tile_put and tile_get complete as put_nbi and get_nbi do. The collectives are made by all
 * members of the team, one at a time on a team, and are over after tile_collective_wait:
 *
 * tile_sum_reduce, tile_min_reduce, tile_max_reduce: to dst of all members; with
 *     NVLS_TWO_SHOT_PUSH_NBI the work is that of the root.
 * tile_sum_rooted_reduce, tile_min_rooted_reduce, tile_max_rooted_reduce: to dst of the root.
 * tile_broadcast: the caller's src to dst of all members.
 * tile_allgather: the same from each member: to dst as it stands, or, when a dimension of
 *     dst has room for the tiles of all, to the place of the caller's rank in it.
 *
 * Reductions wait for the src of all members by themselves.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_TILE_H
#define GSHMEM_TILE_H

#ifdef __CUDACC__
#include <gshmem/device.h>

#include <cuda/std/tuple>

/* A number that the compiler knows. */
template <int v> struct ConstInt {
    __host__ __device__ constexpr operator int() const { return v; }
};

namespace nvshmemx {

enum tile_coll_algo_t {
    NVLS_ONE_SHOT_PUSH_NBI = 0,
    NVLS_ONE_SHOT_PULL_NBI = 1,
    NVLS_TWO_SHOT_PUSH_NBI = 2,
    NVLS_TWO_SHOT_PULL_NBI = 3
};

enum tile_algo_t { PEER_PUSH_NBI = 0, PEER_PULL_NBI = 0, REMOTE_PUSH_NBI = 1, REMOTE_PULL_NBI = 1 };

template <class... Ts> using shape = cuda::std::tuple<Ts...>;
template <class... Ts> using stride = cuda::std::tuple<Ts...>;

template <class... Ts> __host__ __device__ constexpr shape<Ts...> make_shape(Ts const &...t)
{
    return shape<Ts...>(t...);
}

template <class... Ts> __host__ __device__ constexpr stride<Ts...> make_stride(Ts const &...t)
{
    return stride<Ts...>(t...);
}

template <class Shape, class Stride> class Layout {
  public:
    __host__ __device__ constexpr Layout(Shape const &shape = {}, Stride const &stride = {})
        : _shape(shape), _stride(stride)
    {
    }
    __host__ __device__ constexpr Shape const &shape() const { return _shape; }
    __host__ __device__ constexpr Stride const &stride() const { return _stride; }

  private:
    Shape _shape;
    Stride _stride;
};

template <class Shape, class Stride>
__host__ __device__ constexpr Layout<Shape, Stride> make_layout(Shape const &shape,
                                                                Stride const &stride)
{
    return Layout<Shape, Stride>(shape, stride);
}

template <class T, class L> struct Tensor {
    typedef T value_type;
    typedef L layout_type;

    T *_data = nullptr;
    L _layout;

    __host__ __device__ constexpr Tensor(T *data, L const &layout) : _data(data), _layout(layout) {}
    __host__ __device__ constexpr Tensor(L const &layout) : _layout(layout) {}
    __host__ __device__ constexpr T *data() const { return _data; }
    __host__ __device__ constexpr L const &layout() const { return _layout; }
    __host__ __device__ constexpr auto const &shape() const { return _layout.shape(); }
    __host__ __device__ constexpr auto const &stride() const { return _layout.stride(); }
};

} // namespace nvshmemx

#if defined(__CUDA_ARCH__) || defined(GSHMEM_TARGET_CPU)
#include <gshmem/impl/tile.cuh>
#endif
#include <gshmem/impl/names_tile.cuh>

#endif /* __CUDACC__ */

#endif /* GSHMEM_TILE_H */
