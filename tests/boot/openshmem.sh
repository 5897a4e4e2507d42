#!/bin/sh
# A program of another OpenSHMEM has gshmem beside it, with the same PEs.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"
. "$GSH_SOURCE/tests/boot/common"
need /usr/bin/oshcc libopenmpi-dev
need mpirun.openmpi openmpi-bin

printed openshmem.c 'oshcc|mpirun'
ok "openshmem.c runs as printed" holds 'PE 0 of 4: 3 and 3
PE 1 of 4: 0 and 0
PE 2 of 4: 1 and 1
PE 3 of 4: 2 and 2'
run gshcc -g alone.c -o alone
run timeout 60 gshrun -n 3 ./alone
ok "without another OpenSHMEM the flag means the job of the environment" \
    is "$status $(grep -c 'of 3' out)" "0 3"
finish
