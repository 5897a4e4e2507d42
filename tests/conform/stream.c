/* In a program without CUDA the stream NULL does at once what is put into it, and another
 * stream is refused. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { N = 100 };

static int *from, *to;
static uint64_t *word;
static int me, n_pes, next_pe, last_pe;

static void prepare(void)
{
    for (int i = 0; i < N; i++)
        from[i] = 100 * me + i;
    memset(to, 0, N * sizeof(*to));
    nvshmemx_barrier_all_on_stream(NULL);
}

static void moves(void)
{
    prepare();
    nvshmemx_int_put_signal_on_stream(to, from, N, word, 1, NVSHMEM_SIGNAL_ADD, next_pe, NULL);
    nvshmemx_signal_wait_until_on_stream(word, NVSHMEM_CMP_EQ, 1, NULL);
    for (int i = 0; i < N; i++)
        CHECK(to[i] == 100 * last_pe + i, "put %d is %d", i, to[i]);
    prepare();
    nvshmemx_getmem_on_stream(to, from, N * sizeof(*to), next_pe, NULL);
    for (int i = 0; i < N; i++)
        CHECK(to[i] == 100 * next_pe + i, "get %d is %d", i, to[i]);
    CHECK(nvshmemx_int_g_on_stream(&from[3], next_pe, NULL) == 100 * next_pe + 3, "g");
    nvshmemx_barrier_all_on_stream(NULL);
    nvshmemx_int_p_on_stream(&to[1], me, next_pe, NULL);
    nvshmemx_quiet_on_stream(NULL);
    nvshmemx_sync_all_on_stream(NULL);
    CHECK(to[1] == last_pe, "p gave %d", to[1]);
}

static void collectives(void)
{
    prepare();
    CHECK(!nvshmemx_int_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, to, from, N, NULL), "%s",
          nvshmemx_last_error());
    for (int i = 0; i < N; i++)
        CHECK(to[i] == n_pes * (n_pes - 1) / 2 * 100 + n_pes * i, "sum %d is %d", i, to[i]);
    nvshmemx_barrier_all_on_stream(NULL);
    CHECK(!nvshmemx_int_broadcast_on_stream(NVSHMEM_TEAM_WORLD, to, from, N, n_pes - 1, NULL), "%s",
          nvshmemx_last_error());
    CHECK(to[5] == 100 * (n_pes - 1) + 5, "broadcast gave %d", to[5]);
}

int main(void)
{
    int status;

    nvshmem_init();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    next_pe = (me + 1) % n_pes;
    last_pe = (me + n_pes - 1) % n_pes;
    from = need(N * sizeof(*from));
    to = need(N * sizeof(*to));
    word = need(sizeof(*word));
    moves();
    fact("put, get, signals and waits are done when the call returns");
    collectives();
    fact("so are collectives");
    CHECK(nvshmemx_barrier_on_stream(NVSHMEM_TEAM_WORLD, (cudaStream_t)from) ==
                  NVSHMEMX_ERROR_INVALID_VALUE &&
              strstr(nvshmemx_last_error(), "no stream"),
          "%s", nvshmemx_last_error());
    fact("another stream is refused with a text");
    status = finish();
    nvshmem_finalize();
    return status;
}
