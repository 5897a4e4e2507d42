/* order.cuh - fence and quiet.
 *
 * fence: what this thread has stored to a PE, and what other threads of its block stored
 * before a barrier with it, is there before what it stores later. A release fence does
 * that for all PEs at once; it is cumulative, so that barriers in front of it count.
 *
 * quiet: the same stores are visible to all PEs before this thread loads anything again,
 * which takes a full fence. Gets and atomics with an answer are complete on return.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_ORDER_CUH
#define GSHMEM_IMPL_ORDER_CUH

#include <gshmem/impl/proxy.cuh>

namespace gsh_impl {

GSH_DEVICE void fence()
{
    note_fence();
    fence_release();
    remote_fence();
}

GSH_DEVICE void quiet()
{
    fence_full();
    remote_quiet();
    note_quiet();
}

/* For what all threads of the group have stored. */
template <class Group> GSH_DEVICE void group_fence()
{
    Group::sync();
    if (leads<Group>())
        fence();
    Group::sync();
}

template <class Group> GSH_DEVICE void group_quiet()
{
    Group::sync();
    if (leads<Group>())
        quiet();
    Group::sync();
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_ORDER_CUH */
