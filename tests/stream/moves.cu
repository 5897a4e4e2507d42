/* Put, get, their _nbi, strided, sized, mem and signal forms, p and g, signals and waits in
 * streams, of every type, move exactly the elements asked for, and come one after the other.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "stream.cuh"

enum { N = 1000 };

#define CALLS(name, type, unused) \
    struct calls_##name { \
        typedef type T; \
        static void put(T *to, const T *from, size_t n, int pe) \
        { \
            nvshmemx_##name##_put_on_stream(to, from, n, pe, s); \
        } \
        static void put_nbi(T *to, const T *from, size_t n, int pe) \
        { \
            nvshmemx_##name##_put_nbi_on_stream(to, from, n, pe, s); \
        } \
        static void get(T *to, const T *from, size_t n, int pe) \
        { \
            nvshmemx_##name##_get_on_stream(to, from, n, pe, s); \
        } \
        static void get_nbi(T *to, const T *from, size_t n, int pe) \
        { \
            nvshmemx_##name##_get_nbi_on_stream(to, from, n, pe, s); \
        } \
        static void iput(T *to, const T *from, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe) \
        { \
            nvshmemx_##name##_iput_on_stream(to, from, dst, sst, n, pe, s); \
        } \
        static void iget(T *to, const T *from, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe) \
        { \
            nvshmemx_##name##_iget_on_stream(to, from, dst, sst, n, pe, s); \
        } \
        static void put_signal(T *to, const T *from, size_t n, uint64_t *sig, uint64_t value, \
                               int op, int pe) \
        { \
            nvshmemx_##name##_put_signal_on_stream(to, from, n, sig, value, op, pe, s); \
        } \
        static void put_signal_nbi(T *to, const T *from, size_t n, uint64_t *sig, uint64_t value, \
                                   int op, int pe) \
        { \
            nvshmemx_##name##_put_signal_nbi_on_stream(to, from, n, sig, value, op, pe, s); \
        } \
        static void p(T *to, T value, int pe) { nvshmemx_##name##_p_on_stream(to, value, pe, s); } \
        static T g(const T *from, int pe) { return nvshmemx_##name##_g_on_stream(from, pe, s); } \
    };
GSH_RMA_TYPES(CALLS, _)
#undef CALLS

/* The forms with a number in their name, on arrays of chars. */
#define SIZED(bits, unused) \
    struct calls_##bits { \
        struct T { \
            unsigned char b[bits / 8]; \
        }; \
        static void put(T *to, const T *from, size_t n, int pe) \
        { \
            nvshmemx_put##bits##_on_stream(to, from, n, pe, s); \
        } \
        static void put_nbi(T *to, const T *from, size_t n, int pe) \
        { \
            nvshmemx_put##bits##_nbi_on_stream(to, from, n, pe, s); \
        } \
        static void get(T *to, const T *from, size_t n, int pe) \
        { \
            nvshmemx_get##bits##_on_stream(to, from, n, pe, s); \
        } \
        static void get_nbi(T *to, const T *from, size_t n, int pe) \
        { \
            nvshmemx_get##bits##_nbi_on_stream(to, from, n, pe, s); \
        } \
        static void iput(T *to, const T *from, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe) \
        { \
            nvshmemx_iput##bits##_on_stream(to, from, dst, sst, n, pe, s); \
        } \
        static void iget(T *to, const T *from, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe) \
        { \
            nvshmemx_iget##bits##_on_stream(to, from, dst, sst, n, pe, s); \
        } \
        static void put_signal(T *to, const T *from, size_t n, uint64_t *sig, uint64_t value, \
                               int op, int pe) \
        { \
            nvshmemx_put##bits##_signal_on_stream(to, from, n, sig, value, op, pe, s); \
        } \
        static void put_signal_nbi(T *to, const T *from, size_t n, uint64_t *sig, uint64_t value, \
                                   int op, int pe) \
        { \
            nvshmemx_put##bits##_signal_nbi_on_stream(to, from, n, sig, value, op, pe, s); \
        } \
    };
GSH_SIZES(SIZED, _)
#undef SIZED

