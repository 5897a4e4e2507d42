#!/bin/sh
# What the hydra of MPICH starts is a job, through both dialects of PMI or through a
# communicator: the examples run as printed, and the end of a PE is everyone's.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"
. "$GSH_SOURCE/tests/boot/common"
need mpiexec.hydra mpich
need mpicc.mpich libmpich-dev

printed hello.c '^mpiexec.hydra'
ok "hello.c runs as printed" holds "$hello"
printed hello.c 'PMI-2 mpiexec.hydra'
ok "hello.c runs as printed with PMI-2" holds "$hello"
printed mpi_comm.c 'mpich|hydra'
ok "mpi_comm.c runs as printed" holds "$worlds"
printed unique_id.c 'mpich|hydra'
ok "unique_id.c runs as printed" holds "PE 0 has counted 4 of 4 PEs"

for dialect in PMI PMI-2; do
    export NVSHMEM_BOOTSTRAP_PMI=$dialect
    run timeout 60 mpiexec.hydra -pmi-port -n 4 ./hello
    ok "$dialect: the process manager may be behind PMI_PORT" holds "$hello"
done
NVSHMEM_BOOTSTRAP_PMI=PMI-3 run timeout 60 mpiexec.hydra -n 1 ./hello
ok "an unknown dialect is refused with the known ones" says '"PMI-3"; it may be PMI, PMI-2'
unset NVSHMEM_BOOTSTRAP_PMI
NVSHMEM_BOOTSTRAP=MPI run timeout 60 mpiexec.hydra -n 4 ./hello
ok "NVSHMEM_BOOTSTRAP=MPI loads and starts an MPI where the program has none" holds "$hello"
run env NVSHMEM_BOOTSTRAP=pmi ./hello
ok "without a process manager pmi says what it needs" says "needs PMI_FD"

# hydra kills the other PEs within the time of a message, so nothing here asks for one.
gshcc ends.c -o ends
for way in "PMI" "PMI-2"; do
    export NVSHMEM_BOOTSTRAP_PMI=$way
    for pe in 0 2; do
        run timeout 60 mpiexec.hydra -n 4 "$PWD/ends" kill $pe
        ok "$way: when PE $pe is killed all end" named .
    done
    run timeout 60 mpiexec.hydra -n 4 "$PWD/ends" mistake 1
    ok "$way: the mistake of a PE ends all, with its cause" named "PE 1: .* PE 77 does not exist"
    run timeout 60 mpiexec.hydra -n 4 "$PWD/ends" exit 1 0
    ok "$way: global_exit with 0 is success" is "$status $(cat out)" "0 the last word"
    run timeout 60 mpiexec.hydra -n 4 "$PWD/ends" exit 1 5
    ok "$way: global_exit with another status is none" failed
    ok "$way: what was written before global_exit is not lost" says "the last word"
    run timeout 60 mpiexec.hydra -n 4 "$PWD/ends" return
    ok "$way: PEs may return without finalize" is "$status" 0
    run timeout 60 mpiexec.hydra -n 4 "$PWD/ends" again
    ok "$way: five worlds follow one another" is "$status $(grep -o again out | wc -l)" "0 4"
done
NVSHMEM_BOOTSTRAP_PMI=PMI run timeout 60 mpiexec.hydra -n 4 "$PWD/ends" exit 1 5
ok "PMI: the status of global_exit is that of mpiexec" is "$status" 5

unset NVSHMEM_BOOTSTRAP_PMI
communicators mpicc.mpich mpiexec.hydra
finish
