/* main.cu - gpubench: starts a PE, measures the rows and appends them to a file, a JSON object
 * a line. `run` starts one for each PE.
 *
 * usage: gpubench --rank R --pes N --meet FILE [--json FILE] [--ms MS] [--skip KEYS] [--only KEYS]
 *        gpubench --list
 *
 * KEYS are beginnings of what --list shows, separated by commas; one that ends with ! is whole.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot.h"
#include "engine.h"
#include "list.h"
#include "meet.h"

#include <nvshmem.h>
#include <nvshmemx.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AREA = 64 << 20 };

static const bench_ops *const files[] = {
#define FILE_OF(file) &bench_##file,
    BENCH_FILES(FILE_OF)
#undef FILE_OF
};
enum { FILES = sizeof(files) / sizeof(*files) };

struct options {
    int rank, pes;
    const char *meet, *json, *skip, *only;
    double ms;
    bool list;
};

static void refuse(const char *what, const char *word)
{
    fprintf(stderr, "gpubench: %s %s\n", what, word);
    exit(2);
}

static options parse(int argc, char **argv)
{
    options o = { -1, 0, NULL, NULL, "", "", 25, false };

    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (!strcmp(name, "--list")) {
            o.list = true;
            continue;
        }
        if (!value)
            refuse("no value for", name);
        i++;
        if (!strcmp(name, "--rank"))
            o.rank = atoi(value);
        else if (!strcmp(name, "--pes"))
            o.pes = atoi(value);
        else if (!strcmp(name, "--ms"))
            o.ms = atof(value);
        else if (!strcmp(name, "--meet"))
            o.meet = value;
        else if (!strcmp(name, "--json"))
            o.json = value;
        else if (!strcmp(name, "--skip"))
            o.skip = value;
        else if (!strcmp(name, "--only"))
            o.only = value;
        else
            refuse("no option", name);
    }
    if (!o.list && (o.rank < 0 || o.pes < 2 || o.rank >= o.pes || !o.meet))
        refuse("needs --rank, --pes of at least 2, and", "--meet");
    return o;
}

static bool is_named(const char *list, const char *name)
{
    char key[80];

    snprintf(key, sizeof(key), "%s!", name);
    for (const char *word = list; *word;) {
        size_t length = strcspn(word, ",");

        if (length && !strncmp(word, key, length))
            return true;
        word += length + (word[length] == ',');
    }
    return false;
}

static void key_of(char *key, size_t room, const bench_op &op, long long size)
{
    if (size > 0)
        snprintf(key, room, "%s/%s/%lld", op.key, op.scope, size);
    else
        snprintf(key, room, "%s/%s", op.key, op.scope);
}

static void *device_memory(size_t bytes)
{
    void *memory = NULL;

    if (cudaMalloc(&memory, bytes) != cudaSuccess)
        refuse("no device memory:", cudaGetErrorString(cudaGetLastError()));
    cudaMemset(memory, 0, bytes);
    return memory;
}

static void *symmetric(size_t bytes)
{
    void *memory = nvshmem_align(512, bytes);

    if (!memory)
        refuse("no symmetric memory of", "64 MiB");
    cudaMemset(memory, 0, bytes);
    return memory;
}

static bench_at prepare(void)
{
    bench_at at = {};

    at.me = nvshmem_my_pe();
    at.n = nvshmem_n_pes();
    at.peer = at.me < 2 ? 1 - at.me : (at.me + 1) % at.n;
    at.src = (float *)symmetric(AREA);
    at.dst = (float *)symmetric(AREA);
    at.flags = (uint64_t *)symmetric(BENCH_FLAGS * sizeof(uint64_t));
    at.peer_src = (float *)nvshmem_ptr(at.src, at.peer);
    at.peer_dst = (float *)nvshmem_ptr(at.dst, at.peer);
    at.peer_flags = (uint64_t *)nvshmem_ptr(at.flags, at.peer);
    at.ticks = (long long *)device_memory((BENCH_BATCHES + 1) * sizeof(*at.ticks));
    at.ns = (unsigned long long *)device_memory(2 * sizeof(*at.ns));
    at.meeting = (unsigned *)device_memory(sizeof(*at.meeting));
    at.findings = (unsigned long long *)device_memory(2 * sizeof(*at.findings));
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
    return at;
}

static int measure_all(bench_at &at, const options &o)
{
    FILE *json = at.me == 0 && o.json ? fopen(o.json, "a") : NULL;
    int status = 0;

    for (int f = 0; f < FILES; f++) {
        for (int i = 0; i < files[f]->n; i++) {
            const bench_op &op = files[f]->ops[i];

            for (const long long *size = op.sizes; *size; size++) {
                char key[64];

                key_of(key, sizeof(key), op, *size);
                if (is_named(o.skip, key) || (*o.only && !is_named(o.only, key)) ||
                    (op.most_pes && at.n > op.most_pes))
                    continue;
                status |= engine_measure(at, op, key, *size, o.ms, json);
            }
        }
    }
    if (json)
        fclose(json);
    return status;
}

static void list(void)
{
    for (int f = 0; f < FILES; f++) {
        for (int i = 0; i < files[f]->n; i++) {
            for (const long long *size = files[f]->ops[i].sizes; *size; size++) {
                char key[64];

                key_of(key, sizeof(key), files[f]->ops[i], *size);
                puts(key);
            }
        }
    }
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);

    if (o.list) {
        list();
        return 0;
    }
    meet_open(o.meet, o.rank, o.pes);
    boot(o.rank, o.pes);
    bench_at at = prepare();
    int status = measure_all(at, o);
    nvshmem_barrier_all();
    nvshmem_free(at.flags);
    nvshmem_free(at.dst);
    nvshmem_free(at.src);
    nvshmem_finalize();
    return status;
}
