/* arch_cpu.cuh - the primitives of arch.cuh for the CPU device: C++ over engine.h. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_ARCH_CPU_CUH
#define GSHMEM_IMPL_ARCH_CPU_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gshmem/cpu/engine.h>
#include <gshmem/cpu/order.h>
#include <gshmem/cpu/race.h>
#include <string.h>

#define GSH_DEVICE inline
#define GSH_DEVICE_LARGE inline
#define GSH_UNROLL
#define GSH_ROLL

namespace gsh_impl {

GSH_DEVICE const gsh_device_state &state()
{
    return gsh_cpu_device_state;
}

/* A public call, as long as it lasts. */
class calling {
  public:
    GSH_DEVICE calling(const char *call, const void *where)
    {
        gsh_cpu_fiber->call = call;
        gsh_cpu_fiber->where = where;
        gsh_cpu_fiber->muted++;
    }
    GSH_DEVICE ~calling() { gsh_cpu_fiber->muted--; }
    calling(const calling &) = delete;
    calling &operator=(const calling &) = delete;
};

/* A call by the host. The library finds the user's line by its own return address, as this
 * call is the last thing that is done here; only programs for the race checker are
 * compiled in another way. */
#ifdef GSHMEM_RACE
class from_host {
  public:
    GSH_DEVICE explicit from_host(const void *where) { gsh_race_host = where; }
    GSH_DEVICE ~from_host() { gsh_race_host = NULL; }
    from_host(const from_host &) = delete;
    from_host &operator=(const from_host &) = delete;
};
#else
struct from_host {
    GSH_DEVICE explicit from_host(const void *) {}
};
#endif

template <int Bytes> struct word;
template <> struct word<1> {
    typedef uint8_t type;
};
template <> struct word<2> {
    typedef uint16_t type;
};
template <> struct word<4> {
    typedef uint32_t type;
};
template <> struct word<8> {
    typedef uint64_t type;
};

template <class To, class From> GSH_DEVICE To bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "bits of one size");
    To to;

    memcpy(&to, &from, sizeof(to));
    return to;
}

template <class T> GSH_DEVICE typename word<sizeof(T)>::type *word_at(const T *p)
{
    typedef typename word<sizeof(T)>::type W;

    return const_cast<W *>(reinterpret_cast<const W *>(p));
}

template <class T> GSH_DEVICE T load(const T *p)
{
    return bits<T>(__atomic_load_n(word_at(p), GSH_LOADS));
}

template <class T> GSH_DEVICE void store(T *p, T value)
{
    __atomic_store_n(word_at(p), bits<typename word<sizeof(T)>::type>(value), GSH_STORES);
}

GSH_DEVICE void load_pair(const uint64_t *p, uint64_t *first, uint64_t *second)
{
    *first = load(p);
    *second = load(p + 1);
}

GSH_DEVICE void store_pair(uint64_t *p, uint64_t first, uint64_t second)
{
    store(p, first);
    store(p + 1, second);
}

template <class T> GSH_DEVICE T load_acquire(const T *p)
{
    return bits<T>(__atomic_load_n(word_at(p), __ATOMIC_ACQUIRE));
}

template <class T> GSH_DEVICE void store_release(T *p, T value)
{
    __atomic_store_n(word_at(p), bits<typename word<sizeof(T)>::type>(value), __ATOMIC_RELEASE);
}

#if __GNUC__ >= 11 /* clang says 4 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan" /* they are not seen: known, see above */
#endif
GSH_DEVICE void fence_acquire()
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

GSH_DEVICE void fence_release()
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

GSH_DEVICE void fence_full()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#if __GNUC__ >= 11
#pragma GCC diagnostic pop
#endif

template <class T> GSH_DEVICE T atomic_cas(T *p, T cond, T value)
{
    typedef typename word<sizeof(T)>::type W;
    W old = bits<W>(cond);

    __atomic_compare_exchange_n(word_at(p), &old, bits<W>(value), false, GSH_UPDATES, GSH_LOADS);
    return bits<T>(old);
}

/* The sum is made by T's own addition, so that this serves integers, which wrap, and
 * floating point. */
template <class T> struct atoms {
    static GSH_DEVICE T add(T *p, T v)
    {
        return (T)__atomic_fetch_add(word_at(p), (typename word<sizeof(T)>::type)v, GSH_UPDATES);
    }
};

template <class T> struct real_atoms {
    static GSH_DEVICE T add(T *p, T v)
    {
        for (T old = load(p);;) {
            T was = atomic_cas(p, old, T(old + v));

            if (bits<typename word<sizeof(T)>::type>(was) ==
                bits<typename word<sizeof(T)>::type>(old))
                return was;
            old = was;
        }
    }
};

template <> struct atoms<float> : real_atoms<float> {
};
template <> struct atoms<double> : real_atoms<double> {
};
template <> struct atoms<__half> : real_atoms<__half> {
};
template <> struct atoms<__nv_bfloat16> : real_atoms<__nv_bfloat16> {
};

template <class T> GSH_DEVICE T atomic_add(T *p, T v)
{
    return atoms<T>::add(p, v);
}

#define GSH_ATOMIC(name, builtin) \
    template <class T> GSH_DEVICE T name(T *p, T v) \
    { \
        typedef typename word<sizeof(T)>::type W; \
\
        return bits<T>(builtin(word_at(p), bits<W>(v), GSH_UPDATES)); \
    }
