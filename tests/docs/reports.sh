# Every row of tests/reports/README.md names a test that is there and bears its number.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

has_number() {
    case $2 in *"$1"*) return 0 ;; esac
    grep -q "$1" "$GSH_SOURCE/$2"
}

sed -n 's/^| \(B[0-9]*\) .*`\(.*\)` |$/\1 \2/p' "$GSH_SOURCE/tests/reports/README.md" >rows
while read -r row file; do
    ok "$row: $file is there" test -f "$GSH_SOURCE/$file"
    ok "$row: and says so" has_number "$row" "$file"
done <rows
ok "there are 30 rows" [ "$(wc -l <rows)" -ge 30 ]
finish
