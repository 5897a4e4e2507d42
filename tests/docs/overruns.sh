# Each cell of the table in docs/races.md about accesses outside of their objects is so.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

source=$GSH_SOURCE/tests/docs/overruns.cu

# A report, and not the crash that an access may end in.
found_asan() {
    run timeout 60 gshrun -n 1 ./asan "$1"
    says 'AddressSanitizer: [a-z]+-(buffer-overflow|use-after-free)'
}

found_check() {
    GSHMEM_CHECK=1 run timeout 60 gshrun -n 1 ./check "$1"
    says '^gshmem: PE 0: .*(is not allocated|are not inside|has been written to)'
}

# cell CASE found|- HOW
cell() {
    if "found_$3" "$1"; then is "$2" found; else is "$2" -; fi
}

run gshcc --target=cpu -g -fsanitize=address -o asan "$source"
ok "the program compiles with AddressSanitizer" is "$status" 0
run gshcc --target=cpu -g -o check "$source"
ok "and without" is "$status" 0
./check | sort >cases
sed -n '/^| access outside /,/^$/s/^| \(.*[a-z_]\) | \(found\|-\) | \(found\|-\) |$/\1|\2|\3/p' \
    "$GSH_SOURCE/docs/races.md" >rows
cut -d'|' -f1 rows | sort >named
ok "the table has a row for each case" cmp cases named
while IFS='|' read -r name asan check; do
    ok "$name: with AddressSanitizer: $asan" cell "$name" "$asan" asan
    ok "$name: with GSHMEM_CHECK=1: $check" cell "$name" "$check" check
done <rows
finish
