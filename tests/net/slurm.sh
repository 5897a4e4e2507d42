#!/bin/sh
# What srun of Slurm starts on several nodes is a job, through PMI-2 and through PMIx, and the
# end of a PE is everyone's.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"
. "$GSH_SOURCE/tests/boot/common"
need slurmctld slurmctld
need slurmd slurmd
need srun slurm-client
[ "$(id -u)" = 0 ] || skip_all "Slurm's daemons need root"

gshcc hello.c -o hello
gshcc ends.c -o ends
cat >jobs.list <<'END'
for mpi in pmi2 pmix; do
    timeout 60 srun -Q -n 4 --ntasks-per-node 2 --mpi=$mpi ./hello >hello.$mpi 2>&1
    echo $? >>hello.$mpi
    timeout 60 srun -n 3 -N 2 -m block --mpi=$mpi ./hello >unequal.$mpi 2>&1
    echo $? >>unequal.$mpi
    NVSHMEM_DEBUG=INFO timeout 60 srun -n 4 --ntasks-per-node 2 --mpi=$mpi ./hello >log.$mpi 2>&1
    for pe in 0 3; do
        timeout 60 srun -n 4 --ntasks-per-node 2 --mpi=$mpi "$PWD/ends" kill $pe >kill$pe.$mpi 2>&1
        echo $? >>kill$pe.$mpi
    done
    timeout 60 srun -n 4 --ntasks-per-node 2 --mpi=$mpi "$PWD/ends" again >again.$mpi 2>&1
    echo $? >>again.$mpi
done
END
run timeout 200 "$GSH_SOURCE/tests/net/nodes" -n 2 slurm sh ./jobs.list
[ "$status" -ne 77 ] || { cat out && exit 77; }

# take FILE: what it holds but the last line, which is the status.
take() {
    status=$(tail -n 1 "$1") && sed '$d' "$1" >out
}

for mpi in pmi2 pmix; do
    take hello.$mpi
    ok "$mpi: hello.c runs on 2 nodes of 2 PEs" holds "$hello"
    take unequal.$mpi
    ok "$mpi: and on nodes of 2 and 1" is "$status $(grep -c 'of 3: the sum is 6' out)" "0 3"
    take log.$mpi
    ok "$mpi: each PE knows its node" is "$(grep -c 'host node[01] is [01] of 2' out)" 4
    for pe in 0 3; do
        take kill$pe.$mpi
        ok "$mpi: when PE $pe is killed all end, and it is named" named "PE $pe .*(ended without|has failed)"
    done
    take again.$mpi
    ok "$mpi: five worlds follow one another" is "$status $(grep -o again out | wc -l)" "0 4"
done
finish
