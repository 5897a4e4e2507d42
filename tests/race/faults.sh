# The race checker finds each kind of fault of faults.cu, names both lines, and says nothing
# of the correct twin; programs that were not compiled for it are told so.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

source=$GSH_SOURCE/tests/race/faults.cu

# faults CASE wrong|right [ROUNDS]
faults() { GSHMEM_CHECK=race run timeout 60 gshrun -n 2 ./faults "$@"; }

finds() {
    faults "$1" wrong
    is "$status" 66 && says '^race: ' || return
    # shellcheck disable=SC2013 # a list of numbers
    for line in $(grep -n " $1:[12]" "$source" | cut -d: -f1); do
        says "faults.cu:${line}[;,]" || return
    done
}

is_silent() {
    faults "$1" right "${2-1}"
    is "$status" 0 && ! says '^race: '
}

run gshcc --target=cpu --race -O2 -o faults "$source"
ok "gshcc --race compiles a program for it" is "$status" 0
# shellcheck disable=SC2013 # a list of names
for name in $(grep -o ' [a-z_]*:1' "$source" | cut -d: -f1); do
    ok "$name: the fault is found, and both lines are named" finds "$name"
    ok "$name: the correct program gives no report" is_silent "$name"
done
# Where the order of atomic accesses is what counts, it comes out in all ways.
for name in threadfence no_release no_acquire counter_reset flag_reset ticket; do
    ok "$name: the correct program gives no report in 5000 rounds" is_silent "$name" 5000
done

export GSHMEM_CHECK=1
run timeout 60 gshrun -n 2 ./faults quiet wrong
ok "without GSHMEM_CHECK=race nothing is reported" silent
export GSHMEM_CHECK=race
run gshcc --target=cpu -o plain "$GSH_SOURCE/examples/ring.cu"
run timeout 60 gshrun -n 2 ./plain
ok "a program that was not compiled for it is told how" says 'gshcc --target=cpu --race'
finish
