# B21: after an init that failed the first cause is what is said last, and once;
# a later allocation returns NULL.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program after <<'C'
#include <nvshmem.h>
#include <stdio.h>

int main(void)
{
    int provided;

    if (!nvshmem_init_thread(NVSHMEM_THREAD_SERIALIZED, &provided))
        return 1;
    return nvshmem_malloc(64) != NULL;
}
C
run env NVSHMEM_REMOTE_TRANSPORT=nosuch ./after
ok "malloc returns NULL" is "$status" 0
ok "the cause is the last line" sh -c 'tail -n 1 out | grep -q nosuch'
ok "and is said once" is "$(grep -c nosuch out)" 1
ok "with the names that there are" says 'delay'
run env NVSHMEM_REMOTE_TRANSPORT=ucx GSHMEM_FAULT=fail:ucx.load GSHMEM_FAKE_NODES=2 \
    gshrun -n 2 ./after
ok "over several nodes too the cause is in the last table" \
    sh -c 'tail -n 1 out | grep -q "libucp.so.0 cannot be loaded"'
finish
