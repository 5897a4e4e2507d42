/* init, allocate, free and finalize in a loop leave nothing behind: no descriptor, no
 * mapping, no file. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <unistd.h>

enum { WARM_UP = 3, ROUNDS = 12 };

/* Mappings of the library's memory; the C library's own may come and go. */
static int count_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    int n = 0;

    while (maps && fgets(line, sizeof(line), maps))
        n += strstr(line, "memfd") || strstr(line, "/dev/shm") || strstr(line, "rw-s");
    if (maps)
        fclose(maps);
    return n;
}

/* The same, once it has not changed for a while: PE 0 may still serve the others' end. */
static int count_at_rest(const char *folder)
{
    int n = count_entries(folder), before;

    for (int i = 0; i < 40; i++) {
        before = n;
        usleep(100 * 1000);
        n = count_entries(folder);
        if (n == before)
            return n;
    }
    return n;
}

static void one_round(void)
{
    int me, n;
    char *p;

    nvshmem_init();
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    p = (char *)need(300000);
    nvshmem_char_p(p + 299999, 1, (me + 1) % n);
    nvshmem_barrier_all();
    CHECK(p[299999] == 1, "put");
    nvshmem_free(p);
    p = (char *)need(5000); /* left to finalize */
    nvshmem_finalize();
}

int main(void)
{
    int fds = 0, mappings = 0, threads = 0, n, status;

    for (int i = 0; i < ROUNDS; i++) {
        one_round();
        if (i == WARM_UP - 1) {
            fds = count_at_rest("/proc/self/fd");
            threads = count_at_rest("/proc/self/task");
            mappings = count_mappings();
        }
    }
    CHECK(fds > 0, "descriptors can be counted");
    n = count_at_rest("/proc/self/fd");
    CHECK(n == fds, "%d descriptors, %d at first", n, fds);
    fact("no descriptor is left over");
    CHECK(count_mappings() == mappings, "%d mappings, %d at first", count_mappings(), mappings);
    fact("no mapping is left over");
    n = count_at_rest("/proc/self/task");
    CHECK(n == threads, "%d threads, %d at first", n, threads);
    fact("no thread is left over");
    nvshmem_init();
    status = finish();
    nvshmem_finalize();
    return status;
}
