/* group.cuh - who makes a call together: a thread, a warp, four warps or a block.
 *
 * A group is a type; all of its members are static. All threads of the group make the
 * call with the same arguments. rank() and size() count its threads; sync() is a barrier
 * of the group that orders its memory accesses as __syncthreads() does.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_GROUP_CUH
#define GSHMEM_IMPL_GROUP_CUH

#include <gshmem/impl/arch.cuh>

namespace gsh_impl {

struct thread {
    static GSH_DEVICE unsigned rank() { return 0; }
    static GSH_DEVICE unsigned size() { return 1; }
    static GSH_DEVICE void sync() {}
};

struct warp {
    static GSH_DEVICE unsigned rank() { return lane(); }
    static GSH_DEVICE unsigned size() { return 32; }
    static GSH_DEVICE void sync() { warp_sync(); }
};

/* Four warps that follow one another; the block size is a multiple of 128. Each has a
 * named barrier of its own; 0 is that of __syncthreads(). */
struct warpgroup {
    static GSH_DEVICE unsigned rank() { return thread_rank() % 128; }
    static GSH_DEVICE unsigned size() { return 128; }
    static GSH_DEVICE void sync() { barrier_sync(8 + thread_rank() / 128, 128); }
};

struct block {
    static GSH_DEVICE unsigned rank() { return thread_rank(); }
    static GSH_DEVICE unsigned size() { return block_threads(); }
    static GSH_DEVICE void sync() { block_sync(); }
};

/* For the one thread of the group that does what must be done once. */
template <class Group> GSH_DEVICE bool leads()
{
    return Group::rank() == 0;
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_GROUP_CUH */
