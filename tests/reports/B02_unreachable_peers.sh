# B02: PEs that no transport connects make init return an error with one table of
# peer, transport and reason.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program start <<'C'
#include <nvshmem.h>
#include <stdio.h>

int main(void)
{
    int provided;

    printf("init returned %d\n", nvshmem_init_thread(NVSHMEM_THREAD_SERIALIZED, &provided));
    return 0;
}
C
run gshrun -n 2 sh -c 'GSHMEM_HOST_ID=host${GSHMEM_BOOT%%,*} exec ./start'
ok "init returns an error" says 'init returned [1-9]'
ok "the table has a row for each peer and transport" says '1 +self +is another PE'
ok "and why load and store do not reach it" says 'p2p .*is on host host1'
ok "and why another transport was not taken" says 'delay '
run gshrun -n 2 -x NVSHMEM_DISABLE_P2P=1 ./start
ok "with p2p switched off the table says that it is" says 'p2p .*NVSHMEM_DISABLE_P2P'
finish
