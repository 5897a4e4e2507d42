#!/bin/sh
# The demo has the result of its serial run on several nodes as well.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

for form in "2 2" "3 1"; do
    # shellcheck disable=SC2086 # two numbers
    set -- $form
    run timeout 100 "$GSH_SOURCE/tests/net/nodes" -n "$1" -p "$2" "$GSH_BUILD/bin/jacobi" -s 200 \
        -i "$GSH_SOURCE/apps/jacobi/heat.png" -o "$PWD/result.png"
    grep '^# no' out
    ok "$1 nodes of $2: every cell is that of the serial run" is "$status $(grep -c ' equal' out)" "0 1"
done
finish
