/* main.c - options, and the loop over benchmarks and sizes. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "list.h"

#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS 400

static const char help[] =
    "usage: gshrun -n N gshbench [options]\n"
    "\n"
    "Measures operations of the library, checks their results, and shows the raw limit.\n"
    "\n"
    "  -l, --list        list the benchmarks\n"
    "  -t KEY[,KEY...]   run these; without it all\n"
    "  -s MIN:MAX        bytes, with K, M; sizes are 8 and the powers of four from 16\n"
    "  -r N              batches of a row (300)\n"
    "  --json FILE       write the rows to FILE, too\n"
    "  --no-pin          leave the PEs where the system puts them; without it PE i is\n"
    "                    bound to core i when there is a core for each\n"
    "  -h, --help        show this text\n"
    "\n"
    "A row whose results are wrong shows WRONG, and the exit code is 1.\n";

#define BENCH_ROW(key) &bench_##key,
static const struct bench *const benches[] = { BENCHES(BENCH_ROW) };
#undef BENCH_ROW

enum { N_BENCHES = sizeof(benches) / sizeof(benches[0]) };

static _Noreturn void refuse(const char *what, const char *text)
{
    fprintf(stderr, "bench: %s \"%s\"; --help shows the options, -l the benchmarks\n", what, text);
    exit(2);
}

static bool is_named(const char *keys, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = keys; at && (at = strstr(at, key)); at += length)
        if ((at == keys || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
            return true;
    return !keys;
}

static void check_keys(const char *keys)
{
    char *copy = strdup(keys), *rest = copy;

    for (char *key; (key = strsep(&rest, ","));) {
        bool known = false;

        for (int i = 0; i < N_BENCHES; i++)
            known |= !strcmp(benches[i]->key, key);
        if (!known)
            refuse("there is no benchmark", key);
    }
    free(copy);
}

static size_t read_size(const char *text, char **end)
{
    size_t size = strtoul(text, end, 10);

    if (**end == 'K' || **end == 'M')
        size <<= *(*end)++ == 'K' ? 10 : 20;
    return size;
}

static void read_sizes(const char *text, struct bench_options *options)
{
    char *end;

    options->min = options->max = read_size(text, &end);
    if (*end == ':')
        options->max = read_size(end + 1, &end);
    if (*end || options->min < 8 || options->max < options->min)
        refuse("-s takes MIN:MAX from 8 on, not", text);
}

static _Noreturn void list(void)
{
    for (int i = 0; i < N_BENCHES; i++)
        printf("%-12s %s\n", benches[i]->key, benches[i]->sentence);
    exit(0);
}

static void parse(int argc, char **argv, struct bench_options *options)
{
    static const struct option names[] = { { "list", no_argument, NULL, 'l' },
                                           { "json", required_argument, NULL, 'j' },
                                           { "no-pin", no_argument, NULL, 'n' },
                                           { "help", no_argument, NULL, 'h' },
                                           { 0 } };

    for (int c; (c = getopt_long(argc, argv, "lt:s:r:h", names, NULL)) != -1;) {
        if (c == 'l')
            list();
        else if (c == 't')
            check_keys(options->keys = optarg);
        else if (c == 's')
            read_sizes(optarg, options);
        else if (c == 'r' && (options->repeats = atoi(optarg)) < 1)
            refuse("-r takes a number from 1 on, not", optarg);
        else if (c == 'j')
            options->json = optarg;
        else if (c == 'n')
            options->pin = false;
        else if (c != 'r') {
            fputs(help, c == 'h' ? stdout : stderr);
            exit(c == 'h' ? 0 : 2);
        }
    }
    if (optind < argc)
        refuse("unknown argument", argv[optind]);
}

static void pin(int me, int n)
{
    cpu_set_t all, mine;

    if (sched_getaffinity(0, sizeof(all), &all) || CPU_COUNT(&all) < n)
        return;
    for (int cpu = 0, i = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all) || i++ != me)
            continue;
        CPU_ZERO(&mine);
        CPU_SET(cpu, &mine);
        if (sched_setaffinity(0, sizeof(mine), &mine))
            fprintf(stderr, "bench: PE %d is not bound to core %d\n", me, cpu);
    }
}

static size_t next_size(size_t size)
{
    return size < 16 ? 16 : size * 4;
}

static void *symmetric(size_t bytes)
{
    void *memory = nvshmem_align(128, bytes);

    if (!memory) {
        fprintf(stderr, "bench: no %zu bytes of symmetric memory\n", bytes);
        exit(2);
    }
    return memory;
}

static struct bench_row measure_size(struct bench_at *at, const struct bench *bench, int repeats)
{
    int peer = (at->me + 1) % at->n;
    struct bench_row row = { .bench = bench };
    size_t room;

    at->parts = bench->per_pe ? (size_t)at->n : 1;
    room = (at->bytes ? at->bytes : 8) * at->parts;
    at->src = symmetric(room);
    at->dst = symmetric(room);
    at->peer_src = nvshmem_ptr(at->src, peer);
    at->peer_dst = nvshmem_ptr(at->dst, peer);
    at->peer_flags = nvshmem_ptr(at->flags, at->n > 1 && at->me < 2 ? 1 - at->me : peer);
    if (at->peer_dst || !bench->is_raw)
        row = bench_measure(at, bench, repeats);
    nvshmem_free(at->dst);
    nvshmem_free(at->src);
    return row;
}

/* All sizes of one benchmark; returns the number of rows. There is none for a raw
 * limit when the peer's memory cannot be reached. */
static int measure(struct bench_at *at, const struct bench *bench,
                   const struct bench_options *options, struct bench_row *rows)
{
    size_t min = bench->min, max = bench->max;
    int n = 0;

    if (options->max && min != max) {
        min = options->min > min ? options->min : min;
        max = options->max < max ? options->max : max;
    }
    for (size_t size = bench->max ? 8 : 0; size <= max; size = next_size(size)) {
        if (size < min)
            continue;
        at->bytes = size;
        rows[n] = measure_size(at, bench, options->repeats);
        if (rows[n].batches) {
            if (at->me == 0)
                bench_print_row(&rows[n]);
            n++;
        }
        if (!bench->max)
            break;
    }
    return n;
}

int main(int argc, char **argv)
{
    struct bench_options options = { .repeats = 300, .pin = true };
    static struct bench_row rows[MAX_ROWS];
    struct bench_at at = { 0 };
    int n = 0, status = 0;

    parse(argc, argv, &options);
    nvshmem_init();
    at.me = nvshmem_my_pe();
    at.n = nvshmem_n_pes();
    if (at.n < 2)
        refuse("at least 2 PEs are needed:", "gshrun -n 2 gshbench");
    if (options.pin)
        pin(at.me, at.n);
    at.flags = symmetric(sizeof(*at.flags));
    if (at.me == 0)
        bench_print_head(&at);
    for (int i = 0; i < N_BENCHES; i++)
        if (is_named(options.keys, benches[i]->key))
            n += measure(&at, benches[i], &options, rows + n);
    for (int i = 0; at.me == 0 && i < n; i++)
        status |= rows[i].wrong != 0 || rows[i].checked == 0;
    if (at.me == 0 && options.json && bench_write_json(options.json, &at, rows, n))
        status = 1;
    nvshmem_free(at.flags);
    nvshmem_finalize();
    return status;
}
