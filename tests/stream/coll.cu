/* Each collective call on streams, every type and operation, gives all members of teams of all
 * shapes what plain C gives, for counts that one block does and for those that many do. */
// SPDX-License-Identifier: BSD-3-Clause
#include "stream.cuh"

struct shape {
    const char *name;
    nvshmem_team_t team;
    int rank, n;
    int first, step; /* PE of a rank */
};

static shape shapes[4];
static int n_shapes;

static void add_shape(const char *name, int start, int stride, int size)
{
    nvshmem_team_t team = NVSHMEM_TEAM_WORLD;

    if (size != n_pes || stride != 1)
        CHECK(!nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &team),
              "%s: %s", name, nvshmemx_last_error());
    shapes[n_shapes++] = { name,  team,  nvshmem_team_my_pe(team), nvshmem_team_n_pes(team),
                           start, stride };
}

static void make_shapes(void)
{
    add_shape("the world", 0, 1, n_pes);
    if (n_pes < 2)
        return;
    add_shape("reversed", n_pes - 1, -1, n_pes);
    add_shape("every other PE", 1, 2, n_pes / 2);
}

static int pe_of(const shape &t, int rank)
{
    return t.first + rank * t.step;
}

/* --- Operations, as plain C --- */

#define OPERATION(op, of_pe, expression) \
    struct plain_##op { \
        static int value(int pe, size_t i) { return of_pe; } \
        template <class W> static W combine(W a, W b) { return (W)(expression); } \
    };
OPERATION(and, (int)(mix(pe, (unsigned)i) & 127), a &b)
OPERATION(or, (int)(mix(pe, (unsigned)i) & 127), a | b)
OPERATION(xor, (int)(mix(pe, (unsigned)i) & 127), a ^ b)
OPERATION(min, (int)(mix(pe, (unsigned)i) % 100), a < b ? a : b)
OPERATION(max, (int)(mix(pe, (unsigned)i) % 100), a < b ? b : a)
OPERATION(sum, (pe * 7 + (int)(i % 97) * 3) % 5, a + b)
OPERATION(prod, 1 + ((pe + (int)i) % 3 == 0), a *b)
#undef OPERATION

template <class Op> int plain(const shape &t, size_t i)
{
    int all = Op::value(pe_of(t, 0), i);

    for (int rank = 1; rank < t.n; rank++)
        all = Op::combine(all, Op::value(pe_of(t, rank), i));
    return all;
}

template <class Op, class T> void fill_operand(size_t n)
{
    T *host = (T *)malloc(n * sizeof(T));

    for (size_t i = 0; i < n; i++)
        host[i] = (T)(float)Op::value(me, i);
    to_device(source, host, n * sizeof(T));
    free(host);
}

template <class T> using reducer = int (*)(nvshmem_team_t, T *, const T *, size_t, cudaStream_t);

template <class Op, class T>
void reduce(const char *name, const shape &t, reducer<T> call, size_t n, bool in_place)
{
    T *to = (T *)(in_place ? source : dest);

    fill_operand<Op, T>(n);
    nvshmemx_team_sync_on_stream(t.team, s);
    CHECK(!call(t.team, to, (const T *)source, n, s), "%s: %s", name, nvshmemx_last_error());
    expect<T>(to, n, name, [&](size_t i) { return (T)(float)plain<Op>(t, i); });
}

template <class Op, class T>
void reducescatter(const char *name, const shape &t, reducer<T> call, size_t n)
{
    fill_operand<Op, T>(n * t.n);
    nvshmemx_team_sync_on_stream(t.team, s);
    CHECK(!call(t.team, (T *)dest, (const T *)source, n, s), "%s: %s", name, nvshmemx_last_error());
    expect<T>(dest, n, name, [&](size_t i) { return (T)(float)plain<Op>(t, i + n * t.rank); });
}

/* --- Moves --- */

template <class T> using mover = int (*)(nvshmem_team_t, T *, const T *, size_t, cudaStream_t);
template <class T>
using caster = int (*)(nvshmem_team_t, T *, const T *, size_t, int, cudaStream_t);

template <class T>
void broadcast(const char *name, const shape &t, caster<T> call, size_t n, int root)
{
    fill<unsigned char>(source, root, n * sizeof(T));
    nvshmemx_team_sync_on_stream(t.team, s);
    CHECK(!call(t.team, (T *)dest, (const T *)source, n, root, s), "%s", nvshmemx_last_error());
    expect<unsigned char>(dest, n * sizeof(T), name, [&](size_t i) {
        return element<unsigned char>(pe_of(t, root), root, i);
    });
    nvshmemx_team_sync_on_stream(t.team, s);
}

