# OpenSHMEM 1.5, section 9.1 (shmem_global_exit): one PE ends the job with its status, while the
# others wait for it.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program leave <<'END'
#include <shmem.h>
#include <stdio.h>

int main(void)
{
    shmem_init();
    shmem_barrier_all();
    if (shmem_my_pe() == shmem_n_pes() - 1) {
        printf("written before");
        shmem_global_exit(7);
        puts("not reached");
    }
    shmem_barrier_all();
    puts("not reached");
    return 0;
}
END

for n in 1 3; do
    run gshrun -n $n ./leave
    ok "the job of $n PEs ends with the status that was given" is "$status" 7
    ok "what was written before, of $n PEs, is not lost" says "written before"
    ok "nothing after it is run, of $n PEs" is "$(grep -c 'not reached' out)" 0
done
finish
