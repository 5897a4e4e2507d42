/* engine.h - what a benchmark is, and what the engine gives it.
 *
 * A benchmark is one `struct bench` in one file of ops/, listed in list.h. For
 * each size the engine
 *   1. fills src, poisons dst, runs one batch and checks it (this warms up, too);
 *   2. times `repeats` batches of run() in turn with as many of raw() (2 PEs only),
 *      each after a barrier; the time of a batch is that of its slowest PE;
 *   3. fills anew and checks one more batch.
 * All PEs call run(), raw() and check(); one-sided operations act on PE 0 alone.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include "api.h"

#include <stdbool.h>
#include <stdio.h>

enum bench_unit { BENCH_NS, BENCH_US, BENCH_GBS, BENCH_MRATE };

/* Each on its own pair of cache lines, all symmetric and zero before a row. */
struct bench_flags {
    _Alignas(128) long word;
    _Alignas(128) uint64_t signal;
    _Alignas(128) long raw;
    _Alignas(128) long wrong; /* a PE's own counts, read by PE 0 */
    long checked;
};

/* The row that is being measured. src and dst hold `bytes` times `parts`. */
struct bench_at {
    int me, n;
    size_t bytes, parts;
    long *src, *dst;
    struct bench_flags *flags;
    long *peer_dst; /* PE (me + 1) % n's, for loads and stores; NULL: not reachable */
    long *peer_src;
    struct bench_flags *peer_flags;
    long turn;     /* run()'s count of calls since the start of the row */
    long raw_turn; /* raw()'s */
    long bad;      /* wrong values that run() met on its way, since the start of the row */
    long seed;     /* changes with each fill */
};

struct bench {
    const char *key;
    const char *sentence;
    enum bench_unit unit;
    size_t min, max; /* bytes; max 0: the operation has no size */
    bool per_pe;     /* src and dst have a part for each PE, else one */
    int ways;        /* messages one after the other in a call of run() and raw() */
    const char *raw_name;
    bool is_raw; /* a raw limit itself: run() needs the peer's memory */
    void (*run)(struct bench_at *at, int calls);
    void (*raw)(struct bench_at *at, int calls); /* NULL: there is no limit to show */
    /* Counts wrong words of this PE and adds to *checked those it looked at. */
    long (*check)(const struct bench_at *at, long *checked);
};

struct bench_row {
    const struct bench *bench;
    size_t bytes;
    int calls, batches;
    double min, median, p99; /* in bench->unit */
    double raw;              /* median of raw(); 0: none */
    double ratio;            /* > 1: slower than raw; for rates < 1: below raw; 0: none */
    long checked, wrong;
};

struct bench_options {
    const char *keys; /* comma separated; NULL: all */
    size_t min, max;  /* bytes; max 0: the range of each benchmark */
    int repeats;
    bool pin;
    const char *json;
};

/* Word k that PE `pe` sends in this fill: small, and different for each. */
static inline long bench_word(const struct bench_at *at, int pe, size_t k)
{
    return (long)((k * 2654435761u + (size_t)pe * 40503u) % 1000003u) + at->seed;
}

/* Wrong words of `words` in dst that should be those of PE `pe` from `from` on. */
long bench_compare(const struct bench_at *at, const long *dst, int pe, size_t from, size_t words,
                   long *checked);

/* check(): dst of PE 1 is src of PE 0, for one-sided puts. */
long bench_check_put(const struct bench_at *at, long *checked);

/* Measures one row. Collective; the figures are valid on PE 0. */
struct bench_row bench_measure(struct bench_at *at, const struct bench *bench, int repeats);

/* report.c: the table on stdout and the JSON file, both by PE 0. */
void bench_print_head(const struct bench_at *at);
void bench_print_row(const struct bench_row *row);
int bench_write_json(const char *path, const struct bench_at *at, const struct bench_row *rows,
                     int n);

#endif /* BENCH_ENGINE_H */
