# B50: an allocation after somebody else has finalized the library, by any of its names, ends
# with an error that says so; after another init it works.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program twice <<'C'
#include <nvshmem.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    nvshmem_init();
    nvshmem_free(nvshmem_malloc(64));
    if (!strcmp(argv[1], "shmem"))
        shmem_finalize();
    else
        nvshmemx_hostlib_finalize();
    if (argc > 2)
        nvshmem_init();
    printf("has %d\n", nvshmem_malloc(64) != NULL);
    nvshmem_finalize();
    return 0;
}
C
for binding in shmem hostlib; do
    run gshrun -n 2 ./twice $binding
    ok "finalized by $binding: the job ends with an error" [ "$status" -ne 0 ]
    ok "finalized by $binding: which says why" says 'nvshmem_malloc was called before nvshmem_init'
    run gshrun -n 2 ./twice $binding again
    ok "finalized by $binding: after another init there is memory" \
        is "$(grep -c 'has 1' out)" 2
done
finish
