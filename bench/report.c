/* report.c - the table and the JSON file. */
// SPDX-License-Identifier: BSD-3-Clause
#include "engine.h"

#include <errno.h>
#include <string.h>

static const char *const units[] = {
    [BENCH_NS] = "ns", [BENCH_US] = "us", [BENCH_GBS] = "GB/s", [BENCH_MRATE] = "M/s"
};

void bench_print_head(const struct bench_at *at)
{
    char name[NVSHMEM_MAX_NAME_LEN];

    nvshmem_info_get_name(name);
    printf("# %s, %d PEs\n", name, at->n);
    printf("%-12s %9s %10s %10s %10s %10s %6s %-5s %10s\n", "key", "bytes", "min", "median", "p99",
           "raw", "ratio", "unit", "checked");
}

void bench_print_row(const struct bench_row *row)
{
    char verdict[32] = "WRONG";

    if (row->wrong == 0 && row->checked > 0)
        snprintf(verdict, sizeof(verdict), "%ld", row->checked);
    printf("%-12s %9zu %10.2f %10.2f %10.2f %10.2f %6.2f %-5s %10s\n", row->bench->key, row->bytes,
           row->min, row->median, row->p99, row->raw, row->ratio, units[row->bench->unit], verdict);
    fflush(stdout);
}

static void write_row(FILE *file, const struct bench_row *row)
{
    fprintf(file,
            "    {\"key\": \"%s\", \"bytes\": %zu, \"unit\": \"%s\", \"min\": %.4g, "
            "\"median\": %.4g, \"p99\": %.4g, \"raw_name\": \"%s\", \"raw\": %.4g, "
            "\"ratio\": %.4g, \"checked\": %ld, \"wrong\": %ld, \"calls\": %d, \"batches\": %d}",
            row->bench->key, row->bytes, units[row->bench->unit], row->min, row->median, row->p99,
            row->bench->raw_name ? row->bench->raw_name : "", row->raw, row->ratio, row->checked,
            row->wrong, row->calls, row->batches);
}

int bench_write_json(const char *path, const struct bench_at *at, const struct bench_row *rows,
                     int n)
{
    char name[NVSHMEM_MAX_NAME_LEN];
    FILE *file = fopen(path, "w");
    int failed;

    if (!file) {
        fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
        return -errno;
    }
    nvshmem_info_get_name(name);
    fprintf(file, "{\n  \"library\": \"%s\",\n  \"pes\": %d,\n  \"rows\": [\n", name, at->n);
    for (int i = 0; i < n; i++) {
        write_row(file, &rows[i]);
        fputs(i + 1 < n ? ",\n" : "\n", file);
    }
    fputs("  ]\n}\n", file);
    failed = ferror(file);
    failed |= fclose(file);
    if (failed)
        fprintf(stderr, "bench: %s is not complete: %s\n", path, strerror(errno));
    return failed ? -EIO : 0;
}
