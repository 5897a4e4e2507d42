# The pictures of docs/races.md show what the programs print now, but for what differs from run to
# run: which of the two accesses came first, which of equal PEs and threads was met, addresses,
# and numbers of lines.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

# The text of a picture; & is last.
shown() { sed -n 's,^<text [^>]*>\(.*\)</text>$,\1,p' "$1" | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'; }

plain() {
    sed -E 's/0x[0-9a-f]+/ADDRESS/; s/(\.cu):[0-9]+/\1:LINE/; s/thread \([0-9,]+\)/thread T/
        s/^( +)before: /\1/; s/byte [0-9]+ /byte B /; s/PE [01]/PE P/; s/(put|get), nvshmem_[a-z_]*/\1/' |
        sort
}

picture() { run "$GSH_SOURCE/scripts/race-report.sh" "$GSH_SOURCE/tests/race/$1.cu" "$2"; }

n=0
for svg in "$GSH_SOURCE"/docs/race-*.svg; do
    n=$((n + 1))
    title=$(sed -n 's,^<title>\(.*\)</title>$,\1,p' "$svg")
    ok "${svg##*/} is shown" grep -q "(${svg##*/})" "$GSH_SOURCE/docs/races.md"
    picture "${title% *}" "${title#* }"
    ok "$title: the program reports one race" says '^race: 1 found'
    plain <out >now
    shown "$svg" | plain >pictured
    diff pictured now >out
    ok "$title: the picture shows what it prints" silent
done
ok "there are pictures" test "$n" -ge 3
finish
