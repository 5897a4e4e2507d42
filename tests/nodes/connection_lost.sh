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

# lose STEP PROGRAM TRANSPORT: in PE 1, which is on a node of its own, this step fails.
lose() {
    # shellcheck disable=SC2016 # for the PE's shell
    run timeout 60 gshrun -n 3 -x GSHMEM_FAKE_NODES=3 -x UCX_TLS=tcp \
        -x NVSHMEM_REMOTE_TRANSPORT="$3" sh -c \
        'case $GSHMEM_BOOT in 1,*) export GSHMEM_FAULT=fail:'"$1"' ;; esac
        exec ./rounds '"$2"
}

for transport in ucx delay,ucx; do
    call='nvshmem_barrier_all at main'
    [ $transport = ucx ] || call='a transfer at' # of the thread that delivers
    lose ucx.send:40 barrier $transport
    ok "$transport: the job fails when a message does not get out" failed
    ok "$transport: PE 1 names the other PE and its node, and the call" \
        says "PE 1: PE [02] on host [^ ]*/[02] cannot be reached any more: .*$call"
    ok "$transport: and so do the others" says 'PE [02]: PE 1 ended the job: .*PE [02]'
    lose ucx.send:1 compute $transport
    ok "$transport: a PE that computes ends as well, before it is done" [ "$took" -le 40 ]
done
lose delay.deliver:40 barrier delay,ucx
ok "the job fails when the transport above loses its connection, and says to whom" \
    says 'PE 1: transport delay to PE [02] failed'
ok "and so do the others" says 'PE [02]: PE 1 ended the job: transport delay'
ok "no PE is left running" sh -c '! pgrep -f "^\./rounds"'
finish
