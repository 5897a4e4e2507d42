#!/bin/sh
# When a node is lost all PEs end in time, whatever call they are in, not with success, and say
# which node; with GSHMEM_SURVIVE those that are left go on without it.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

# busy HOW: is in this call, for ever, with PEs of the other nodes.
program busy <<'C'
#include <nvshmem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char from[1 << 16];
    const char *how = argv[argc - 1];
    int other;
    char *to;
    long *word;

    nvshmem_init();
    to = nvshmem_malloc(sizeof(from));
    word = nvshmem_calloc(1, sizeof(*word));
    other = (nvshmem_my_pe() + nvshmem_n_pes() / 2) % nvshmem_n_pes();
    nvshmem_barrier_all();
    printf("PE %d is in\n", nvshmem_my_pe());
    fflush(stdout);
    for (long round = 0; strcmp(how, "sleep"); round++) {
        if (!strcmp(how, "barrier"))
            nvshmem_barrier_all();
        if (!strcmp(how, "wait"))
            nvshmem_long_wait_until(word, NVSHMEM_CMP_NE, 0);
        if (!strcmp(how, "put"))
            nvshmem_putmem(to, from, sizeof(from), other);
        if (!strcmp(how, "get"))
            nvshmem_getmem(from, to, sizeof(from), other);
        if (!strcmp(how, "add"))
            nvshmem_long_atomic_fetch_add(word, 0, other);
        if (!strcmp(how, "quiet")) {
            nvshmem_putmem_nbi(to, from, sizeof(from), other);
            nvshmem_quiet();
        }
    }
    sleep(60);
    return 0;
}
C

# take_away NODE HOW PROGRAM...: two PEs on each of two nodes; the output of PE n is in out.n,
# its end in end.n, and the tenths of a second that this took in took.
cat >take_away <<'END'
node=$1 how=$2
shift 2
export WORLD_SIZE=4 LOCAL_WORLD_SIZE=2 MASTER_ADDR=node0 MASTER_PORT=29500
for rank in 0 1 2 3; do
    { RANK=$rank on node$((rank / 2)) "$@" >out.$rank 2>&1; echo $? >end.$rank; } &
done
while [ "$(cat out.* | grep -c 'is in')" -lt 4 ]; do sleep 0.1; done
sleep 0.3
lose "$node" "$how"
start=$(date +%s%N)
wait
echo $((($(date +%s%N) - start) / 100000000)) >took
END

# take ...: as take_away; $ends are the exit statuses of the PEs of node 0, $took the tenths.
take() {
    rm -f out.* end.* took
    run timeout 60 "$GSH_SOURCE/tests/net/nodes" -n 2 sh ./take_away "$@"
    [ "$status" -ne 77 ] || { cat out && exit 77; }
    cat out.? >out
    ends="$(cat end.0) $(cat end.1)" took=$(cat took)
}

# ended PES SECONDS WHAT: within the time, each of these said so and had no success.
ended() {
    [ "$took" -le "$2"0 ] || return 1
    for pe in $1; do
        [ "$(cat end."$pe")" -ne 0 ] || return 1
        grep -Eq "PE $pe: .*$3|$3" out."$pe" || return 1
    done
}

gone='(node node1 .*is lost|PE [23] .*on (node |host )?node1.*(ended|failed|lost))'
export GSHMEM_NODE_TIMEOUT=2
for how in barrier wait put get add quiet sleep; do
    take node1 crash ./busy $how
    ok "$how: a node that is silent is noticed by the PEs of the other, which end" \
        ended "0 1" 10 "$gone"
done
for how in barrier quiet; do
    take node1 kill ./busy $how
    ok "$how: so is one whose processes are killed" ended "0 1" 10 "$gone"
    take node1 unplug ./busy $how
    ok "$how: and one whose link is down" ended "0 1" 10 "$gone"
    ok "$how: its own PEs end as well, and name the other node" ended "2 3" 10 node0
done
for how in put quiet; do
    NVSHMEM_REMOTE_TRANSPORT=delay,ucx take node1 crash ./busy $how
    ok "$how: it is noticed with messages that are held back" ended "0 1" 10 "$gone"
done
unset GSHMEM_NODE_TIMEOUT
take node1 crash ./busy barrier
ok "without a setting it takes 10 s" ended "0 1" 10 "$gone"

export GSHMEM_NODE_TIMEOUT=2 GSHMEM_SURVIVE=1
take node1 crash "$GSH_BUILD/test/net/survive" 2
ok "with GSHMEM_SURVIVE collective calls return an error when a node is lost" \
    is "$(grep -c 'after some rounds: .*node1' out)" 2
ok "and the PEs that are left go on without it" \
    is "$ends $(grep -c 'PE [01] of 2: fine' out)" "0 0 2"
finish
