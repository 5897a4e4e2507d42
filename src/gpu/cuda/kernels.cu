/* kernels.cu - the library's own kernels: what streams do of communication where copies do
 * not suffice, and what the host wants done to words in GPU memory.
 *
 * All get a struct gsh_op. Places at other PEs were made addresses of this process by the
 * host, but those of collectives, which find the members' themselves. Compiled when the library
 * is built and carried by it; loaded, and given the state, in the GPU stage. Nothing of a
 * call is kept between launches but the counts of its team, which live in device memory: a
 * graph may launch them again and again.
 *
 * A launch may be allowed to begin while what is in front of it in its stream still runs (see
 * gsh_gpu_kernel_launch()). It waits for that before it does anything, and then lets the next one
 * begin, so that no more than one waits. What the stream did is complete and visible by then,
 * and a release fence hands it on: a barrier of a stream needs no quiet.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define GSH_LIBRARY_MODULE

#include <cuda_runtime.h>

#include <gshmem/impl/arch.cuh>

#include "stream/op.h"

#if defined(__CUDA_ARCH__) || defined(GSHMEM_TARGET_CPU)
#define HAS_BODIES
#include <gshmem/impl/bodies.cuh>

using namespace gsh_impl;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
static __device__ void await_stream()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#else
static __device__ void await_stream()
{
}
#endif

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

/* All threads of a launch. They share work, and do not meet. */
struct grid {
    static GSH_DEVICE unsigned rank() { return blockIdx.x * blockDim.x + threadIdx.x; }
    static GSH_DEVICE unsigned size() { return gridDim.x * blockDim.x; }
};

/* Whether this is the last block to come here: then what all others did comes before what it
 * does from here on. */
static __device__ bool comes_last(members team)
{
    uint64_t *count = team.phase() + 3;
    __shared__ bool last;

    block::sync();
    if (leads<block>()) {
        fence_release();
        last = atomic_add(count, (uint64_t)1) + 1 == gridDim.x;
        fence_acquire();
        if (last)
            store(count, (uint64_t)0);
    }
    block::sync();
    return last;
}

static __device__ void run_sync(const gsh_op &op)
{
    if (blockDim.x == 1)
        team_sync<thread>(name_of(op), op.team);
    else
        team_sync<block>(name_of(op), op.team);
}

/* By all blocks; the last one tells the others, and waits for them. */
static __device__ void move_spread(const gsh_op &op, size_t bytes)
{
    const char *call = name_of(op), *from = static_cast<const char *>(op.source);
    char *to = static_cast<char *>(op.dest);
    const members team = team_of(call, op.team);
    const size_t own = bytes * team.my();

    if (op.kind == GSH_OP_FCOLLECT)
        push_all<grid>(call, team, to + own, from, bytes);
    else if (op.kind == GSH_OP_BROADCAST && team.my() == op.pe)
        push_all<grid>(call, team, to, from, bytes);
    for (int i = 1; op.kind == GSH_OP_ALLTOALL && i <= team.n(); i++) {
        int rank = (team.my() + i) % team.n();

        push<grid>(call, to + own, from + bytes * rank, bytes, team_pe(team, rank));
    }
    if (!comes_last(team))
        return;
    collective<block> c(call, op.team);
    c.meet();
    c.end();
}

static __device__ void run_move(const gsh_op &op)
{
    size_t bytes = op.n * op.size;

    if (op.steps & GSH_STEP_SPREAD)
        move_spread(op, bytes);
    else if (op.kind == GSH_OP_BROADCAST)
        broadcast<block>(name_of(op), op.team, op.dest, op.source, bytes, op.pe);
    else if (op.kind == GSH_OP_FCOLLECT)
        fcollect<block>(name_of(op), op.team, op.dest, op.source, bytes);
    else
        alltoall<block>(name_of(op), op.team, op.dest, op.source, bytes);
}

/* By all threads of the grid; see reduce.cuh. All members can be reached. */
template <class Op, class T> static __device__ void combine_as(const gsh_op &op, members team)
{
    typedef typename reduced<T, Op::order>::type R;
    bool scatter = op.kind == GSH_OP_REDUCESCATTER;
    bool whole =
        scatter || (op.dest != op.source && (team.n() <= 2 || op.n <= ONE_SHOT_BYTES / sizeof(T)));
    size_t first = whole ? 0 : part_at(op.n, 16, team.my(), team.n());
    size_t end = whole ? op.n : part_at(op.n, 16, team.my() + 1, team.n());
    reduction<R> r = { name_of(op),
                       team,
                       static_cast<const R *>(op.source) + first + (scatter ? op.n * team.my() : 0),
                       static_cast<R *>(op.dest) + first,
                       end - first,
                       !whole,
                       blockIdx.x * blockDim.x + threadIdx.x,
                       gridDim.x * blockDim.x };

    combine_direct<Op, R>(r);
}

/* What came by mail, a letter behind the other, in the order of the ranks. */
template <class Op, class T>
static __device__ void combine_letters(const gsh_op &op, const char *letters, int n)
{
    typedef typename reduced<T, Op::order>::type R;
    typedef typename reduced<T, Op::order>::acc A;

    GSH_ROLL
    for (size_t i = block::rank(); i < op.n; i += block::size()) {
        A sum = A(reinterpret_cast<const R *>(letters)[i]);

        GSH_ROLL
        for (int k = 1; k < n; k++)
            sum = Op::apply(sum, A(reinterpret_cast<const R *>(letters + k * GSH_MAIL_BYTES)[i]));
        static_cast<R *>(op.dest)[i] = R(sum);
    }
}

