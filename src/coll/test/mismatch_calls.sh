# Members of a team that make different collective calls are told so, each with its
# call, whatever the calls are and whoever is the odd one.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program calls <<'C'
#include <nvshmem.h>
#include <stdlib.h>
#include <string.h>

static long *a;

static void call(const char *what)
{
    nvshmem_team_t team;

    if (!strcmp(what, "barrier"))
        nvshmem_barrier_all();
    if (!strcmp(what, "sync"))
        nvshmem_sync_all();
    if (!strncmp(what, "broadcast", 9))
        nvshmem_long_broadcast(NVSHMEM_TEAM_WORLD, a, a + 8, 1, what[9] - '0');
    if (!strcmp(what, "fcollect"))
        nvshmem_long_fcollect(NVSHMEM_TEAM_WORLD, a, a + 8, 1);
    if (!strcmp(what, "reduce"))
        nvshmem_long_sum_reduce(NVSHMEM_TEAM_WORLD, a, a + 8, 1);
    if (!strcmp(what, "malloc"))
        nvshmem_malloc(64);
    if (!strcmp(what, "kind"))
        nvshmemx_malloc_kind(64, NVSHMEMX_KIND_DEVICE);
    if (!strcmp(what, "other_kind"))
        nvshmemx_malloc_kind(64, NVSHMEMX_KIND_HOST);
    if (!strcmp(what, "split"))
        nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &team);
}

/* calls ODD WHAT OTHERS: PE `odd` calls `what`, the others `others`. */
int main(int argc, char **argv)
{
    nvshmem_init();
    a = nvshmem_calloc(64, sizeof(*a));
    call(argv[nvshmem_my_pe() == atoi(argv[argc - 3]) ? argc - 2 : argc - 1]);
    nvshmem_finalize();
    return 0;
}
C

for n in 2 3; do
    for pair in "broadcast0 barrier" "broadcast0 sync" "broadcast0 reduce" "broadcast0 malloc" \
        "barrier broadcast0" "barrier broadcast1" "fcollect broadcast1" "split barrier" \
        "reduce fcollect" "none broadcast0" "kind malloc" "kind other_kind"; do
        for odd in 0 $((n - 1)); do
            # shellcheck disable=SC2086 # two words
            run timeout 10 gshrun -n $n ./calls $odd $pair
            ok "PE $odd of $n in $pair" says 'make different collective calls'
        done
    done
done
run timeout 10 gshrun -n 3 -x GSHMEM_CHECK=1 ./calls 0 broadcast0 broadcast1
ok "with GSHMEM_CHECK two roots are found out" says 'PE 1 2: nvshmem_broadcast\(long, 8 bytes, root 1\)'
finish
