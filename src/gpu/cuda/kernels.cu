/* kernels.cu - the library's own kernels: what streams do of communication where copies do
 * not suffice, and what the host wants done to words in GPU memory.
 *
 * All get a struct gsh_op. Places at other PEs were made addresses of this process by the
 * host, but those of collectives, which find the members' themselves. Compiled when the library
 * is built and carried by it; loaded, and given the state, in the GPU stage. Nothing of a
 * call is kept between launches but the phase of its team, which lives in device memory: a
 * graph may launch them again and again.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define GSH_LIBRARY_MODULE

#include <cuda_runtime.h>

#include <gshmem/impl/arch.cuh>

#include "stream/op.h"

#ifdef __CUDA_ARCH__
#include <gshmem/impl/bodies.cuh>

using namespace gsh_impl;

static __device__ const char *name_of(const gsh_op &op)
{
    switch (op.kind) {
#define ROW(KIND, text) \
    case GSH_OP_##KIND: \
        return text;
        GSH_OP_KINDS(ROW)
#undef ROW
    default:
        return "gshmem";
    }
}

/* --- Collectives --- */

static __device__ void run_sync(const gsh_op &op)
{
    barrier<block>(name_of(op), op.team);
}

/* By one block: little data. */
static __device__ void run_move(const gsh_op &op)
{
    size_t bytes = op.n * op.size;

    if (op.kind == GSH_OP_BROADCAST)
        broadcast<block>(name_of(op), op.team, op.dest, op.source, bytes, op.pe);
    else if (op.kind == GSH_OP_FCOLLECT)
        fcollect<block>(name_of(op), op.team, op.dest, op.source, bytes);
    else
        alltoall<block>(name_of(op), op.team, op.dest, op.source, bytes);
}

/* By all threads of the grid; see reduce.cuh. All members can be reached. */
template <class Op, class T>
static __device__ void combine_as(const gsh_op &op, const gsh_device_team &team)
{
    typedef typename reduced<T, Op::order>::type R;
    bool scatter = op.kind == GSH_OP_REDUCESCATTER;
    bool whole =
        scatter || (op.dest != op.source && (team.n <= 2 || op.n <= ONE_SHOT_BYTES / sizeof(T)));
    size_t first = whole ? 0 : part_at(op.n, 16, team.my, team.n);
    size_t end = whole ? op.n : part_at(op.n, 16, team.my + 1, team.n);
    reduction<R> r = { name_of(op),
                       &team,
                       static_cast<const R *>(op.source) + first + (scatter ? op.n * team.my : 0),
                       static_cast<R *>(op.dest) + first,
                       end - first,
                       !whole,
                       blockIdx.x * blockDim.x + threadIdx.x,
                       gridDim.x * blockDim.x };

    combine_direct<Op, R>(r);
}

#define CASE(name, type, Op) \
    case GSH_TYPE_##name: \
        return combine_as<Op, type>(op, team);
#define COMBINE(op_name, TYPES) \
    static __device__ __noinline__ void combine_##op_name(const gsh_op &op, \
                                                          const gsh_device_team &team) \
    { \
        switch (op.type) { \
            TYPES(CASE, op_##op_name) \
        } \
    }
COMBINE(and, GSH_RED_BIT_TYPES)
COMBINE(or, GSH_RED_BIT_TYPES)
COMBINE(xor, GSH_RED_BIT_TYPES)
COMBINE(min, GSH_RED_TYPES)
COMBINE(max, GSH_RED_TYPES)
COMBINE(sum, GSH_RED_TYPES)
COMBINE(prod, GSH_RED_TYPES)
#undef CASE
#undef COMBINE

static __device__ void combine_all(const gsh_op &op, const gsh_device_team &team)
{
    switch (op.how) {
#define ROW(name) \
    case GSH_RED_##name: \
        return combine_##name(op, team);
        GSH_REDUCTION_OPS(ROW)
#undef ROW
    }
}

/* In steps: one block comes and leaves, as many as pay combine. */
static __device__ void run_reduce(const gsh_op &op)
{
    if (op.steps == GSH_STEP_COMBINE)
        return combine_all(op, team_of(name_of(op), op.team));

    collective<block> c(name_of(op), op.team);
    if (op.steps & GSH_STEP_COME)
        c.meet();
    if (op.steps & GSH_STEP_COMBINE)
        combine_all(op, c.team);
    if (op.steps & GSH_STEP_LEAVE)
        c.meet();
    c.end();
}

/* --- Elements and words --- */

template <int Bits> static __device__ void strided(const gsh_op &op)
{
    typedef element<Bits> E;
    E *to = static_cast<E *>(op.dest);
    const E *from = static_cast<const E *>(op.source);

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < op.n;
         i += (size_t)gridDim.x * blockDim.x)
        E::move(to + (ptrdiff_t)i * op.dst, from + (ptrdiff_t)i * op.sst);
}

