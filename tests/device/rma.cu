/* Put, get, their _nbi, strided, sized, mem and signal forms and p and g, of every type at
 * thread, warp and block scope, move exactly the elements asked for, for any count and
 * alignment, from global and shared memory; and the copy loop for GPUs does for all
 * alignments. */
// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.cuh"

struct variant {
    int count, to, from; /* elements; offsets of dest and source */
};
__device__ static const variant variants[] = {
    { 0, 0, 0 },   { 1, 0, 0 },    { 3, 1, 1 },    { 33, 1, 0 },
    { 200, 0, 3 }, { 1031, 2, 2 }, { 1500, 0, 0 },
};
enum { VARIANTS = sizeof(variants) / sizeof(variants[0]), ELEMENTS = 2048, TURNS = 7 };

/* call(scope, ...): the three functions of an operation. */
#define SCOPED(op, middle, params, args) \
    static __device__ void op params \
    { \
        if (scope == 0) \
            nvshmem_##middle args; \
        else if (scope == 1) \
            nvshmemx_##middle##_warp args; \
        else \
            nvshmemx_##middle##_block args; \
    }
#define MOVE(op, middle) \
    SCOPED(op, middle, (int scope, T *to, const T *from, size_t n, int pe), (to, from, n, pe))
#define STRIDED(op, middle) \
    SCOPED(op, middle, \
           (int scope, T *to, const T *from, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe), \
           (to, from, dst, sst, n, pe))
#define SIGNAL(op, middle) \
    SCOPED(op, middle, \
           (int scope, T *to, const T *from, size_t n, uint64_t *sig, uint64_t value, int sig_op, \
            int pe), \
           (to, from, n, sig, value, sig_op, pe))