template <class T> void exchange(const char *name, const shape &t, mover<T> call, size_t n, int all)
{
    size_t bytes = n * sizeof(T);

    fill<unsigned char>(source, 3, bytes * (all ? t.n : 1));
    nvshmemx_team_sync_on_stream(t.team, s);
    CHECK(!call(t.team, (T *)dest, (const T *)source, n, s), "%s", nvshmemx_last_error());
    expect<unsigned char>(dest, bytes * t.n, name, [&](size_t i) {
        size_t from = i % bytes + (all ? bytes * t.rank : 0);

        return element<unsigned char>(pe_of(t, (int)(i / bytes)), 3, from);
    });
    nvshmemx_team_sync_on_stream(t.team, s);
}

/* --- All of them --- */

#define REDUCE(name, type, op, n) \
    reduce<plain_##op, type>(#name " " #op, t, nvshmemx_##name##_##op##_reduce_on_stream, n, \
                             false); \
    reducescatter<plain_##op, type>(#name " " #op, t, \
                                    nvshmemx_##name##_##op##_reducescatter_on_stream, n);
#define MOVE(name, type, count) \
    broadcast<type>(#name, t, nvshmemx_##name##_broadcast_on_stream, count, t.n - 1); \
    exchange<type>(#name, t, nvshmemx_##name##_fcollect_on_stream, count, 0); \
    exchange<type>(#name, t, nvshmemx_##name##_alltoall_on_stream, count, 1);

static void every_call(const shape &t)
{
    GSH_REDUCTIONS(REDUCE, 117)
    GSH_RMA_TYPES(MOVE, 131)
}

static void large(const shape &t)
{
    size_t n = 40000;

    reduce<plain_sum, float>("large", t, nvshmemx_float_sum_reduce_on_stream, n, false);
    reduce<plain_sum, float>("large, in place", t, nvshmemx_float_sum_reduce_on_stream, n, true);
    reduce<plain_max, __half>("large", t, nvshmemx_half_max_reduce_on_stream, n - 1, false);
    reducescatter<plain_sum, int>("large", t, nvshmemx_int_sum_reducescatter_on_stream, n);
    reduce<plain_sum, int>("in place", t, nvshmemx_int_sum_reduce_on_stream, 100, true);
    broadcast<char>("large", t, nvshmemx_char_broadcast_on_stream, 4 * n, 0);
    broadcast<void *>(
        "mem", t,
        [](nvshmem_team_t team, void **to, void *const *from, size_t m, int root,
           cudaStream_t stream) {
            return nvshmemx_broadcastmem_on_stream(team, to, from, 8 * m, root, stream);
        },
        300, 0);
    exchange<char>("large", t, nvshmemx_char_fcollect_on_stream, 3 * n, 0);
    exchange<char>("large", t, nvshmemx_char_alltoall_on_stream, 3 * n, 1);
    CHECK(!nvshmemx_fcollectmem_on_stream(t.team, dest, source, 8, s) &&
              !nvshmemx_alltoallmem_on_stream(t.team, dest, source, 8, s) &&
              !nvshmemx_barrier_on_stream(t.team, s) &&
              !nvshmemx_int_sum_reduce_on_stream(t.team, (int *)dest, (int *)source, 0, s),
          "%s", nvshmemx_last_error());
}

static void refusals(void)
{
    CHECK(nvshmemx_barrier_on_stream(1000, s) && strstr(nvshmemx_last_error(), "1000"),
          "a team that is none: %s", nvshmemx_last_error());
    CHECK(nvshmemx_int_broadcast_on_stream(NVSHMEM_TEAM_WORLD, (int *)dest, (int *)source, 1, n_pes,
                                           s) &&
              strstr(nvshmemx_last_error(), "root"),
          "a root that is none: %s", nvshmemx_last_error());
    CHECK(nvshmemx_long_fcollect_on_stream(NVSHMEM_TEAM_WORLD, (long *)dest, (long *)source,
                                           SIZE_MAX / 4, s),
          "more than there is");
}

int main()
{
    begin();
    make_shapes();
    for (int i = 0; i < n_shapes; i++) {
        if (shapes[i].team != NVSHMEM_TEAM_INVALID)
            every_call(shapes[i]);
        cudaStreamSynchronize(s);
        nvshmem_barrier_all();
        fact("each collective, type and operation on %s", shapes[i].name);
        if (shapes[i].team != NVSHMEM_TEAM_INVALID)
            large(shapes[i]);
        cudaStreamSynchronize(s);
        nvshmem_barrier_all();
        fact("much data on %s", shapes[i].name);
    }
    refusals();
    fact("what cannot be is said, and nothing is put into the stream");
    return end();
}