/* For each operation, over its types. */
#define MEMBERS_CASE(name, type, Op) \
    case GSH_TYPE_##name: \
        return combine_as<Op, type>(op, team);
#define LETTERS_CASE(name, type, Op) \
    case GSH_TYPE_##name: \
        return combine_letters<Op, type>(op, letters, team.n());
#define REDUCTION(op_name, TYPES) \
    static __device__ __noinline__ void members_##op_name(const gsh_op &op, members team) \
    { \
        switch (op.type) { \
            TYPES(MEMBERS_CASE, op_##op_name) \
        } \
    } \
    static __device__ __noinline__ void letters_##op_name(const gsh_op &op, members team, \
                                                          const char *letters) \
    { \
        switch (op.type) { \
            TYPES(LETTERS_CASE, op_##op_name) \
        } \
    }
REDUCTION(and, GSH_RED_BIT_TYPES)
REDUCTION(or, GSH_RED_BIT_TYPES)
REDUCTION(xor, GSH_RED_BIT_TYPES)
REDUCTION(min, GSH_RED_TYPES)
REDUCTION(max, GSH_RED_TYPES)
REDUCTION(sum, GSH_RED_TYPES)
REDUCTION(prod, GSH_RED_TYPES)
#undef MEMBERS_CASE
#undef LETTERS_CASE
#undef REDUCTION

/* Of the members' memory, or of letters. */
static __device__ void combine_all(const gsh_op &op, members team, const char *letters)
{
    switch (op.how) {
#define ROW(name) \
    case GSH_RED_##name: \
        return letters ? letters_##name(op, team, letters) : members_##name(op, team);
        GSH_REDUCTION_OPS(ROW)
#undef ROW
    }
}

/* The source of each member comes to shared memory, and each combines them there: the exchange is
 * the same for all types. */
struct kept : posted {
    char *letters;

    __device__ kept(const gsh_op &op, char *letters)
        : posted{ NULL, static_cast<const char *>(op.source), (unsigned)(op.n * op.size), 0 },
          letters(letters)
    {
    }
    __device__ void take(size_t u, int rank, uint64_t data) const
    {
        *reinterpret_cast<uint64_t *>(letters + rank * GSH_MAIL_BYTES + u * MAIL_UNIT) = data;
    }
};

static __device__ void reduce_by_mail(const gsh_op &op, collective<block> &c)
{
    __shared__ uint64_t letters[GSH_MAIL_MEMBERS * GSH_MAIL_BYTES / sizeof(uint64_t)];
    kept mail(op, reinterpret_cast<char *>(letters));

    exchange<block, kept>(c, mail, (mail.bytes + MAIL_UNIT - 1) / MAIL_UNIT);
    combine_all(op, c.team, reinterpret_cast<char *>(letters));
    c.end();
}

/* All blocks wait for the others' sources and combine; the first one tells of its own, the last
 * one ends the phase, which by then all have read, and meets. */
static __device__ void reduce_spread(const gsh_op &op)
{
    const members team = team_of(name_of(op), op.team);
    const uint64_t phase = load(team.phase()) + 1;

    if (!blockIdx.x)
        tell_all<block>(name_of(op), team, phase, false);
    await_members<block>(name_of(op), team, phase);
    block::sync();
    combine_all(op, team, NULL);
    if (!comes_last(team))
        return;
    if (leads<block>())
        store(team.phase(), phase);
    collective<block> c(name_of(op), op.team);
    c.meet();
    c.end();
}

static __device__ void reduce_alone(const gsh_op &op)
{
    collective<block> c(name_of(op), op.team);

    if (op.kind == GSH_OP_REDUCE && goes_by_mail<block>(c.team, op.n * op.size))
        return reduce_by_mail(op, c);
    c.meet(true);
    combine_all(op, c.team, NULL);
    c.meet();
    c.end();
}

static __device__ void run_reduce(const gsh_op &op)
{
    if (op.steps & GSH_STEP_COMBINE)
        combine_all(op, team_of(name_of(op), op.team), NULL);
    else if (op.steps & GSH_STEP_SPREAD)
        reduce_spread(op);
    else
        reduce_alone(op);
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

/* One block. What the stream did before is seen by who sees the word, and what comes with it. */
static __device__ void run_word(const gsh_op &op)
{
    if (op.kind == GSH_OP_PUT_SIGNAL) {
        copy<block>(op.dest, op.source, op.n);
        block::sync();
    }
    if (!leads<block>())
        return;
    fence_release();
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
#ifdef HAS_BODIES
#define RUN(name) \
    await_stream(); \
    if (op.kind != GSH_OP_QUIET) \
    run_##name(op)
#else
#define RUN(name) (void)op
#endif
#define ROW(name) \
    extern "C" __global__ void gsh_kernel_##name(const __grid_constant__ gsh_op op) \
    { \
        RUN(name); \
    }
GSH_KERNELS(ROW)
