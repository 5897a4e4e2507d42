/* meet.h - how the processes of a run meet beside the library that is measured: in a file that
 * all of them map. It must be there, empty or all zero, before they start.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_GPU_MEET_H
#define BENCH_GPU_MEET_H

#include <stddef.h>

/* Ends the process with a line when it cannot. */
void meet_open(const char *path, int me, int n);

/* All processes. */
void meet_all(void);

/* The largest of each of the n numbers over all processes, at most MEET_NUMBERS. */
enum { MEET_NUMBERS = 512, MEET_PES = 64 };
void meet_max(double *numbers, int n);

/* The bytes that process 0 has, at most MEET_BYTES. */
enum { MEET_BYTES = 256 };
void meet_share(void *bytes, size_t n);

#endif /* BENCH_GPU_MEET_H */
