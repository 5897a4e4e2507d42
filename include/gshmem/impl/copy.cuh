/* copy.cuh - copies between memories that this PE loads from and stores to.
 *
 *     copy<Group>(to, from, bytes)    all threads of the group; no barrier, no order
 *     copy_wide<Group>(...)           its loop for machines where neighbouring threads
 *                                     should touch neighbouring addresses
 *     copy_staged<Group>(...)         by the copy engine, for groups that are too small to have
 *                                     enough loads in flight
 *
 * By loads and stores most bytes go as 16-byte words, several in flight per thread, whatever the
 * alignments:
 *
 *     to and from equally misaligned     head by smaller words | wide words | tail
 *     otherwise                          the same with `to` aligned, each wide word put
 *                                        together of two neighbours of the source
 *
 * Nothing outside of [from, from + bytes) is read. Either side may be any memory of the
 * thread: global of any PE, shared, local, constant.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_COPY_CUH
#define GSHMEM_IMPL_COPY_CUH

#include <gshmem/impl/peer.cuh>
#include <gshmem/impl/staged.cuh>

namespace gsh_impl {

constexpr unsigned WIDE = 16, IN_FLIGHT = 4;
constexpr size_t BUSY_PIECE = 1024; /* copied by loads and stores while others have the stages */

/* From how many bytes on a group leaves its copies to the engine; 0: never. */
template <class Group> struct engine_from {
    enum { bytes = 0 };
};
template <> struct engine_from<thread> {
    enum { bytes = 512 };
};
template <> struct engine_from<warp> {
    enum { bytes = 8192 };
};

template <class W> GSH_DEVICE size_t move(char *to, const char *from)
{
    store(reinterpret_cast<W *>(to), load(reinterpret_cast<const W *>(from)));
    return sizeof(W);
}

/* Copies the largest word that both addresses and the rest allow; returns its bytes. */
GSH_DEVICE size_t move_some(char *to, const char *from, size_t bytes)
{
    unsigned both = (unsigned)(reinterpret_cast<uint64_t>(to) | reinterpret_cast<uint64_t>(from));

    if (both % 8 == 0 && bytes >= 8)
        return move<uint64_t>(to, from);
    if (both % 4 == 0 && bytes >= 4)
        return move<uint32_t>(to, from);
    if (both % 2 == 0 && bytes >= 2)
        return move<uint16_t>(to, from);
    return move<uint8_t>(to, from);
}

/* Short pieces: one thread takes the largest words, a group a byte a thread, which is
 * one access of the machine. */
template <class Group> GSH_DEVICE void copy_short(char *to, const char *from, size_t bytes)
{
    if (Group::size() == 1) {
        for (size_t done = 0; done < bytes;)
            done += move_some(to + done, from + done, bytes - done);
    } else {
        for (size_t i = Group::rank(); i < bytes; i += Group::size())
            move<uint8_t>(to + i, from + i);
    }
}

/* Both are multiples of 16. */
template <class Group> GSH_DEVICE void copy_aligned(char *to, const char *from, size_t words)
{
    const size_t step = Group::size(), stride = step * WIDE;
    size_t i = Group::rank();

    to += i * WIDE;
    from += i * WIDE;
    for (; i + (IN_FLIGHT - 1) * step < words; i += IN_FLIGHT * step) {
        wide w[IN_FLIGHT];

        for (unsigned k = 0; k < IN_FLIGHT; k++)
            w[k] = load_wide(from + k * stride);
        for (unsigned k = 0; k < IN_FLIGHT; k++)
            store_wide(to + k * stride, w[k]);
        to += IN_FLIGHT * stride;
        from += IN_FLIGHT * stride;
    }
    for (; i < words; i += step, to += stride, from += stride)
        store_wide(to, load_wide(from));
}

/* The 16 bytes that begin `skip` bytes into lo and end in hi; 0 < skip < 16. */
GSH_DEVICE wide between(wide lo, wide hi, unsigned skip)
{
    struct quad {
        uint32_t w[4];
    };
    struct pair {
        quad q[2];
    } all = { { bits<quad>(lo), bits<quad>(hi) } };
    uint32_t v[8], x[6];
    quad out;

    for (int k = 0; k < 8; k++)
        v[k] = all.q[k / 4].w[k % 4];
    for (int k = 0; k < 6; k++)
        x[k] = skip & 8 ? v[k + 2] : v[k];
    for (int k = 0; k < 5; k++)
        x[k] = skip & 4 ? x[k + 1] : x[k];
    for (int k = 0; k < 4; k++)
        out.w[k] = (uint32_t)(((uint64_t)x[k + 1] << 32 | x[k]) >> (skip % 4 * 8));
    return bits<wide>(out);
}

/* to is a multiple of 16, from is `skip` bytes beyond one. A group reads each source word
 * twice, the second time near by; one thread keeps it. */
