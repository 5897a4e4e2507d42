# B37: 128 PEs start and end, again and again, every time.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program loop <<'C'
#include <nvshmem.h>

int main(void)
{
    for (int i = 0; i < 5; i++) {
        nvshmem_init();
        if (nvshmem_n_pes() != 128)
            return 1;
        nvshmem_finalize();
    }
    return 0;
}
C
for i in 1 2; do
    run gshrun -n 128 ./loop
    ok "run $i: five worlds of 128 PEs in one process each" is "$status" 0
    ok "run $i: silent" silent
done
finish
