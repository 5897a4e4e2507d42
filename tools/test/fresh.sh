# A build tree that was moved with its sources is configured anew; one in its place
# stays as it is.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

fresh() { (cd "$1" && "$GSH_SOURCE/scripts/fresh.sh" build); }
configure() { cmake -S "$1" -B "$1/build"; }

mkdir here
printf 'cmake_minimum_required(VERSION 3.20)\nproject(p NONE)\n' >here/CMakeLists.txt
run fresh here
ok "without a build tree nothing is said" silent
run configure here
run fresh here
ok "nor of one that is in its place" silent
ok "which stays configured" [ -f here/build/CMakeCache.txt ]
mv here there
run configure there
ok "CMake refuses one that was moved" failed
run fresh there
ok "one that was moved is named with the place it came from" says 'here.*anew'
run configure there
ok "and can be configured again" is "$status" 0
finish
