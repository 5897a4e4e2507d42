/* engine.c - prepares, checks and times one row; see engine.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "engine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_CALLS 1000              /* of a batch */
#define MIN_CALLS 4                 /* of a batch with sizes */
#define BATCH_BYTES (1 << 20)       /* that a batch moves, between these bounds */
#define ROW_BYTES ((size_t)1 << 30) /* after which a row has enough batches */
#define MIN_BATCHES 20

static const double unit_ns[] = { [BENCH_NS] = 1, [BENCH_US] = 1000 };

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

long bench_compare(const struct bench_at *at, const long *dst, int pe, size_t from, size_t words,
                   long *checked)
{
    long wrong = 0;

    for (size_t k = 0; k < words; k++)
        wrong += dst[k] != bench_word(at, pe, from + k);
    *checked += (long)words;
    return wrong;
}

long bench_check_put(const struct bench_at *at, long *checked)
{
    if (at->me != 1)
        return 0;
    return bench_compare(at, at->dst, 0, 0, at->bytes / 8, checked);
}

static void fill(struct bench_at *at)
{
    size_t words = at->bytes / 8 * at->parts;

    at->seed++;
    for (size_t k = 0; k < words; k++)
        at->src[k] = bench_word(at, at->me, k);
    memset(at->dst, 0xa5, words * 8);
    nvshmem_barrier_all();
}

/* One batch that is not timed, its results checked into *row. */
static void verify(struct bench_at *at, struct bench_row *row)
{
    const struct bench *bench = row->bench;
    long counts[2];

    fill(at);
    bench->run(at, row->calls);
    nvshmem_barrier_all();
    at->flags->checked = 0;
    at->flags->wrong = bench->check(at, &at->flags->checked);
    nvshmem_barrier_all();
    for (int pe = 0; at->me == 0 && pe < at->n; pe++) {
        nvshmem_getmem(counts, &at->flags->wrong, sizeof(counts), pe);
        row->wrong += counts[0];
        row->checked += counts[1];
    }
    nvshmem_barrier_all();
}

static double batch_ns(struct bench_at *at, void (*run)(struct bench_at *at, int calls), int calls)
{
    double start;

    nvshmem_barrier_all();
    start = now_ns();
    run(at, calls);
    return now_ns() - start;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The times of the slowest PE of each batch to PE 0, sorted. */
static void slowest_sorted(const struct bench_at *at, double *times, int n)
{
    double *other = malloc((size_t)n * sizeof(*other));

    nvshmem_barrier_all();
    for (int pe = 1; other && at->me == 0 && pe < at->n; pe++) {
        nvshmem_getmem(other, times, (size_t)n * sizeof(*other), pe);
        for (int i = 0; i < n; i++)
            times[i] = other[i] > times[i] ? other[i] : times[i];
    }
    nvshmem_barrier_all();
    free(other);
    if (at->me == 0)
        qsort(times, (size_t)n, sizeof(*times), by_value);
}

static double in_unit(const struct bench_row *row, double batch)
{
    double call = batch / row->calls / (row->bench->ways ? row->bench->ways : 1);

    if (row->bench->unit == BENCH_GBS)
        return (double)row->bytes / call;
    if (row->bench->unit == BENCH_MRATE)
        return 1000 / call;
    return call / unit_ns[row->bench->unit];
}

static void plan(const struct bench_at *at, struct bench_row *row, int repeats)
{
    bool crowded = at->n > sysconf(_SC_NPROCESSORS_ONLN);
    size_t calls = MAX_CALLS, most;

    if (row->bytes && row->bench->unit != BENCH_MRATE)
        calls = BATCH_BYTES / row->bytes;
    calls = calls < MIN_CALLS ? MIN_CALLS : calls > MAX_CALLS ? MAX_CALLS : calls;
    if (crowded && row->bench->unit != BENCH_MRATE && calls > MAX_CALLS / 10)
        calls = MAX_CALLS / 10;
    row->calls = (int)calls;
    row->batches = repeats;
    most = row->bytes ? ROW_BYTES / (calls * row->bytes) : (size_t)repeats;
    if (most < (size_t)repeats)
        row->batches = most > MIN_BATCHES ? (int)most : MIN_BATCHES;
}

struct bench_row bench_measure(struct bench_at *at, const struct bench *bench, int repeats)
{
    struct bench_row row = { .bench = bench, .bytes = at->bytes };
    bool has_raw = bench->raw && at->peer_dst && at->n == 2;
    double *times, *raw_times;
    int n;

    plan(at, &row, repeats);
    n = row.batches;
    times = nvshmem_malloc(2 * (size_t)n * sizeof(*times));
    if (!times) {
        fprintf(stderr, "bench: no symmetric memory for the times of %d batches\n", n);
        exit(2);
    }
    raw_times = times + n;
    memset(at->flags, 0, sizeof(*at->flags));
    at->turn = at->raw_turn = at->bad = 0;
    verify(at, &row);
    for (int i = 0; i < n; i++) {
        times[i] = batch_ns(at, bench->run, row.calls);
        raw_times[i] = has_raw ? batch_ns(at, bench->raw, row.calls) : 0;
    }
    slowest_sorted(at, times, n);
    slowest_sorted(at, raw_times, n);
    row.min = in_unit(&row, times[0]);
    row.median = in_unit(&row, times[n / 2]);
    row.p99 = in_unit(&row, times[(n * 99 - 1) / 100]);
    if (has_raw) {
        row.raw = in_unit(&row, raw_times[n / 2]);
        row.ratio = row.median / row.raw;
    }
    verify(at, &row);
    nvshmem_free(times);
    return row;
}
