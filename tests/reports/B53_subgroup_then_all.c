/* B53: collectives of a part of the PEs leave the others in step: what all do next
 * finishes. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 3
// RUN: 3 NVSHMEM_DISABLE_P2P=1 NVSHMEM_REMOTE_TRANSPORT=delay
#include "../conform/check.h"

int main(void)
{
    nvshmem_team_t pair;
    long *a;

    nvshmem_init();
    a = (long *)need(16 * sizeof(*a));
    nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &pair);
    for (int i = 0; i < 50; i++) {
        for (int k = 0; pair != NVSHMEM_TEAM_INVALID && k <= i % 3; k++) {
            a[1] = i;
            CHECK(!nvshmem_long_sum_reduce(pair, a, a + 1, 1) && a[0] == 2 * i, "round %d", i);
        }
        void *block = nvshmem_malloc(1000);
        CHECK(block != NULL, "round %d", i);
        nvshmem_barrier_all();
        nvshmem_free(block);
    }
    fact("a pair that reduces, and then allocation and barrier of all, 50 times");
    nvshmem_team_destroy(pair);

    int status = finish();
    nvshmem_finalize();
    return status;
}
