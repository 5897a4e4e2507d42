/* arch_cuda.cuh - the primitives of arch.cuh for CUDA, sm_75 and newer. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_ARCH_CUDA_CUH
#define GSHMEM_IMPL_ARCH_CUDA_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef __CUDACC_RTC__ /* which has printf and memcpy of its own */
#include <stdio.h>
#include <string.h>
#endif

#define GSH_DEVICE __device__ __forceinline__
#define GSH_DEVICE_LARGE __device__ __noinline__ inline
#define GSH_UNROLL _Pragma("unroll")
#define GSH_ROLL _Pragma("unroll 1")

/* sm_90 has fences for one direction. To acquire takes no more than to forget the lines of the
 * first cache there; to release, nothing but to wait for the stores. See docs/memory-model.md. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && \
    __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1208
#define GSH_FENCE_ACQUIRE "fence.acquire.sys;"
#define GSH_FENCE_RELEASE "fence.release.sys;"
#else
#define GSH_FENCE_ACQUIRE "fence.acq_rel.sys;"
#define GSH_FENCE_RELEASE "fence.acq_rel.sys;"
#endif

/* Each unit has its own copy, so that neither relocatable code nor a device archive is
 * needed; bind.cuh tells the library where it is. In modules that are loaded by hand it is
 * found by its name. */
#if defined(__CUDACC_RTC__) || defined(GSH_LIBRARY_MODULE)
extern "C" {
__constant__ struct gsh_device_state gsh_device_state_d;
}
#else
static __constant__ struct gsh_device_state gsh_device_state_d;
#endif

#ifdef __CUDA_ARCH__
namespace gsh_impl {

GSH_DEVICE const gsh_device_state &state()
{
    return gsh_device_state_d;
}

/* The bits of a value: CUDA's atomics know some types of each size only, and classes such
 * as __half are no volatile objects. */
template <int Bytes> struct word;
template <> struct word<1> {
    typedef unsigned char type;
};
template <> struct word<2> {
    typedef unsigned short type;
};
template <> struct word<4> {
    typedef unsigned int type;
};
template <> struct word<8> {
    typedef unsigned long long type;
};

template <class To, class From> GSH_DEVICE To bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "bits of one size");
    To to;

    memcpy(&to, &from, sizeof(to));
    return to;
}

template <class T> GSH_DEVICE T load(const T *p)
{
    typedef typename word<sizeof(T)>::type W;

    return bits<T>(*reinterpret_cast<const volatile W *>(p));
}

template <class T> GSH_DEVICE void store(T *p, T value)
{
    typedef typename word<sizeof(T)>::type W;

    *reinterpret_cast<volatile W *>(p) = bits<W>(value);
}

/* Two words beside each other, each of them in one access. */
GSH_DEVICE void load_pair(const uint64_t *p, uint64_t *first, uint64_t *second)
{
    asm volatile("ld.relaxed.sys.v2.u64 {%0, %1}, [%2];"
                 : "=l"(*first), "=l"(*second)
                 : "l"(p)
                 : "memory");
}

GSH_DEVICE void store_pair(uint64_t *p, uint64_t first, uint64_t second)
{
    asm volatile("st.relaxed.sys.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(first), "l"(second)
                 : "memory");
}

GSH_DEVICE void fence_acquire()
{
    asm volatile(GSH_FENCE_ACQUIRE ::: "memory");
}

GSH_DEVICE void fence_release()
{
    asm volatile(GSH_FENCE_RELEASE ::: "memory");
}

GSH_DEVICE void fence_full()
{
    asm volatile("fence.sc.sys;" ::: "memory");
}

template <class T> GSH_DEVICE T load_acquire(const T *p)
{
    T value = load(p);

    fence_acquire();
    return value;
}

template <class T> GSH_DEVICE void store_release(T *p, T value)
{
    fence_release();
    store(p, value);
}

template <class T> struct atoms {
    typedef typename word<sizeof(T)>::type W;

    static GSH_DEVICE W *at(T *p) { return reinterpret_cast<W *>(p); }
    static GSH_DEVICE T add(T *p, T v) { return bits<T>(atomicAdd_system(at(p), bits<W>(v))); }
};

