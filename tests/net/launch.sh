#!/bin/sh
# What mpirun of Open MPI, the hydra of MPICH, or anybody with the variables of torchrun starts
# on several nodes is a job: the lines of docs/bootstrap.md run as printed, and the end of a PE is
# everyone's.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"
. "$GSH_SOURCE/tests/boot/common"
need mpirun.openmpi openmpi-bin
need mpiexec.hydra mpich
hung=137

# on_nodes COMMAND...: on the head of two nodes; the output is in out. Who takes too long is killed
# without a chance to say something about it, with the status that $hung is.
on_nodes() {
    run timeout -s KILL "${limit-60}" "$GSH_SOURCE/tests/net/nodes" -n 2 env \
        OMPI_MCA_plm_rsh_agent="$GSH_SOURCE/tests/net/rsh" \
        HYDRA_LAUNCHER_EXEC="$GSH_SOURCE/tests/net/rsh" "$@"
    [ "$status" -ne 77 ] || { cat out && exit 77; }
    # Of mpirun as the first process; of shells of hydra that outlive what they ran.
    sed -i '/plm:rsh: Warning: setpgid/d; /^Killed$/d' out
}

# with_mpi LAUNCHER PROGRAM LINES: a program of MPI has this output, and ends. Between nodes MPICH
# 4.0.2 of Debian hangs in MPI_Finalize at times, in programs without us too: one that hangs when
# all was said is run again.
with_mpi() {
    tries=1
    [ "$1" != mpiexec.hydra ] || tries=5
    while limit=20 printed "$1" "$2" && [ "$status" -eq "$hung" ] && [ "$tries" -gt 1 ]; do
        status=0
        holds "$3" || return 1
        tries=$((tries - 1))
    done
    holds "$3"
}

# printed LAUNCHER [PROGRAM]: the line of the document, with another program.
printed() {
    line=$(grep "^$1 .*/hello$" "$GSH_SOURCE/docs/bootstrap.md" | sed "s,/hello,/${2-hello},")
    [ -n "$line" ] && on_nodes sh -c "$line"
}

# dies LAUNCHER PE: hydra kills the others at once, at times before a line of anyone comes out.
dies() {
    tries=1
    [ "$1" != mpiexec.hydra ] || tries=3
    while [ "$tries" -gt 0 ]; do
        printed "$1" "ends kill $2"
        named "PE $2 .*(ended without|has failed)|KILLED BY SIGNAL: 9|signal 9" && return 0
        tries=$((tries - 1))
    done
    return 1
}

gshcc hello.c -o hello
gshcc ends.c -o ends
for launcher in mpirun.openmpi mpiexec.hydra; do
    compiler=mpicc.${launcher#*.}
    [ $launcher = mpirun.openmpi ] || compiler=mpicc.mpich
    printed $launcher
    ok "$launcher: hello.c runs as printed" holds "$hello"
    NVSHMEM_DEBUG=INFO printed $launcher
    ok "$launcher: two PEs are on each node" is \
        "$(grep -o 'host node[01] is [01] of 2' out | wc -l) $(grep -o 'host node1' out | wc -l)" "4 2"
    CC=$compiler gshcc mpi_comm.c -o mpi_comm
    ok "$launcher: mpi_comm.c has the ranks of communicators as PEs" \
        with_mpi $launcher mpi_comm "$worlds"
    CC=$compiler gshcc unique_id.c -o unique_id
    ok "$launcher: unique_id.c carries the id to the other node" \
        with_mpi $launcher unique_id "PE 0 has counted 4 of 4 PEs"
    for pe in 0 3; do
        ok "$launcher: when PE $pe is killed all end, and it is named" dies $launcher "$pe"
    done
    NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME=lo GSHMEM_TIMEOUT=2 printed $launcher
    ok "$launcher: with an interface that does not reach the other node it says so" \
        says 'PE [23] on node1 .*127.0.0.1:[0-9]*.*loopback'
done

# By hand: rsh in the place of ssh.
mkdir bin
# shellcheck disable=SC2016 # for the shell that runs it
printf '#!/bin/sh\nexec "$GSH_SOURCE/tests/net/rsh" "$@"\n' >bin/ssh
chmod +x bin/ssh
line=$(grep '^for r in .*ssh' "$GSH_SOURCE/docs/bootstrap.md")
PATH=$PWD/bin:$PATH on_nodes sh -c "$line"
ok "no launcher: hello.c runs as printed" is "$status $(grep -c 'of 2: the sum is 3' out)" "0 2"

run timeout 60 "$GSH_SOURCE/tests/net/nodes" -n 2 -p 2 ./hello
ok "torchrun's variables: hello.c runs on 2 nodes of 2 PEs" holds "$hello"
run timeout 60 "$GSH_SOURCE/tests/net/nodes" -n 3 -p 1 ./hello
ok "torchrun's variables: and on 3 nodes of 1 PE" is \
    "$status $(grep -c 'of 3: the sum is 6' out)" "0 3"
finish
