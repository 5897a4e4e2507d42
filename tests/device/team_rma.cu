/* Put and get by rank in a team move the same elements as by PE, for every type at thread,
 * warp and block scope, and the reductions have a second name that does the same, in kernels
 * on teams of all shapes. */
// SPDX-License-Identifier: BSD-3-Clause
#include "teams.cuh"

enum { N = 200, SKIPPED = 3, SUMMED = 70 };

/* Small whole numbers, which every type holds. */
template <class T> __device__ T element(int rank, int turn, int i)
{
    return (T)(float)(device_mix((unsigned)(rank * 8 + turn), (unsigned)i) % 100 + 1);
}

template <class C> __device__ void move(const struct place &at, int scope, int turn)
{
    typedef typename C::type T;
    T *dest = (T *)at.dest, *source = (T *)at.source;
    int next = (at.rank + 1) % at.n, last = (at.rank + at.n - 1) % at.n;

    for (int i = threadIdx.x; i < N; i += BLOCK) {
        dest[i] = (T)101.0f;
        source[i] = element<T>(at.rank, turn, i);
    }
    nvshmemx_barrier_block(at.team);
    if (calls(scope) && turn % 2)
        C::get(scope, at.team, dest + SKIPPED, source + 1, N - 2 * SKIPPED, next);
    else if (calls(scope))
        C::put(scope, at.team, dest + SKIPPED, source + 1, N - 2 * SKIPPED, next);
    nvshmemx_barrier_block(at.team);
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        T want = i < SKIPPED || i >= N - SKIPPED
                     ? (T)101.0f
                     : element<T>(turn % 2 ? next : last, turn, i - SKIPPED + 1);

        expect(at, (float)dest[i] == (float)want);
    }
    nvshmemx_barrier_block(at.team);
}

template <class C> __global__ void moves(struct place at)
{
    for (int scope = 0; scope < SCOPES; scope++)
        for (int turn = 2 * scope; turn < 2 * scope + 2; turn++)
            move<C>(at, scope, turn);
}

#define CALL_AT(scope, name, ...) \
    (scope == 0   ? name(__VA_ARGS__) \
     : scope == 1 ? name##_warp(__VA_ARGS__) \
                  : name##_block(__VA_ARGS__))
#define MOVE(op, full) \
    static __device__ void op(int scope, nvshmem_team_t team, type *d, const type *s, size_t n, \
                              int pe) \
    { \
        CALL_AT(scope, full, team, d, s, n, pe); \
    }
#define MOVES(name, t, a) \
    struct name##_calls { \
        typedef t type; \
        MOVE(put, nvshmemx_##name##_put_team) \
        MOVE(get, nvshmemx_##name##_get_team) \
    };
GSH_RMA_TYPES(MOVES, _)

/* Some types of each operation. Of one thread, as the name without a scope says. */
#define SOME_REDUCTIONS(X) \
    GSH_T_SIZE(X, and, _) \
    GSH_T_SIZE(X, or, _) \
    GSH_T_SIZE(X, xor, _) \
    GSH_T_REALS(X, min, _) \
    GSH_T_REALS(X, max, _) GSH_T_HALFS(X, sum, _) GSH_T_UCHAR(X, sum, _) GSH_T_REALS(X, prod, _)

#define REDUCTION(name, t, op, a) \
    struct name##_##op##_call { \
        typedef t type; \
        static __device__ void both(nvshmem_team_t team, t *d, t *other, const t *s) \
        { \
            nvshmemx_##name##_##op##_reduce_team(team, d, s, SUMMED); \
            nvshmem_##name##_##op##_reduce(team, other, s, SUMMED); \
        } \
    };
SOME_REDUCTIONS(REDUCTION)

template <class C> __global__ void reductions(struct place at)
{
    typedef typename C::type T;
    T *dest = (T *)at.dest, *other = dest + SUMMED, *source = (T *)at.source;

    for (int i = threadIdx.x; i < SUMMED; i += BLOCK) {
        dest[i] = other[i] = (T)0.0f;
        source[i] = element<T>(at.rank, 0, i);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        C::both(at.team, dest, other, source);
    __syncthreads();
    for (int i = threadIdx.x; i < SUMMED; i += BLOCK)
        expect(at, (float)dest[i] == (float)other[i]);
    nvshmemx_barrier_block(at.team);
}

/* A sum that is known. */
__global__ void sum(struct place at)
{
    float *dest = (float *)at.dest, *source = (float *)at.source;

    if (threadIdx.x == 0) {
        *source = at.rank + 1;
        expect(at, !nvshmemx_float_sum_reduce_team(at.team, dest, source, 1));
        expect(at, *dest == at.n * (at.n + 1) / 2);
    }
    nvshmemx_barrier_block(at.team);
}

#define LAUNCHER(name, ...) \
    struct name { \
        void operator()(struct place at) const { __VA_ARGS__<<<1, BLOCK>>>(at); } \
    };
template <class C>
LAUNCHER(launch_moves, moves<C>)
template <class C>
LAUNCHER(launch_reductions, reductions<C>)
LAUNCHER(launch_sum, sum)

    int main()
{
    nvshmem_init();
    make_shapes();
#define TRY_MOVES(name, t, a) \
    try_all(launch_moves<name##_calls>(), #name); \
    fact("put_team and get_team of " #name " at every scope");
    GSH_RMA_TYPES(TRY_MOVES, _)
#define TRY_REDUCTION(name, t, op, a) \
    try_all(launch_reductions<name##_##op##_call>(), #name " " #op);
    SOME_REDUCTIONS(TRY_REDUCTION)
    fact("reduce_team gives what reduce gives");
    try_all(launch_sum(), "sum");
    fact("a sum of ranks is right");
    int status = finish();
    nvshmem_finalize();
    return status;
}
