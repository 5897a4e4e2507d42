#!/bin/sh
# What mpirun of Open MPI starts is a job, through PMIx or through a communicator: the
# examples run as printed, and the end of a PE is everyone's, with its name.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"
. "$GSH_SOURCE/tests/boot/common"
need mpirun.openmpi openmpi-bin
need mpicc.openmpi libopenmpi-dev

printed hello.c mpirun.openmpi
ok "hello.c runs as printed" holds "$hello"
printed mpi_comm.c openmpi
ok "mpi_comm.c runs as printed" holds "$worlds"
printed unique_id.c openmpi
ok "unique_id.c runs as printed" holds "PE 0 has counted 4 of 4 PEs"

NVSHMEM_DEBUG=INFO run timeout 60 mpirun.openmpi -n 2 ./hello
ok "the environment chooses pmix and says why not local" \
    says "method local passed over: not started by gshrun"
ok "each PE says that it is of pmix" is "$(grep -c 'method pmix, PE . of 2' out)" 2
NVSHMEM_BOOTSTRAP=PMI NVSHMEM_BOOTSTRAP_PMI=PMIX run timeout 60 mpirun.openmpi -n 4 ./hello
ok "PMIX is a dialect of PMI, as in NVSHMEM" holds "$hello"
NVSHMEM_BOOTSTRAP=MPI run timeout 60 mpirun.openmpi -n 4 ./hello
ok "NVSHMEM_BOOTSTRAP=MPI loads and starts an MPI where the program has none" holds "$hello"
run env NVSHMEM_BOOTSTRAP=pmix ./hello
ok "without a process manager pmix says what it needs" says "needs PMIX_RANK"

gshcc ends.c -o ends
for method in pmix mpi; do
    export NVSHMEM_BOOTSTRAP=$method
    for pe in 0 2; do
        run timeout 60 mpirun.openmpi -n 4 "$PWD/ends" kill $pe
        ok "$method: when PE $pe is killed all end, and it is named" named "PE $pe .*ended without"
    done
    run timeout 60 mpirun.openmpi -n 4 "$PWD/ends" mistake 1
    ok "$method: the mistake of a PE ends all, with its cause" named "PE 1: .* PE 77 does not exist"
    run timeout 60 mpirun.openmpi -n 4 "$PWD/ends" exit 1 5
    ok "$method: the status of global_exit is that of mpirun" is "$status" 5
    ok "$method: what was written before global_exit is not lost" says "the last word"
    run timeout 60 mpirun.openmpi -n 4 "$PWD/ends" return
    ok "$method: PEs may return without finalize" is "$status" 0
    run timeout 60 mpirun.openmpi -n 4 "$PWD/ends" again
    ok "$method: five worlds follow one another" is "$status $(grep -o again out | wc -l)" "0 4"
done
NVSHMEM_BOOTSTRAP=pmix run timeout 60 mpirun.openmpi -n 4 "$PWD/ends" exit 1 0
ok "pmix: global_exit with 0 is success" is "$status $(cat out)" "0 the last word"

unset NVSHMEM_BOOTSTRAP
communicators mpicc.openmpi mpirun.openmpi
finish
