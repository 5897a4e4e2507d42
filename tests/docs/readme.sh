# The program in the README compiles and runs with the commands and as the CMake project that stand
# there, and every path that the README names exists.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

readme=$GSH_SOURCE/README.md
sed -n '/^```cuda$/,/^```$/p' "$readme" | grep -v '^```' >ring.cu
sed -n '/^```cmake$/,/^```$/p' "$readme" | grep -v '^```' >CMakeLists.txt
grep -E '^gsh(cc|run) ' "$readme" >commands
grep -oE '`[A-Za-z.]+(/[A-Za-z0-9._-]*)+`' "$readme" | tr -d '`' | sort -u >paths

ok "the README has a program" grep -q 'int main' ring.cu
ok "of about 30 lines" [ "$(wc -l <ring.cu)" -le 34 ]
ok "a command compiles it and one runs it" is "$(wc -l <commands)" 2
run sh -e commands
ok "both commands work" is "$status" 0
ok "each of the 4 PEs says hello" is "$(grep -c 'says hello' out)" 4
build_project() {
    cmake -S . -B project -DCMAKE_PREFIX_PATH="$GSH_BUILD" && cmake --build project
}
run build_project
ok "the CMake project is built" is "$status" 0
run gshrun -n 4 project/ring
ok "and says the same" is "$(grep -c 'says hello' out)" 4
# build/ and what lies in it is made by the first build.
grep -v '^build/' paths >sources
while read -r path; do
    ok "$path exists" test -e "$GSH_SOURCE/$path"
done <sources
finish