static __device__ void run_strided(const gsh_op &op)
{
    switch (op.size) {
#define ROW(bits, unused) \
    case bits / 8: \
        return strided<bits>(op);
        GSH_SIZES(ROW, _)
#undef ROW
    }
}

static __device__ void put_value(const gsh_op &op)
{
    switch (op.size) {
    case 1:
        return store(static_cast<uint8_t *>(op.dest), (uint8_t)op.value);
    case 2:
        return store(static_cast<uint16_t *>(op.dest), (uint16_t)op.value);
    case 4:
        return store(static_cast<uint32_t *>(op.dest), (uint32_t)op.value);
    default:
        return store(static_cast<uint64_t *>(op.dest), op.value);
    }
}

template <class W, class Real> static __device__ W atomic(const gsh_op &op)
{
    W *word = reinterpret_cast<W *>(op.word);
    W value = (W)op.value;

    switch (op.how) {
    case GSH_DEVICE_FETCH:
        return atomic_add(word, (W)0);
    case GSH_DEVICE_SET:
        return atomic_swap(word, value);
    case GSH_DEVICE_ADD:
        return atomic_add(word, value);
    case GSH_DEVICE_AND:
        return atomic_and(word, value);
    case GSH_DEVICE_OR:
        return atomic_or(word, value);
    case GSH_DEVICE_XOR:
        return atomic_xor(word, value);
    case GSH_DEVICE_FADD:
        return bits<W>(atomic_add(reinterpret_cast<Real *>(word), bits<Real>(value)));
    default:
        return atomic_cas(word, (W)op.cond, value);
    }
}

/* One thread. What the stream did before is seen by who sees the word. */
static __device__ void run_word(const gsh_op &op)
{
    fence_full();
    if (op.kind == GSH_OP_P)
        put_value(op);
    else if (op.kind == GSH_OP_AMO)
        *op.result = op.size == 4 ? atomic<uint32_t, float>(op) : atomic<uint64_t, double>(op);
    else if (op.how == NVSHMEM_SIGNAL_SET)
        store(op.word, op.value);
    else
        atomic_add(op.word, op.value);
}

template <class T> static __device__ void await(const gsh_op &op)
{
    const T *at = reinterpret_cast<const T *>(op.word);

    if (op.values)
        wait_all(many(name_of(op), at, op.n, op.status, op.how, static_cast<const T *>(op.values)));
    else
        wait_all(many(name_of(op), at, op.n, op.status, op.how, (T)op.value));
}

/* One thread. */
static __device__ void run_wait(const gsh_op &op)
{
    switch (op.size) {
    case 2:
        return op.is_signed ? await<int16_t>(op) : await<uint16_t>(op);
    case 4:
        return op.is_signed ? await<int32_t>(op) : await<uint32_t>(op);
    default:
        return op.is_signed ? await<int64_t>(op) : await<uint64_t>(op);
    }
}
#endif

#include "gpu/cuda/kernels.h"

/* QUIET is nothing to do: the launch that brings the kernel to the device. */
#ifdef __CUDA_ARCH__
#define RUN(name) \
    if (op.kind != GSH_OP_QUIET) \
    run_##name(op)
#else
#define RUN(name) (void)op
#endif
#define ROW(name) \
    extern "C" __global__ void gsh_kernel_##name(gsh_op op) \
    { \
        RUN(name); \
    }
GSH_KERNELS(ROW)
