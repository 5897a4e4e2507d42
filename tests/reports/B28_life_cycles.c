/* B28: worlds that begin and end in a loop leave no descriptor and no mapping. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 2
#include "../conform/check.h"

static int count_maps(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    int n = 0, c;

    while (file && (c = fgetc(file)) != EOF)
        n += c == '\n';
    if (file)
        fclose(file);
    return n;
}

int main(void)
{
    int files = 0, maps = 0;

    for (int i = 0; i < 60; i++) {
        nvshmem_init();
        nvshmem_free(nvshmem_malloc(1u << 20));
        nvshmem_finalize();
        if (i == 10) {
            files = count_entries("/proc/self/fd");
            maps = count_maps();
        }
    }
    CHECK(count_entries("/proc/self/fd") == files, "%d descriptors, after 10 rounds %d",
          count_entries("/proc/self/fd"), files);
    CHECK(count_maps() <= maps + 2, "%d mappings, after 10 rounds %d", count_maps(), maps);
    fact("50 more worlds leave nothing behind");
    nvshmem_init();

    int status = finish();
    nvshmem_finalize();
    return status;
}
