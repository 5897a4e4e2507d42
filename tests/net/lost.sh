#!/bin/sh
# A node that is lost is noticed by all others, within the time that is set, and by itself when
# it lives on; each says which node.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

cat >take_away <<'END'
# NODE HOW N: with two PEs on each of three nodes; the lines of PE n are in out.n, the time of
# the loss in lost.
export WORLD_SIZE=6 LOCAL_WORLD_SIZE=2 MASTER_ADDR=node0 MASTER_PORT=29500
for rank in 0 1 2 3 4 5; do
    RANK=$rank on node$((rank / 2)) "$GSH_BUILD/test/net/life" >out.$rank 2>&1 &
done
while [ "$(cat out.* | grep -c 'is in')" -lt 6 ]; do sleep 0.1; done
date +%s >lost
lose "$1" "$2"
while [ "$(cat out.* | grep -c ' at ')" -lt "$3" ]; do sleep 0.1; done
END

# take NODE HOW N: as take_away, until N PEs have learned something.
take() {
    run timeout 60 "$GSH_SOURCE/tests/net/nodes" -n 3 sh ./take_away "$@"
    [ "$status" -ne 77 ] || { cat out && exit 77; }
    cat out.? >out
}

# say RANKS TEXT: these PEs say this, and none later than it must be.
say() {
    for pe in $1; do
        grep -Eq "^PE $pe at [0-9]+: $2" out."$pe" || return 1
        at=$(sed -n 's/^PE . at \([0-9]*\):.*/\1/p' out."$pe")
        [ $((at - $(cat lost))) -le 10 ] || return 1
    done
}

export GSHMEM_NODE_TIMEOUT=2
take node1 kill 4
ok "when all of a node is killed, the others name one of its PEs and the node" \
    say "0 1 4 5" 'PE [23] \(pid [0-9]+ on node1\) ended without a word'
take node0 kill 4
ok "so they do when it is the node of PE 0" \
    say "2 3 4 5" 'PE 0 on node node0 ended without a word'
take node1 unplug 6
ok "when the link of a node is down, the others name the node and its PEs" \
    say "0 1 4 5" 'node node1 \(PE 2, PE 3\) is lost: nothing has come from it for 2 s'
ok "and its own PEs the node that they do not hear any more" \
    say "2 3" 'node node0 \(PE 0\) is lost'
take node0 crash 4
ok "when the node of PE 0 is silent, all others name it" \
    say "2 3 4 5" 'node node0 \(PE 0\) is lost: nothing has come from it for 2 s'
unset GSHMEM_NODE_TIMEOUT
take node2 crash 4
ok "without a setting it takes 10 s at most" \
    say "0 1 2 3" 'node node2 \(PE 4, PE 5\) is lost: nothing has come from it for 8 s'
finish
