# tap.sh - what shell tests have in common; they read it with `.`.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh

tap_n=0 tap_failed=0

# ok FACT COMMAND...: the fact holds when the command succeeds.
ok() {
    tap_fact=$1
    shift
    tap_n=$((tap_n + 1))
    if "$@"; then
        echo "ok $tap_n - $tap_fact"
    else
        echo "not ok $tap_n - $tap_fact"
        tap_failed=1
        [ ! -f out ] || sed 's/^/# /' out | head -n 30
    fi
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 77
}

# run COMMAND...: its output goes to the file out, its exit status to $status, and
# the seconds it took to $took.
run() {
    tap_start=$(date +%s)
    "$@" >out 2>&1 </dev/null
    status=$?
    took=$(($(date +%s) - tap_start))
}

says() { grep -Eq -- "$1" out; }
silent() { [ ! -s out ]; }
is() { [ "$1" = "$2" ]; }
failed() { [ "$status" -ne 0 ]; }

# program NAME: compiles the C source on standard input to ./NAME.
program() {
    cat >"$1.c"
    gshcc -g "$1.c" -o "$1" || { echo "not ok - $1.c does not compile" && exit 1; }
}

finish() {
    echo "1..$tap_n"
    exit $tap_failed
}
