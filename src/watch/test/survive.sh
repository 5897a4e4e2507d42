#!/bin/sh
# With GSHMEM_SURVIVE the loss of a PE is an error of the collective calls of the others, which
# may finalize and go on without it; calls that cannot return an error end their PE.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

# start COMMAND...: 4 PEs as torchrun starts them; PE 3 is killed in the midst of it. The end
# of PE n is in end.n, its output in out.n.
cat >start <<'END'
export WORLD_SIZE=4 MASTER_ADDR=localhost MASTER_PORT=29701
for RANK in 0 1 2 3; do
    export RANK
    { "$@" >out.$RANK 2>&1; echo $? >end.$RANK; } &
done
while [ "$(cat out.* | grep -c 'is in')" -lt 4 ]; do sleep 0.1; done
sleep 0.3
kill -KILL "$(cat victim)"
wait
END

# lose COMMAND...
lose() {
    rm -f out.* end.*
    run timeout 60 sh ./start "$@"
    cat out.? >out
    ends="$(cat end.0) $(cat end.1) $(cat end.2)"
}

cat >survive <<'END'
[ "$RANK" != 3 ] || echo $$ >victim
exec "$GSH_BUILD/test/net/survive" 2
END
export GSHMEM_SURVIVE=1
lose sh ./survive
ok "collective calls return an error when a PE is killed" \
    is "$(grep -c 'after some rounds: .*PE 3 (pid [0-9]*) ended without' out)" 3
ok "the other PEs finalize, and two of them go on in another world" \
    is "$ends $(grep -c 'PE [01] of 2: fine' out)" "0 0 0 2"

program wait <<'C'
#include <nvshmem.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    nvshmem_init();
    printf("PE %d is in\n", nvshmem_my_pe());
    fflush(stdout);
    if (nvshmem_my_pe() == 3)
        pause();
    nvshmem_barrier_all();
    return argv[argc - 1] != 0;
}
C
cat >wait.sh <<'END'
[ "$RANK" != 3 ] || echo $$ >victim
exec ./wait
END
lose sh ./wait.sh
ok "barrier_all, which cannot return an error, ends the PE" is "$ends" "1 1 1"
ok "and says for whom it waited" says 'nvshmem_barrier_all at main .* PE 3, which is gone'
unset GSHMEM_SURVIVE
lose sh ./survive
ok "without the setting the first call ends the PE" is "$ends" "1 1 1"
finish
