/* B81: bad alignments give NULL, good ones an aligned block at the same offset on all
 * PEs. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 1
// RUN: 3
#include "../conform/check.h"

int main(void)
{
    static const size_t bad[] = { 0, 1, 3, 4, 24 }, good[] = { 8, 4096, 1u << 21 };
    uintptr_t *shown;
    char *first;

    nvshmem_init();
    first = (char *)need(1);
    shown = (uintptr_t *)need(sizeof(*shown));
    for (size_t size = 1; size <= 37; size += 36) {
        for (int i = 0; i < 5; i++)
            CHECK(!nvshmem_align(bad[i], size), "alignment %zu", bad[i]);
        for (int i = 0; i < 3; i++) {
            char *p = (char *)nvshmem_align(good[i], size);

            CHECK(p && (uintptr_t)p % good[i] == 0, "alignment %zu gives %p", good[i], (void *)p);
            *shown = (uintptr_t)(p - first);
            nvshmem_barrier_all();
            CHECK(nvshmem_uint64_g((uint64_t *)shown, 0) == *shown, "offset on PE 0 differs");
            nvshmem_free(p);
        }
    }
    fact("0, 1, 3, 4 and 24 are refused; 8, 4096 and 2 MiB are kept");

    int status = finish();
    nvshmem_finalize();
    return status;
}
