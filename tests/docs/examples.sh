# Each example compiles and runs with 4 PEs by the command in its first comment.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

n=0
for example in "$GSH_SOURCE"/examples/*.cu "$GSH_SOURCE"/examples/*/*.cu; do
    n=$((n + 1))
    name=${example#"$GSH_SOURCE/"}
    command=$(sed -n 's/^ \*  *\(gshcc .*&& gshrun .*\)$/\1/p' "$example" | head -n 1)
    cp "$example" .
    ok "$name says how it is compiled and run" test -n "$command"
    run timeout 120 sh -c "$command"
    ok "$name: $command" is "$status" 0
    ok "$name: with 4 PEs" test "${command#* -n 4 }" != "$command"
    ok "$name: says what it has found" test -s out
done
ok "there are examples" test "$n" -ge 2
finish
