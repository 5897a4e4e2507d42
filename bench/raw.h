/* raw.h - what the machine can do: the same step by plain C on the shared memory. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_RAW_H
#define BENCH_RAW_H

#include "engine.h"

/* PE 0 copies `bytes` to, or from, its peer's memory with memcpy. */
void bench_raw_put(struct bench_at *at, int calls);
void bench_raw_get(struct bench_at *at, int calls);

/* PEs 0 and 1 tell each other that they have come, as in the shortest barrier.
 * With _gather each then copies `bytes` from its peer's memory. */
void bench_raw_meet(struct bench_at *at, int calls);
void bench_raw_meet_gather(struct bench_at *at, int calls);

/* PE 0 adds to a word of its peer's memory. */
void bench_raw_add(struct bench_at *at, int calls);

/* PEs 0 and 1 hand a flag to and fro: two ways a call. With _copy `bytes` of data
 * go before the flag. */
void bench_raw_flag(struct bench_at *at, int calls);
void bench_raw_flag_copy(struct bench_at *at, int calls);

#endif /* BENCH_RAW_H */