#define CALLS(name, type, unused) \
    struct calls_##name { \
        typedef type T; \
        MOVE(put, name##_put) \
        MOVE(get, name##_get) \
        MOVE(put_nbi, name##_put_nbi) \
        MOVE(get_nbi, name##_get_nbi) \
        STRIDED(iput, name##_iput) \
        STRIDED(iget, name##_iget) \
        SIGNAL(put_signal, name##_put_signal) \
        SIGNAL(put_signal_nbi, name##_put_signal_nbi) \
        static __device__ void p(T *to, T v, int pe) { nvshmem_##name##_p(to, v, pe); } \
        static __device__ T g(const T *from, int pe) { return nvshmem_##name##_g(from, pe); } \
    };
GSH_RMA_TYPES(CALLS, _)

/* Puts of n * sizeof(T) bytes by each sized form. */
#define SIZED(bits, unused) \
    struct calls_##bits { \
        struct alignas(bits / 8) T { \
            unsigned char b[bits / 8]; \
            T() = default; \
            __device__ T(float v) \
            { \
                for (int i = 0; i < bits / 8; i++) \
                    b[i] = (unsigned char)((int)v + i); \
            } \
            __device__ operator float() const \
            { \
                float sum = 0; \
                for (int i = 0; i < bits / 8; i++) \
                    sum += b[i] * (i + 1); \
                return sum; \
            } \
        }; \
        MOVE(put, put##bits) \
        MOVE(get, get##bits) \
        MOVE(put_nbi, put##bits##_nbi) \
        MOVE(get_nbi, get##bits##_nbi) \
        STRIDED(iput, iput##bits) \
        STRIDED(iget, iget##bits) \
        SIGNAL(put_signal, put##bits##_signal) \
        SIGNAL(put_signal_nbi, put##bits##_signal_nbi) \
        static __device__ void p(T *to, T v, int pe) { nvshmem_put##bits(to, &v, 1, pe); } \
        static __device__ T g(const T *from, int pe) \
        { \
            T v; \
            nvshmem_get##bits(&v, from, 1, pe); \
            return v; \
        } \
    };
GSH_SIZES(SIZED, _)

/* Bytes, by the mem forms. */
struct calls_mem {
    typedef unsigned char T;
    MOVE(put, putmem)
    MOVE(get, getmem)
    MOVE(put_nbi, putmem_nbi)
    MOVE(get_nbi, getmem_nbi)
    SIGNAL(put_signal, putmem_signal)
    SIGNAL(put_signal_nbi, putmem_signal_nbi)
    STRIDED(iput, uchar_iput)
    STRIDED(iget, uchar_iget)
    static __device__ void p(T *to, T v, int pe) { nvshmem_putmem(to, &v, 1, pe); }
    static __device__ T g(const T *from, int pe) { return nvshmem_uchar_g(from, pe); }
};

/* The call of a turn; 3 and 5 have their source or dest in shared memory. */
template <class C, class T>
__device__ void turn_call(const area &a, int scope, int turn, variant v, T *near_by, uint64_t value)
{
    T *to = (T *)a.dest + v.to;
    const T *from = (const T *)a.source + v.from;

    switch (turn) {
    case 0:
        return C::put(scope, to, from, v.count, next_pe());
    case 1:
        return C::get(scope, to, from, v.count, last_pe());
    case 2:
        C::put_nbi(scope, to, from, v.count, next_pe());
        return nvshmem_quiet();
    case 3:
        return C::put(scope, to, near_by + v.from, v.count, next_pe());
    case 4:
        C::get_nbi(scope, to, from, v.count, last_pe());
        return nvshmem_quiet();
    case 5:
        return C::put_signal(scope, to, from, v.count, a.words, value, NVSHMEM_SIGNAL_SET,
                             next_pe());
    default:
        return C::put_signal_nbi(scope, to, from, v.count, a.words, 1, NVSHMEM_SIGNAL_ADD,
                                 next_pe());
    }
}

template <class C> __global__ void moves(area a, int scope)
{
    typedef typename C::T T;
    __shared__ T near_by[ELEMENTS];
    uint64_t value = scope * 1000;

    for (int turn = 0; turn < TURNS; turn++)
        for (int k = 0; k < VARIANTS; k++) {
            variant v = variants[k];
            int salt = turn + 7 * k;

            for (int i = threadIdx.x; i < ELEMENTS; i += BLOCK) {
                ((T *)a.dest)[i] = element<T>(90, 0, i);
                ((T *)a.source)[i] = near_by[i] = element<T>(nvshmem_my_pe(), salt, i);
            }
            nvshmemx_barrier_all_block();
            value++;
            if (calls(scope))
                turn_call<C>(a, scope, turn, v, near_by, value);
            if (turn >= 5 && threadIdx.x == BLOCK - 1)
                nvshmem_signal_wait_until(a.words, NVSHMEM_CMP_EQ, value);
            if (turn < 5)
                nvshmemx_barrier_all_block();
            __syncthreads();
            for (int i = threadIdx.x; i < ELEMENTS; i += BLOCK)
                expect(a, ((T *)a.dest)[i],
                       i >= v.to && i < v.to + v.count
                           ? element<T>(last_pe(), salt, i - v.to + v.from)
                           : element<T>(90, 0, i));
            nvshmemx_barrier_all_block();
        }
    if (threadIdx.x == 0)
        a.words[0] = (scope + 1) * 1000;
    nvshmemx_barrier_all_block();
}

/* iput to every third place from every second one, iget the other way; p and g. */
template <class C> __global__ void singles(area a, int scope)
{
    typedef typename C::T T;
    enum { N = 300 };
    T *dest = (T *)a.dest;

    for (int turn = 0; turn < 3; turn++) {
        for (int i = threadIdx.x; i < 3 * N; i += BLOCK) {
            dest[i] = element<T>(90, 0, i);
            ((T *)a.source)[i] = element<T>(nvshmem_my_pe(), turn, i);
        }
        nvshmemx_barrier_all_block();
        if (turn == 0 && calls(scope))
            C::iput(scope, dest, (const T *)a.source, 3, 2, N, next_pe());
        if (turn == 1 && calls(scope))
            C::iget(scope, dest, (const T *)a.source, 3, 2, N, last_pe());
        for (int i = threadIdx.x; turn == 2 && i < N; i += BLOCK)
            C::p(dest + 3 * i, C::g((const T *)a.source + 2 * i, last_pe()), nvshmem_my_pe());
        nvshmemx_barrier_all_block();
        for (int i = threadIdx.x; i < 3 * N; i += BLOCK)
            expect(a, dest[i],
                   i % 3 ? element<T>(90, 0, i) : element<T>(last_pe(), turn, i / 3 * 2));
        nvshmemx_barrier_all_block();
    }
}

/* The loop for GPUs by name, as the CPU device copies otherwise. */
template <class Group> __device__ void wide_copies(const area &a, int scope)
{
    enum { FIELD = 700 };

    for (int size = 0; size < 600; size = size * 3 / 2 + 1)
        for (int skew = 0; skew < 256; skew += size < 100 ? 1 : 5) {
            char *to = a.dest + 32 + skew % 16, *from = a.source + 32 + skew / 16;

            for (int i = threadIdx.x; i < FIELD; i += BLOCK) {
                a.dest[i] = 0x5a;
                a.source[i] = (char)(i * 7 + size);
            }
            __syncthreads();
#if defined(__CUDA_ARCH__) || defined(GSHMEM_TARGET_CPU)
            if (calls(scope))
                gsh_impl::copy_wide<Group>(to, from, size);
#endif
            __syncthreads();
            for (int i = threadIdx.x; i < FIELD; i += BLOCK) {
                char *at = a.dest + i;

                expect(a, *at, at >= to && at < to + size ? from[at - to] : (char)0x5a);
            }
            __syncthreads();
        }
}

__global__ void wide_by_scope(area a)
{
#if defined(__CUDA_ARCH__) || defined(GSHMEM_TARGET_CPU)
    wide_copies<gsh_impl::thread>(a, 0);
    wide_copies<gsh_impl::warp>(a, 1);
    wide_copies<gsh_impl::block>(a, 2);
#endif
}

template <class C> static void try_calls(const area &a, const char *name)
{
    for (int scope = 0; scope < SCOPES; scope++) {
        moves<C><<<1, BLOCK>>>(a, scope);
        settle(a, name);
        singles<C><<<1, BLOCK>>>(a, scope);
        settle(a, name);
    }
    cudaMemset(a.words, 0, sizeof(*a.words));
    nvshmem_barrier_all();
    fact("put, get and their forms move %s at every scope", name);
}

int main(void)
{
    nvshmem_init();
    area a = make_area();

#define TRY_TYPE(name, type, unused) try_calls<calls_##name>(a, #name);
#define TRY_SIZE(bits, unused) try_calls<calls_##bits>(a, #bits " bits");
    GSH_RMA_TYPES(TRY_TYPE, _)
    GSH_SIZES(TRY_SIZE, _)
    try_calls<calls_mem>(a, "bytes");

    wide_by_scope<<<1, BLOCK>>>(a);
    settle(a, "wide copies");
    fact("wide copies are right for all alignments and sizes, and write nothing else");
    return finish();
}
