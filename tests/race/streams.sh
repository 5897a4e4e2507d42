# The race checker finds each kind of fault of streams.cu, names both lines and what acts there, and
# says nothing of the correct twin.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

source=$GSH_SOURCE/tests/race/streams.cu

# streams CASE wrong|right
streams() { GSHMEM_CHECK=race run timeout 60 gshrun -n 2 ./streams "$1" "$2"; }

# What the report of a case must say of its two accesses.
expected() {
    grep -n "// $1: " "$source" | while IFS=: read -r line text; do
        what=${text##*"// $1: "}
        case $what in
        'kernel '*)
            body=${what#kernel }
            line=$(grep -n "// body of ${body%%,*}\$" "$source" | cut -d: -f1)
            ;;
        call) what='nvshmemx_[a-z_]*_on_stream' ;;
        esac
        echo "PE [01]: .* at streams.cu:$line; $what"
    done
}

finds() {
    streams "$1" wrong
    is "$status" 66 && says '^race: ' || return
    expected "$1" >lines
    while read -r line; do
        says "$line" || return
    done <lines
}

is_silent() {
    streams "$1" right
    is "$status" 0 && ! says '^race: '
}

run gshcc --target=cpu --race -O2 -o streams "$source"
ok "gshcc --race compiles a program for it" is "$status" 0
grep -o '// [a-z_]*: ' "$source" | tr -d '/: ' | sort | uniq -c >cases
ok "each case has one or two lines" eval "! grep -v '^ *[12] ' cases"
while read -r _ name; do
    ok "$name: the fault is found, and both accesses are named" finds "$name"
    ok "$name: the correct program gives no report" is_silent "$name"
done <cases

streams read_early wrong
ok "memory is named by where it was allocated, with the first byte that both access" \
    says '^race: byte 12 of 256 of memory, allocated in begin at streams\.cu:[0-9]+$'
streams symbol wrong
ok "a variable is named as one" says '^race: a variable at 0x'
finish
