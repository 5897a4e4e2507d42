# usage: sh compiles.sh FILE.cu - gshcc --target=cuda compiles a program with kernels, without a
# word.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

command -v nvcc >/dev/null || skip_all "there is no nvcc"
# What runs is compiled elsewhere: the library's kernels, and tests/gpu/run.
fast=$(nvcc --help | grep -q -e --Ofast-compile && echo -Ofc=max)
# shellcheck disable=SC2086 # one word or none
run gshcc --target=cuda $fast -arch=sm_90 -std=c++17 -I"$GSH_SOURCE/src" -c "$1" -o out.o
ok "gshcc compiles it with nvcc" is "$status" 0
ok "and says nothing" test ! -s out
finish
