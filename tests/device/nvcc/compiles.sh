# usage: sh compiles.sh FILE.cu - nvcc compiles a program with kernels, without a word.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

command -v nvcc >/dev/null || skip_all "there is no nvcc"
run nvcc -arch=sm_90 -std=c++17 -I"$GSH_BUILD/include" -I"$GSH_SOURCE/src" -c "$1" -o out.o
ok "nvcc compiles it" is "$status" 0
ok "and says nothing" test ! -s out
finish