struct calls_mem {
    typedef unsigned char T;
    static void put(T *to, const T *from, size_t n, int pe)
    {
        nvshmemx_putmem_on_stream(to, from, n, pe, s);
    }
    static void put_nbi(T *to, const T *from, size_t n, int pe)
    {
        nvshmemx_putmem_nbi_on_stream(to, from, n, pe, s);
    }
    static void get(T *to, const T *from, size_t n, int pe)
    {
        nvshmemx_getmem_on_stream(to, from, n, pe, s);
    }
    static void get_nbi(T *to, const T *from, size_t n, int pe)
    {
        nvshmemx_getmem_nbi_on_stream(to, from, n, pe, s);
    }
    static void put_signal(T *to, const T *from, size_t n, uint64_t *sig, uint64_t value, int op,
                           int pe)
    {
        nvshmemx_putmem_signal_on_stream(to, from, n, sig, value, op, pe, s);
    }
    static void put_signal_nbi(T *to, const T *from, size_t n, uint64_t *sig, uint64_t value,
                               int op, int pe)
    {
        nvshmemx_putmem_signal_nbi_on_stream(to, from, n, sig, value, op, pe, s);
    }
};

/* Bytes of both areas: the source by PE and turn, the dest of all the same. */
static void lay_out(int turn)
{
    fill<unsigned char>(source, turn, AREA / 16);
    cudaMemsetAsync(dest, 0, AREA / 16, s);
    nvshmemx_barrier_all_on_stream(s);
}

/* Bytes [0, bytes) at dest are those of a PE's source, and those behind are 0. */
static void expect_moved(const char *what, size_t bytes, int pe, int turn)
{
    nvshmemx_barrier_all_on_stream(s);
    expect<unsigned char>(dest, bytes + 64, what, [=](size_t i) {
        return i < bytes ? element<unsigned char>(pe, turn, i) : (unsigned char)0;
    });
}

template <class C> void moves(const char *name)
{
    typedef typename C::T T;
    T *to = (T *)dest, *from = (T *)source;

    lay_out(1);
    C::put(to, from, N, next_pe);
    expect_moved(name, N * sizeof(T), last_pe, 1);
    lay_out(2);
    C::put_nbi(to, from, N - 1, next_pe);
    expect_moved(name, (N - 1) * sizeof(T), last_pe, 2);
    lay_out(3);
    C::get(to, from, N, next_pe);
    expect_moved(name, N * sizeof(T), next_pe, 3);
    lay_out(4);
    C::get_nbi(to, from, N, next_pe);
    nvshmemx_quiet_on_stream(s);
    expect_moved(name, N * sizeof(T), next_pe, 4);
    C::put(to, from, 0, next_pe);
}

/* The stream of the other PE waits for the signal, and then has the data. */
template <class C> void signals(const char *name)
{
    typedef typename C::T T;
    static uint64_t seen;

    lay_out(5);
    C::put_signal((T *)dest, (const T *)source, N, words, ++seen, NVSHMEM_SIGNAL_SET, next_pe);
    nvshmemx_signal_wait_until_on_stream(words, NVSHMEM_CMP_EQ, seen, s);
    expect<unsigned char>(dest, N * sizeof(T), name,
                          [](size_t i) { return element<unsigned char>(last_pe, 5, i); });
    lay_out(6);
    C::put_signal_nbi((T *)dest, (const T *)source, N, words, 1, NVSHMEM_SIGNAL_ADD, next_pe);
    nvshmemx_signal_wait_until_on_stream(words, NVSHMEM_CMP_GE, ++seen, s);
    expect<unsigned char>(dest, N * sizeof(T), name,
                          [](size_t i) { return element<unsigned char>(last_pe, 6, i); });
}

template <class C> void strides(const char *name)
{
    typedef typename C::T T;
    T *to = (T *)dest, *from = (T *)source;

    for (int get = 0; get < 2; get++) {
        int pe = get ? next_pe : last_pe, turn = 7 + get;

        lay_out(turn);
        if (get)
            C::iget(to, from, 3, 2, N / 4, next_pe);
        else
            C::iput(to, from, 3, 2, N / 4, next_pe);
        nvshmemx_barrier_all_on_stream(s);
        expect<unsigned char>(dest, N / 4 * 3 * sizeof(T), name, [=](size_t b) {
            size_t i = b / sizeof(T), from_byte = i / 3 * 2 * sizeof(T) + b % sizeof(T);

            return i % 3 ? (unsigned char)0 : element<unsigned char>(pe, turn, from_byte);
        });
    }
}

template <class C> void elements(const char *name)
{
    typedef typename C::T T;
    T *to = (T *)dest, *from = (T *)source;

    lay_out(9);
    fill<T>(source, 9, N);
    nvshmemx_barrier_all_on_stream(s);
    for (int i = 0; i < 5; i++)
        C::p(&to[i], element<T>(me, 10, i), next_pe);
    nvshmemx_barrier_all_on_stream(s);
    expect<T>(dest, 6, name, [](size_t i) { return i < 5 ? element<T>(last_pe, 10, i) : (T)0.f; });
    for (int i = 0; i < 5; i++)
        CHECK((float)C::g(&from[i], next_pe) == (float)element<T>(next_pe, 9, i), "%s %d", name, i);
    nvshmemx_barrier_all_on_stream(s);
}

