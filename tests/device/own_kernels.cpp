/* The library's own kernels, which do the collectives of streams on a GPU, are right on the CPU
 * device as well: by one block and by several, for little and for much, again and again. */
// SPDX-License-Identifier: BSD-3-Clause
#include "device.cuh"

#include "../conform/check.h"

#include "gpu/cuda/kernels.cu"

enum { MOST = 5000, ROUNDS = 6 };

static int *dest, *source;
static uint64_t *flag;
static int me, n_pes;

static int value(int pe, int round, size_t i)
{
    return pe * 1000 + round * 17 + (int)i % 301;
}

static void fill(int round, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        source[i] = value(me, round, i);
        dest[i] = -1;
    }
    nvshmem_barrier_all();
}

static gsh_op op_of(int kind, size_t n)
{
    gsh_op op = {};

    op.kind = kind;
    op.type = GSH_TYPE_int;
    op.how = GSH_RED_sum;
    op.size = sizeof(int);
    op.team = NVSHMEM_TEAM_WORLD;
    op.dest = dest;
    op.source = source;
    op.n = n;
    return op;
}

static void launched(const char *what)
{
    cudaError_t error = cudaDeviceSynchronize();

    CHECK(error == cudaSuccess, "%s: %s", what, cudaGetErrorString(error));
}

static int want(const gsh_op &op, int round, size_t i)
{
    size_t from = i / op.n, at = i % op.n;
    int sum = 0;

    switch (op.kind) {
    case GSH_OP_BROADCAST:
        return value(op.pe, round, i);
    case GSH_OP_FCOLLECT:
        return value((int)from, round, at);
    case GSH_OP_ALLTOALL:
        return value((int)from, round, op.n * me + at);
    case GSH_OP_REDUCESCATTER:
        i += op.n * me;
    }
    for (int pe = 0; pe < n_pes; pe++)
        sum += value(pe, round, i);
    return sum;
}

static void look(const char *what, const gsh_op &op, int round)
{
    bool all = op.kind == GSH_OP_FCOLLECT || op.kind == GSH_OP_ALLTOALL;

    for (size_t i = 0; i < op.n * (all ? n_pes : 1); i++)
        CHECK(dest[i] == want(op, round, i), "%s of %zu, element %zu: %d, not %d", what, op.n, i,
              dest[i], want(op, round, i));
    nvshmem_barrier_all();
}

/* Each PE has another number of blocks. */
static void moves(int kind, const char *what)
{
    static const size_t sizes[] = { 1, 63, 256, 257, 3000, MOST };

    for (int round = 0; round < ROUNDS; round++) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
            gsh_op op = op_of(kind, sizes[s]);

            op.pe = round % n_pes;
            op.steps = sizes[s] > 256 && round % 2 ? GSH_STEP_SPREAD : 0;
            fill(round, op.n * n_pes);
            gsh_kernel_move<<<op.steps ? 1 + (round + me) % 4 : 1, 64>>>(op);
            launched(what);
            look(what, op, round);
        }
    }
    fact("%s by one block, and by several", what);
}

static void reductions(int kind, const char *what)
{
    static const size_t sizes[] = { 1, 7, 256, 257, 1000, MOST };

    for (int round = 0; round < ROUNDS; round++) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
            gsh_op op = op_of(kind, sizes[s]);

            op.steps = sizes[s] > 256 && round % 2 ? GSH_STEP_SPREAD : 0;
            fill(round, op.n * (kind == GSH_OP_REDUCE ? 1 : n_pes));
            gsh_kernel_sync<<<1, round % 3 ? 32 : 1>>>(op);
            gsh_kernel_reduce<<<op.steps ? 4 : 1, 64>>>(op);
            launched(what);
            look(what, op, round);
        }
    }
    fact("%s by mail, by one block, and by several", what);
}

static void in_place(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        gsh_op op = op_of(GSH_OP_REDUCE, round % 2 ? 200 : MOST);

        fill(round, op.n);
        memcpy(dest, source, op.n * sizeof(int));
        op.source = dest;
        op.steps = round % 2 ? 0 : GSH_STEP_SPREAD;
        nvshmem_barrier_all();
        gsh_kernel_reduce<<<op.steps ? 4 : 1, 64>>>(op);
        launched("a sum in place");
        look("a sum in place", op, round);
    }
    fact("dest may be source");
}

static void signals(void)
{
    int next = (me + 1) % n_pes, last = (me + n_pes - 1) % n_pes;

    for (int round = 0; round < ROUNDS; round++) {
        gsh_op op = op_of(GSH_OP_PUT_SIGNAL, 0);

        fill(round, MOST);
        op.n = round % 2 ? 100 : MOST * sizeof(int);
        op.dest = nvshmem_ptr(dest, next);
        op.word = (uint64_t *)nvshmem_ptr(flag, next);
        op.how = round % 3 ? NVSHMEM_SIGNAL_ADD : NVSHMEM_SIGNAL_SET;
        op.value = round % 3 ? 1 : round + 1;
        gsh_kernel_word<<<1, 64>>>(op);
        nvshmem_signal_wait_until(flag, NVSHMEM_CMP_EQ, round + 1);
        for (size_t i = 0; i < op.n / sizeof(int); i++)
            CHECK(dest[i] == value(last, round, i), "element %zu: %d", i, dest[i]);
        launched("put_signal");
        nvshmem_barrier_all();
    }
    fact("who sees a signal sees what was put with it");
}

int main()
{
    nvshmem_init();
    choose_device();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    if (nvshmem_team_n_pes(NVSHMEM_TEAM_SHARED) < n_pes)
        return skip_all("the library's own kernels are for PEs that share memory");
    dest = (int *)need(MOST * n_pes * sizeof(int));
    source = (int *)need(MOST * n_pes * sizeof(int));
    flag = (uint64_t *)need(sizeof(uint64_t));
    moves(GSH_OP_FCOLLECT, "fcollect");
    moves(GSH_OP_ALLTOALL, "alltoall");
    moves(GSH_OP_BROADCAST, "broadcast");
    reductions(GSH_OP_REDUCE, "sum");
    reductions(GSH_OP_REDUCESCATTER, "reducescatter");
    in_place();
    signals();
    int status = finish();
    nvshmem_free(flag);
    nvshmem_free(source);
    nvshmem_free(dest);
    nvshmem_finalize();
    return status;
}
