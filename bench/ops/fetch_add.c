/* fetch_add.c - an atomic on the peer's word, which nobody else touches. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

static void run(struct bench_at *at, int calls)
{
    long turn = at->turn, bad = 0;

    if (at->me != 0)
        return;
    for (int i = 0; i < calls; i++)
        bad += nvshmem_long_atomic_fetch_add(&at->flags->word, 1, 1) != turn++;
    at->turn = turn;
    at->bad += bad;
}

/* Each value that came back, and the sum that the peer has. */
static long check(const struct bench_at *at, long *checked)
{
    long sum;

    if (at->me != 0)
        return 0;
    nvshmem_getmem(&sum, &at->flags->word, sizeof(sum), 1);
    *checked += at->turn + 1;
    return at->bad + (sum != at->turn);
}

const struct bench bench_fetch_add = {
    .key = "fetch_add",
    .sentence = "atomic_fetch_add of a long of the peer",
    .unit = BENCH_NS,
    .raw_name = "C atomic",
    .run = run,
    .raw = bench_raw_add,
    .check = check,
};
