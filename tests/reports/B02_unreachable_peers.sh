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
run gshrun -n 2 -x NVSHMEM_REMOTE_TRANSPORT=none sh -c 'GSHMEM_HOST_ID=host${GSHMEM_BOOT%%,*} exec ./start'
ok "init returns an error" says 'init returned [1-9]'
ok "the table has a row for each peer and transport" says '1 +self +is another PE'
ok "and why load and store do not reach it" says 'p2p .*is on host host1'
ok "and why another transport was not taken" says 'ucx .*NVSHMEM_REMOTE_TRANSPORT is none'
run gshrun -n 2 -x GSHMEM_FAKE_NODES=2 -x GSHMEM_FAULT=fail:ucx.load ./start
ok "a missing library is named" says 'ucx .*libucp.so.0 cannot be loaded'
run gshrun -n 2 -x GSHMEM_FAKE_NODES=2 -x UCX_TLS=self ./start
ok "as is a setting of UCX that leaves no way" says 'ucx .*UCX_TLS'
run gshrun -n 2 -x NVSHMEM_DISABLE_P2P=1 -x NVSHMEM_REMOTE_TRANSPORT=none ./start
ok "with p2p switched off the table says that it is" says 'p2p .*NVSHMEM_DISABLE_P2P'
finish
