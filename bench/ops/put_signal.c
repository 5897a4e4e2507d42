/* put_signal.c - PEs 0 and 1 hand data to and fro; the signal says that it came. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

#if BENCH_SIGNALS

static void await(struct bench_at *at, uint64_t turn)
{
    nvshmem_signal_wait_until(&at->flags->signal, NVSHMEM_CMP_EQ, turn);
    at->bad += at->dst[at->bytes / 8 - 1] != (long)turn;
}

static void run(struct bench_at *at, int calls)
{
    long *last = &at->src[at->bytes / 8 - 1];

    for (int i = 0; at->me < 2 && i < calls; i++) {
        long turn = ++at->turn;

        if (at->me == 1)
            await(at, (uint64_t)turn);
        *last = turn;
        nvshmem_putmem_signal(at->dst, at->src, at->bytes, &at->flags->signal, (uint64_t)turn,
                              NVSHMEM_SIGNAL_SET, 1 - at->me);
        if (at->me == 0)
            await(at, (uint64_t)turn);
    }
}

/* In each turn the last word, which was new, and now all others. */
static long check(const struct bench_at *at, long *checked)
{
    if (at->me > 1)
        return 0;
    *checked += at->turn;
    return at->bad + bench_compare(at, at->dst, 1 - at->me, 0, at->bytes / 8 - 1, checked);
}

const struct bench bench_put_signal = {
    .key = "put_signal",
    .sentence = "putmem_signal and signal_wait_until, one way (half of a ping-pong)",
    .unit = BENCH_NS,
    .min = 8,
    .max = 1 << 20,
    .ways = 2,
    .raw_name = "memcpy + flag",
    .run = run,
    .raw = bench_raw_flag_copy,
    .check = check,
};

#endif /* BENCH_SIGNALS */
