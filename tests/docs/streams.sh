# The picture of docs/streams.md shows the nodes that the graph of the example has.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

# Titles of nodes and edges in a picture of graphviz are those of its source.
shown() { sed -n 's,^<title>\(.*\)</title>$,\1,p; s,^<text .*>\([0-9].*\)</text>$,\1,p' "$1" | sed 's/&#45;&gt;/ -> /' | sort; }
made() { sed -n 's/^ *\(n[0-9]*\) \[label="\(.*\)"\];$/\1\n\2/p; s/^ *\(n[0-9]* -> n[0-9]*\);$/\1/p; s/^digraph \([a-z_]*\) {$/\1/p' "$1" | sort; }

run gshcc --target=cpu "$GSH_SOURCE/examples/graph.cu" -o graph
ok "the example compiles" is "$status" 0
for n in 1 2 3 4; do
    run timeout 60 gshrun -n $n ./graph steps.dot
    ok "it runs with $n PEs" is "$status" 0
    made steps.dot >nodes
    shown "$GSH_SOURCE/docs/graph.svg" >picture
    ok "its graph is that of the picture" cmp nodes picture
done
ok "with several nodes" [ "$(wc -l <nodes)" -gt 10 ]
finish