template <> struct atoms<float> {
    static GSH_DEVICE float add(float *p, float v) { return atomicAdd_system(p, v); }
};
template <> struct atoms<double> {
    static GSH_DEVICE double add(double *p, double v) { return atomicAdd_system(p, v); }
};
template <> struct atoms<__half> {
    static GSH_DEVICE __half add(__half *p, __half v);
};
template <> struct atoms<__nv_bfloat16> {
    static GSH_DEVICE __nv_bfloat16 add(__nv_bfloat16 *p, __nv_bfloat16 v);
};

template <class T> GSH_DEVICE T atomic_add(T *p, T v)
{
    return atoms<T>::add(p, v);
}

template <class T> GSH_DEVICE T atomic_cas(T *p, T cond, T v)
{
    typedef typename word<sizeof(T)>::type W;

    return bits<T>(atomicCAS_system(reinterpret_cast<W *>(p), bits<W>(cond), bits<W>(v)));
}

#define GSH_ATOMIC(name, cuda) \
    template <class T> GSH_DEVICE T name(T *p, T v) \
    { \
        typedef typename word<sizeof(T)>::type W; \
\
        return bits<T>(cuda(reinterpret_cast<W *>(p), bits<W>(v))); \
    }
GSH_ATOMIC(atomic_and, atomicAnd_system)
GSH_ATOMIC(atomic_or, atomicOr_system)
GSH_ATOMIC(atomic_xor, atomicXor_system)
GSH_ATOMIC(atomic_swap, atomicExch_system)
#undef GSH_ATOMIC

/* 16-bit floating add: sm_90 has it at system scope; elsewhere the aligned 32-bit word
 * around it is exchanged. */
template <class H> GSH_DEVICE H add_half(H *p, H v)
{
    unsigned long long at = reinterpret_cast<unsigned long long>(p);
    unsigned *around = reinterpret_cast<unsigned *>(at & ~3ull);
    unsigned shift = (at & 2) * 8, old = load(around), was;

    do {
        was = old;
        unsigned short sum =
            bits<unsigned short>(H(float(bits<H>((unsigned short)(was >> shift))) + float(v)));
        old = atomicCAS_system(around, was, (was & ~(0xffffu << shift)) | (unsigned)sum << shift);
    } while (old != was);
    return bits<H>((unsigned short)(was >> shift));
}

GSH_DEVICE __half atoms<__half>::add(__half *p, __half v)
{
    return add_half(p, v);
}

GSH_DEVICE __nv_bfloat16 atoms<__nv_bfloat16>::add(__nv_bfloat16 *p, __nv_bfloat16 v)
{
    return add_half(p, v);
}

typedef uint4 wide;
enum { COPY_SLICES = 0 };

GSH_DEVICE wide load_wide(const void *p)
{
    return *static_cast<const uint4 *>(p);
}

GSH_DEVICE void store_wide(void *p, wide w)
{
    *static_cast<uint4 *>(p) = w;
}

GSH_DEVICE unsigned thread_rank()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

GSH_DEVICE unsigned block_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

GSH_DEVICE unsigned lane()
{
    return thread_rank() % 32;
}

/* ptxas (13.0) leaves the barrier out where it knows the mask to be full and takes the lanes to be
 * together, also behind a call in which some have waited for other PEs. On an H200 a lane then went
 * on before the others: 7 of 600 launches of a warp's barrier were wrong, with this mask none. */
GSH_DEVICE void warp_sync()
{
    __syncwarp(state().lanes);
}

GSH_DEVICE void block_sync()
{
    __syncthreads();
}

GSH_DEVICE void barrier_sync(unsigned id, unsigned threads)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* What `from` of the warp has; all lanes call. */
template <class T> GSH_DEVICE T warp_broadcast(T value, int from)
{
    return __shfl_sync(state().lanes, value, from);
}

