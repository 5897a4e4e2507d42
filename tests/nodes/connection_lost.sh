#!/bin/sh
# A connection that fails while both PEs live ends the job on all PEs, and each says to which PE
# on which node it was.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program rounds <<'C'
#include <nvshmem.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    nvshmem_init();
    /* PE 2 computes: it is in no call when it learns of it. */
    if (nvshmem_my_pe() == 2 && !strcmp(argv[argc - 1], "compute"))
        sleep(60);
    for (int i = 0; i < 1000000; i++)
        nvshmem_barrier_all();
    nvshmem_finalize();
    return 0;
}
C

# lose WHAT: the 40th message of PE 1, which is on a node of its own, does not get out.
lose() {
    # shellcheck disable=SC2016 # for the PE's shell
    run gshrun -n 3 -x GSHMEM_FAKE_NODES=3 -x UCX_TLS=tcp sh -c \
        'case $GSHMEM_BOOT in 1,*) export GSHMEM_FAULT=fail:ucx.send:'"$1"' ;; esac
        exec ./rounds '"$2"
}
lose 40 barrier
ok "the job fails" failed
ok "within some seconds" [ "$took" -le 10 ]
ok "PE 1 names the other PE and its node" \
    says 'PE 1: PE [02] on host [^ ]*/[02] cannot be reached any more: .*nvshmem_barrier_all at main'
ok "and so do the others" says 'PE [02]: PE 1 ended the job: PE [02] on host .* cannot be reached'
lose 1 compute
ok "a PE that computes ends as well" [ "$took" -le 10 ]
ok "no PE is left running" sh -c '! pgrep -f "^\./rounds"'
finish
