/* Each collective call of kernels, every type and operation at thread, warp and block scope,
 * gives all members of teams of all shapes what plain C gives; in place, for counts from 0 to
 * those that are dealt out, at odd alignments, and it writes nothing else. */
// SPDX-License-Identifier: BSD-3-Clause
#include "teams.cuh"

enum { GUARD = 32 }; /* bytes before and behind a result, at least */

/* A call: elements, misalignment of dest and source in elements, in place. */
struct variant {
    int count, dest_off, source_off, in_place;
};

__device__ static const struct variant reduce_variants[] = {
    { 0, 0, 0, 0 },   { 1, 0, 0, 0 },    { 7, 1, 1, 0 },    { 130, 1, 0, 0 },
    { 130, 2, 2, 1 }, { 2100, 0, 0, 0 }, { 2100, 3, 3, 1 }, { 2101, 1, 0, 0 },
};
__device__ static const struct variant move_variants[] = {
    { 0, 0, 0, 0 }, { 1, 0, 0, 0 }, { 7, 1, 1, 0 }, { 130, 1, 0, 0 }, { 1031, 3, 3, 0 },
};

/* --- What plain C gives --- */

/* As what an operation combines a type. */
template <class T> struct wide_as {
    typedef T type;
};
template <> struct wide_as<__half> {
    typedef float type;
};
template <> struct wide_as<__nv_bfloat16> {
    typedef float type;
};

/* Element i of what a rank gives: small whole numbers, that every type holds. */
__device__ inline int small(int rank, unsigned i)
{
    return (int)(device_mix((unsigned)rank, i) % 200) - 100;
}

#define OPERATION(op, of_rank, expression) \
    struct plain_##op { \
        static __device__ int value(int rank, unsigned i) { return of_rank; } \
        template <class W> static __device__ W combine(W a, W b) { return (W)(expression); } \
    };
OPERATION(and, (int)(device_mix(rank, i) | device_mix(i, rank + 1)), a &b)
OPERATION(or, (int)(device_mix(rank, i) & device_mix(i, rank + 1)), a | b)
OPERATION(xor, (int)device_mix(rank, i), a ^ b)
OPERATION(min, small(rank, i), a < b ? a : b)
OPERATION(max, small(rank, i), a < b ? b : a)
OPERATION(sum, 1 + (int)((rank * 7 + i * 3) % 5), a + b)
OPERATION(prod, 1 + ((rank + i) % 3 == 0), a *b)
#undef OPERATION

/* --- One call, checked --- */

template <class T> __device__ void set_guards(T *dest, size_t n)
{
    for (unsigned b = threadIdx.x; b < GUARD; b += BLOCK) {
        ((char *)dest - GUARD)[b] = 0x5a;
        ((char *)(dest + n))[b] = 0x5a;
    }
}

template <class T> __device__ void check_guards(const struct place &at, const T *dest, size_t n)
{
    for (unsigned b = threadIdx.x; b < GUARD; b += BLOCK)
        expect(at,
               ((const char *)dest - GUARD)[b] == 0x5a && ((const char *)(dest + n))[b] == 0x5a);
}

template <class C>
__device__ void try_reduce(const struct place &at, int scope, const struct variant &v, bool scatter)
{
    typedef typename C::type T;
    typedef typename wide_as<T>::type W;
    const size_t all = scatter ? (size_t)v.count * at.n : v.count;
    T *dest = (T *)(at.dest + 2 * GUARD) + v.dest_off;
    T *source = v.in_place ? dest : (T *)(at.source + 2 * GUARD) + v.source_off;

    if (scatter && v.in_place)
        return;
    for (size_t i = threadIdx.x; i < all; i += BLOCK)
        source[i] = (T)(W)C::plain::value(at.rank, (unsigned)i);
    set_guards(dest, v.count);
    __syncthreads();
    if (calls(scope))
        expect(at, !(scatter ? C::reducescatter(scope, at.team, dest, source, v.count)
                             : C::reduce(scope, at.team, dest, source, v.count)));
    __syncthreads();
    for (size_t i = threadIdx.x; i < (size_t)v.count; i += BLOCK) {
        unsigned e = (unsigned)(i + (scatter ? (size_t)v.count * at.rank : 0));
        W sum = (W)(T)(W)C::plain::value(0, e);

        for (int rank = 1; rank < at.n; rank++)
            sum = C::plain::template combine<W>(sum, (W)(T)(W)C::plain::value(rank, e));
        expect(at, (W)dest[i] == (W)(T)sum);
    }
    check_guards(at, dest, v.count);
    nvshmemx_barrier_block(at.team);
}

