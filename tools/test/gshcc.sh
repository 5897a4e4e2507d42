# gshcc chooses the compiler and the flags by what it is given.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

unset CC CXX

# ends STATUS FACT PATTERN COMMAND...: with this status, and a line has the pattern.
ends() {
    want=$1 fact=$2 pattern=$3
    shift 3
    run "$@"
    ok "$fact" both
}

both() {
    is "$status" "$want" && says "$pattern"
}

shows() { ends 0 "$@"; }
refuses() { ends 2 "$@"; }

without_library() {
    ! gshcc --show "$1" a.c | grep -q -e -lgshmem
}

bin=$(dirname "$(command -v gshcc)")

shows "C is compiled with cc" '^cc a\.c ' gshcc --show a.c
shows "C++ is compiled with c++" '^c\+\+ a\.cc ' gshcc --show a.cc
shows "one C++ file among C files is enough" '^c\+\+ ' gshcc --show a.c b.cpp
shows "-x c++ is C++" '^c\+\+ ' gshcc --show -x c++ a.h
shows "gshc++ links objects as C++" '^c\+\+ a\.o ' gshc++ --show a.o
shows "oshc++ is the same command" '^c\+\+ a\.o ' oshc++ --show a.o
shows "oshcc is the same command" '^cc a\.c .* -lgshmem$' oshcc --show a.c
shows "CC is honoured, with options" '^gcc -O1 a\.c ' env CC='gcc -O1' gshcc --show a.c
shows "CXX is honoured" '^clang\+\+ a\.cc ' env CXX=clang++ gshcc --show a.cc
shows "an output that is named like a C++ file is none" '^cc ' gshcc --show -o a.cc a.c
shows "a word with blanks stays one" "^cc 'a b\.c' " gshcc --show 'a b.c'
shows "a quote can be handed on" "'-DX='.*'.*'" gshcc --show "-DX='x'" a.c
shows "the library comes after the objects" 'a\.o .*-lgshmem$' gshcc --show a.o
for option in -c -E -S -fsyntax-only -M; do
    ok "$option does not link" without_library $option
done
shows "--target=cpu is accepted" '^cc a\.c ' gshcc --show --target=cpu a.c
refuses "another target is named" 'must be --target=auto, --target=cpu or --target=cuda' gshcc --target=gpu a.c

# CUDA sources; .../in.ii and out.ii lie in a folder for temporary files.
cpu() { shows "$@" --target=cpu; }
cuda() { shows "$@" --target=cuda; }
NVCC='echo nvcc' && export NVCC
no_cuda() { env NVCC=no-such-nvcc gshcc "$@"; }
cpu "a .cu file is preprocessed" '^c\+\+ -E .*-D__CUDACC__=1 .*-x c\+\+ a\.cu -o .*/in\.ii$' gshcc --show a.cu
cpu "then rewritten" '/gshcu .*/in\.ii .*/out\.ii$' gshcc --show a.cu
cpu "then compiled" '^c\+\+ .*-c -x c\+\+-cpp-output .*/out\.ii$' gshcc --show a.cu
cpu "then linked" '^c\+\+ /[^ ]*/1\.o -o prog .* -lgshcudart -lgshmem$' gshcc --show a.cu -o prog
cpu "-c names the object like the source" '^c\+\+ .*-o a\.o -c ' gshcc --show -c dir/a.cu
cpu "CXX compiles it" '^clang\+\+ -O1 .*-o a\.o -c ' env CXX='clang++ -O1' gshcc --show -c a.cu
cpu "-ccbin names the compiler as well" '^mpicxx .*-o a\.o -c ' gshcc --show -ccbin mpicxx -c a.cu
cpu "C beside it stays C" '^cc .*-c -x c b\.c ' gshcc --show a.cu b.c
cpu "the language is C++17 without -std" '^c\+\+ -std=gnu\+\+17 .*-c ' gshcc --show a.cu
cpu "-std is honoured" '^c\+\+ -std=c\+\+14 .*-c ' gshcc --show -std=c++14 a.cu
cpu "-lcudart is left out" '/1\.o -lm -L' gshcc --show a.cu -lcudart -lm
cpu "a word with blanks arrives in one piece" "'-DX=\"a b\"'" gshcc --show '-DX="a b"' a.cu
cpu "the default stream per thread arrives" ' -DCUDA_API_PER_THREAD_DEFAULT_STREAM=1 ' gshcc --show --default-stream per-thread a.cu
refuses "another default stream is named" 'none of legacy, null and per-thread' gshcc --show --target=cpu -default-stream=mine a.cu
mkdir cuda && : >cuda/cuda_runtime_api.h
cpu "a path to CUDA's own headers comes last" ' -idirafter cuda ' gshcc --show -Icuda a.cu
shows "without nvcc auto is cpu" '/gshcu ' no_cuda --show a.cu
cuda "--target=cuda calls nvcc" '^nvcc .* a\.cu .*-lgshmem$' env NVCC=nvcc gshcc --show a.cu
cuda "and runs it" '^nvcc -forward-unknown-to-host-compiler -O2 -Wall a\.cu -I.* -lgshmem$' gshcc -O2 -Wall a.cu
cuda "-arch arrives" ' -arch=sm_90 ' gshcc -arch=sm_90 a.cu
cuda "-dc does not link" '^nvcc -forward-unknown-to-host-compiler -dc a\.cu -I[^ ]*$' gshcc -dc a.cu
cuda "options of the linker arrive" ' -Xlinker -z,now ' gshcc -Wl,-z,now a.cu
refuses "--target=cuda without nvcc says so" 'needs nvcc' no_cuda --target=cuda a.cu
unset NVCC
refuses "without files it says how" '--help' gshcc
shows "--help shows the usage" '^usage: gshcc' gshcc --help
shows "--version shows the version" '^gshcc [0-9]' gshcc --version
shows "a question goes to the compiler" '^[0-9]' gshcc -dumpversion

mkdir elsewhere && ln -s "$bin/gshcc" elsewhere/gshcc
shows "a link to it finds the headers" "-I$(dirname "$(readlink -f "$bin")")/include" elsewhere/gshcc --show a.c
cp "$bin/gshcc" elsewhere/gshcc.alone
refuses "a copy without its prefix says so" 'was moved alone' elsewhere/gshcc.alone a.c

echo 'int main(void) { return 3; }' >program.c
run gshcc -v program.c -o program
ok "-v prints the command" says '^cc program\.c'
run ./program
ok "and runs it" is "$status" 3
echo 'int main(void) { nothing }' >program.c
run gshcc program.c -o program
ok "the status of the compiler is that of gshcc" is "$status" 1
finish
