#!/bin/sh
# Processes with the variables that torchrun sets are a job; mistakes in them are named.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"
. "$GSH_SOURCE/tests/boot/common"
unset RANK WORLD_SIZE MASTER_ADDR MASTER_PORT

printed hello.c WORLD_SIZE=4
ok "hello.c runs as printed" holds "$hello"

# start N COMMAND...: as torchrun does it.
cat >start <<'END'
export WORLD_SIZE=$1 MASTER_ADDR=${MASTER_ADDR-localhost} MASTER_PORT=${MASTER_PORT-29511}
shift
for RANK in $(seq $((WORLD_SIZE - 1)) -1 0); do
    RANK=$RANK "$@" &
    all="$all $!"
done
for pid in $all; do
    wait $pid || status=$?
done
exit ${status-0}
END

NVSHMEM_DEBUG=INFO run timeout 60 sh ./start 3 ./hello
ok "the environment chooses torchrun and says why not pmix" \
    says "method pmix passed over: no PMIX_RANK"
ok "each PE says that it is of torchrun" is "$(grep -c 'method torchrun, PE . of 3' out)" 3
MASTER_ADDR=::1 run timeout 60 sh ./start 4 ./hello
ok "MASTER_ADDR may be an address of IPv6" holds "$hello"
NVSHMEM_BOOTSTRAP_UID_SESSION_ID=127.0.0.1:29533 MASTER_ADDR=192.0.2.99 run timeout 60 \
    sh ./start 4 ./hello
ok "NVSHMEM_BOOTSTRAP_UID_SESSION_ID is an address in its place" holds "$hello"
MASTER_PORT=29500 RANK=0 WORLD_SIZE=2 run env NVSHMEM_BOOTSTRAP=torchrun ./hello
ok "a variable that is missing is named" says "torchrun needs MASTER_ADDR"
MASTER_PORT=http MASTER_ADDR=localhost RANK=0 WORLD_SIZE=2 run ./hello
ok "and one that is no number" says 'MASTER_PORT is "http", no number'
MASTER_PORT=29500 MASTER_ADDR=nowhere.invalid RANK=1 WORLD_SIZE=2 run ./hello
ok "and a machine that does not exist" says 'MASTER_ADDR .* is "nowhere.invalid:29501": '
# An address that no interface here has, and that does not answer.
MASTER_PORT=29500 MASTER_ADDR=192.0.2.99 RANK=1 WORLD_SIZE=2 GSHMEM_TIMEOUT=1 run timeout 30 ./hello
ok "a PE that cannot reach PE 0 says where it tried, and what this machine has" \
    says 'PE 1 .*192.0.2.99:29501.*[Tt]his machine has .*lo 127.0.0.1'

gshcc ends.c -o ends
run timeout 60 sh ./start 4 "$PWD/ends" kill 2
ok "when a PE is killed all end, and it is named" named "PE 2 .*ended without"
run timeout 60 sh ./start 4 "$PWD/ends" kill 0
ok "also PE 0" named "PE 0 .*ended without"
run timeout 60 sh ./start 4 "$PWD/ends" exit 1 5
ok "the status of global_exit is that of all" is "$status" 5
run timeout 60 sh ./start 4 "$PWD/ends" again
ok "five worlds follow one another" is "$status $(grep -o again out | wc -l)" "0 4"
finish