GSH_DEVICE unsigned long long clock_ns()
{
    unsigned long long ns;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

GSH_DEVICE void stop()
{
    __trap();
}

#define GSH_SAY(format, ...) \
    printf("gshmem: PE %d, block (%u,%u,%u) thread (%u,%u,%u): " format "\n", state().my_pe, \
           blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, __VA_ARGS__)

GSH_DEVICE_LARGE void fail(const char *call, const char *what, long long a, long long b)
{
    GSH_SAY("%s: %s (%lld, %lld)", call, what, a, b);
    stop();
}

/* Not worth registers in every wait: a call once in many polls. */
GSH_DEVICE_LARGE void look(const char *call, const void *address, int cmp, unsigned long long value,
                           unsigned long long *since)
{
    unsigned long long now = clock_ns();

    if (!*since)
        *since = now;
    bool late = state().timeout_ns && now - *since > state().timeout_ns;
    if (!late && !(state().alert && load(state().alert)))
        return;
    GSH_SAY("%s: %s while it waits for the word at %p (comparison %d with %llu)", call,
            late ? "GSHMEM_TIMEOUT has passed" : "the job ends", address, cmp, value);
    stop();
}

class waiting {
  public:
    template <class T>
    GSH_DEVICE waiting(const char *call, const T *address, int cmp, T value)
        : call(call), address(address), value((unsigned long long)value), cmp(cmp)
    {
    }
    GSH_DEVICE void pause()
    {
        if (++polls % 65536 == 0)
            look(call, address, cmp, value, &since);
    }

  private:
    const char *call;
    const void *address;
    unsigned long long value;
    unsigned long long since = 0;
    int cmp;
    unsigned polls = 0;
};

/* For the host, which tells itself when it cannot go on: calls no function. */
class host_waiting {
  public:
    template <class T> GSH_DEVICE host_waiting(const char *, const T *, int, T) {}
    GSH_DEVICE void pause()
    {
        if (++polls % 65536 == 0 && load(state().alert))
            stop();
    }

  private:
    unsigned polls = 0;
};

GSH_DEVICE_LARGE void check(const char *call, const void *sym, size_t bytes, size_t align, int pe)
{
    unsigned long long at = reinterpret_cast<unsigned long long>(sym);
    bool inside = false;

    for (int k = 0; k < GSH_WINDOWS; k++) {
        const gsh_device_window &w = state().windows[k];

        inside = inside || (at - w.base < w.bytes && bytes <= w.bytes - (at - w.base));
    }
    if (pe < 0 || pe >= state().n_pes)
        fail(call, "no such PE (PE, number of PEs)", pe, state().n_pes);
    if (!inside)
        fail(call, "not symmetric memory (address, bytes)", (long long)at, (long long)bytes);
    if (at % align)
        fail(call, "address is not aligned (address, alignment)", (long long)at, (long long)align);
}

/* Global memory; what is shared by a block or a thread's own is not. */
GSH_DEVICE bool host_sees(const void *p)
{
    return __isGlobal(p);
}

/* The host polls. */
GSH_DEVICE void ring_bell()
{
}

/* There is no race checker on GPUs. */
GSH_DEVICE void note_put(const void *, const void *, size_t)
{
}

GSH_DEVICE void note_get(const void *, const void *, size_t)
{
}

GSH_DEVICE void note_payload(const void *, const void *, size_t)
{
}

GSH_DEVICE void note_post(const void *, size_t)
{
}

GSH_DEVICE void note_posted(const void *)
{
}

GSH_DEVICE void note_seen(const void *, size_t)
{
}

GSH_DEVICE void note_touch(const void *, size_t, bool)
{
}

GSH_DEVICE void note_release(const void *)
{
}

GSH_DEVICE void note_acquire(const void *)
{
}

GSH_DEVICE void note_fence()
{
}

GSH_DEVICE void note_quiet()
{
}

} // namespace gsh_impl

#if __CUDA_ARCH__ >= 900
#include <gshmem/impl/engine_sm90.cuh>
#else
#include <gshmem/impl/engine_none.cuh>
#endif
#endif

#endif /* GSHMEM_IMPL_ARCH_CUDA_CUH */
