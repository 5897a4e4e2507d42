/* list.h - the benchmarks, in the order of the table. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include "engine.h"

/* clang-format off */
#define BENCHES(X) \
    X(memcpy) X(flag) \
    X(put) X(put_quiet) X(get) X(fetch_add) BENCH_IF_WAITS(X(p_wait)) \
    BENCH_IF_SIGNALS(X(put_signal)) \
    X(barrier_all) X(sync_all) \
    X(broadcast) X(fcollect) X(alltoall) X(sum_reduce) \
    X(put_bw) X(get_bw) X(put_rate)
/* clang-format on */

#define BENCH_DECLARE(key) extern const struct bench bench_##key;
BENCHES(BENCH_DECLARE)
#undef BENCH_DECLARE

#endif /* BENCH_LIST_H */