/* A word of the type is put by the last PE and waited for in each form. */
#define WAITS(name, type, unused) \
    static void waits_##name(void) \
    { \
        type *w = (type *)dest, want[3] = { 1, 2, 3 }, *values = (type *)source; \
        int skip[3] = { 0, 1, 0 }, *status = (int *)result; \
\
        lay_out(11); \
        cudaMemsetAsync(dest, 0, 256, s); \
        to_device(values, want, sizeof(want)); \
        to_device(status, skip, sizeof(skip)); \
        nvshmemx_barrier_all_on_stream(s); \
        nvshmemx_##name##_p_on_stream(&w[0], 1, next_pe, s); \
        nvshmemx_##name##_wait_until_on_stream(&w[0], NVSHMEM_CMP_NE, 0, s); \
        nvshmemx_##name##_p_on_stream(&w[2], (type)3, next_pe, s); \
        nvshmemx_##name##_wait_until_all_on_stream(w, 3, status, NVSHMEM_CMP_GT, 0, s); \
        nvshmemx_##name##_p_on_stream(&w[1], (type)2, next_pe, s); \
        nvshmemx_##name##_wait_until_all_vector_on_stream(w, 3, NULL, NVSHMEM_CMP_EQ, values, s); \
        expect<type>(dest, 3, #name, [](size_t i) { return (type)(i + 1); }); \
        nvshmemx_barrier_all_on_stream(s); \
        nvshmemx_##name##_p_on_stream(&w[0], (type)-5, next_pe, s); \
        nvshmemx_##name##_wait_until_on_stream( \
            &w[0], (type)-1 < (type)0 ? NVSHMEM_CMP_LT : NVSHMEM_CMP_GT, \
            (type)((type)-1 < (type)0 ? 0 : 100), s); \
        nvshmemx_barrier_all_on_stream(s); \
    }
GSH_WAIT_TYPES(WAITS, _)
#undef WAITS

static void all(void)
{
#define EACH(name, type, unused) moves<calls_##name>(#name);
#define EACH_SIZE(bits, unused) moves<calls_##bits>(#bits);
    GSH_RMA_TYPES(EACH, _)
    GSH_SIZES(EACH_SIZE, _)
    moves<calls_mem>("mem");
    fact("put, get and their nbi forms move what was asked for");
#undef EACH
#undef EACH_SIZE

#define EACH(name, type, unused) signals<calls_##name>(#name);
#define EACH_SIZE(bits, unused) signals<calls_##bits>(#bits);
    GSH_RMA_TYPES(EACH, _)
    GSH_SIZES(EACH_SIZE, _)
    signals<calls_mem>("mem");
    fact("a stream that has waited for the signal has the data");
#undef EACH
#undef EACH_SIZE

#define EACH(name, type, unused) strides<calls_##name>(#name);
#define EACH_SIZE(bits, unused) strides<calls_##bits>(#bits);
    GSH_RMA_TYPES(EACH, _)
    GSH_SIZES(EACH_SIZE, _)
    fact("iput and iget move every other element");
#undef EACH
#undef EACH_SIZE

#define EACH(name, type, unused) elements<calls_##name>(#name);
    GSH_RMA_TYPES(EACH, _)
    fact("p puts a value, g gets one");
#undef EACH

#define EACH(name, type, unused) waits_##name();
    GSH_WAIT_TYPES(EACH, _)
    fact("streams wait for words of each type, signed and unsigned");
#undef EACH
}

int main()
{
    begin();
    all();
    nvshmemx_putmem_stream(dest, source, 16, next_pe, s);
    nvshmemx_signal_op_on_stream(&words[1], 7, NVSHMEM_SIGNAL_SET, next_pe, s);
    nvshmemx_signal_op_on_stream(&words[1], 1, NVSHMEM_SIGNAL_ADD, next_pe, s);
    nvshmemx_signal_wait_until_on_stream(&words[1], NVSHMEM_CMP_EQ, 8, s);
    cudaStreamSynchronize(s);
    CHECK(nvshmem_signal_fetch(&words[1]) == 8, "the signal");
    fact("signals are set and added to in a stream");
    return end();
}