template <class C> __global__ void reductions(struct place at)
{
    for (int scope = 0; scope < SCOPES; scope++)
        for (unsigned i = 0; i < sizeof(reduce_variants) / sizeof(reduce_variants[0]); i++)
            for (int scatter = 0; scatter <= ((int)i % SCOPES == scope); scatter++)
                try_reduce<C>(at, scope, reduce_variants[i], scatter);
}

enum move { BROADCAST, FCOLLECT, ALLTOALL, MOVES };

/* What rank `from` gives to rank `to` as element i. */
template <class T> __device__ T moved(enum move move, int from, int to, size_t i, size_t count)
{
    typedef typename wide_as<T>::type W;

    return (T)(W)small(from, (unsigned)(move == ALLTOALL ? i + count * to : i) % 10007);
}

/* Values of all types differ in their bits when they differ. */
template <class T> __device__ bool same(T a, T b)
{
    typedef typename wide_as<T>::type W;

    return (W)a == (W)b;
}

template <class C>
__device__ void try_move(const struct place &at, int scope, const struct variant &v, enum move move,
                         int root)
{
    typedef typename C::type T;
    const size_t count = v.count;
    const size_t given = move == ALLTOALL ? count * at.n : count;
    const size_t got = move == BROADCAST ? count : count * at.n;
    T *dest = (T *)(at.dest + 2 * GUARD) + v.dest_off;
    T *source = (T *)(at.source + 2 * GUARD) + v.source_off;

    for (size_t i = threadIdx.x; i < given; i += BLOCK)
        source[i] =
            moved<T>(move, at.rank, (int)(count ? i / count : 0), count ? i % count : 0, count);
    for (size_t i = threadIdx.x; i < got; i += BLOCK)
        dest[i] = (T)(typename wide_as<T>::type)101;
    set_guards(dest, got);
    nvshmemx_barrier_block(at.team);
    if (calls(scope))
        expect(at, !C::call(move, scope, at.team, dest, source, count, root));
    __syncthreads();
    for (size_t i = threadIdx.x; i < got; i += BLOCK) {
        int from = move == BROADCAST ? root : (int)(i / count);

        expect(at, same<T>(dest[i], moved<T>(move, from, at.rank, i % count, count)));
    }
    check_guards(at, dest, got);
    nvshmemx_barrier_block(at.team);
}

template <class C> __device__ void try_moves(const struct place &at, const struct variant &v)
{
    for (int scope = 0; scope < SCOPES; scope++) {
        /* Of large teams the scopes share the roots. */
        for (int root = at.n < 4 ? 0 : scope; root < at.n; root += at.n < 4 ? 1 : SCOPES)
            try_move<C>(at, scope, v, BROADCAST, root);
        try_move<C>(at, scope, v, FCOLLECT, 0);
        try_move<C>(at, scope, v, ALLTOALL, 0);
    }
}

template <class C> __global__ void moves(struct place at)
{
    for (unsigned i = 0; i < sizeof(move_variants) / sizeof(move_variants[0]); i++)
        try_moves<C>(at, move_variants[i]);
}

/* --- The calls --- */

