# B07, B38, B39: each step of the set-up that fails is reported, undone, and
# neither crashes nor hangs.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program start <<'C'
#include <nvshmem.h>
#include <stdio.h>

int main(void)
{
    int provided;
    int err = nvshmem_init_thread(NVSHMEM_THREAD_SERIALIZED, &provided);

    printf("init returned %d\n", err);
    if (!err)
        nvshmem_finalize();
    return 0;
}
C
for step in segment.memfd segment.send segment.map; do
    run gshrun -n 3 -x GSHMEM_FAULT=fail:$step ./start
    ok "$step: init returns an error on every PE" is "$(grep -c 'init returned [1-9]' out)" 3
    ok "$step: nobody crashes" [ "$status" -lt 128 ]
    ok "$step: the cause is said" says 'gshmem: PE [0-2]: '
done
run gshrun -n 3 -x GSHMEM_FAULT=fail:p2p.open ./start
ok "p2p.open: without another transport init returns an error" says 'init returned [1-9]'
run gshrun -n 3 -x GSHMEM_FAULT=fail:p2p.open -x NVSHMEM_REMOTE_TRANSPORT=delay ./start
ok "p2p.open: with one the next transport is taken" is "$(grep -c 'init returned 0' out)" 3
run gshrun -n 3 -x NVSHMEM_DISABLE_P2P=1 -x GSHMEM_FAULT=fail:delay.open \
    -x NVSHMEM_REMOTE_TRANSPORT=delay ./start
ok "delay.open: its own end does not crash" [ "$status" -lt 128 ]
ok "delay.open: and init returns an error" says 'init returned [1-9]'
for step in ucx.load ucx.worker ucx.thread; do
    run gshrun -n 3 -x GSHMEM_FAKE_NODES=2 -x GSHMEM_FAULT=fail:$step ./start
    ok "$step: its own end does not crash" [ "$status" -lt 128 ]
    ok "$step: init returns an error on every PE" is "$(grep -c 'init returned [1-9]' out)" 3
    ok "$step: the table says why" says '[0-2] +ucx +could not be opened: '
done
# shellcheck disable=SC2016 # for the PE's shell
run gshrun -n 3 -x GSHMEM_FAKE_NODES=3 -x UCX_TLS=tcp sh -c \
    'case $GSHMEM_BOOT in 1,*) export GSHMEM_FAULT=fail:ucx.load ;; esac; exec ./start'
ok "on one PE alone: init returns an error on every PE" \
    is "$(grep -c 'init returned [1-9]' out)" 3
ok "and the others know why" says '1 +ucx +cannot be used there: libucp'
run sh -c 'ulimit -v 300000; exec gshrun -n 2 ./start'
ok "too little address space is an error that names the limit" says 'ulimit -v'
finish
