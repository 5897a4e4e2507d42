/* peer.cuh - where this PE loads and stores the symmetric objects of another.
 *
 *     at(sym, pe)            the alias of sym at pe, NULL when there is none
 *     checked(call, ...)     the same for a public call, after GSHMEM_CHECK's checks
 *
 * The windows of one kind mostly lie one stride apart, so that an alias is one multiplication
 * and one addition away. NULL is a PE that needs the host's transport, or no symmetric memory.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_PEER_CUH
#define GSHMEM_IMPL_PEER_CUH

#include <gshmem/impl/proxy.cuh>

namespace gsh_impl {

/* An address for arithmetic, and back. */
GSH_DEVICE uint64_t number(const void *p)
{
    return reinterpret_cast<uint64_t>(p);
}

template <class T> GSH_DEVICE T *address(uint64_t at)
{
    return reinterpret_cast<T *>(at);
}

GSH_DEVICE bool holds(const gsh_device_window &window, uint64_t at)
{
    return at - window.base < window.bytes;
}

/* Where `own`, of this window, is at pe; 0: out of reach. */
GSH_DEVICE uint64_t moved(const gsh_device_window &window, uint64_t own, int pe)
{
    int64_t away = (int64_t)(pe - state().my_pe) * (int64_t)window.stride;

    if (window.away) {
        away = window.away[pe];
        if (away == GSH_UNREACHABLE)
            return 0;
    }
    return own + (uint64_t)away;
}

/* pe is a PE of the job. */
template <class T> GSH_DEVICE T *at(T *sym, int pe)
{
    const gsh_device_window *windows = state().windows;
    uint64_t own = number(sym);

    if (holds(windows[GSH_WINDOW_DEVICE], own))
        return address<T>(moved(windows[GSH_WINDOW_DEVICE], own, pe));
    if (holds(windows[GSH_WINDOW_HOST], own))
        return address<T>(moved(windows[GSH_WINDOW_HOST], own, pe));
    return NULL;
}

/* Whether each PE of the job loads from and stores to each other one; all give the same answer. */
GSH_DEVICE bool all_reach()
{
    return state().all_reach;
}

/* Each way, with the checks. */
GSH_DEVICE_LARGE void *far(const char *call, void *sym, size_t bytes, size_t align, int pe)
{
    if ((state().check || (uint32_t)pe >= (uint32_t)state().n_pes) && bytes)
        check(call, sym, bytes, align, pe);
    void *there = at(sym, pe);
    if (!there && bytes) {
        check(call, sym, bytes, align, pe);
        if (!state().ring)
            fail(call, "this PE cannot be reached from kernels (PE, number of PEs)", pe,
                 state().n_pes);
    }
    return there;
}

/* For the `bytes` at sym, of which each access is aligned to `align`. NULL: by remote_*(),
 * unless there are no bytes. An address that is not symmetric is never left to those. Inlined is
 * the way of most calls: device memory, and all windows one stride apart. */
template <class T>
GSH_DEVICE T *checked(const char *call, const T *sym, size_t bytes, size_t align, int pe)
{
    const gsh_device_window &window = state().windows[GSH_WINDOW_DEVICE];
    uint64_t own = number(sym);

    if (own - window.base >= window.near || (uint32_t)pe >= (uint32_t)state().n_pes)
        return static_cast<T *>(
            far(call, const_cast<void *>(static_cast<const void *>(sym)), bytes, align, pe));
    int64_t away = (int64_t)(pe - state().my_pe) * (int64_t)window.stride;
    T *there = address<T>(own + (uint64_t)away);
    if (!there)
        __builtin_unreachable();
    return there;
}

/* What nvshmem_ptr() gives: any pointer and any PE may be asked for. */
GSH_DEVICE void *reach(const void *ptr, int pe)
{
    return pe >= 0 && pe < state().n_pes ? at(const_cast<void *>(ptr), pe) : NULL;
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_PEER_CUH */
