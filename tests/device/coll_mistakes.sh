# Wrong teams and roots, memory that is not symmetric and a second collective on a busy team
# are reported with the call in the kernel and its line, and end the job.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

gshcc --target=cpu -g -O1 "$GSH_SOURCE/tests/device/coll_mistakes.cu" -o mistakes ||
    { echo "not ok - coll_mistakes.cu does not compile" && exit 1; }

# fault NUMBER FACT TEXT
fault() {
    run timeout 30 gshrun -n 2 -x GSHMEM_CHECK=1 ./mistakes "$1"
    ok "$2 is reported" says "PE [01]: kernel make, .* in make at coll_mistakes.cu:[0-9]*: $3"
    ok "$2 ends the job" failed
}

fault 0 "a number that is no team" 'no such team \(team, most teams\) \(99, '
fault 1 "the invalid team" 'no such team \(team, most teams\) \(-1, '
fault 2 "a root beyond the team" 'no such rank in the team \(rank, PEs of the team\) \(2, 2\)'
fault 3 "memory that is not symmetric" '0x[0-9a-f]* is not a symmetric address'
fault 4 "a second collective on a busy team" 'a second collective on a team'
fault 5 "a rank that is not in the team" 'no such rank in the team \(rank, PEs of the team\) \(-1, 2\)'
fault 6 "a block that was freed in the heap of a team" '0x.* is not allocated; was it freed before'
ok "and what is allocated there is none" is "$(grep -c 'so far all is well' out)" 2
finish
