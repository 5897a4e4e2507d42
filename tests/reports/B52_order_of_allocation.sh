# B52: PEs that allocate at different points are told so, each with its call.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program order <<'C'
#include <nvshmem.h>

int main(void)
{
    nvshmem_init();
    if (nvshmem_my_pe() == 0)
        nvshmem_malloc(4096);
    nvshmem_barrier_all();
    if (nvshmem_my_pe() != 0)
        nvshmem_malloc(4096);
    nvshmem_finalize();
    return 0;
}
C
run gshrun -n 2 ./order
ok "the job ends with an error" failed
ok "in a few seconds" [ "$took" -le 5 ]
ok "the allocation is shown" says 'PE 0: nvshmem_malloc\(4096 bytes'
ok "and the barrier" says 'PE 1: nvshmem_barrier'
finish
