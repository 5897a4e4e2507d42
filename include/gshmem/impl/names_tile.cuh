/* names_tile.cuh - the calls of tile.h, once for each scope. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_NAMES_TILE_CUH
#define GSHMEM_IMPL_NAMES_TILE_CUH

/* A row of one call; its body is only for the device. */
#if defined(GSHMEM_TARGET_CPU)
#define GSH_TILE_ROW(name, params, ...) \
    __attribute__((noinline)) int name params \
    { \
        gsh_impl::calling in_call("nvshmemx::" #name, __builtin_return_address(0)); \
        gsh_impl::need_no_flag(__func__, flag); \
        return __VA_ARGS__; \
    }
#elif defined(__CUDA_ARCH__)
#define GSH_TILE_ROW(name, params, ...) \
    __device__ int name params \
    { \
        gsh_impl::need_no_flag(__func__, flag); \
        return __VA_ARGS__; \
    }
#else
#define GSH_TILE_ROW(name, params, ...) __device__ int name params;
#endif

#define GSH_TILE_TEMPLATE(algo_t) \
    template <typename src_tensor_t, typename dst_tensor_t, typename tuple_t, algo_t algo>
#define GSH_TILE_ARGS src_tensor_t src, dst_tensor_t dst, tuple_t start_coord, tuple_t boundary

#define GSH_TILE_MOVE_ROWS(suffix, group) \
    GSH_TILE_TEMPLATE(tile_algo_t) \
    GSH_TILE_ROW( \
        tile_put##suffix, (GSH_TILE_ARGS, int pe, uint64_t flag), \
        gsh_impl::tile_put<gsh_impl::group>(__func__, src, dst, start_coord, boundary, pe)) \
    GSH_TILE_TEMPLATE(tile_algo_t) \
    GSH_TILE_ROW( \
        tile_get##suffix, (GSH_TILE_ARGS, int pe, uint64_t flag), \
        gsh_impl::tile_get<gsh_impl::group>(__func__, src, dst, start_coord, boundary, pe))

#define GSH_TILE_COLL_ROWS(suffix, group) \
    GSH_TILE_TEMPLATE(tile_coll_algo_t) \
    GSH_TILE_ROW(tile_broadcast##suffix, (nvshmem_team_t team, GSH_TILE_ARGS, uint64_t flag), \
                 gsh_impl::tile_broadcast<gsh_impl::group>(__func__, team, src, dst, start_coord, \
                                                           boundary)) \
    GSH_TILE_TEMPLATE(tile_coll_algo_t) \
    GSH_TILE_ROW(tile_allgather##suffix, (nvshmem_team_t team, GSH_TILE_ARGS, uint64_t flag), \
                 gsh_impl::tile_allgather<gsh_impl::group>(__func__, team, src, dst, start_coord, \
                                                           boundary)) \
    template <tile_coll_algo_t algo> \
    GSH_TILE_ROW(tile_collective_wait##suffix, (nvshmem_team_t team, uint64_t flag), \
                 gsh_impl::tile_wait<gsh_impl::group>(__func__, team))

/* With a root, which works for all when the algorithm is two-shot; without one; for the root
 * alone. */
#define GSH_TILE_REDUCE(op, group, worker, root) \
    gsh_impl::tile_reduce<gsh_impl::op_##op, gsh_impl::group>(__func__, team, src, dst, \
                                                              start_coord, boundary, worker, root)
#define GSH_TILE_REDUCE_ROWS(op, suffix, group) \
    GSH_TILE_TEMPLATE(tile_coll_algo_t) \
    GSH_TILE_ROW( \
        tile_##op##_reduce##suffix, (nvshmem_team_t team, GSH_TILE_ARGS, int root, uint64_t flag), \
        GSH_TILE_REDUCE(op, group, \
                        algo == NVLS_TWO_SHOT_PUSH_NBI ? gsh_impl::ROOT_FOR_ALL : gsh_impl::EACH, \
                        root)) \
    GSH_TILE_TEMPLATE(tile_coll_algo_t) \
    GSH_TILE_ROW(tile_##op##_reduce##suffix, (nvshmem_team_t team, GSH_TILE_ARGS, uint64_t flag), \
                 GSH_TILE_REDUCE(op, group, gsh_impl::EACH, 0)) \
    GSH_TILE_TEMPLATE(tile_coll_algo_t) \
    GSH_TILE_ROW(tile_##op##_rooted_reduce##suffix, \
                 (nvshmem_team_t team, GSH_TILE_ARGS, int root, uint64_t flag), \
                 GSH_TILE_REDUCE(op, group, gsh_impl::ROOT, root))

#define GSH_TILE_ROWS(suffix, group) \
    GSH_TILE_MOVE_ROWS(suffix, group) \
    GSH_TILE_COLL_ROWS(suffix, group) \
    GSH_TILE_REDUCE_ROWS(sum, suffix, group) \
    GSH_TILE_REDUCE_ROWS(min, suffix, group) \
    GSH_TILE_REDUCE_ROWS(max, suffix, group)

namespace nvshmemx {

GSH_TILE_ROWS(, thread)
GSH_TILE_ROWS(_warp, warp)
GSH_TILE_ROWS(_warpgroup, warpgroup)
GSH_TILE_ROWS(_block, block)

} // namespace nvshmemx

#undef GSH_TILE_ROW
#undef GSH_TILE_TEMPLATE
#undef GSH_TILE_ARGS
#undef GSH_TILE_MOVE_ROWS
#undef GSH_TILE_COLL_ROWS
#undef GSH_TILE_REDUCE
#undef GSH_TILE_REDUCE_ROWS
#undef GSH_TILE_ROWS

#endif /* GSHMEM_IMPL_NAMES_TILE_CUH */
