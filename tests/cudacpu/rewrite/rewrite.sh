# CUDA sources of hard syntax mean on the CPU device what they mean on a GPU: each case
# compiles with both compilers, of the oldest and the newest C++, without warnings, and
# runs. The facts are the first comments of the cases.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

cases=$GSH_SOURCE/tests/cudacpu/rewrite/cases

# works CASE COMPILER STANDARD
works() {
    run env CXX="$2" gshcc --target=cpu "-std=$3" -g -Wall -Wextra -Wpedantic -Wshadow -Werror "$1" \
        -o program
    [ "$status" = 0 ] || return
    run ./program
    [ "$status" = 0 ] || echo "line $status of $1 does not hold" >>out
    [ "$status" = 0 ]
}

for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    for standard in c++14 c++20; do
        for file in "$cases"/*.cu; do
            fact=$(sed -n '1s,^/\* \(.*\)\. \*/$,\1,p' "$file")
            ok "$fact ($compiler, $standard)" works "$file" $compiler $standard
        done
    done
done
finish
