/* put_rate.c - small puts to many places by PE 0, completed by one quiet. */
// SPDX-License-Identifier: BSD-3-Clause
#include "raw.h"

#define PLACES 512 /* words that the puts go round */

static void run(struct bench_at *at, int calls)
{
    for (int i = 0; at->me == 0 && i < calls; i++) {
        size_t place = (size_t)i % PLACES;

        nvshmem_putmem_nbi(at->dst + place, at->src + place, sizeof(long), 1);
    }
    nvshmem_quiet();
}

static void raw(struct bench_at *at, int calls)
{
    for (int i = 0; at->me == 0 && i < calls; i++) {
        size_t place = (size_t)i % PLACES;

        __atomic_store_n(at->peer_dst + place, at->src[place], __ATOMIC_RELAXED);
    }
}

const struct bench bench_put_rate = {
    .key = "put_rate",
    .sentence = "8-byte putmem_nbi to 512 words in turn, one quiet; bytes: the words together",
    .unit = BENCH_MRATE,
    .min = PLACES * sizeof(long),
    .max = PLACES * sizeof(long),
    .raw_name = "store",
    .run = run,
    .raw = raw,
    .check = bench_check_put,
};
