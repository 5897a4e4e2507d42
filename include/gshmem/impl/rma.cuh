/* rma.cuh - put and get: bodies.
 *
 * All threads of the group call with the same arguments. There is no barrier before the
 * copy: what the group itself writes to the source it orders before the call, as with any
 * read of it. There is one after it, in the _nbi forms too: the source of a put may then
 * be written, the result of a get be read, and a quiet or fence of any thread of the group
 * covers what all of it has stored. Loads and stores are made at once, so that an _nbi put
 * from a variable that dies before quiet is safe.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_RMA_CUH
#define GSHMEM_IMPL_RMA_CUH

#include <gshmem/impl/copy.cuh>
#include <gshmem/impl/peer.cuh>

namespace gsh_impl {

/* `align` is what the type of the elements demands. */
template <class Group>
GSH_DEVICE void put(const char *call, void *dest, const void *source, size_t bytes, int pe,
                    size_t align = 1)
{
    void *there = checked(call, dest, bytes, align, pe);

    if (leads<Group>())
        note_put(there, source, bytes);
    if (there)
        copy<Group>(there, source, bytes);
    else if (leads<Group>() && bytes)
        remote_put(call, dest, source, bytes, pe);
    Group::sync();
}

template <class Group>
GSH_DEVICE void get(const char *call, void *dest, const void *source, size_t bytes, int pe,
                    size_t align = 1)
{
    const void *there = checked(call, source, bytes, align, pe);

    if (leads<Group>())
        note_get(dest, there, bytes);
    if (there)
        copy<Group>(dest, there, bytes);
    else if (leads<Group>() && bytes)
        remote_get(call, dest, source, bytes, pe);
    Group::sync();
}

template <class T> GSH_DEVICE void p(const char *call, T *dest, T value, int pe)
{
    T *there = checked(call, dest, sizeof(T), sizeof(T), pe);

    note_put(there, &value, sizeof(T));
    if (there)
        store(there, value);
    else
        remote_p(call, dest, value, pe);
}

template <class T> GSH_DEVICE T g(const char *call, const T *source, int pe)
{
    const T *there = checked(call, source, sizeof(T), sizeof(T), pe);
    T value;

    note_get(&value, there, sizeof(T));
    if (there)
        return load(there);
    remote_get(call, &value, source, sizeof(T), pe);
    return value;
}

/* Elements of put8 to put128, and of the types of that size. */
template <int Bits> struct element {
    typename word<Bits / 8>::type bits;

    static GSH_DEVICE void move(element *to, const element *from)
    {
        store(&to->bits, load(&from->bits));
    }
};
template <> struct element<128> {
    wide bits;

    static GSH_DEVICE void move(element *to, const element *from)
    {
        store_wide(to, load_wide(from));
    }
};

GSH_DEVICE size_t span(ptrdiff_t stride, size_t nelems, size_t bytes)
{
    return nelems ? ((nelems - 1) * stride + 1) * bytes : 0;
}

template <class Group, int Bits>
GSH_DEVICE void iput(const char *call, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                     size_t nelems, int pe)
{
    typedef element<Bits> E;
    E *to = static_cast<E *>(dest);
    const E *from = static_cast<const E *>(source);
    E *there = checked(call, to, span(dst, nelems, sizeof(E)), sizeof(E), pe);

    for (size_t i = Group::rank(); there && i < nelems; i += Group::size()) {
        note_put(there + (ptrdiff_t)i * dst, from + (ptrdiff_t)i * sst, sizeof(E));
        E::move(there + (ptrdiff_t)i * dst, from + (ptrdiff_t)i * sst);
    }
    for (size_t i = Group::rank(); !there && i < nelems; i += Group::size())
        remote_put(call, to + (ptrdiff_t)i * dst, from + (ptrdiff_t)i * sst, sizeof(E), pe);
    Group::sync();
}

template <class Group, int Bits>
GSH_DEVICE void iget(const char *call, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                     size_t nelems, int pe)
{
    typedef element<Bits> E;
    E *to = static_cast<E *>(dest);
    const E *from = static_cast<const E *>(source);
    const E *there = checked(call, from, span(sst, nelems, sizeof(E)), sizeof(E), pe);

    for (size_t i = Group::rank(); there && i < nelems; i += Group::size()) {
        note_get(to + (ptrdiff_t)i * dst, there + (ptrdiff_t)i * sst, sizeof(E));
        E::move(to + (ptrdiff_t)i * dst, there + (ptrdiff_t)i * sst);
    }
    for (size_t i = Group::rank(); !there && i < nelems; i += Group::size())
        remote_get(call, to + (ptrdiff_t)i * dst, from + (ptrdiff_t)i * sst, sizeof(E), pe);
    Group::sync();
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_RMA_CUH */
