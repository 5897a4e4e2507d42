/* list.h - the files of ops/, in the order of the table. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_GPU_LIST_H
#define BENCH_GPU_LIST_H

#include "op.h"

#define BENCH_FILES(X) X(put_signal) X(put) X(sync) X(reduce) X(move) X(stream)

#define BENCH_DECLARE(file) extern const bench_ops bench_##file;
BENCH_FILES(BENCH_DECLARE)
#undef BENCH_DECLARE

#endif /* BENCH_GPU_LIST_H */