template <class Group>
GSH_DEVICE void copy_skewed(char *to, const char *from, size_t words, unsigned skip)
{
    constexpr unsigned N = IN_FLIGHT / 2;
    const size_t step = Group::size(), stride = step * WIDE;
    size_t i = Group::rank();

    to += i * WIDE;
    from += i * WIDE;
    from -= skip;
    for (; i + (N - 1) * step < words; i += N * step) {
        wide lo[N], hi[N];

        for (unsigned k = 0; k < N; k++) {
            lo[k] = load_wide(from + k * stride);
            hi[k] = load_wide(from + k * stride + WIDE);
        }
        for (unsigned k = 0; k < N; k++)
            store_wide(to + k * stride, between(lo[k], hi[k], skip));
        to += N * stride;
        from += N * stride;
    }
    for (; i < words; i += step, to += stride, from += stride)
        store_wide(to, between(load_wide(from), load_wide(from + WIDE), skip));
}

template <class Group> GSH_DEVICE_LARGE void copy_wide(void *dest, const void *source, size_t bytes)
{
    char *to = static_cast<char *>(dest);
    const char *from = static_cast<const char *>(source);
    if ((number(to) | number(from) | bytes) % WIDE == 0)
        return copy_aligned<Group>(to, from, bytes / WIDE);

    size_t head = (0 - reinterpret_cast<uint64_t>(to)) % WIDE;
    unsigned skip = (reinterpret_cast<uint64_t>(from) + head) % WIDE;
    size_t words = 0;

    /* Of a skewed source, the word below and the one above must lie inside. */
    if (skip > head)
        head += WIDE;
    if (bytes >= head + (skip ? 2 * WIDE - skip : WIDE))
        words = (bytes - head + (skip ? skip : WIDE) - WIDE) / WIDE;
    if (!words)
        return copy_short<Group>(to, from, bytes);
    copy_short<Group>(to, from, head);
    to += head;
    from += head;
    if (skip)
        copy_skewed<Group>(to, from, words, skip);
    else
        copy_aligned<Group>(to, from, words);
    words *= WIDE;
    copy_short<Group>(to + words, from + words, bytes - head - words);
}

/* A slice of the range a thread, for cores: each has its own stream of addresses. */
template <class Group> GSH_DEVICE void copy_slice(void *to, const void *from, size_t bytes)
{
    const size_t line = 64;
    size_t slice = (bytes / Group::size() + line) / line * line;
    size_t first = Group::rank() * slice;

    if (first < bytes)
        memcpy(static_cast<char *>(to) + first, static_cast<const char *>(from) + first,
               bytes - first < slice ? bytes - first : slice);
}

/* One thread of the group has the stages, or none. */
template <class Group> GSH_DEVICE bool group_takes_stages()
{
    return Group::size() == 1 ? take_stages()
                              : warp_broadcast((int)(leads<Group>() && take_stages()), 0);
}

/* For one thread, or a warp. */
template <class Group>
GSH_DEVICE_LARGE void copy_staged(void *dest, const void *source, size_t bytes)
{
    char *to = static_cast<char *>(dest);
    const char *from = static_cast<const char *>(source);
    size_t head = (0 - number(to)) % WIDE;

    if ((number(to) ^ number(from)) % WIDE || bytes < head + WIDE || !engine_reaches(to) ||
        !engine_reaches(from))
        return copy_wide<Group>(to, from, bytes);
    copy_short<Group>(to, from, head);
    for (size_t done = head, part; done < bytes; done += part) {
        part = (bytes - done) / WIDE * WIDE;
        if (!part || !group_takes_stages<Group>()) {
            part = bytes - done < BUSY_PIECE ? bytes - done : BUSY_PIECE;
            copy_wide<Group>(to + done, from + done, part);
        } else if (leads<Group>()) {
            copy_by_engine(to + done, from + done, part);
            give_stages();
        }
    }
}

/* How a group copies where there is an engine, and where not. */
template <class Group, bool Engine> struct copier {
    static GSH_DEVICE void copy(void *to, const void *from, size_t bytes)
    {
        copy_wide<Group>(to, from, bytes);
    }
};
template <class Group> struct copier<Group, true> {
    static GSH_DEVICE void copy(void *to, const void *from, size_t bytes)
    {
        if (bytes < engine_from<Group>::bytes)
            copy_wide<Group>(to, from, bytes);
        else
            copy_staged<Group>(to, from, bytes);
    }
};

template <class Group> GSH_DEVICE void copy(void *to, const void *from, size_t bytes)
{
    if (COPY_SLICES)
        copy_slice<Group>(to, from, bytes);
    else
        copier<Group, ENGINE && GSHMEM_STAGING != 0 && engine_from<Group>::bytes != 0>::copy(
            to, from, bytes);
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_COPY_CUH */
