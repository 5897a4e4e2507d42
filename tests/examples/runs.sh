# usage: sh runs.sh FILE.cu [--race] - an example compiles and runs with 4 PEs by the command in its
# first comment; with --race it is compiled for the race checker, which has nothing to say of it.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

command=$(sed -n 's/^ \*  *\(gshcc .*&& gshrun .*\)$/\1/p' "$1" | head -n 1)
cp "$1" .
ok "it says how it is compiled and run" test -n "$command"
ok "with 4 PEs" test "${command#* -n 4 }" != "$command"
if [ "${2-}" = --race ]; then
    command="gshcc --race${command#gshcc}"
    export GSHMEM_CHECK=race
fi
run sh -c "$command"
ok "$command" is "$status" 0
ok "it says what it has found" test -s out
[ "${2-}" != --race ] || ok "and no race" eval "! says '^race: '"
finish
