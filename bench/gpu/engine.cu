/* engine.cu - see engine.h.
 *
 * The time of a batch is that of its slowest PE. A batch is as many calls as take about
 * BATCH_NS, so that an interruption spoils one of many: see the median.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "engine.h"

#include "meet.h"

#include <stdlib.h>

enum { FEW = 4, LEAST = 7, MOST_CALLS = 32 };
#define BATCH_NS 20000.0

struct times {
    double ns[BENCH_BATCHES]; /* sorted, of a call */
    int n;
};

struct findings {
    double wrong, looked;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static times run(bench_at &at, bench_run what, bench_plan plan)
{
    times t = {};

    cudaDeviceSynchronize();
    meet_all();
    what(at, plan, t.ns);
    at.turn += (uint64_t)plan.batches * plan.calls;
    meet_max(t.ns, plan.batches);
    for (int i = 0; i < plan.batches; i++)
        t.ns[i] /= plan.calls;
    t.n = plan.batches;
    return t;
}

static void sort(times &t)
{
    qsort(t.ns, t.n, sizeof(*t.ns), by_value);
}

/* After the first calls, which warm up. */
static bench_plan plan_for(times &few, double ms)
{
    bench_plan plan;
    double call;

    few.ns[0] = few.ns[1];
    sort(few);
    call = few.ns[FEW / 2] > 50 ? few.ns[FEW / 2] : 50;
    plan.calls = (int)(BATCH_NS / call);
    plan.calls = plan.calls < 1 ? 1 : plan.calls > MOST_CALLS ? MOST_CALLS : plan.calls;
    plan.batches = (int)(ms * 1e6 / (call * plan.calls));
    plan.batches = plan.batches < LEAST           ? LEAST
                   : plan.batches > BENCH_BATCHES ? BENCH_BATCHES
                                                  : plan.batches;
    return plan;
}

static void prepare(bench_at &at, const bench_op &op)
{
    at.seed++;
    if (at.bytes)
        bench_fill(at, op.per_pe ? at.n : 1);
    meet_all();
}

/* Over all PEs; sums, as meet_max knows no other: each PE has its place. */
static findings look(const bench_at &at, const bench_op &op)
{
    unsigned long long here[2] = { 0, 0 };
    double all[2 * MEET_PES] = {};
    findings found = {};

    cudaMemset(at.findings, 0, sizeof(here));
    meet_all();
    op.check(at);
    cudaMemcpy(here, at.findings, sizeof(here), cudaMemcpyDeviceToHost);
    all[2 * at.me] = (double)here[0];
    all[2 * at.me + 1] = (double)here[1];
    meet_max(all, 2 * at.n);
    for (int pe = 0; pe < at.n; pe++) {
        found.wrong += all[2 * pe];
        found.looked += all[2 * pe + 1];
    }
    return found;
}

static double in_unit(const bench_at &at, const bench_op &op, double ns)
{
    return op.unit == BENCH_GBS ? (double)at.bytes / ns : ns / 1000;
}

static void print(FILE *out, const bench_at &at, const bench_op &op, const times &t,
                  const times &limit, const findings &found, bench_plan plan)
{
    fprintf(out,
            "{\"key\": \"%s\", \"scope\": \"%s\", \"bytes\": %zu, \"pes\": %d, \"unit\": \"%s\", "
            "\"min\": %.4g, \"median\": %.4g, \"p99\": %.4g, \"limit\": %.4g, \"checked\": %.0f, "
            "\"wrong\": %.0f, \"batches\": %d, \"calls\": %d}\n",
            op.key, op.scope, at.bytes, at.n, op.unit == BENCH_GBS ? "GB/s" : "us",
            in_unit(at, op, t.ns[0]), in_unit(at, op, t.ns[t.n / 2]),
            in_unit(at, op, t.ns[(t.n * 99 - 1) / 100]),
            limit.n ? in_unit(at, op, limit.ns[limit.n / 2]) : 0.0, found.looked, found.wrong,
            plan.batches, plan.calls);
    fflush(out);
}

int engine_measure(bench_at &at, const bench_op &op, const char *key, long long size, double ms,
                   FILE *json)
{
    bench_plan few = { FEW, 1 }, plan;
    findings found, before;
    times t, limit = {};

    at.bytes = size > 0 ? (size_t)size : 0;
    at.blocks = op.blocks;
    if (at.me == 0) {
        printf("%-24s ", key);
        fflush(stdout);
    }
    prepare(at, op);
    t = run(at, op.run, few);
    before = look(at, op);
    plan = plan_for(t, ms);
    prepare(at, op);
    t = run(at, op.run, plan);
    sort(t);
    found = look(at, op);
    found.wrong += before.wrong;
    found.looked += before.looked;
    if (op.limit && at.n == 2 && at.peer_dst) {
        run(at, op.limit, few);
        limit = run(at, op.limit, plan);
        sort(limit);
    }
    if (at.me == 0) {
        printf("%9.2f %s  limit %9.2f  %s\n", in_unit(at, op, t.ns[t.n / 2]),
               op.unit == BENCH_GBS ? "GB/s" : "us",
               limit.n ? in_unit(at, op, limit.ns[limit.n / 2]) : 0.0,
               found.wrong || !found.looked ? "WRONG" : "");
        fflush(stdout);
        if (json)
            print(json, at, op, t, limit, found, plan);
    }
    return found.wrong != 0 || found.looked == 0;
}