GSH_ATOMIC(atomic_and, __atomic_fetch_and)
GSH_ATOMIC(atomic_or, __atomic_fetch_or)
GSH_ATOMIC(atomic_xor, __atomic_fetch_xor)
GSH_ATOMIC(atomic_swap, __atomic_exchange_n)
#undef GSH_ATOMIC
#undef GSH_LOADS
#undef GSH_STORES
#undef GSH_UPDATES

struct alignas(16) wide {
    uint64_t lo, hi;
};
enum { COPY_SLICES = 1 };

GSH_DEVICE wide load_wide(const void *p)
{
    wide w;

    memcpy(&w, __builtin_assume_aligned(p, 16), sizeof(w));
    return w;
}

GSH_DEVICE void store_wide(void *p, wide w)
{
    memcpy(__builtin_assume_aligned(p, 16), &w, sizeof(w));
}

GSH_DEVICE unsigned thread_rank()
{
    return gsh_cpu_fiber->rank;
}

GSH_DEVICE unsigned block_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

GSH_DEVICE unsigned lane()
{
    return thread_rank() % 32;
}

GSH_DEVICE void warp_sync()
{
    gsh_cpu_syncwarp(0xffffffffu);
}

GSH_DEVICE void block_sync()
{
    gsh_cpu_syncthreads(GSH_CPU_NONE, 0);
}

GSH_DEVICE void barrier_sync(unsigned id, unsigned threads)
{
    gsh_cpu_barrier(id, threads);
}

template <class T> GSH_DEVICE T warp_broadcast(T value, int from)
{
    uint64_t all[GSH_CPU_WARP];

    gsh_cpu_exchange(0xffffffffu, (uint64_t)bits<typename word<sizeof(T)>::type>(value), all);
    return bits<T>((typename word<sizeof(T)>::type)all[from]);
}

GSH_DEVICE unsigned long long clock_ns()
{
    return gsh_cpu_globaltimer();
}

class waiting {
  public:
    template <class T>
    GSH_DEVICE waiting(const char *, const T *address, int cmp, T value)
        : wait{ address, (uint64_t)value, cmp, (int)sizeof(T), 0, 0 }
    {
    }
    GSH_DEVICE void pause() { gsh_cpu_pause(&wait); }

  private:
    gsh_cpu_wait wait;
};

typedef waiting host_waiting;

GSH_DEVICE void fail(const char *, const char *what, long long a, long long b)
{
    gsh_cpu_trap("%s (%lld, %lld)", what, a, b);
}

GSH_DEVICE void check(const char *, const void *sym, size_t bytes, size_t align, int pe)
{
    gsh_cpu_check(sym, bytes, align, pe);
}

GSH_DEVICE bool host_sees(const void *)
{
    return true;
}

GSH_DEVICE void ring_bell()
{
    gsh_cpu_ring_bell();
}

/* --- For the race checker; NULL is a PE that it does not see --- */

GSH_DEVICE gsh_race_form race_form()
{
    return strstr(gsh_cpu_fiber->call, "_nbi") ? GSH_RACE_NBI : GSH_RACE_BLOCKING;
}

GSH_DEVICE void note_put(const void *there, const void *source, size_t bytes)
{
    if (gsh_race_on && there)
        gsh_race_put(there, source, bytes, NULL, race_form());
}

GSH_DEVICE void note_get(const void *dest, const void *there, size_t bytes)
{
    if (gsh_race_on && there)
        gsh_race_get(dest, there, bytes, NULL, race_form());
}

GSH_DEVICE void note_payload(const void *there, const void *source, size_t bytes)
{
    if (gsh_race_on && there)
        gsh_race_payload(there, source, bytes, NULL, race_form());
}

/* With an answer, which makes the thread know what others have posted? */
GSH_DEVICE bool race_fetches()
{
    return strstr(gsh_cpu_fiber->call, "fetch") || strstr(gsh_cpu_fiber->call, "swap");
}

GSH_DEVICE void note_post(const void *there, size_t bytes)
{
    if (gsh_race_on && there)
        gsh_race_post(there, bytes, race_fetches(), NULL);
}

GSH_DEVICE void note_posted(const void *there)
{
    if (gsh_race_on && there)
        gsh_race_posted(there, race_fetches());
}

GSH_DEVICE void note_seen(const void *word, size_t bytes)
{
    if (gsh_race_on)
        gsh_race_observe(word, bytes, NULL);
}

GSH_DEVICE void note_touch(const void *at, size_t bytes, bool writes)
{
    if (gsh_race_on && at)
        gsh_race_touch(at, bytes, writes, NULL);
}

GSH_DEVICE void note_release(const void *word)
{
    if (gsh_race_on && word)
        gsh_race_release(word);
}

GSH_DEVICE void note_acquire(const void *word)
{
    if (gsh_race_on)
        gsh_race_acquire(word);
}

GSH_DEVICE void note_fence()
{
    if (gsh_race_on)
        gsh_race_fence();
}

GSH_DEVICE void note_quiet()
{
    if (gsh_race_on)
        gsh_race_quiet();
}

} // namespace gsh_impl

#include <gshmem/impl/engine_none.cuh>

#endif /* GSHMEM_IMPL_ARCH_CPU_CUH */
