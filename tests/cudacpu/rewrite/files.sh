# gshcc compiles CUDA sources for the CPU device in all the ways in which build systems ask.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

mkdir inc
cat >inc/kernel.h <<'END'
#ifndef BY
#define BY 2
#endif
template <class T> __global__ void shared_template(T *p)
{
    *p *= BY;
}
__global__ void elsewhere(int *p);
END
cat >first.cu <<'END'
#include <kernel.h>
extern "C" int from_c(void);
int from_cc();
int second();
int main()
{
    int a = 3;
    elsewhere<<<1, 1>>>(&a);
    cudaDeviceSynchronize();
    shared_template<<<1, 1>>>(&a);
    cudaDeviceSynchronize();
    return !(a == 10 && from_c() == 1 && from_cc() == 2 && second() == 8);
}
END
cat >second.cu <<'END'
#include <kernel.h>
__global__ void elsewhere(int *p)
{
    *p = 5;
}
int second()
{
    int a = 4;
    shared_template<<<1, 1>>>(&a);
    cudaDeviceSynchronize();
    return a;
}
END
echo 'int from_c(void) { int class = 1; return class; }' >third.c
cat >fourth.cpp <<'END'
#include <cuda_runtime.h>
int from_cc() { return cudaDeviceSynchronize() == cudaSuccess ? 2 : 0; }
END

worked() { is "$status" 0; }
runs() { worked && run "$1" && worked; }
both() { runs ./program; }
cu() { run gshcc --target=cpu "$@"; }

cu -Iinc first.cu second.cu third.c fourth.cpp -o program
ok "CUDA, C and C++ sources in one command" both
cu -Iinc -c first.cu second.cu && cu -c third.c && cu -c fourth.cpp &&
    cu first.o second.o third.o fourth.o -o program
ok "objects, several in one command" both
run gshcc first.o second.o third.o fourth.o -o program -lm
ok "objects are linked without naming the target" eval 'worked && ldd program | grep -q gshcudart'
cu -I inc -c first.cu -o a.o && cu -Iinc a.o second.cu third.o fourth.cpp -o program
ok "-o names an object; objects and sources mix" both
cp first.cu first.text
cu -Iinc -x cu first.text -x none second.cu third.o fourth.o -o program
ok "-x cu makes a CUDA source of any file" both
ar rc libparts.a second.o third.o fourth.o
cu -Iinc first.cu -L. -lparts -o program
ok "libraries come behind what needs them" both

cu -arch=sm_90 -gencode arch=compute_90,code=sm_90 -rdc=true --expt-relaxed-constexpr -lineinfo \
    -use_fast_math -Xptxas -v -dc -Iinc -Xcompiler -Wall,-DBY=2 -std=c++17 -O2 first.cu -o a.o
ok "options that only nvcc has are accepted" worked
cu -v -arch=sm_90 -Xptxas -v -Iinc -c first.cu
ok "-v says what was left out" says 'left out.*-arch=sm_90'
cu -Iinc -DBY=3 -Xcompiler=-Werror -c first.cu second.cu &&
    cu first.o second.o third.o fourth.o -o program && run ./program
ok "-D arrives" is "$status" 1
cu -Iinc -g -fsanitize=address,undefined first.cu second.cu third.c fourth.cpp -o program
ok "-fsanitize arrives in all steps" eval 'worked && ldd program | grep -q libasan'

cu -Iinc -MD -MF first.dep -c first.cu -o a.o
ok "-MD -MF: the object depends on source and headers" \
    eval "grep -q '^a\.o: .*first\.cu' first.dep && grep -q 'inc/kernel\.h' first.dep"
cu -Iinc -MMD -MP -c first.cu
ok "-MMD without a name writes beside the object" eval 'worked && grep -q "^first\.o: first\.cu" first.d && grep -q "^inc/kernel\.h:" first.d'
cu -Iinc -MM first.cu
ok "-MM prints the rule" eval 'says "^first\.o: first\.cu" && says "inc/kernel\.h"'
cu -Iinc -E first.cu
ok "-E prints what the compiler gets" says 'elsewhere.*\(&a\)'
cu -Iinc -S first.cu
ok "-S writes assembly" eval 'worked && grep -q "^main:" first.s'
cu -Iinc -fsyntax-only first.cu && rm -f first.o && cu -Iinc -fsyntax-only first.cu
ok "-fsyntax-only writes nothing" eval 'worked && [ ! -e first.o ]'

mkdir -p 'a b/c d' 'o p'
cp inc/kernel.h "a b/c d/it's.h"
sed "s/kernel\.h/it's.h/" first.cu >'a b/first one.cu'
sed "s/kernel\.h/it's.h/" second.cu >"a b/the 2nd.cu"
cu '-Ia b/c d' '-DTEXT="x y"' 'a b/first one.cu' "a b/the 2nd.cu" third.c fourth.cpp -o 'o p/program 1'
ok "names of files and folders may have blanks and quotes" runs 'o p/program 1'
cu -I 'a b/c d' -MMD -c 'a b/first one.cu' -o 'o p/first one.o' &&
    cu '-Ia b/c d' -c "a b/the 2nd.cu" && cu 'o p/first one.o' 'the 2nd.o' third.o fourth.o -o program
ok "those of objects as well" both
printf 'o\\ p/first\\ one.o:\n\ttouch again\n' >Makefile
echo "include o\\ p/first\\ one.d" >>Makefile
run make -q
ok "a depfile is quoted as make reads it" eval 'worked && ! says warning'
touch "a b/c d/it's.h" && touch -d '1 hour ago' 'o p/first one.o'
run make
ok "and makes the object depend on the header" test -e again

mkdir tmp
echo 'int main() { return nothing; }' >wrong.cu
TMPDIR=$PWD/tmp run gshcc --target=cpu wrong.cu -o wrong
ok "the status of the compiler is that of gshcc" is "$status" 1
ok "nothing is left in the folder for temporary files" rmdir tmp
run gshcc --target=cpu -Iinc -c first.cu second.cu -o both.o
ok "one output for two objects is refused" eval 'is $status 2 && says "several files"'
for words in '--target cpu first.cu' '--target=gpu first.cu' '--race --target=cuda first.cu' '-c -x cu' \
    '--target=cpu' '-default-stream=own first.cu' '-Xcompiler'; do
    # shellcheck disable=SC2086 # a list of words
    run gshcc $words
    ok "$words: is refused with the reason" eval 'is $status 2 && says "^gshcc: .{20}"'
done
for words in '--rase first.cu' 'absent.cu' '-Iinc first.cu -labsent' '-Iinc -c -o absent/first.o first.cu'; do
    # shellcheck disable=SC2086 # a list of words
    cu $words
    ok "$words: the compiler's message and status come through" eval 'is $status 1 && says "ra?se|absent"'
done
run gshcc --target=cpu -dlink first.o -o link.o
ok "a step that links device code is refused with the reason" eval 'is $status 2 && says "leave this step out"'
finish
