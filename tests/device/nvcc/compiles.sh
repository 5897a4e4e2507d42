# usage: sh compiles.sh FILE.cu - gshcc --target=cuda compiles a program with kernels, without a
# word.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

command -v nvcc >/dev/null || skip_all "there is no nvcc"
run gshcc --target=cuda -arch=sm_90 -std=c++17 -I"$GSH_SOURCE/src" -c "$1" -o out.o
ok "gshcc compiles it with nvcc" is "$status" 0
ok "and says nothing" test ! -s out
finish
