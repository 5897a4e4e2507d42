/* amo.cuh - atomic memory operations: bodies.
 *
 * An operation is a type: run() on a word that this PE reaches, code for the host.
 * None orders other accesses; nvshmem_fence() and nvshmem_quiet() do.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_AMO_CUH
#define GSHMEM_IMPL_AMO_CUH

#include <gshmem/impl/peer.cuh>

namespace gsh_impl {

#define GSH_AMO(op, number, expression) \
    struct amo_##op { \
        static constexpr int code = GSH_DEVICE_##number; \
        template <class T> static GSH_DEVICE T run(T *p, T value, T cond) \
        { \
            (void)value, (void)cond; \
            if (code != GSH_DEVICE_FETCH) \
                note_post(p, sizeof(T)); \
            T old = expression; \
            if (code != GSH_DEVICE_FETCH) \
                note_posted(p); \
            else \
                note_seen(p, sizeof(T)); \
            return old; \
        } \
    };
GSH_AMO(fetch, FETCH, load(p))
GSH_AMO(set, SET, (store(p, value), value))
GSH_AMO(swap, SET, atomic_swap(p, value))
GSH_AMO(add, ADD, atomic_add(p, value))
GSH_AMO(and, AND, atomic_and(p, value))
GSH_AMO(or, OR, atomic_or(p, value))
GSH_AMO(xor, XOR, atomic_xor(p, value))
GSH_AMO(compare_swap, CSWAP, atomic_cas(p, cond, value))
#undef GSH_AMO

/* Integers, and reals, whose sum the host must be told. */
template <class T> struct amo_sum {
    static constexpr int code = GSH_DEVICE_ADD;
};
template <> struct amo_sum<float> {
    static constexpr int code = GSH_DEVICE_FADD;
};
template <> struct amo_sum<double> {
    static constexpr int code = GSH_DEVICE_FADD;
};

/* The operation at a PE that this one does not reach. */
template <class Op, class T>
GSH_DEVICE T amo_far(const char *call, T *sym, T value, T cond, int pe, bool answers)
{
    typedef typename word<sizeof(T)>::type W;
    int code = Op::code == GSH_DEVICE_ADD ? amo_sum<T>::code + 0 : Op::code + 0;

    return bits<T>(
        (W)remote_amo(call, sym, sizeof(T), code, bits<W>(value), bits<W>(cond), pe, answers));
}

template <class Op, class T>
GSH_DEVICE T amo(const char *call, const T *dest, T value, T cond, int pe)
{
    T *sym = const_cast<T *>(dest);
    T *there = checked(call, sym, sizeof(T), sizeof(T), pe);

    return there ? Op::run(there, value, cond) : amo_far<Op>(call, sym, value, cond, pe, true);
}

/* Without an answer. */
template <class Op, class T> GSH_DEVICE void post(const char *call, T *dest, T value, int pe)
{
    T *there = checked(call, dest, sizeof(T), sizeof(T), pe);

    if (there)
        Op::run(there, value, value);
    else
        amo_far<Op>(call, dest, value, value, pe, false);
}

/* The host knows no 16-bit words: the aligned 32-bit word around it is exchanged. */
template <class H> GSH_DEVICE H remote_half_add(const char *call, H *dest, H value, int pe)
{
    uint64_t own = number(dest);
    uint32_t *around = address<uint32_t>(own & ~(uint64_t)3);
    unsigned shift = (own & 2) * 8;
    uint32_t old = remote_amo(call, around, 4, GSH_DEVICE_FETCH, 0, 0, pe, true);

    for (;;) {
        H was = bits<H>((uint16_t)(old >> shift));
        uint32_t sum = (uint32_t)bits<uint16_t>(H(float(was) + float(value))) << shift;
        uint32_t next = (old & ~((uint32_t)0xffff << shift)) | sum;
        uint32_t seen = remote_amo(call, around, 4, GSH_DEVICE_CSWAP, next, old, pe, true);

        if (seen == old)
            return was;
        old = seen;
    }
}

template <class H> GSH_DEVICE H half_add(const char *call, H *dest, H value, int pe)
{
    H *there = checked(call, dest, sizeof(H), sizeof(H), pe);

    return there ? atomic_add(there, value) : remote_half_add(call, dest, value, pe);
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_AMO_CUH */