#define CALL_AT(scope, name, ...) \
    (scope == 0   ? nvshmem_##name(__VA_ARGS__) \
     : scope == 1 ? nvshmemx_##name##_warp(__VA_ARGS__) \
                  : nvshmemx_##name##_block(__VA_ARGS__))

#define REDUCTION(name, t, op, a) \
    struct name##_##op##_calls { \
        typedef t type; \
        typedef plain_##op plain; \
        static __device__ int reduce(int scope, nvshmem_team_t team, t *d, const t *s, size_t n) \
        { \
            return CALL_AT(scope, name##_##op##_reduce, team, d, s, n); \
        } \
        static __device__ int reducescatter(int scope, nvshmem_team_t team, t *d, const t *s, \
                                            size_t n) \
        { \
            return CALL_AT(scope, name##_##op##_reducescatter, team, d, s, n); \
        } \
    };
GSH_REDUCTIONS(REDUCTION, _)
#undef REDUCTION

#define MOVE(name, t, broadcast, fcollect, alltoall) \
    struct name##_calls { \
        typedef t type; \
        static __device__ int call(enum move move, int scope, nvshmem_team_t team, t *d, \
                                   const t *s, size_t n, int root) \
        { \
            if (move == BROADCAST) \
                return CALL_AT(scope, broadcast, team, d, s, n, root); \
            if (move == FCOLLECT) \
                return CALL_AT(scope, fcollect, team, d, s, n); \
            return CALL_AT(scope, alltoall, team, d, s, n); \
        } \
    };
#define TYPED_MOVE(name, t, a) MOVE(name, t, name##_broadcast, name##_fcollect, name##_alltoall)
GSH_RMA_TYPES(TYPED_MOVE, _)
MOVE(bytes, unsigned char, broadcastmem, fcollectmem, alltoallmem)
#undef TYPED_MOVE
#undef MOVE

/* Bytes are enough to be dealt out, too. */
__global__ void many_bytes(struct place at)
{
    try_moves<bytes_calls>(at, { 70003, 5, 5, 0 });
    try_moves<bytes_calls>(at, { 65537, 0, 3, 0 });
}

/* The largest value; of equals the lowest place. */
__global__ void maxloc(struct place at)
{
    double2 *dest = (double2 *)at.dest, *source = (double2 *)at.source;

    for (int round = 0; round < 20; round++) {
        if (threadIdx.x == 0)
            *source = make_double2(small(at.rank, round) / 50, at.rank);
        nvshmemx_double2_maxloc_reduce_block(at.team, round % 2 ? dest : source, source, 1);
        for (int rank = 0, best = 0; threadIdx.x == 0 && rank < at.n; rank++) {
            best = small(rank, round) / 50 > small(best, round) / 50 ? rank : best;
            if (rank == at.n - 1)
                expect(at, (round % 2 ? dest : source)->y == best);
        }
        nvshmemx_barrier_block(at.team);
    }
}

#define LAUNCHER(name, ...) \
    struct name { \
        void operator()(struct place at) const { __VA_ARGS__<<<1, BLOCK>>>(at); } \
    };
template <class C>
LAUNCHER(launch_reductions, reductions<C>)
template <class C>
LAUNCHER(launch_moves, moves<C>)
LAUNCHER(launch_many_bytes, many_bytes) LAUNCHER(launch_maxloc, maxloc)

    int main()
{
    nvshmem_init();
    make_shapes();
#define REDUCTION(name, t, op, a) \
    try_all(launch_reductions<name##_##op##_calls>(), #name " " #op); \
    fact(#name " " #op " reduce and reducescatter");
    GSH_REDUCTIONS(REDUCTION, _)
#define MOVE(name, t, a) \
    try_all(launch_moves<name##_calls>(), #name); \
    fact(#name " broadcast, fcollect and alltoall");
    GSH_RMA_TYPES(MOVE, _)
    MOVE(bytes, unsigned char, _)
    try_all(launch_many_bytes(), "bytes");
    fact("broadcastmem, fcollectmem and alltoallmem of many bytes");
    try_all(launch_maxloc(), "maxloc");
    fact("maxloc finds the largest value and the lowest of its places");
    int status = finish();
    nvshmem_finalize();
    return status;
}
